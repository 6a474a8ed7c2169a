"""The rule ``brainbench``: weights, the pass at score 1, the gate of evidence, both profiles."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braino_registry.scoring import Evidence, Scored, score
from tests.scoring.evidence import CONTEXT, RECORDING, call, evidence

FIELDS: dict[str, Any] = {
    "peak": {"type": "number", "unit": "Hz", "said_as": ["peak frequency"]},
    "band": {"type": "label", "labels": ["alpha", "beta"], "said_as": ["dominant band"]},
    "order": {"type": "sequence", "labels": ["delta", "theta", "alpha", "beta"]},
    "channels": {"type": "set", "of": "channel", "said_as": ["outlier channels"]},
}
CHECKS: list[dict[str, Any]] = [
    {"id": "peak", "kind": "number", "field": "peak", "expected": 10.0,
     "tolerance": {"abs": 0.25}, "weight": 60},
    {"id": "band", "kind": "label", "field": "band", "expected": "alpha", "weight": 40},
    {"id": "grounded", "kind": "grounded"},
]  # fmt: skip
USED = call("spectrum.peak", {"frequency_hz": 10.0}, view=RECORDING)
RIGHT = "The peak frequency is 10.0 Hz. The dominant band is alpha."


def scored(text: str = RIGHT, *events: dict[str, Any], checks: Any = None, **more: Any) -> Scored:
    given = evidence(text, *events, fields=FIELDS, **{"dataset": "eeg@1.0.0", **more})
    return score(checks or CHECKS, given, "brainbench")


@pytest.mark.parametrize(
    ("text", "total"),
    [
        (RIGHT, 1.0),
        ("The peak frequency is 10.0 Hz. The dominant band is beta.", 0.6),
        ("The peak frequency is 12.0 Hz. The dominant band is alpha.", 0.4),
        ("I did not find anything.", 0.0),
    ],
)
def test_the_score_is_the_weighted_mean(text: str, total: float) -> None:
    found = scored(text, USED)
    assert found.score == pytest.approx(total)
    assert found.ungated == pytest.approx(total)
    assert found.passed is (total == 1)


def test_what_has_no_weight_stands_beside_the_score() -> None:
    found = scored(f"{RIGHT} The kurtosis is 93.726.", USED)
    beside = next(check for check in found.checks if check.id == "grounded")
    assert (beside.passed, beside.weight, beside.required) == (False, None, False)
    assert (found.score, found.passed) == (1.0, True)
    assert all(check.required for check in found.checks if check.weight)


@given(st.lists(st.tuples(st.floats(0.01, 1000), st.booleans()), min_size=1, max_size=6))
def test_weights_count_by_their_ratio(rows: list[tuple[float, bool]]) -> None:
    checks = [
        {**CHECKS[1], "id": str(n), "weight": weight, "expected": "alpha" if right else "beta"}
        for n, (weight, right) in enumerate(rows)
    ]
    twice = [{**check, "weight": 2 * check["weight"]} for check in checks]
    found, other = (scored(RIGHT, USED, checks=each) for each in (checks, twice))
    assert found.score == pytest.approx(other.score)
    expected = sum(w for w, right in rows if right) / sum(w for w, _ in rows)
    assert found.score == pytest.approx(expected)
    assert found.passed is all(right for _, right in rows)


@pytest.mark.parametrize(
    "events",
    [
        [],
        [call("calc", {"value": 10.0}, expression="5*2")],
        [call("spectrum.peak", ok=False, view=RECORDING)],
        [call("spectrum.peak", {"frequency_hz": 10.0}, view="sub-99_task-rest")],
        [call("dataset.inspect", {"recordings": [RECORDING]})],
        [{"type": "execute", "code": "print('input')", "ok": False, "output": ""}],
        [{"type": "execute", "code": "print(10.0)", "ok": True, "output": "10.0"}],
    ],
)
def test_the_gate_is_shut_without_use_of_the_data(events: list[dict[str, Any]]) -> None:
    found = scored(RIGHT, *events)
    assert (found.score, found.passed, found.ungated) == (0.0, False, 1.0)
    assert "needed for a score" in found.why


@pytest.mark.parametrize(
    "events",
    [
        [USED],
        [call("preprocess.filter", {"view": "view-1"}, view=RECORDING),
         call("spectrum.peak", {}, view="view-1")],
        [call("recording.info", {"n_channels": 24}, recording="sub-01_task-rest")],
        [{"type": "execute", "code": "raw = read(f'{inputs}/x.edf')", "ok": True, "output": ""}],
    ],
)  # fmt: skip
def test_the_gate_is_open_once_the_data_were_used(events: list[dict[str, Any]]) -> None:
    found = scored(RIGHT, *events)
    assert (found.score, found.why) == (1.0, "")


def test_a_look_up_is_enough_where_the_recording_is_absent() -> None:
    absent = {**CONTEXT, "recording": "sub-99_task-rest"}
    look = call("dataset.query", {"recordings": []}, bids_subject="99")
    assert scored(RIGHT, look, context=absent).score == 1
    assert scored(RIGHT, context=absent).score == 0
    assert scored(RIGHT, call("calc", {}), context=absent).score == 0
    unnamed = {**CONTEXT, "recording": None}
    assert scored(RIGHT, look, context=unnamed).score == 1


def test_a_question_without_data_has_no_gate() -> None:
    found = scored(RIGHT, dataset=None)
    assert (found.score, found.ungated, found.why) == (1.0, None, "")


SEQUENCE = {"id": "order", "kind": "sequence", "field": "order", "weight": 1,
            "expected": ["alpha", "theta", "beta"]}  # fmt: skip


@pytest.mark.parametrize(
    ("said", "more", "value"),
    [
        ("alpha > theta > beta", {"mode": "weighted"}, 1.0),
        ("theta > alpha > beta", {"mode": "weighted", "slip": 1},
         (1 * 0.5 + 0.5 * 0.5 + 1 / 3) / (11 / 6)),
        ("alpha > beta", {"mode": "weighted"}, 2 / 3 * 1 / (11 / 6)),
        ("alpha > beta", {"mode": "weighted", "min_overlap": 3}, 0.0),
        ("alpha > theta > delta", {"mode": "position"}, 2 / 3),
        ("alpha > theta > delta", {"mode": "order", "top_k": 2, "surplus": "cut"}, 1.0),
        ("alpha > theta > beta > delta", {"mode": "weighted"}, 0.0),
        ("alpha > theta > beta > delta", {"mode": "weighted", "surplus": "cut"}, 1.0),
        ("alpha > theta > beta > delta", {"mode": "position"}, 0.0),
        ("alpha > theta > beta", {}, 1.0),
        ("alpha > theta", {}, 0.0),
    ],
)  # fmt: skip
def test_sequences(said: str, more: dict[str, Any], value: float) -> None:
    data = {"order": said.split(" > ")}
    found = scored("Done.", USED, checks=[{**SEQUENCE, **more}], data=data)
    assert found.score == pytest.approx(value)
    assert found.passed is (value == 1)


@pytest.mark.parametrize(
    ("said", "more", "value"),
    [
        (["T7", "O1"], {"mode": "f1"}, 1.0),
        (["T7"], {"mode": "f1"}, (2 / 3 - 4 / 26) / (1 - 4 / 26)),
        (CONTEXT["ch_names"], {"mode": "f1"}, 0.0),
        (["Fz"], {"mode": "f1"}, 0.0),
        (["T7", "Fz"], {"mode": "partial", "top_k": 2}, 0.5),
        (["T7", "O1", "Fz"], {"mode": "partial", "top_k": 2}, 0.0),
        (["T7"], {"mode": "partial", "top_k": 2, "per_match": 0.25}, 0.25),
        (["O1", "T7"], {}, 1.0),
        (["O1", "T7", "Fz"], {}, 0.0),
    ],
)
def test_sets(said: list[str], more: dict[str, Any], value: float) -> None:
    check = {"id": "set", "kind": "set", "field": "channels", "expected": ["T7", "O1"],
             "weight": 1, **more}  # fmt: skip
    found = scored("Done.", USED, checks=[check], data={"channels": said})
    assert found.score == pytest.approx(value)


def test_a_threshold_passes_what_is_good_enough() -> None:
    check = {"id": "set", "kind": "set", "field": "channels", "expected": ["T7", "O1"],
             "mode": "f1", "threshold": 0.5}  # fmt: skip
    given: Evidence = evidence("Done.", data={"channels": ["T7"]}, fields=FIELDS)
    (result,) = score([check], given, "braino").checks
    assert result.passed
    assert result.score < 1


@pytest.mark.parametrize("profile", ["strict", "published"])
def test_both_profiles_agree_on_what_is_plain(profile: Any) -> None:
    for check, data in (
        ({**SEQUENCE, "mode": "weighted"}, {"order": ["alpha", "theta", "beta"]}),
        ({**SEQUENCE, "mode": "position"}, {"order": ["alpha", "theta", "beta"]}),
    ):
        assert scored("Done.", USED, checks=[check], data=data, profile=profile).score == 1
