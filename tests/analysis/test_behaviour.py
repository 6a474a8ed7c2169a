"""Accuracy and response times, on made events and on those of 40 real participants."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from braino_registry.analysis.behaviour import responses
from braino_registry.analysis.errors import SignalError
from braino_registry.recordings.tsv import read_tsv
from braino_registry.registry.roots import builtin
from tests.shared import shared

RARE = [11, 22, 33, 44, 55]
FREQUENT = [10 * a + b for a in range(1, 6) for b in range(1, 6) if a != b]
# 26 ms on the grid of 1024 Hz, as the authors' software shifts events
DELAY = 27 / 1024


def _events(*rows: tuple[float, int]) -> list[dict[str, Any]]:
    return [{"onset": onset, "value": str(code)} for onset, code in rows]


def _ask(events: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    given: dict[str, Any] = {"stimuli": {"rare": [11], "frequent": [12]}, "correct": [201]}
    return responses(events, **given, tmin=0.2, tmax=1.0, **more)


def test_right_answers_within_the_window_count() -> None:
    found = _ask(_events((1, 11), (1.4, 201), (3, 11), (3.1, 201), (5, 11), (6.1, 201), (7, 12)))
    assert found["rare"] == {
        "n": 3, "n_correct": 1, "accuracy_percent": pytest.approx(100 / 3),
        "mean_rt_ms": pytest.approx(400), "median_rt_ms": pytest.approx(400),
    }  # fmt: skip
    assert found["frequent"]["n_correct"] == 0
    assert found["frequent"]["mean_rt_ms"] is None


def test_both_ends_of_the_window_belong_to_it() -> None:
    events = _events((0, 11), (0.2, 201), (3, 11), (4.0, 201))
    assert _ask(events)["rare"]["n_correct"] == 2


def test_an_answer_after_the_next_stimulus_belongs_to_that_one() -> None:
    found = _ask(_events((0, 11), (0.5, 12), (0.9, 201)))
    assert found["rare"]["n_correct"] == 0
    assert found["frequent"]["mean_rt_ms"] == pytest.approx(400)


def test_the_delay_moves_stimuli_and_not_responses() -> None:
    events = _events((0, 11), (0.5, 201))
    assert _ask(events, delay=0.1)["rare"]["mean_rt_ms"] == pytest.approx(400)


def test_a_wrong_answer_is_no_right_one_and_order_does_not_matter() -> None:
    events = _events((0.4, 202), (0.6, 201), (0, 11))
    assert _ask(events)["rare"]["mean_rt_ms"] == pytest.approx(600)


def test_without_stimuli_nothing_is_made_up() -> None:
    assert _ask([])["rare"] == {
        "n": 0, "n_correct": 0, "accuracy_percent": None, "mean_rt_ms": None, "median_rt_ms": None,
    }  # fmt: skip


def test_a_code_has_one_meaning() -> None:
    with pytest.raises(SignalError, match="two meanings"):
        responses([], stimuli={"a": [1], "b": ["1"]}, correct=[2], tmin=0, tmax=1)
    with pytest.raises(SignalError, match="two meanings"):
        responses([], stimuli={"a": [1]}, correct=[1], tmin=0, tmax=1)


@pytest.fixture(scope="module")
def p3() -> dict[str, dict[str, Any]]:
    folder = shared("realdata", "bids-meta", "nm000132-erpcore")
    found = {}
    for path in sorted(folder.glob("sub-*/eeg/*_task-P3_events.tsv")):
        rows = [dict(row) for row in read_tsv(path).rows]
        found[path.name.removesuffix("_events.tsv")] = responses(
            rows, stimuli={"rare": RARE, "frequent": FREQUENT}, correct=[201],
            tmin=0.2, tmax=1.0, delay=DELAY,
        )  # fmt: skip
    return found


def _labels() -> dict[str, Any]:
    entry = (builtin() / "datasets" / "erp-core-p3.json").read_text(encoding="utf-8")
    labels: dict[str, Any] = json.loads(entry)["labels"]
    return labels


def test_forty_participants_saw_40_rare_and_160_frequent_letters(
    p3: dict[str, dict[str, Any]],
) -> None:
    assert len(p3) == 40
    assert {(one["rare"]["n"], one["frequent"]["n"]) for one in p3.values()} == {(40, 160)}


@pytest.mark.parametrize("kind", ["rare", "frequent"])
def test_accuracy_and_response_times_are_those_of_the_entry(
    p3: dict[str, dict[str, Any]], kind: str
) -> None:
    said = _labels()["dataset"]
    accuracy = np.mean([one[kind]["accuracy_percent"] for one in p3.values()])
    assert accuracy == pytest.approx(said[f"accuracy_{kind}_percent"], abs=0.006)
    mean = np.mean([one[kind]["mean_rt_ms"] for one in p3.values()])
    assert mean == pytest.approx(said[f"rt_{kind}_ms"], abs=0.06)
    assert said["accuracy_rare_percent"] == 83.75
    assert said["rt_frequent_ms"] == 369.3


def test_right_answers_per_participant_are_those_of_the_entry(
    p3: dict[str, dict[str, Any]],
) -> None:
    for name, said in _labels()["recordings"].items():
        assert p3[name]["rare"]["n_correct"] == said["n_rare_correct"], name
        assert p3[name]["frequent"]["n_correct"] == said["n_frequent_correct"], name
