"""The table of baselines counts what reports say."""

from __future__ import annotations

from pathlib import Path

from benchmarks.baselines import Tally, page, salts, table
from braino_registry.registry import Registry, Salt


def trial(task: str, category: str, outcome: str) -> dict[str, object]:
    passed = {"passed": True, "failed": False, "limit": False}.get(outcome)
    return {
        "task": task, "instance": "a", "category": category, "outcome": outcome,
        "passed": passed, "reason": None, "dataset": "x@1.0.0",
    }  # fmt: skip


def test_trials_are_counted_by_category_and_unscored_ones_named() -> None:
    tally = Tally()
    rows = [
        trial("one", "erp", "passed"),
        trial("one", "erp", "failed"),
        trial("two", "spectra", "passed"),
        trial("three", "spectra", "environment_error"),
        trial("four", "erp", "not_planned"),
    ]
    tally.add({"trials": rows})
    assert table({"scripted": tally}, ["erp", "spectra", "groups"]) == [
        "| agent | erp | spectra | groups | all |",
        "|---|---|---|---|---|",
        "| scripted | 1/2 | 1/1 | – | 2/3 |",
    ]
    assert tally.unscored == ["three/a: environment_error"]
    text = page({"scripted": tally}, Registry.open(environ={}).suite("braino"), 2, {"eegmmi"})
    assert "passes 1 task in" in text
    assert "(tasks/two.md)" in text
    assert "over 2 salts, 2 tasks, with the recordings of eegmmi" in text
    assert "- not scored, scripted: three/a: environment_error" in text


def test_the_salts_are_good_and_can_be_written_again(tmp_path: Path) -> None:
    files = salts(tmp_path, 3)
    found = [Salt.read(file).material for file in files]
    assert len(set(found)) == 3
    assert [Salt.read(file).material for file in salts(tmp_path, 3)] == found
