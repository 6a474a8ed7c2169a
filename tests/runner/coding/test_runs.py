"""Runs of agents that work by code: what they can do, and what the report says of it."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks import abuse, code_abuse
from braino_registry.errors import HostError
from braino_registry.reports.printing import Printer
from braino_registry.reports.tables import show_report
from braino_registry.runner import RunSettings, plan, resume, run
from braino_registry.runner.coding import limits
from braino_registry.runner.sandbox.bubblewrap import Bubblewrap

HERE = Path(__file__).parent
FOUND = Bubblewrap().probe()
#: Deeds that take no longer than their trial, beside those that the tests of the worker hold.
QUICK = ("links_for_artifacts", "pipes_for_artifacts", "remount", "leaves_a_daemon")


@pytest.fixture
def entries(tmp_path: Path) -> Path:
    """The entries of these tests, in a suite that may be worked on by code."""
    shutil.copytree(HERE.parent / "entries", tmp_path / "entries")
    suite = tmp_path / "entries" / "tasks" / "probe" / "suite.json"
    suite.write_text(suite.read_text().replace('["tools"]', '["tools", "code"]'))
    return tmp_path / "entries"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cache: Path, entries: Path) -> Any:
    """Settings of a run of one of the agents beside this file."""
    monkeypatch.chdir(HERE)

    def make(agent: str, **options: Any) -> RunSettings:
        return RunSettings(
            agent=f"coders:{agent}", tasks=("probe-rate/synthetic",), registry=(entries,),
            cache=cache, run_dir=tmp_path / "run", **options,
        )  # fmt: skip

    return make


@pytest.fixture
def no_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(name: str | None = None) -> Any:
        raise HostError("isolation 'sandbox' cannot be enforced on this computer: none", hint="X.")

    monkeypatch.setattr("braino_registry.runner.sandbox.choose", none)


def answer_of(folder: Path) -> str:
    return abuse.answer_of(folder)


def printed(report: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> str:
    show_report(Printer(sys.stdout), report)
    return capsys.readouterr().out


@pytest.mark.skipif(not FOUND.works, reason=f"no bubblewrap: {FOUND.detail}")
@pytest.mark.parametrize("isolation", ["process", pytest.param("sandbox", marks=pytest.mark.slow)])
def test_under_code_execute_works_and_tools_do_not(
    asked: Callable[..., RunSettings],
    tmp_path: Path,
    isolation: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    result = run(asked("Coder", paradigm="code", isolation=isolation))
    assert result.report["settings"]["paradigm"] == "code"
    assert result.report["settings"]["enforcement"]["code"] == "bubblewrap"
    text = answer_of(tmp_path / "run")
    assert "files; tools: []; this session has the paradigm 'code' and no tools" in text
    assert "Run Python code instead: session.execute(code)" in text
    assert [path.read_text() for path in (tmp_path / "run").rglob("artifacts/made.txt")] == ["y"]
    assert "without a sandbox" not in printed(result.report, capsys)
    transcript = next((tmp_path / "run").rglob("events.jsonl")).read_text().splitlines()
    events = [json.loads(line) for line in transcript]
    assert events[0]["toolset"] == []
    assert [event["type"] for event in events].count("execute") == 1


def test_under_tools_no_code_is_run(asked: Callable[..., RunSettings], tmp_path: Path) -> None:
    result = run(asked("Caller"))
    (trial,) = result.report["trials"]
    assert "code" not in result.report["settings"]["enforcement"]
    assert trial["outcome"] == "agent_error"
    assert "the paradigm 'tools' and runs no code" in trial["reason"]


def test_without_a_sandbox_a_run_does_not_start(
    asked: Callable[..., RunSettings], tmp_path: Path, no_sandbox: None
) -> None:
    with pytest.raises(HostError, match="would run here without a sandbox") as caught:
        run(asked("Coder", paradigm="code"))
    assert caught.value.exit_code == 3
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
@pytest.mark.skipif(not FOUND.works, reason="resuming looks for the sandbox first")
def test_a_run_is_not_continued_with_less(
    asked: Callable[..., RunSettings], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(asked("Coder", paradigm="code"))

    def none(name: str | None = None) -> Any:
        raise HostError("isolation 'sandbox' cannot be enforced on this computer: none", hint="X.")

    monkeypatch.setattr("braino_registry.runner.sandbox.choose", none)
    with pytest.raises(HostError, match="without a sandbox"):
        resume(tmp_path / "run")


def test_a_report_says_that_code_ran_without_a_sandbox(
    asked: Callable[..., RunSettings],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("BRAINO_SANDBOX", "apptainer")  # which is not here, for the workers too
    if shutil.which("apptainer"):
        pytest.skip("apptainer is here")
    result = run(asked("Coder", paradigm="code", allow_unsandboxed_code=True))
    enforcement = result.report["settings"]["enforcement"]
    assert enforcement["code"] == "none (--allow-unsandboxed-code)"
    assert "files; tools: []" in answer_of(tmp_path / "run")
    assert "code ran without a sandbox" in printed(result.report, capsys)


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the table change environment, limits and tiers for this test alone."""
    import tempfile

    from braino_registry.runner import tiers

    monkeypatch.setenv("TMPDIR", tempfile.gettempdir())
    monkeypatch.setenv("ABUSE_SECRET", "")
    monkeypatch.setattr(tempfile, "tempdir", tempfile.gettempdir())
    monkeypatch.setitem(tiers._table(), "abuse", {})
    monkeypatch.setattr(limits, "standard", limits.standard)


@pytest.mark.skipif(not FOUND.works, reason=f"no bubblewrap: {FOUND.detail}")
def test_code_cannot_abuse_its_place(quiet: None) -> None:
    rows = code_abuse.try_all(list(QUICK), "whoever")
    assert [row.deed for row in rows] == list(QUICK)
    assert [(row.deed, row.problem) for row in rows if row.problem] == []
    assert all("| alive" in row.said for row in rows)


@pytest.mark.skipif(not FOUND.works, reason=f"no bubblewrap: {FOUND.detail}")
def test_what_has_to_rest_on_a_tool_is_not_planned(cache: Path) -> None:
    asked = RunSettings(
        agent="", tasks=("ica-blinks", "bad-channels-ask/sub-02"), paradigm="code", cache=cache
    )
    planned = plan(asked)
    assert {row.task for row in planned.rows} == {"bad-channels-ask"}
    assert {(row.task, row.command) for row in planned.left_out} == {
        ("ica-blinks", "add --paradigm tools")
    }
