"""How answers are read: replies to questions, artifact names, events and hypnograms."""

from __future__ import annotations

from typing import Any

import pytest

from braino_registry.scoring import corpus

OPTIONS = {"A": "Beta waves", "B": "Alpha", "C": "3 Hz spike and wave", "D": "Theta"}


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("The answer is A because beta is fast", "A"),
        ("I think a better choice is D", "D"),
        ("A 3 Hz spike and wave pattern", "C"),
        ("The best answer is A theta rhythm", "D"),
        ("not B but C", "C"),
        ("It is not B", ""),
        ("not alpha", ""),
        ("alpha or theta", ""),
        ("Option B or C", ""),
        ("A, B, C or D?", ""),
        ("B) Alpha, since C) is ictal", "B"),
        ("B, not C", "B"),
        ("spike and wave", "C"),
        ("E", ""),
        ("Answer: D\n\nBecause theta is slow", "D"),
        ("Theta (B)", "B"),
        ("`c`", "C"),
        ('{"answer": "B"}', "B"),
        (["B"], ""),
        (True, ""),
        ("", ""),
        ("**", ""),
    ],
)
def test_a_reply_means_one_option_or_none(reply: Any, letter: str) -> None:
    assert corpus.read_label("T1", reply, OPTIONS) == letter


def test_a_longer_option_hides_the_one_within_it() -> None:
    options = {"A": "spike", "B": "spike and wave", "C": "wave", "D": "slow wave"}
    assert corpus.read_label("T1", "I see spike and wave here", options) == "B"
    assert corpus.read_label("T1", "a slow wave", options) == "D"
    assert corpus.read_label("T1", "spike and wave, then a wave", options) == ""


def test_options_of_the_same_text_are_not_told_apart() -> None:
    options = {"A": "alpha", "B": "alpha", "C": "beta", "D": "theta"}
    assert corpus.read_label("T1", "alpha", options) == ""
    assert corpus.read_label("T1", "it is alpha", options) == ""


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("clean epoch", "clean"),
        ("no artifact, clean", "clean"),
        ("unclean", ""),
        ("isn't clean", ""),
        ("ocular and muscle", ""),
        ("ocular_contaminated (EOG)", "ocular_contaminated"),
        ("without EMG", ""),
        (["clean"], ""),
        ({"clean": 1}, ""),
    ],
)
def test_an_artifact_has_one_name_that_is_not_denied(reply: Any, label: str) -> None:
    assert corpus.read_label("T2", reply) == label


def test_a_task_without_labels_or_none_at_all() -> None:
    for task in ("T5", "T7"):
        with pytest.raises(corpus.ScoreError):
            corpus.read_label(task, "x")


def test_one_reading_serves_counts_and_overlap() -> None:
    answer = [{"start_sec": 100, "end_sec": 140}]
    strict = corpus.score_seizures([[100, 140]], answer, 3600.0)
    published = corpus.score_seizures([[100, 140]], answer, 3600.0, "published")
    assert (strict.counts.f1, strict.dice, strict.missed) == (1.0, 1.0, False)
    assert (published.counts.f1, published.dice, published.missed) == (1.0, 0.0, True)


def test_alarms_outside_the_recording_are_none_and_overlap_ends_with_it() -> None:
    assert corpus.score_seizures([], [[4000, 4100]], 3600.0).over_alarm is False
    assert corpus.score_seizures([], [[4000, 4100]], 3600.0, "published").over_alarm is True
    late = corpus.score_seizures([[3500, 3600]], [[3500, 1e9]], 3600.0)
    assert (late.dice, late.n_warnings) == (1.0, 0)


@pytest.mark.parametrize("duration", [0, -1, float("inf"), float("nan"), "60", None, True, 1e10])
def test_a_duration_is_a_positive_number(duration: Any) -> None:
    with pytest.raises(corpus.ScoreError):
        corpus.score_seizures([], [], duration)


@pytest.mark.parametrize(
    "rule", [{"rate": 0}, {"max_duration": 0.0}, {"min_gap": -1.0}, {"tolerance_end": float("inf")}]
)
def test_a_rule_that_cannot_be_followed(rule: dict[str, Any]) -> None:
    with pytest.raises(corpus.ScoreError):
        corpus.EventRule(**rule)


