"""The check `corpus`: what counts as an answer, and that no answer is left without a score."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from braino_registry.reports.headlines import headlines
from braino_registry.scoring import Answer, Evidence, score
from braino_registry.scoring.corpus_answers import object_in

FIELDS: dict[str, dict[str, Any]] = {
    "T1": {"answer": {"type": "label", "labels": ["A", "B", "C", "D"]}},
    "T2": {"classification": {"type": "label", "labels": ["clean", "ocular_contaminated",
                                                          "muscle_contaminated"]}},
    "T3": {"classification": {"type": "label", "labels": ["normal", "epileptic"],
                              "said_as": ["classification", "record is"]}},
    "T4": {"classification": {"type": "label", "labels": ["AD", "FTD", "HC"]}},
    "T5": {"seizure_events": {"type": "events"}},
    "T6": {"hypnogram_rle": {"type": "hypnogram"}},
}  # fmt: skip
NIGHT = ["W", "W", "N1", "N2", "N2", "N3", "N3", "REM", "REM", "W"]
RUNS = [{"start_epoch": i, "end_epoch": i, "stage": s} for i, s in enumerate(NIGHT)]
SPECS: dict[str, dict[str, Any]] = {
    "T1": {"truth": "B", "options": ["A theta rhythm", "Alpha", "Beta", "Mu"]},
    "T2": {"truth": "muscle_contaminated", "about": {"snr_db": -3}},
    "T3": {"truth": "epileptic"},
    "T4": {"truth": "FTD", "cluster": "07"},
    "T5": {"truth": [{"onset": 100.0, "duration": 40.0}], "duration": 3600.0, "cluster": "01",
           "subject": "01"},
    "T6": {"truth": NIGHT, "cluster": "01"},
}  # fmt: skip


def judged(
    task: str, text: str = "", data: Any = None, *, profile: str = "strict", **spec: Any
) -> Any:
    check = {"id": "x", "kind": "corpus", "task": task, "required": True, **SPECS[task], **spec}
    evidence = Evidence(
        request="?", events=(), answer=Answer(text, data), fields=FIELDS[task], profile=profile
    )
    return score([check], evidence, "eegagentbench")


RIGHT: list[tuple[str, str, Any]] = [
    ("T1", "", {"answer": "B"}),
    ("T1", "Answer: B", None),
    ("T1", '{"action": "final_answer", "answer": "b"}', None),
    ("T1", 'The alpha rhythm goes away.\n```json\n{"answer": "B"}\n```', None),
    ("T2", "", {"classification": "EMG"}),
    ("T2", 'I think {"classification": "muscle_contaminated", "findings": []} it is', None),
    ("T3", "The record is epileptic.", None),
    ("T3", "The record is epileptic.", {"classification": "epileptic"}),
    ("T4", "", {"classification": " ftd "}),
    ("T5", "", {"seizure_events": [{"onset_sec": 102, "offset_sec": 139}]}),
    ("T5", "", {"seizure_events": [[102, 139]]}),
    ("T6", "", {"hypnogram_rle": RUNS, "architecture": {"REM_pct": 0.2}}),
    ("T6", json.dumps({"hypnogram_rle": RUNS}), None),
]


@pytest.mark.parametrize(("task", "text", "data"), RIGHT)
@pytest.mark.parametrize("profile", ["strict", "published"])
def test_right_answers(task: str, text: str, data: Any, profile: str) -> None:
    found = judged(task, text, data, profile=profile)
    words_alone = data is None and "{" not in text
    if profile == "published" and words_alone:
        assert found.score == 0  # the released scorer reads the field and nothing else
        return
    assert found.checks[0].passed
    assert found.score == 1
    assert found.passed is (None if task in ("T5", "T6") else True)


WRONG: list[tuple[str, str, Any]] = [
    ("T1", "", {"answer": "C"}),
    ("T1", "", {"answer": "A or B"}),
    ("T1", "Answer: A", {"answer": "B"}),
    ("T2", "", {"classification": "not muscle"}),
    ("T2", "", {"classification": "ocular/muscle"}),
    ("T3", "The record is normal.", {"classification": "epileptic"}),
    ("T3", "", {"classification": "abnormal"}),
    ("T4", "", {"classification": ["FTD"]}),
    ("T4", "The group is FTD. The groups are AD, FTD and HC.", None),
    ("T5", "", {"seizure_events": []}),
    ("T5", "", {"seizure_events": [[0, 3600]]}),
    ("T5", "There is a seizure at 100 s.", None),
    ("T6", "", {"hypnogram_rle": RUNS[:-2]}),
    ("T6", "", {"hypnogram_rle": "W"}),
    *[(task, "", None) for task in SPECS],
    *[(task, "", {"other": 1}) for task in SPECS],
]


@pytest.mark.parametrize(("task", "text", "data"), WRONG)
def test_wrong_answers(task: str, text: str, data: Any) -> None:
    found = judged(task, text, data)
    assert not found.checks[0].passed
    assert found.score < 1
    assert found.checks[0].evidence


TWICE: list[tuple[str, str, Any]] = [
    ("T2", '{"classification":"clean"} The epoch is muscle_contaminated.', None),
    ("T2", 'The epoch is muscle_contaminated. {"classification":"clean"}', None),
    ("T2", '{"classification":"clean"} {"classification":"muscle_contaminated"}', None),
    ("T2", '{"classification":"muscle_contaminated","classification":"clean"}', None),
    ("T2", "{} The epoch is muscle_contaminated.", {"classification": "clean"}),
    ("T2", '{"classification":"muscle_contaminated"}', {"classification": "clean"}),
    ("T2", "Label: clean or muscle_contaminated", None),
    ("T2", "Label: muscle_contaminated / clean", None),
    ("T2", '```\nThe epoch is muscle_contaminated.\n``` {"classification":"clean"}', None),
    ("T2", "{" * 250 + ' {"classification":"clean"}', None),
    ("T1", '{"answer":"B"} {"answer":"C"}', None),
    ("T1", '{"answer":"B"} Answer: C', None),
    ("T3", '{"classification":"epileptic"} The record is normal.', None),
    ("T4", '{"classification":"FTD"} The group is HC.', None),
    ("T5", '{"seizure_events":[[102,139]]} {"seizure_events":[]}', None),
    ("T6", json.dumps({"hypnogram_rle": RUNS}) + '{"hypnogram_rle":[]}', None),
]


@pytest.mark.parametrize(("task", "text", "data"), TWICE)
def test_an_answer_that_contradicts_itself_is_none(task: str, text: str, data: Any) -> None:
    right = {} if task != "T2" else {"truth": "clean"}
    assert judged(task, text, data, **right).score == 0


@pytest.mark.parametrize(
    "text",
    [
        '{"classification":"clean"}\n{"classification":"clean"}',
        '{"classification":"clean"} The epoch is clean.',
        '```json\n{"classification":"clean"}\n```\nNeither ocular nor muscle artefacts were found.',
        '{"seen": {"classification":"muscle_contaminated"}, "classification":"clean"}',
        'I compared {high} with {low} power. {"classification":"clean"}',
    ],
)
def test_what_agrees_is_an_answer(text: str) -> None:
    assert judged("T2", text, truth="clean").score == 1


def test_no_answer_is_no_night_of_wake() -> None:
    assert judged("T6").score == 0
    assert judged("T6", profile="published").score > 0
    assert judged("T6", "", {"hypnogram_rle": []}).score > 0  # an empty answer is one of W


def test_silence_on_a_record_without_seizures_has_to_be_said() -> None:
    assert judged("T5", "", {"seizure_events": []}, truth=[]).score == 1
    assert judged("T5", "Nothing.", None, truth=[]).score == 0
    assert judged("T5", "", {"seizure_events": 5}, truth=[]).score == 0
    assert judged("T5", "", {"seizure_events": [[5, 30]]}, truth=[]).score == 0


def test_where_the_released_scorer_breaks_off() -> None:
    found = judged("T5", "", {"seizure_events": 5}, profile="published")
    assert "TypeError" in found.checks[0].detail["breaks"]
    trial = trial_of(found)
    summary = headlines.get("eegagentbench")([trial], "published")
    assert summary["score"] is None
    assert "TypeError" in summary["corpus"]["tasks"][0]["broken"]


def test_the_level_of_an_artefact_is_kept() -> None:
    detail = judged("T2", "", {"classification": "clean"}).checks[0].detail
    assert detail["about"] == {"snr_db": -3}
    assert (detail["truth"], detail["label"]) == ("muscle_contaminated", "clean")


def trial_of(found: Any, instance: str = "i") -> dict[str, Any]:
    (check,) = found.checks
    return {
        "outcome": "failed", "instance": instance,
        "checks": [{"kind": "corpus", "detail": dict(check.detail)}],
    }  # fmt: skip


def test_one_malformed_answer_costs_its_share() -> None:
    right = judged("T3", "", {"classification": "epileptic"})
    broken = judged("T3", "", {"classification": {"a": [float("inf")]}})
    trials = [trial_of(right, str(i)) for i in range(9)]
    whole = headlines.get("eegagentbench")([*trials, trial_of(right, "9")], "strict")
    less = headlines.get("eegagentbench")([*trials, trial_of(broken, "9")], "strict")
    accuracy = [row["corpus"]["tasks"][0]["metrics"][0]["value"] for row in (whole, less)]
    assert accuracy == [1.0, pytest.approx(0.9)]


def test_the_first_object_with_the_field_counts() -> None:
    text = 'a {"x": {"answer": "C"}} {"answer": "B"} {"answer": "D"}'
    assert object_in(text, "answer") == {"answer": "C"} or object_in(text, "answer") == {
        "answer": "B"
    }
    assert object_in("{" * 100_000, "answer") is None
    assert object_in('{"answer": ' * 50_000, "answer") is None
    assert object_in("no braces", "answer") is None


KEYS = (
    "seizure_events", "hypnogram_rle", "classification", "answer", "onset_sec", "offset_sec",
    "start_epoch", "end_epoch", "stage", "onset", "end", "",
)  # fmt: skip
ODD = (10**400, -(10**400), float("inf"), float("nan"), "W", "N2", "clean", "A", "1e999", "12.0")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9)
    | st.sampled_from(ODD),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=15,
)  # fmt: skip


def check_any(task: str, value: Any, profile: str) -> None:
    field = next(iter(FIELDS[task]))
    texts = [value] if isinstance(value, str) else [json.dumps(value)]
    for text, data in [("", {field: value}), ("", value), *((t, None) for t in texts)]:
        found = judged(task, text, data, profile=profile)
        assert 0 <= found.score <= 1
        assert found.checks[0].evidence
        assert not found.checks[0].evidence.startswith("this check could not"), found.checks[
            0
        ].evidence
        json.dumps(found.checks[0].detail, allow_nan=False)


@settings(max_examples=120, deadline=None)
@given(value=JSON, task=st.sampled_from(sorted(SPECS)))
@pytest.mark.parametrize("profile", ["strict", "published"])
def test_any_json_gets_a_score_and_a_note(task: str, value: Any, profile: str) -> None:
    check_any(task, value, profile)


def test_a_dice_that_json_has_not_is_none() -> None:
    text = '{"seizure_events": [{"onset_sec": NaN, "offset_sec": 1.5}]}'
    (found,) = judged("T5", text, None, profile="published").checks
    json.dumps(found.detail, allow_nan=False)
    assert found.detail["dice"] is None


@pytest.mark.slow
@settings(max_examples=5000, deadline=None)
@given(value=JSON, task=st.sampled_from(sorted(SPECS)))
def test_5000_malformed_answers_never_raise(task: str, value: Any) -> None:
    check_any(task, value, "strict")
