"""What an agent brought in itself, what it paged through, and what arithmetic makes of numbers."""

from __future__ import annotations

import random
from typing import Any

import pytest

from braino_registry.numbers import Ledger, from_transcript, read_numbers
from tests.numbers.grounding import grounding_rate
from tests.numbers.realistic import call, five_calls


def _grounded(events: list[dict[str, Any]], text: str) -> bool:
    ledger = from_transcript(events)
    claims = [n for n in read_numbers(text) if n.exempt_reason is None]
    assert claims, text
    return all(ledger.grounds(n, text) is not None for n in claims)


def _decision(status: str, proposal: dict[str, Any], applied: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "decide", "kind": "x", "status": status, "proposal": proposal, "applied": applied,
    }  # fmt: skip


APPROVED = _decision("approved", {"h_freq": 41.73}, {"h_freq": 41.73})
KEPT = _decision(
    "edited",
    {"method": "none", "alpha": 0.0417, "n_tests": 417},
    {"method": "holm", "alpha": 0.0417, "n_tests": 417},
)


@pytest.mark.parametrize(
    ("event", "text", "grounded"),
    [
        (APPROVED, "The SNR is 41.73.", False),
        (APPROVED, "The SNR is 41.73 dB.", False),
        (APPROVED, "41.73 % of the samples are noise.", False),
        (APPROVED, "The low-pass is at 41.73 Hz.", True),
        (APPROVED, "h_freq was set to 41.73.", True),
        (KEPT, "The SNR is 0.0417.", False),
        (KEPT, "It is 4.17 %.", False),
        (KEPT, "There are 417 blinks.", False),
        (KEPT, "Holm correction at alpha = 0.0417 for 417 tests.", True),
        (_decision("edited", {"h_freq": 30.25}, {"h_freq": 41.73}), "It is 41.73.", True),
    ],
)
def test_an_approval_of_the_agent_s_own_number_launders_nothing(
    event: dict[str, Any], text: str, grounded: bool
) -> None:
    assert _grounded([event], text) is grounded


def test_an_argument_that_a_later_call_repeats_is_still_the_agent_s_own() -> None:
    events = [
        call(1, "preprocess.filter", {"h_freq": 41.73}, {"view": "view-1"}),
        call(2, "recording.info", {"view": "view-1"}, {"h_freq": 41.73, "duration": 61.25}),
    ]
    assert not _grounded(events, "The SNR is 41.73.")
    assert not _grounded(events, "The SNR is 41.73 dB.")
    assert _grounded(events, "Low-passed at 41.73 Hz, 61.25 s long.")


def test_an_argument_that_was_reported_before_is_nobody_s_own() -> None:
    events = [
        call(1, "a", {}, {"peak_hz": 41.73}),
        call(2, "b", {"h_freq": 41.73}, {"view": "view-1"}),
        call(3, "c", {"view": "view-1"}, {"h_freq": 41.73}),
    ]
    assert _grounded(events, "The peak lies at 41.73.")


def test_a_measured_number_is_no_echo_of_a_round_argument() -> None:
    args = {"fmin": 8, "fmax": 40, "relative_to": [1, 40]}
    result = {"frequency_hz": 40.0, "relative_to": [1, 40], "fmax": 40.0, "value": 40.0}
    assert _grounded([call(1, "spectrum.peak", args, result)], "The peak is at 40 Hz.")
    assert not _grounded([call(1, "spectrum.peak", args, result)], "The power is 40 µV².")
    del result["frequency_hz"]
    assert not _grounded([call(1, "spectrum.peak", args, result)], "The peak is at 40 Hz.")
    exact = call(1, "x", {"fmax": 41.73}, {"frequency_hz": 41.73})
    assert not _grounded([exact], "The peak is at 41.73 Hz.")


@pytest.mark.parametrize(
    ("text", "grounded"),
    [
        ("The amplitude is 3.21 µV lower.", True),
        ("a reduction of 3.21 µV", True),
        ("effect size |d| = 1.84", True),
        ("The groups differ by 1.84 standard deviations.", True),
        ("d = −1.84", True),
        ("d = 1.84", False),
        ("The amplitude is 3.21 µV.", False),
        ("a reduction of +3.21 µV", False),
    ],
)
def test_a_magnitude_may_be_printed_where_the_text_says_so(text: str, grounded: bool) -> None:
    event = call(1, "x", {}, {"amplitude_uv": -3.21, "d": -1.84})
    assert _grounded([event], text) is grounded


@pytest.mark.parametrize(
    ("expression", "text", "grounded"),
    [
        ("a - b", "30 ms later", True),
        ("a - b", "0.03 s later", True),
        ("a / b", "930 ms", False),
        ("a - c", "30 ms later", False),
    ],
)
def test_a_difference_has_the_unit_of_its_inputs(
    expression: str, text: str, grounded: bool
) -> None:
    events = [call(1, "erp.measure", {}, {"latency": 0.43, "onset": 0.40, "sfreq": 0.4001})]
    values = {"a": 0.43, expression[-1]: 0.4001 if expression[-1] == "c" else 0.40}
    value = 0.93 if "/" in expression else 0.03
    events.append(call(2, "calc", {"expression": expression, "values": values}, {"value": value}))
    assert _grounded(events, text) is grounded


def _paged(pages: int) -> list[dict[str, Any]]:
    draw = random.Random(3)
    events = five_calls()
    for page in range(pages):
        rows = [
            {"onset": draw.uniform(0, 600), "duration": draw.uniform(0.1, 2),
             "value": draw.uniform(0, 100), "amplitude_uv": draw.uniform(-200, 200),
             "power_uv2": draw.uniform(0, 500), "frequency_hz": draw.uniform(0, 80)}
            for _ in range(20)
        ]  # fmt: skip
        events.append(call(10 + page, "events.list", {"offset": page}, {"rows": rows}))
    return events


@pytest.mark.parametrize("pages", [5, 30, 100])
def test_paging_through_everything_grounds_little_more(pages: int) -> None:
    ledger = from_transcript(_paged(pages))
    assert len(ledger.entries) > 100 * pages
    rate = grounding_rate(ledger)
    assert rate.overall <= 0.05
    assert rate.by_digits[4] <= 0.03


def test_what_was_measured_after_much_paging_may_be_rounded() -> None:
    events = [*_paged(100), call(200, "stats.ttest", {}, {"t": 2.3456, "p_value": 0.0312})]
    assert _grounded(events, "t = 2.35, p = 0.031")


def test_an_entry_of_a_page_may_be_repeated_where_that_says_something() -> None:
    rows = _paged(100)[-1]["result"]["rows"]
    assert _grounded(_paged(100), f"The last event is at {rows[-1]['onset']:.4f} s.")


def test_what_the_user_changed_is_the_user_s_number() -> None:
    ledger = Ledger()
    ledger.add_decision({"notch": 51.5}, source="d", proposal={"notch": 61.5})
    (number,) = read_numbers("51.5 µV")
    assert ledger.grounds(number) is None
    (number,) = read_numbers("51.5")
    assert ledger.grounds(number) is not None
