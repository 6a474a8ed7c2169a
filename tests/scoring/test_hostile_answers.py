"""Answers that are built to break the reading: it raises nothing, and takes linear time."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.growth import grows_linearly
from tests.scoring.answer_cases import ANSWERS, GROUNDED, NO_ECG
from tests.scoring.case import Case
from tests.scoring.evidence import evidence, run
from tests.scoring.process_cases import PROCESS

# One case of each check, with the fields and events that it is about.
CASES: dict[str, Case] = {
    str(case.check): case for case in (*ANSWERS, *PROCESS) if case.passes and case.given.answer
}
HUGE: list[Any] = [
    "1e999", "10^400", "9" * 5000, "1e-999", "10**-999 µV", "1e308 kHz", "9e307 h", 10**400,
    10**5000, -(10**400), float("nan"), float("inf"), "x" * 300_000, [[10**400]], {"a": 10**5000},
]  # fmt: skip
REPEATED = [
    "1.5\n", "1.5 ", "9", "1,2,", "heart rate 1.5. ", "p < 0.05 ", "T8 ", "T8 is bad. ", "T8, ",
    "not ", "I set 50 Hz, ", "| T8 | bad |\n", "(a) 5 ", "seventy ", "one and ", "VII ", "7² ",
    "Holm ", "?", "{", "```", "¹", "7\u200b", "May 1 ", "sub-01 ", "8 epochs were rejected, ",
]  # fmt: skip


def _given(case: Case, text: str, data: Any = None) -> Any:
    old = case.given
    return evidence(
        text, *old.events, data=data, fields=old.fields, request=old.request, context=old.context
    )


@pytest.mark.parametrize("check", CASES)
@pytest.mark.parametrize("value", HUGE, ids=range(len(HUGE)))
def test_no_number_is_too_large(check: str, value: Any) -> None:
    case = CASES[check]
    name = next(iter(case.given.fields), "x")
    said = f"{NO_ECG} It is {value}" if isinstance(value, str) else "It is in the data."
    for text, data in ((said, None), ("It is in the data.", {name: value})):
        assert run(case.check, _given(case, text, data)).score in (0.0, 1.0)


@pytest.mark.parametrize("value", HUGE, ids=range(len(HUGE)))
def test_a_number_beyond_bounds_has_no_source(value: Any) -> None:
    said = evidence("", data={"x": value})
    assert not run(GROUNDED, said).passed


@settings(max_examples=25, deadline=None)
@given(st.text(max_size=200) | st.text("0123456789.,-–−eE×⁻ ±%ms<Hzno T8bad;:|()?\n", max_size=200))
def test_any_answer_is_read(text: str) -> None:
    for case in CASES.values():
        run(case.check, _given(case, text))


@pytest.mark.parametrize("size", [1_000, pytest.param(3_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("piece", REPEATED)
def test_reading_takes_linear_time(piece: str, size: int) -> None:
    kinds = {case.check["kind"]: case for case in CASES.values()}
    for kind in ("refuses", "grounded", "number", "set", "reports_applied"):
        case = kinds[kind]

        def read(length: int, case: Case = case) -> None:
            run(case.check, _given(case, piece * (length // len(piece))))

        assert grows_linearly(read, size, 10), kind
