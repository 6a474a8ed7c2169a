"""Whole trials in a sandbox: the same results as without one, and what an agent tries in vain."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from braino_registry.datasets import Store
from braino_registry.registry import Registry
from braino_registry.runner import RunSettings, run, try_task
from braino_registry.runner.sandbox.bubblewrap import Bubblewrap

FOUND = Bubblewrap().probe()
pytestmark = pytest.mark.skipif(not FOUND.works, reason=f"no bubblewrap: {FOUND.detail}")

HERE = Path(__file__).parent
ENTRIES = HERE.parent / "entries"


@pytest.fixture
def attempt(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Run one trial of an agent of the house of guests in a sandbox."""
    monkeypatch.chdir(HERE)

    def one(agent: str, task: str = "probe-sum", **options: Any) -> dict[str, Any]:
        named = agent if agent in ("oracle", "peek") else f"guests:{agent}"
        return try_task(
            task,
            agent=named,
            isolation="sandbox",
            registry=Registry.open([ENTRIES]),
            store=Store(tmp_path / "cache"),
            keep=tmp_path / "run",
            **options,
        )

    return one


def test_the_oracle_passes(attempt: Any) -> None:
    record = attempt("oracle")
    assert record["outcome"] == "passed", record


def test_a_local_agent_works_with_tools_and_files(attempt: Any, tmp_path: Path) -> None:
    record = attempt("honest")
    assert record["outcome"] == "passed", record
    assert (tmp_path / "run/trials/probe-sum").exists()


def test_an_agent_knows_its_folders_by_neutral_names(attempt: Any) -> None:
    record = attempt("where")
    assert record["reason"].endswith("said: /input /workspace /workspace ['/agent'] (exit code 1)")


@pytest.mark.parametrize("guest", ["reads_registry", "reads_home", "writes_input", "calls_home"])
def test_what_is_forbidden_fails_inside(attempt: Any, guest: str) -> None:
    record = attempt(guest)
    assert record["outcome"] == "agent_error"
    assert "said: refused" in record["reason"]


@pytest.mark.parametrize(
    ("guest", "outcome"),
    [
        ("exits", "agent_error"),
        ("kills_itself", "agent_error"),
        pytest.param("stops_itself", "limit", marks=pytest.mark.slow),
        ("forks_away", "passed"),
        ("forges", "agent_error"),
        ("prints_much", "limit"),
        ("hoards_memory", "agent_error"),
        ("links_out", "failed"),
    ],
)
def test_abuse_is_a_scored_outcome_and_leaves_nothing(
    attempt: Any, guest: str, outcome: str
) -> None:
    import psutil

    before = {child.pid for child in psutil.Process().children(recursive=True)}
    record = attempt(guest)
    after = {child.pid for child in psutil.Process().children(recursive=True)}
    assert record["outcome"] == outcome, record["reason"]
    assert after <= before


def test_a_run_in_a_sandbox_says_how_limits_were_held(tmp_path: Path) -> None:
    result = run(
        RunSettings(
            agent="oracle",
            tasks=("probe-sum",),
            registry=(ENTRIES,),
            isolation="sandbox",
            run_dir=tmp_path / "run",
            cache=tmp_path / "cache",
        )
    )
    settings = result.report["settings"]
    assert result.exit_code == 0
    assert settings["isolation"] == "sandbox"
    assert settings["enforcement"]["engine"] == "bubblewrap"
    assert settings["enforcement"]["network"] == "namespace without interfaces"


def test_a_module_is_imported_in_the_sandbox_too_before_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an agent's module does on import cannot prepare its trials."""
    (tmp_path / "sly.py").write_text(
        "import pathlib\n"
        f"pathlib.Path({str(tmp_path / 'seen.py')!r}).write_text('x = 1')\n"
        "class Agent:\n    name = 'sly'\n    model = None\n    def solve(self, r, s): ...\n"
    )
    monkeypatch.chdir(tmp_path)
    asked = RunSettings(
        agent="sly:Agent", tasks=("probe-sum",), registry=(ENTRIES,), isolation="sandbox",
        run_dir=tmp_path / "run",
    )  # fmt: skip
    with pytest.raises(Exception, match=r"No such file|Read-only|Permission"):
        run(asked)
    assert not (tmp_path / "seen.py").exists()


def test_the_agent_is_shown_the_tools_copy_and_cannot_write_to_it(
    attempt: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from braino_registry import datasets

    made: list[Path] = []
    copy = datasets.fresh_copy

    def count(realised: Any, dest: Path, **options: Any) -> None:
        made.append(dest)
        copy(realised, dest, **options)

    monkeypatch.setattr(datasets, "fresh_copy", count)
    record = attempt("decides_and_looks", "bad-channels-ask")
    assert "said: True refused" in record["reason"], record["reason"]
    assert len(made) == 1


def test_nothing_that_lies_in_memory_is_without_a_bound(attempt: Any) -> None:
    record = attempt("fills_memory_with_files")
    said = record["reason"].partition("said: ")[2]
    assert said.startswith("shared memory 268435456, elsewhere refused refused"), record["reason"]
