"""A run that is held to a release: what it runs, what it says, and how others verify it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from braino_registry import reports, runner
from braino_registry.cli import main
from braino_registry.datasets import Store
from braino_registry.errors import UsageError
from braino_registry.registry import Registry, Salt, locks
from braino_registry.reports.standing import told_of_release
from braino_registry.runner import releasing, selecting
from braino_registry.runner.sources import Sources
from tests.runner.conftest import ENTRIES

SECRET = "one-0123456789abcdef0123456789abcdef\n"
Frozen = Callable[..., Path]


@pytest.fixture
def entries(tmp_path: Path) -> Path:
    """Return a copy of the entries of the suite `probe` that a test may edit."""
    return shutil.copytree(ENTRIES, tmp_path / "entries")


@pytest.fixture
def frozen(entries: Path, tmp_path: Path) -> Frozen:
    """Return a function that puts a release of suite `probe` in force, and returns its lock."""

    def freeze(**options: Any) -> Path:
        chosen = {"suites": ["probe"], "activate": True, **options}
        file = tmp_path / "2026.1.json"
        locks.write(Registry.open([entries]), "2026.1", out=file, **chosen)
        return file

    return freeze


def edit(file: Path, change: Callable[[dict[str, Any]], None]) -> None:
    document = json.loads(file.read_text())
    change(document)
    file.write_text(json.dumps(document))


def loosen(task: dict[str, Any]) -> None:
    task["checks"][1]["tolerance"] = {"abs": 5}


def plan(settings: Any, entries: Path, lock: Path, *tasks: str, **options: Any) -> runner.Plan:
    asked = settings("good", suite="probe", registry=(entries,), release=str(lock), **options)
    return runner.plan(runner.RunSettings(**{**vars(asked), "tasks": tasks}))


def test_exactly_the_locked_tasks_are_run(settings: Any, entries: Path, frozen: Frozen) -> None:
    rate = (entries / "tasks/probe/rate.json").read_text()
    (entries / "tasks/probe/rate.json").unlink()
    lock = frozen()
    (entries / "tasks/probe/rate.json").write_text(rate)
    assert {row.task for row in plan(settings, entries, lock).rows} == {"probe-sum", "probe-brief"}
    with pytest.raises(UsageError, match="does not have: probe-rate"):
        plan(settings, entries, lock, "probe-rate")


def test_of_many_released_tasks_a_refusal_names_the_near_ones() -> None:
    names = ["probe-rate", *(f"other-{number}" for number in range(40))]
    lock = {"id": "2026.1", "suites": [{"id": "probe"}, {"id": "more"}],
            "tasks": [{"id": name, "suite": "probe"} for name in names]}  # fmt: skip
    for name in ("probe-sum", "probe-rates"):
        with pytest.raises(UsageError) as caught:
            selecting._refuse_unreleased(lock, "probe", [SimpleNamespace(id=name)])  # type: ignore[list-item]
        assert "Allowed: probe-rate" in caught.value.hint
        assert caught.value.hint.endswith(" more.")
        assert "other-39" not in caught.value.hint
    with pytest.raises(UsageError, match="has no suite 'probes'") as caught:
        selecting._refuse_unreleased(lock, "probes", [])
    assert caught.value.hint == "It has: probe, more."


def test_how_much_of_a_release_a_report_covers_is_told() -> None:
    lock = {"tasks": [{"id": name, "suite": "probe"} for name in "abc"]}

    def covered(tasks: str, release: dict[str, Any] | None) -> dict[str, Any]:
        digests: dict[str, Any] = {"tasks": {task: {} for task in tasks}}
        return releasing.covered(lock, {"suite": "probe", "digests": digests, "release": release})

    assert covered("ab", {"whole": True}) == {"run": 2, "released": 3, "whole": False}
    assert covered("abc", {"whole": True}) == {"run": 3, "released": 3, "whole": True}
    assert covered("abcd", {"whole": False}) == {"run": 3, "released": 3, "whole": False}
    assert covered("abc", None) == {"run": 3, "released": 3, "whole": False}


def test_a_suite_that_the_release_lacks_is_refused(
    settings: Any, entries: Path, frozen: Frozen
) -> None:
    lock = frozen()
    asked = settings("good", suite="braino", registry=(entries,), release=str(lock))
    with pytest.raises(UsageError, match="has no suite 'braino'") as caught:
        runner.plan(runner.RunSettings(**{**vars(asked), "tasks": ()}))
    assert caught.value.hint == "It has: probe."


def run(settings: Any, entries: Path, lock: Path, **options: Any) -> dict[str, Any]:
    asked = settings("good", registry=(entries,), release=str(lock), isolation="none", **options)
    result = runner.run(asked)
    return reports.read(result.path, verify=True)


def standing(settings: Any, entries: Path, lock: Path, **options: Any) -> dict[str, Any]:
    """Return how a run would stand to a release, without running it."""
    asked = settings("good", registry=(entries,), release=str(lock), **options)
    sources = Sources.open(asked)
    found = releasing.standing(asked, sources.plan(asked), sources)
    assert found is not None
    return found


def test_a_report_says_whether_all_is_as_locked(
    settings: Any, entries: Path, frozen: Frozen, tmp_path: Path
) -> None:
    lock = frozen()
    report = run(settings, entries, lock)
    assert report["verified"]
    told = report["release"]
    assert (told["id"], told["status"], told["verified"], told["whole"], told["differences"]) == (
        "2026.1", "active", True, False, [],
    )  # fmt: skip
    assert "all is as locked; not all of its tasks" in " ".join(told_of_release(report))

    # Scored again by today's checks, it is no longer what the release says.
    edit(entries / "tasks/probe/sum.json", loosen)
    again = runner.rescore(tmp_path / "run").report
    assert not again["verified"]
    (row,) = again["release"]["differences"]
    assert (row["what"], row["field"]) == ("task probe-sum", "scoring.checks.total.tolerance")
    assert "1.1.0 (minor)" in row["hint"]
    assert "scoring.checks.total.tolerance" in " ".join(told_of_release(again))
    assert reports.read(tmp_path / "run" / "report.json")["release"]["verified"]


def test_a_draft_verifies_nothing(settings: Any, entries: Path, frozen: Frozen) -> None:
    told = standing(settings, entries, frozen(activate=False))
    assert [row["field"] for row in told["differences"]] == ["status"]
    assert not told["verified"]


def test_a_lock_edited_by_hand_verifies_nothing(
    settings: Any, entries: Path, frozen: Frozen
) -> None:
    """Whoever adapts the digests in the lock to the changed task breaks its seal."""
    lock = frozen()
    edit(entries / "tasks/probe/sum.json", loosen)
    now = Registry.open([entries])

    def adapt(document: dict[str, Any]) -> None:
        for row in document["tasks"]:
            row["digests"] = now.digests(now.task(row["id"]))

    edit(lock, adapt)
    told = standing(settings, entries, lock)
    assert [row["field"] for row in told["differences"]] == ["seal"]
    assert not told["verified"]


def test_a_salt_is_committed_to_used_and_revealed(
    settings: Any, entries: Path, frozen: Frozen, tmp_path: Path, cache: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    secret, other = tmp_path / "salt", tmp_path / "other"
    secret.write_text(SECRET)
    other.write_text(SECRET[::-1])
    salt = Salt.read(secret)
    lock = frozen(salts=[salt.hash])
    # Another salt than the committed one, or none, is no run of this release.
    for used, problem in ((other, "none that the release commits to"), (None, "none was used")):
        (row,) = standing(settings, entries, lock, salt=used)["differences"]
        assert problem in row["problem"]

    report = run(settings, entries, lock, tasks=("probe-rate",), salt=secret)
    assert report["verified"], report["release"]
    document, store = json.loads(lock.read_text()), Store(cache)

    def check(found: dict[str, Any], revealed: Salt) -> list[str]:
        registry = Registry.open([entries])
        rows = releasing.check_report(document, found, registry, store, revealed)
        return [str(row) for row in rows]

    assert check(report, salt) == []
    # One task of three: nothing differs in it, and the rest is not verified.
    with pytest.raises(SystemExit) as stop:
        main(["release", "verify", str(lock), "--registry", str(entries),
              "--report", str(tmp_path / "run"), "--cache", str(cache)])  # fmt: skip
    assert stop.value.code == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "nothing differs. It covers only part of the release: 1 of 3 tasks" in told
    assert check(report, Salt.none()) == []
    (wrong,) = check(report, Salt.read(other))
    assert "the revealed one has the hash" in wrong
    # The truth was drawn otherwise than with the committed salt.
    (name,) = report["digests"]["datasets"]
    forged = json.loads(json.dumps(report))
    forged["digests"]["datasets"][name]["realised"] = "sha256:" + "0" * 64
    (forgery,) = check(forged, salt)
    assert forgery.startswith(f"dataset {name}, realised: comes out as")


def test_a_report_of_another_release_or_of_none_is_told(
    settings: Any, entries: Path, frozen: Frozen
) -> None:
    lock = frozen()
    registry, store = Registry.open([entries]), Store()
    document = json.loads(lock.read_text())
    row = registry.row(registry.task("probe-sum"))
    tasks = {"probe-sum": {"version": row["version"], **row["digests"]}}
    report = {
        "suite": "probe",
        "release": standing(settings, entries, lock),
        "settings": {"salt": None},
        "digests": {"tasks": tasks, "datasets": {}},
    }

    def told(**changes: Any) -> list[str]:
        found = {**report, **changes}
        rows = releasing.check_report(document, found, registry, store, Salt.none())
        return [str(row) for row in rows]

    assert told() == []
    assert "was held to none" in told(release=None)[0]
    elsewhere = {**standing(settings, entries, lock), "id": "2026.2", "seal": "sha256:" + "1" * 64}
    assert "was held to 2026.2" in told(release=elsewhere)[0]
    changed = {"probe-sum": {**tasks["probe-sum"], "scoring": "sha256:" + "2" * 64}}
    (found,) = told(digests={"tasks": changed, "datasets": {}})
    assert found.startswith("task probe-sum: was run as 1.0.0")
