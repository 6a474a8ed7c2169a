"""Counts in words: whose number it is, and whether the text states it at all."""

from __future__ import annotations

from typing import Any

import pytest

from braino_registry.scoring import Reading, read
from tests.scoring.count_phrasings import SQUARES, TARGETS, Counts
from tests.scoring.evidence import CONTEXT, decide, evidence, run


def _fields(stimulus: str, response: str) -> dict[str, Any]:
    words = ("{} stimuli", "{} events", "{} trials", "{}s", "{}", "stimuli")
    answers = ("{} responses", "{} events", "{}s", "{}", "responses", "responded", "button presses")
    return {
        "n_stimulus": {"type": "number", "said_as": [w.format(stimulus) for w in words]},
        "n_response": {"type": "number", "said_as": [w.format(response) for w in answers]},
        "sfreq": {"type": "number", "unit": "Hz", "said_as": ["sampling rate", "sampled at"]},
    }


PEAK: dict[str, Any] = {"latency": {"type": "number", "unit": "ms", "said_as": ["peaks at"]}}
NOTCH = {"kind": "reports_applied", "decision": "set-preprocessing"}


def _read(text: str, fields: dict[str, Any], name: str, **more: Any) -> Reading:
    return read(fields[name], name, evidence(text, fields=fields, context=CONTEXT, **more))


@pytest.mark.parametrize(
    ("fields", "text", "counts"),
    [(_fields("target", "response"), *row) for row in TARGETS]
    + [(_fields("square", "rt"), *row) for row in SQUARES],
)
def test_counts(fields: dict[str, Any], text: str, counts: Counts) -> None:
    stimuli, responses, rate = counts
    assert _read(text, fields, "n_stimulus").value == stimuli
    assert _read(text, fields, "n_response").value == responses
    assert rate is None or _read(text, fields, "sfreq").value == rate


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("The P3 peaks at 430 ms.", 430),
        ("I did not filter; it peaks at 430 ms.", 430),
        ("Not filtered, the response peaks at 430 ms.", 430),
        ("It peaks at 430 ms, which is not early.", 430),
        ("It peaks at 430 ms, not at 470 ms.", 430),
        ("It peaks not at 470 but at 430 ms.", 430),
        ("It peaks at 430 ms rather than at 470 ms.", 430),
        ("It does not peak at 430 ms.", None),
        ("The latency is not 430 ms.", None),
        ("The latency isn't really 430 ms.", None),
        ("I doubt that it peaks at 430 ms.", None),
        ("It is wrong to say that it peaks at 430 ms.", None),
        ("430 ms is not the latency.", None),
        ("430 ms is wrong.", None),
        ("Everyone says that it peaks at 430 ms.", None),
        ("The latency is said to be 430 ms.", None),
        ("They supposedly peak at 430 ms.", None),
        ("Does it peak at 430 ms?", None),
        ("If it peaks at 430 ms, it is a P3.", None),
        ("It should have peaked at 430 ms.", None),
        ("It peaks at 430 ms. It does not peak at 430 ms.", None),
    ],
)
def test_a_number_is_stated_or_not(text: str, value: float | None) -> None:
    assert _read(text, PEAK, "latency").value == value


@pytest.mark.parametrize(
    ("given", "value"), [("430 ms", 430), ("not 430 ms", None), ("430 ms is wrong", None)]
)
def test_a_denied_number_in_data(given: str, value: float | None) -> None:
    assert _read("", PEAK, "latency", data={"latency": given}).value == value


@pytest.mark.parametrize(
    ("text", "passed"),
    [
        ("The notch is set to 50 Hz.", True),
        ("The notch is not set to 50 Hz.", False),
        ("Is the notch set to 50 Hz?", False),
    ],
)
def test_a_denied_setting_is_not_reported(text: str, passed: bool) -> None:
    event = decide("set-preprocessing", {"notch": 50.0})
    assert run(NOTCH, evidence(text, event)).passed is passed


@pytest.mark.parametrize("data", [{"channels": ["T8"]}, {"Channels": ["T8"], "x": 1}])
def test_unknown_keys_of_data_are_named(data: dict[str, Any]) -> None:
    check = {"kind": "set", "field": "bad_channels", "expected": ["T8"]}
    told = run(check, evidence("See the data.", data=data)).evidence
    assert f"the data has '{next(iter(data))}'" in told
    assert "but no 'bad_channels'" in told
    wrong = run(check, evidence("Fp1 is bad.", data=data))
    assert "but no 'bad_channels'" in wrong.evidence
    right = run(check, evidence("T8 is bad.", data=data))
    assert right.passed
    assert "but no" not in right.evidence


def test_keys_of_other_fields_are_not_unknown() -> None:
    fields = _fields("target", "response")
    reading = _read("Done.", fields, "n_response", data={"n-stimulus": 40})
    assert (reading.value, reading.note) == (None, "")
