"""Instances: names, contexts, recordings, and their order."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braino_registry.registry.entries import merge_user, recording_id
from braino_registry.registry.instances import expand
from tests.registry.support import Folder, example


@pytest.mark.parametrize(
    ("entities", "name"),
    [
        ({"bids_subject": "02", "bids_task": "rest"}, "sub-02_task-rest"),
        (
            {"bids_run": "1", "bids_task": "x", "bids_session": "1", "bids_subject": "01"},
            "sub-01_ses-1_task-x_run-1",
        ),
        (
            {"bids_acquisition": "a", "bids_task": "x", "bids_subject": "01"},
            "sub-01_task-x_acq-a",
        ),
        ({"bids_subject": "02"}, None),
        ({"bids_task": "rest"}, None),
        ({}, None),
    ],
)
def test_recording_id_joins_entities_as_bids_does(
    entities: dict[str, str], name: str | None
) -> None:
    assert recording_id(entities) == name


def test_a_row_becomes_an_instance(folder: Folder) -> None:
    folder.write("tasks/sample/alpha.json", example("task", "products"))
    task = folder.registry().task("alpha-power")
    real = task.instance("real")
    assert (real.task_id, real.dataset, real.data) == (
        "alpha-power",
        "open-recordings@1.0.0",
        "public",
    )
    assert (real.large, real.chance, real.window) == (True, 0.1, (0, 60.5))
    assert real.needs == ("dataset:open-recordings@1.0.0", "extra:sleep")
    assert real.context() == {
        "bids_subject": "S001",
        "bids_task": "rest",
        "bids_run": "1",
        "band": "alpha",
        "window": [0, 60.5],
        "recording": "sub-S001_task-rest_run-1",
        "record_id": "sub-S001_task-rest_run-1",
    }
    assert task.request_for(real) == (
        "What is the relative power in alpha between 0 and 60.5 s in subject S001?"
    )
    first = task.instances[0]
    assert (first.data, first.large, first.needs, first.expected) == (
        None,
        False,
        (),
        {"power": {"truth": "relative_power"}},
    )


def test_the_phrases_of_fields_are_filled_in_for_an_instance(folder: Folder) -> None:
    doc = example("task", "bad-channels")
    field = {"type": "set", "of": "channel"}
    phrases = ["bad in {{ bids_subject }}", "bad", "bad {{ '' }}"]
    doc["answer"]["fields"] = {"bad_channels": {**field, "said_as": phrases}, "other": field}
    folder.write("tasks/sample/bad.json", doc)
    registry = folder.registry()
    assert registry.problems == ()
    task = registry.task("bad-channels-ask")
    given = task.fields_for(task.instance("sub-02"))
    assert given == {
        "bad_channels": {**field, "said_as": ["bad in 02", "bad"]},
        "other": field,
    }
    assert task.fields["bad_channels"]["said_as"] == phrases


def test_a_row_may_say_more_exactly_than_its_task(folder: Folder) -> None:
    folder.write("tasks/sample/bad.json", example("task", "bad-channels"))
    task = folder.registry().task("bad-channels-ask")
    assert [(each.data, each.chance) for each in task.instances] == [(None, 0.0), ("twin", 0.25)]
    assert task.limits == {
        "seconds": 120,
        "tool_calls": 60,
        "questions": 10,
        "output_bytes": 10000000,
    }


def test_users_are_merged_by_what_their_lines_are_about() -> None:
    script = {
        "decisions": [{"kind": "a", "respond": "approve"}, {"kind": "b", "respond": "reject"}],
        "answers": [{"about": "x", "say": "1"}, {"about": "y", "say": "2"}],
        "otherwise": "No.",
    }
    override = {
        "decisions": [{"kind": "a", "respond": "reject"}, {"kind": "a", "respond": "approve"}],
        "answers": [{"about": "y", "say": "3"}],
    }
    assert merge_user(script, override) == {
        "decisions": [
            {"kind": "b", "respond": "reject"},
            {"kind": "a", "respond": "reject"},
            {"kind": "a", "respond": "approve"},
        ],
        "answers": [{"about": "x", "say": "1"}, {"about": "y", "say": "3"}],
        "otherwise": "No.",
    }
    assert merge_user(script, {}) == script
    assert merge_user(script, {"otherwise": "?"})["otherwise"] == "?"


def test_a_task_without_user_has_one_who_knows_nothing(folder: Folder) -> None:
    folder.write("tasks/sample/minimal.json", example("task", "minimal"))
    task = folder.registry().task("which-subject")
    assert task.user_for(task.instances[0]) == {
        "decisions": [],
        "answers": [],
        "otherwise": "I don't know.",
    }
    assert (task.instances[0].recording_id, task.instances[0].context()) == (
        None,
        {"recording": None, "record_id": None},
    )


LABELS = st.lists(st.from_regex(r"[A-Za-z0-9]{1,3}", fullmatch=True), min_size=1, max_size=3)


@given(LABELS, LABELS, st.lists(st.integers(0, 5), min_size=1, max_size=3, unique=True), st.data())
def test_products_are_complete_and_do_not_depend_on_the_order_of_axes(
    subjects: list[str], runs: list[str], starts: list[int], data: Any
) -> None:
    subjects, runs = list(dict.fromkeys(subjects)), list(dict.fromkeys(runs))
    over: dict[str, Any] = {
        "dataset": ["a@1.0.0"],
        "bids_subject": subjects,
        "bids_run": runs,
        "window": [[start, start + 1] for start in starts],
    }
    keys = data.draw(st.permutations(list(over)))
    row = {
        "id": "{{ bids_subject }}_{{ bids_run }}_{{ window[0] }}",
        "recording": {"bids_task": "rest"},
    }
    doc = {"id": "x", "instances": {"over": {key: over[key] for key in keys}, **row}}
    instances, problems = expand(doc, lambda ref: False)

    expected = [f"{s}_{r}_{w}" for s, r, w in itertools.product(subjects, runs, starts)]
    assert [instance.id for instance in instances] == expected
    # Case decides nothing on some file systems, so only ids that differ otherwise are accepted.
    clashes = len(expected) - len({name.casefold() for name in expected})
    assert len(problems) == clashes