def test_notes_say_what_became_of_an_event() -> None:
    raw = [[140, 100], [-5, 20], [5, 5], [None, 1], [float("inf"), 1], "x", {"onset": 1}]
    reading = corpus.read_events(raw, 3600.0)
    assert [str(note) for note in reading.notes] == [
        "0: swapped", "1: clipped", "2: empty after clipping/quantising, dropped",
        "3: not numeric", "4: non-finite", "5: not an event", "6: not numeric",
    ]  # fmt: skip
    assert reading.n_warnings == 6
    assert reading.grid.tolist() == [[0, 200], [1000, 1400]]


def test_segments_and_stages_are_each_others_inverse() -> None:
    stages = ["W", "W", "N1", "N2", "N3", "N3", "REM", "W"]
    segments = corpus.as_segments(stages)
    assert list(corpus.expand(segments, len(stages)).stages) == stages
    assert corpus.cover_problems(segments, len(stages)) == []


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ("W", ["list of segments"]),
        ([], ["must end at epoch 9"]),
        ([[0, 4, "W"]], ["segment 0: not a segment", "must end at epoch 9"]),
        ([{"start_epoch": 0, "end_epoch": 9, "stage": "MT"}], ["unknown stage", "must end"]),
        ([{"start_epoch": 1, "end_epoch": 9, "stage": "W"}], ["leaves a gap", "not 1"]),
        ([{"start_epoch": 0, "end_epoch": 10, "stage": "W"}], ["must end at epoch 9, not 10"]),
        ([{"start_epoch": 0, "end_epoch": 9.5, "stage": "W"}], ["no whole numbers", "must end"]),
        (
            [
                {"start_epoch": 0, "end_epoch": 5, "stage": "W"},
                {"start_epoch": 5, "end_epoch": 9, "stage": "N2"},
            ],
            ["overlaps the one before: it must start at epoch 6, not 5"],
        ),
    ],
)
def test_what_keeps_a_hypnogram_from_covering_a_night(raw: Any, words: list[str]) -> None:
    found = "; ".join(corpus.cover_problems(raw, 10))
    assert all(word in found for word in words), found


def test_many_problems_are_told_in_part() -> None:
    assert corpus.cover_problems(["x"] * 30, 10, most=3)[-1] == "and 28 more"


def test_a_true_stage_that_is_none() -> None:
    with pytest.raises(corpus.ScoreError, match="'MT'"):
        corpus.score_staging(["W", "MT"], {})


def test_rows_tried_again_do_no_harm() -> None:
    done = {"scenario_id": "a", "status": "completed", "prediction": {"x": float("nan")}}
    failed = {**done, "status": "failed"}
    assert corpus.complete_rows("T1", ["a"], [failed, done, dict(done), failed]) == {"a": done}
    with pytest.raises(corpus.ScoreError, match="not whole"):
        corpus.complete_rows("T1", ["a"], [failed, done], profile="published")


def test_a_review_tells_what_is_wrong_with_rows() -> None:
    row = {"scenario_id": "a", "status": "completed", "prediction": 1}
    other = {**row, "prediction": True}
    rows = [
        row,
        other,
        {**row, "scenario_id": "b", "status": "failed"},
        {},
        5,
        {"scenario_id": "z"},
    ]
    review = corpus.review_rows(["a", "b", "c"], rows)
    assert review.chosen == {"a": other}
    assert (review.missing, review.unfinished, review.extra) == (("c",), ("b",), ("z",))
    assert (review.repeated, review.conflicting, review.n_nameless) == (("a",), ("a",), 2)
    assert len(review.problems()) == 5
    assert len(review.problems("published")) == 6


@pytest.mark.parametrize("value", [None, float("nan"), "1"])
def test_overall_needs_six_numbers(value: Any) -> None:
    given = dict.fromkeys(corpus.TASKS, 0.5)
    assert corpus.overall(given) == 0.5
    for wrong in ({**given, "T3": value}, {**given, "T7": 0.5}):
        with pytest.raises(corpus.ScoreError):
            corpus.overall(wrong)
