"""Whatever an agent answers gets a score, and moves no other answer's."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from braino_registry.scoring import corpus
from tests.scoring.corpus.cases import ANSWERS, VALUES, values, whole

OPTIONS = {"A": "Beta waves", "B": "Alpha", "C": "3 Hz spike and wave", "D": "Theta"}
NIGHT = ["W"] * 4 + ["N2"] * 4 + ["REM"] * 2
TASKS = pytest.mark.parametrize("task", corpus.TASKS)


@settings(max_examples=100)
@given(ANSWERS, VALUES)
def test_an_answer_has_a_score(answer: Any, field: Any) -> None:
    has_a_score(answer, field)


@pytest.mark.slow
@settings(max_examples=5000)
@given(ANSWERS, VALUES)
def test_any_answer_has_a_score(answer: Any, field: Any) -> None:
    has_a_score(answer, field)


def has_a_score(answer: Any, field: Any) -> None:
    for raw in (answer, field):
        assert corpus.read_label("T1", raw, OPTIONS) in ("", *OPTIONS)
        for task in ("T2", "T3", "T4"):
            assert corpus.read_label(task, raw) in ("", *corpus.CLASSES[task])
        assert len(corpus.expand(raw, 10).stages) == 10
        assert isinstance(corpus.cover_problems(raw, 10), list)
    for gold in ([[100, 140]], []):
        score = corpus.score_seizures(gold, corpus.answered(answer, "T5", field), 3600.0)
        assert 0 <= (score.dice or 0.0) <= 1
        assert 0 <= (score.counts.f1 or 0.0) <= 1
    night = corpus.score_staging(NIGHT, answer)
    assert 0 <= night.macro_f1 <= 1
    assert -1 <= night.kappa <= 1


CORPORA = {task: whole(task, 24) for task in corpus.TASKS}
BEFORE = {task: values(items, task) for task, items in CORPORA.items()}
SHARES = {"accuracy": 1 / 24, "cohen_kappa": 2 / 24, "event_f1": 1 / 6, "macro_f1": 1 / 24}


def share(task: str, name: str) -> float | None:
    """Return by how much one answer can move a metric: its share of what the metric is over.

    An F1 of a class with n cases moves by at most 2 / n, and an answer concerns two classes.
    """
    if task in corpus.CLASSES and name == "macro_f1":
        k = len(corpus.CLASSES[task])
        return 2 * (2 / (24 // k)) / k
    return SHARES.get(name)


@TASKS
@settings(max_examples=50)
@given(answer=ANSWERS, place=st.integers(0, 23))
def test_one_answer_changes_a_score_by_its_share(task: str, answer: Any, place: int) -> None:
    moves_its_share(task, answer, place)


@pytest.mark.slow
@TASKS
@settings(max_examples=500)
@given(answer=ANSWERS, place=st.integers(0, 23))
def test_any_answer_changes_a_score_by_its_share(task: str, answer: Any, place: int) -> None:
    moves_its_share(task, answer, place)


def moves_its_share(task: str, answer: Any, place: int) -> None:
    items = list(CORPORA[task])
    items[place] = dataclasses.replace(items[place], prediction=answer)
    after = values(items, task)
    assert corpus.PRIMARY[task] in after
    assert all(value is None or math.isfinite(value) for value in after.values())
    for name, before in BEFORE[task].items():
        most = share(task, name)
        if most is not None:
            assert abs((after[name] or 0.0) - (before or 0.0)) <= most + 1e-12


@TASKS
@pytest.mark.parametrize("junk", [None, 5, "?", [], {}, {"x": 1}, float("nan"), True])
def test_what_is_no_answer_is_no_answer_and_no_more(task: str, junk: Any) -> None:
    items = CORPORA[task]
    blank = [dataclasses.replace(items[0], prediction={}), *items[1:]]
    field = corpus.FIELDS[task]
    for prediction in (junk, {field: junk} if junk is not True else {field: "?"}):
        broken = [dataclasses.replace(items[0], prediction=prediction), *items[1:]]
        assert values(broken, task) == pytest.approx(values(blank, task))


def test_a_malformed_label_is_a_miss_of_its_class_only() -> None:
    items = CORPORA["T4"]
    right = next(n for n, one in enumerate(items) if one.prediction["classification"] == one.truth)
    broken = list(items)
    broken[right] = dataclasses.replace(items[right], prediction={"classification": "dementia?"})
    tables = [
        corpus.score_labels("T4", [corpus.LabelItem(i.truth, i.prediction) for i in some]).table
        for some in (items, broken)
    ]
    moved = tables[1] - tables[0]
    row = corpus.CLASSES["T4"].index(items[right].truth)
    assert moved[row, row] == -1
    assert moved[row, -1] == 1
    assert abs(moved).sum() == 2


@pytest.mark.parametrize(("answer", "error"), [(7, TypeError), ([[10**400, 5]], OverflowError)])
def test_published_breaks_off_where_the_released_scorer_does(answer: Any, error: Any) -> None:
    with pytest.raises(error):
        corpus.score_seizures([[100, 140]], answer, 3600.0, "published")
    assert corpus.score_seizures([[100, 140]], answer, 3600.0).n_warnings == 1


def test_long_replies_are_read_in_a_time_that_grows_with_their_length() -> None:
    for text in ("(" * 50_000 + "x", "x" + "(" * 50_000 + "y", "option" + " " * 50_000 + "x"):
        assert corpus.read_label("T1", text, OPTIONS) == ""
    assert corpus.read_label("T1", "alpha " * 20_000, OPTIONS) == "B"
