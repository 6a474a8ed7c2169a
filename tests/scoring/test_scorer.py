"""The rule of suite braino, and that scoring is pure and total."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from braino_registry.errors import UsageError
from braino_registry.scoring import Answer, Evidence, Scored, read, score
from tests.growth import grows_linearly
from tests.scoring.answer_cases import BANDS, NUMBER, ORDER, PEAK, RATE, SET
from tests.scoring.cases import CASES
from tests.scoring.evidence import BAD, CONTEXT, evidence

SPECS = [
    {"id": f"check-{n}", "required": n % 2 == 0, **spec}
    for n, spec in enumerate({json.dumps(case.check): case.check for case in CASES}.values())
]
FIELDS: dict[str, Any] = {
    **BAD,
    **RATE,
    **PEAK,
    **BANDS,
    **ORDER,
    "hypnogram": {"type": "hypnogram"},
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4)
    ),
    max_leaves=12,
)
KEYS = st.sampled_from("type tool args ok result kind status applied proposal about reply".split())
VALUES = st.sampled_from("call ask decide approved edited mark-bad-channels calc".split())
WORDS = st.lists(
    st.sampled_from(
        "T8 T7 Fp1 is are not no bad good kept but and or except , ; . : ( ) \n - marked 430 ms "
        "0.5 31,2 µV 1.2e-5 × 10⁻⁵ % alpha theta 8–13 Hz nor neither 10-20 ``` { } | * all "
        "channels ECG heart rate missing latency declined Holm 50".split(" ")
    ),
    max_size=40,
).map(" ".join)


def _score(text: Any, data: Any, events: Any = ()) -> Scored:
    answer = Answer(text, data)
    return score(
        SPECS, Evidence("Do it.", events, answer, fields=FIELDS, context=CONTEXT), "braino"
    )


def _two(first: bool, second: bool, required: tuple[bool, bool]) -> Scored:
    text = "T8 and Fp1 are bad. " * first + "The latency is 0.43 s. " * second + "."
    specs = [
        {"id": "a", "required": required[0], **SET},
        {"id": "b", "required": required[1], **NUMBER},
    ]
    return score(specs, evidence(text, fields={**BAD, **PEAK}), "braino")


@pytest.mark.parametrize(
    ("first", "second", "required", "passed", "total"),
    [
        (True, True, (True, True), True, 1.0),
        (True, False, (True, True), False, 0.5),
        (True, False, (True, False), True, 0.5),
        (False, True, (True, False), False, 0.5),
        (False, False, (True, False), False, 0.0),
        (True, True, (False, False), False, 1.0),
    ],
)
def test_braino_rule(
    first: bool, second: bool, required: tuple[bool, bool], passed: bool, total: float
) -> None:
    scored = _two(first, second, required)
    assert (scored.passed, scored.score) == (passed, total)
    assert [result.id for result in scored.checks] == ["a", "b"]


def test_no_checks_never_pass() -> None:
    assert score([], evidence("x"), "braino") == Scored(0.0, False, ())


def test_unknown_rule_and_kind() -> None:
    with pytest.raises(UsageError, match="rule"):
        score([], evidence("x"), "brain")
    with pytest.raises(UsageError, match="called"):
        score([{"id": "x", "kind": "caled"}], evidence("x"), "braino")


@settings(max_examples=60, deadline=None)
@given(text=JSON | WORDS | st.text(max_size=300), data=JSON)
def test_total_and_pure_on_odd_answers(text: Any, data: Any) -> None:
    first = _score(text, data)
    assert first == _score(text, data)
    assert 0.0 <= first.score <= 1.0


@settings(max_examples=40, deadline=None)
@given(events=st.lists(st.dictionaries(KEYS, JSON | VALUES, max_size=8), max_size=6))
def test_total_on_odd_transcripts(events: list[dict[str, Any]]) -> None:
    assert len(_score("T8 is bad.", None, events).checks) == len(SPECS)


@settings(max_examples=100, deadline=None)
@given(text=WORDS)
def test_readings_hold_known_names_or_say_why(text: str) -> None:
    for name, field in FIELDS.items():
        reading = read(field, name, evidence(text, fields=FIELDS))
        assert (reading.value is None) is bool(reading.reason)
        if field["type"] == "set" and reading.value is not None:
            assert reading.value <= set(CONTEXT["ch_names"])


@pytest.mark.parametrize(
    "text",
    [
        "T8 is bad and ",
        "T8, ",
        "T8 is not ",
        "no bad ",
        "except T8 ",
        "1,234 ",
        "8-13 ",
        "0.43 s or ",
        "subject 1, 2, 3 and ",
        "```json {",
        "[[[[{",
        "not not not ",
        "a" * 50,
        "9",
        "latency 0.4\n",
        "\n",
        "- T8:\n",
        "Holm 50 Hz marked, ",
        "ECG no heart rate 72. ",
    ],
)
def test_long_answers_are_read_in_linear_time(text: str) -> None:
    def read_all(length: int) -> None:
        given = evidence(text * (length // len(text)), fields=FIELDS)
        for name, field in FIELDS.items():
            read(field, name, given)

    assert grows_linearly(read_all, 1_250)


def test_fifty_megabytes_are_cut() -> None:
    specs: list[dict[str, Any]] = [
        {"id": "set", **SET, "expected": ["T8"]},
        {"id": "grounded", "kind": "grounded"},
    ]
    scored = score(specs, evidence("T8 is bad. " * 4_700_000), "braino")
    assert [result.passed for result in scored.checks] == [True, False]
