"""Instances are about recordings that their datasets will have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from braino_registry.registry.entries import Recipe
from braino_registry.registry.instances import MANY, expand
from braino_registry.registry.recordings import recording_problems

RUNS = Recipe(
    "recipe",
    "runs",
    "1.0.0",
    Path("runs.json"),
    {
        "participants": {"labels": ["01", "02"]},
        "recordings": [
            {"over": {"bids_task": ["rest"], "bids_run": ["1", "2"]}},
            {"over": {"bids_subject": ["01"], "bids_task": ["count"]}},
        ],
    },
)


def problems(recording: dict[str, str]) -> list[tuple[str, str, tuple[str, ...]]]:
    row = {"id": "one", "dataset": "runs@1.0.0", "recording": recording}
    instances, wrong = expand({"id": "task", "instances": [row]}, lambda _: False)
    assert wrong == []
    found = recording_problems(instances, {"runs@1.0.0": RUNS})
    return [(each.path, each.message, each.allowed) for each in found]


@pytest.mark.parametrize(
    "recording",
    [
        {},
        {"bids_subject": "02"},
        {"bids_task": "rest"},
        {"bids_subject": "01", "bids_task": "count"},
        {"bids_subject": "02", "bids_task": "rest", "bids_run": "2"},
    ],
)
def test_whole_names_and_parts_that_are_no_name_are_fine(recording: dict[str, str]) -> None:
    assert problems(recording) == []


@pytest.mark.parametrize(
    "recording",
    [
        {"bids_subject": "03"},
        {"bids_subject": "02", "bids_task": "count"},
        {"bids_subject": "01", "bids_task": "rest", "bids_run": "3"},
        {"bids_subject": "01", "bids_session": "1", "bids_task": "rest", "bids_run": "1"},
    ],
)
def test_an_unknown_subject_task_run_or_session_is_told(recording: dict[str, str]) -> None:
    ((path, message, allowed),) = problems(recording)
    assert path == "$.instances.one.recording"
    assert "has no recording" in message
    assert "sub-01_task-rest_run-1" in allowed


def test_a_name_that_leaves_out_the_run_is_no_recording() -> None:
    """Nothing is planted in ``sub-01_task-rest``: the runs have the truth."""
    ((_, message, allowed),) = problems({"bids_subject": "01", "bids_task": "rest"})
    assert "leaves out which recording" in message
    assert allowed == ("sub-01_task-rest_run-1", "sub-01_task-rest_run-2")


def test_a_product_of_more_instances_than_anybody_lists_is_told() -> None:
    many = [str(number) for number in range(1000)]
    over: dict[str, Any] = {name: many for name in ("bids_subject", "bids_run", "bids_session")}
    row = {"id": "{{ bids_run }}", "over": {**over, "dataset": ["runs@1.0.0"]}}
    instances, (problem,) = expand({"id": "task", "instances": row}, lambda _: False)
    assert instances == ()
    assert problem.path == "$.instances.over"
    assert str(MANY) in problem.message
