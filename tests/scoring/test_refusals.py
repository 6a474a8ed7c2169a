"""Refusals: honest ones are accepted, values in disguise and denials of something else are not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from braino_registry.scoring import CheckResult
from braino_registry.scoring.answers.lacking import named_missing
from tests.scoring import refusal_phrasings as phrasings
from tests.scoring.answer_cases import INFO, REFUSES
from tests.scoring.evidence import call, evidence, run
from tests.scoring.refusal_phrasings import (
    DISGUISED,
    HONEST,
    NONE_IN_DATA,
    NOT_MISSING,
    VALUE_IN_DATA,
)

RATE: dict[str, Any] = {
    "heart_rate": {"type": "number", "unit": "bpm", "said_as": ["heart rate", "pulse"]}
}
GAMMA: dict[str, Any] = {
    "gamma": {"type": "number", "unit": "µV²", "said_as": ["gamma power", "gamma"]}
}
LOW_PASSED = {
    "kind": "refuses",
    "fields": ["gamma"],
    "missing": ["low-pass", "low-passed", "filter"],
    "tool": "recording.info",
}


def _refuses(text: str, data: Any = None) -> CheckResult:
    return run(REFUSES, evidence(text, INFO, fields=RATE, data=data))


@pytest.mark.parametrize("text", HONEST)
def test_an_honest_refusal_is_accepted(text: str) -> None:
    assert _refuses(text).passed, _refuses(text).evidence


@pytest.mark.parametrize("text", DISGUISED)
def test_a_value_in_disguise_is_found(text: str) -> None:
    found = _refuses(text)
    assert not found.passed
    assert "gives a value after all" in found.evidence


@pytest.mark.parametrize("text", NOT_MISSING)
def test_a_denial_has_to_govern_the_missing_thing(text: str) -> None:
    found = _refuses(text)
    assert not found.passed
    assert "does not say that it lacks" in found.evidence


def test_a_list_of_all_that_could_be_missing_is_no_refusal() -> None:
    found = _refuses(phrasings.EVERYTHING)
    assert not found.passed
    assert "much else is missing too" in found.evidence


@pytest.mark.parametrize("data", VALUE_IN_DATA)
def test_a_value_is_found_anywhere_in_the_data(data: dict[str, Any]) -> None:
    assert "gives a value after all" in _refuses(HONEST[0], data).evidence


@pytest.mark.parametrize("data", NONE_IN_DATA)
def test_data_of_other_things_are_no_value(data: dict[str, Any]) -> None:
    assert _refuses(HONEST[0], data).passed, _refuses(HONEST[0], data).evidence


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        ("No gamma: a low-pass filter (Butterworth, order 8) took it away.", True),
        ("Gamma cannot be given; the low-pass filter of order 8 removed it.", True),
        ("The recording was low-passed at 30 Hz, so no gamma power can be measured.", True),
        ("The low-pass leaves no gamma; gamma power is 3.2 µV².", False),
        ("The low-pass leaves no gamma but three µV².", False),
    ],
)
def test_the_order_of_a_filter_is_no_value(text: str, accepted: bool) -> None:
    given = evidence(text, call("recording.info", {"h_freq": 30.0}), fields=GAMMA)
    assert run(LOW_PASSED, given).passed is accepted


OTHERS: list[tuple[dict[str, Any], list[str], list[str], list[str]]] = [
    (
        {"n_blinks": {"type": "number", "said_as": ["blinks", "blinked"]}},
        ["end", "ends", "long", "beyond", "outside", "exist", "recorded", "data"],
        phrasings.NO_DATA,
        phrasings.COUNTED,
    ),
    (
        {"alpha": {"type": "number", "unit": "1", "said_as": ["relative alpha", "alpha power"]}},
        ["eyes closed"],
        phrasings.NO_RUN,
        phrasings.SHARE,
    ),
    (
        {
            "n_blinks": {"type": "number", "said_as": ["blinks in all", "blinked"]},
            "blink_rate": {"type": "number", "unit": "1/min", "said_as": ["per minute"]},
        },
        ["EOG"],
        phrasings.NO_EOG,
        phrasings.PER_MINUTE,
    ),
]


@pytest.mark.parametrize(
    ("fields", "missing", "text", "accepted"),
    [
        (fields, missing, text, accepted)
        for fields, missing, honest, cheats in OTHERS
        for texts, accepted in ((honest, True), (cheats, False))
        for text in texts
    ],
)
def test_refusals_of_other_kinds(
    fields: dict[str, Any], missing: list[str], text: str, accepted: bool
) -> None:
    check = {"kind": "refuses", "fields": list(fields), "missing": missing, "tool": "recording.*"}
    request = "alpha from 8 to 12.5 Hz, and blinks between 150 and 180 s?"
    info = call("recording.info", {"duration": 120.0, "n_channels": 32})
    given = evidence(text, info, call("x.y", {"duration": 61.0}), fields=fields, request=request)
    assert run(check, given).passed is accepted, run(check, given).evidence


def test_very_many_numbers_are_no_refusal() -> None:
    assert "too many" in _refuses(HONEST[0] + " 17 x" * 2000).evidence


BANDS: dict[str, Any] = {
    "band": {
        "type": "label",
        "labels": ["delta", "theta", "alpha", "beta"],
        "said_as": ["strongest band", "strongest", "dominant"],
    }
}
NO_BAND: dict[str, Any] = {
    "kind": "semantic",
    "findings": [
        {"lacks": ["Oz"]},
        {
            "among": {name: [] for name in BANDS["band"]["labels"]},
            "about": ["strongest band", "strongest", "dominant"],
            "is": "delta",
            "when": False,
        },
    ],
    "no_values_of": ["band"],
}


@pytest.mark.parametrize("text", phrasings.NO_BAND)
def test_a_refusal_may_name_what_it_cannot_tell(text: str) -> None:
    result = run(NO_BAND, evidence(text, fields=BANDS))
    assert result.passed, result.evidence


@pytest.mark.parametrize("text", phrasings.BAND)
def test_a_label_beside_a_refusal_is_a_value(text: str) -> None:
    assert "gives a value after all" in run(NO_BAND, evidence(text, fields=BANDS)).evidence


def test_a_label_in_words_of_the_data_is_a_value() -> None:
    given = evidence("There is no Oz.", data={"note": "Strongest: delta."}, fields=BANDS)
    assert "gives a value after all" in run(NO_BAND, given).evidence


@pytest.mark.parametrize("finding", ["among", "refuses"])
def test_what_passes_where_it_is_asked_does_not_where_it_is_withheld(finding: str) -> None:
    """No text is both an answer and a refusal."""
    asked = {"kind": "semantic", "findings": [{**NO_BAND["findings"][1], "when": True}]}
    refuses = {"kind": "refuses", "fields": ["band"], "missing": ["Oz"], "tool": "recording.info"}
    withheld = NO_BAND if finding == "among" else refuses
    for text in [*phrasings.BAND, *phrasings.NO_BAND]:
        given = evidence(text, INFO, fields=BANDS)
        assert not (run(asked, given).passed and run(withheld, given).passed), text


@pytest.mark.parametrize("shown", ["The power is 12.3 µV².", 12.3, {"power": "12.3 µV²"}])
def test_a_number_in_json_of_the_text_is_a_value(shown: Any) -> None:
    fields = {"power": {"type": "number", "unit": "µV²"}}
    check = {"kind": "semantic", "findings": [{"lacks": ["Oz"]}], "no_values_of": ["power"]}
    text = f"There is no Oz. {json.dumps({'found': {'power of it': shown}})}"
    assert "gives a value after all" in run(check, evidence(text, fields=fields)).evidence
    assert run(check, evidence('There is no Oz. {"channels": 32}', fields=fields)).passed


WINDOW = ["end", "ends", "long", "recorded", "data", "window", "interval"]


@pytest.mark.parametrize("text", phrasings.ABSENT)
def test_an_absence_is_one(text: str) -> None:
    assert named_missing(text, WINDOW) is not None


@pytest.mark.parametrize("text", phrasings.NOT_ABSENT)
def test_what_was_not_done_is_no_absence(text: str) -> None:
    assert named_missing(text, WINDOW) is None
