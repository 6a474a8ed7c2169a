"""Checking a task file: what is wrong is told once, at its place, with the evidence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from braino_registry.datasets import Store
from braino_registry.errors import EntryError
from braino_registry.runner import check_task
from tests.runner.conftest import ENTRIES

SUM = json.loads((ENTRIES / "tasks/probe/sum.json").read_text())


@pytest.fixture
def rows(tmp_path: Path, cache: Path) -> Any:
    """Check a variant of a task, in a file outside of every folder of entries."""

    def check(document: dict[str, Any]) -> list[dict[str, Any]]:
        file = tmp_path / "mine.json"
        file.write_text(json.dumps({**document, "id": "mine"}))
        return check_task(file, registry_folders=(ENTRIES,), store=Store(cache))

    return check


def test_a_sound_task_is_sound_wherever_it_lies(rows: Any) -> None:
    found = rows(SUM)
    assert [row["ok"] for row in found] == [True] * 10
    assert all(row["differs"] == [] for row in found)


def test_a_wrong_row_tells_what_the_checks_saw_that_did_something_else(rows: Any) -> None:
    found = rows({**SUM, "counterexamples": wrong_counterexamples()})
    first, second = [row for row in found if row["instance"] == "small" and not row["ok"]]
    assert first["what"] == "counterexample 0: does it in the head"
    assert [(check["id"], check["passed"]) for check in first["differs"]] == [("total", True)]
    assert "42" in first["differs"][0]["evidence"]
    assert second["what"] == "counterexample 1: off by one"
    assert [(check["id"], check["passed"]) for check in second["differs"]] == [("total", False)]
    assert "43" in second["differs"][0]["evidence"]


def wrong_counterexamples() -> list[dict[str, Any]]:
    """Two that say the wrong thing of one check: it does not fail in the first, but in the next."""
    first, second, *others = SUM["counterexamples"]
    return [
        {**first, "fails": [*first["fails"], "total"]},
        {**second, "fails": ["grounded"]},
        *others,
    ]


def test_what_is_wrong_with_the_entry_is_told_once_and_names_the_file(
    rows: Any, tmp_path: Path
) -> None:
    checks = [*SUM["checks"]]
    checks[1] = {**checks[1], "expected": {"truth": "totl"}}
    (row,) = rows({**SUM, "checks": checks})
    assert (row["instance"], row["ok"]) == ("small", False)
    assert "the truth has nothing at 'totl'" in row["says"]
    assert str(tmp_path / "mine.json") in row["says"]


def test_a_recording_that_the_dataset_lacks_is_told_with_those_it_has(rows: Any) -> None:
    document = json.loads((ENTRIES / "tasks/probe/rate.json").read_text())
    document["instances"][0]["recording"]["bids_subject"] = "07"
    with pytest.raises(EntryError, match="has no recording 'sub-07_task-rest'") as caught:
        rows(document)
    assert "sub-01_task-rest, sub-02_task-rest" in caught.value.hint
