"""Counterexamples change exactly what they name."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from braino_registry.session import apply_counterexample

REFERENCE: dict[str, Any] = {
    "steps": [
        {"call": "preprocess.filter", "args": {}, "as": "clean"},
        {"call": "quality.bad_channels", "args": {}, "as": "found"},
        {"ask": "Which?", "as": "reply"},
        {
            "for_each": ["a"],
            "as": "each",
            "steps": [
                {"call": "preprocess.notch"},
                {"decide": "mark-bad-channels", "proposal": {}},
            ],
        },
        {"decide": "choose-correction", "proposal": {}},
    ],
    "answer": "Done.",
    "data": {"n": 1},
    "context": {"recording": "sub-01_task-rest"},
}
USER: dict[str, Any] = {"decisions": [{"kind": "mark-bad-channels", "respond": "approve"}]}


def steps(reference: dict[str, Any]) -> list[str]:
    flat = []
    for step in reference["steps"]:
        for each in step.get("steps", [step]):
            flat.append(each.get("call") or each.get("ask") or each.get("decide"))
    return flat


@pytest.mark.parametrize(
    ("without", "left"),
    [
        (["decide"], ["preprocess.filter", "quality.bad_channels", "Which?", "preprocess.notch"]),
        (
            ["preprocess.*"],
            ["quality.bad_channels", "Which?", "mark-bad-channels", "choose-correction"],
        ),
        (["quality.bad_channels", "ask", "for_each"], ["preprocess.filter", "choose-correction"]),
        (["choose-correction", "call"], ["Which?", "mark-bad-channels"]),
    ],
)
def test_without(without: list[str], left: list[str]) -> None:
    changed, user = apply_counterexample(REFERENCE, USER, {"without": without})
    assert steps(changed) == left
    assert changed["data"] == {"n": 1}
    assert user == USER


def test_a_new_answer_drops_the_data_unless_it_brings_its_own() -> None:
    changed, _ = apply_counterexample(REFERENCE, USER, {"answer": "Wrong."})
    assert changed["answer"] == "Wrong."
    assert "data" not in changed
    changed, _ = apply_counterexample(REFERENCE, USER, {"answer": "Wrong.", "data": {"n": 2}})
    assert changed["data"] == {"n": 2}
    changed, _ = apply_counterexample(REFERENCE, USER, {"data": None})
    assert (changed["answer"], changed["data"]) == ("Done.", None)


def test_new_steps_and_a_new_user() -> None:
    reject = {"decisions": [{"kind": "mark-bad-channels", "respond": "reject"}]}
    given = deepcopy((REFERENCE, USER))
    new = [{"call": "dataset.inspect"}, {"ask": "Why?"}]
    changed, user = apply_counterexample(
        REFERENCE, USER, {"steps": new, "without": ["ask"], "user": reject, "agent": "null"}
    )
    assert changed["steps"] == new[:1]
    assert changed["context"] == REFERENCE["context"]
    assert user == reject
    assert (REFERENCE, USER) == given
