"""What a bank of questions is worth to somebody who knows nothing."""

from __future__ import annotations

from typing import Any

import pytest

from braino_registry.registry import Registry, Task
from braino_registry.reports.questions import alike, baselines, right
from tests.registry.support import Folder, example


def task_of(folder: Folder, questions: list[dict[str, Any]]) -> Task:
    doc = {**example("task", "bank"), "instances": {"questions": questions}}
    folder.write("tasks/sample/bank.json", doc)
    registry: Registry = folder.registry()
    assert registry.problems == ()
    return registry.task("a-few-questions")


def test_baselines_of_a_bank_that_can_be_guessed(folder: Folder) -> None:
    task = task_of(
        folder,
        [
            {"id": "a", "question": "?", "options": ["x", "yy", "zzz", "long one"], "key": "D"},
            {
                "id": "b",
                "question": "!",
                "options": ["short", "brief", "by far longer"],
                "key": "C",
            },
        ],
    )
    found = {each.name: each.accuracy for each in baselines(task)}
    assert found["an option at random"] == pytest.approx((1 / 4 + 1 / 3) / 2)
    assert (found["the longest option"], found["the shortest option"]) == (1, 0)
    assert [found[f"the option written as {letter}"] for letter in "ABCD"] == [0, 0, 0.5, 0.5]
    assert [right(each) for each in task.instances] == ["long one", "by far longer"]


def test_equals_share_what_length_is_worth(folder: Folder) -> None:
    questions = [{"id": "a", "question": "?", "options": ["ab", "cd", "e"], "key": "B"}]
    found = {each.name: each.accuracy for each in baselines(task_of(folder, questions))}
    assert (found["the longest option"], found["the shortest option"]) == (0.5, 0)


def test_a_task_without_questions_has_no_baselines(folder: Folder) -> None:
    folder.write("tasks/sample/minimal.json", example("task", "minimal"))
    assert baselines(folder.registry().task("which-subject")) == []


def test_near_duplicates_are_found(folder: Folder) -> None:
    same = {"question": "Which band lies between 8 and 13 Hz?", "options": ["alpha", "beta"]}
    task = task_of(
        folder,
        [
            {"id": "a", **same, "key": "A"},
            {"id": "b", **same, "question": "Which  band lies between 8 and 13 Hz ?", "key": "A"},
            {
                "id": "c",
                "question": "What is a montage?",
                "options": ["a plan", "a cap"],
                "key": "B",
            },
        ],
    )
    likeness, first, second = max(alike(task))
    assert (first, second) == ("a", "b")
    assert likeness > 0.8
    assert min(alike(task))[0] < 0.1
