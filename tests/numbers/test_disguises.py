"""Numbers that are written so that a program might not find them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braino_registry.numbers import Ledger, excess, numbers_of_data, read_numbers
from braino_registry.numbers.spelling import legible

# text -> what is read of it, as value and unit
WRITTEN: list[tuple[str, float, str | None]] = [
    ("7\u200b2 bpm", 72, "bpm"),
    ("7\u00ad2 bpm", 72, "bpm"),
    ("7\ufe0f\u20e32\ufe0f\u20e3 bpm", 72, "bpm"),
    ("7\u03322\u0332 bpm", 72, "bpm"),
    ("７２ ｂｐｍ", 72, "bpm"),
    ("٧٢ bpm", 72, "bpm"),
    ("७२ bpm", 72, "bpm"),
    ("𝟕𝟐 bpm", 72, "bpm"),
    ("⑦② bpm", 72, "bpm"),
    ("a rate of ⁷² bpm", 72, "bpm"),
    ("rate⁷² bpm", 72, "bpm"),
    ("₇₂ bpm", 72, "bpm"),
    ("seventy-two beats per minute", 72, "bpm"),
    ("Seventy two beats a minute", 72, "bpm"),
    ("seven two bpm", 72, "bpm"),
    ("six dozen bpm", 72, "bpm"),
    ("LXXII bpm", 72, "bpm"),
    ("ⅬⅩⅩⅡ bpm", 72, "bpm"),
    ("one hundred and sixty hertz", 160, "Hz"),
    ("ninety-three point seven per cent", 93.7, "%"),
    ("12     µV", 12, "µV"),
    ("12 (µV)", 12, "µV"),
    ("1.5 × 10⁻⁴ µV²", 1.5e-4, "µV²"),
]

# what only looks like a name
POSING: list[tuple[str, float, str | None]] = [
    ("v93.7 µV", 93.7, "µV"),
    ("release 12 dB", 12, "dB"),
    ("May 12 µV", 12, "µV"),
    ("May 12 (µV)", 12, "µV"),
    ("µV: May 12", 12, "µV"),
    ("1.84.7 dB", 1.84, "dB"),
    ("93.7%/run-1", 93.7, "%"),
    ("93.726dB.txt", 93.726, "dB"),
    ("93.726.txt", 93.726, None),
    ("93726/run-1", 93726, None),
    ("see 93726.txt", 93726, None),
    ("Session 12847 epochs", 12847, None),
    ("Session 47 epochs", 47, None),
    ("HR72", 72, None),
    ("SNR41", 41, None),
    ("X93726", 93726, None),
    ("SNR: v9.37", 9.37, "1"),
    ("run 93 µV", 93, "µV"),
]

NAMES = [
    "P300 at T8", "MNE v1.13", "preprocess.filter v1.0.0", "May 12", "10:30 h", "subject 1042",
    "sub-01_task-rest_eeg.vhdr", "figure_93.png", "sessions 12, 13", "EEG001", "ten-twenty system",
    "two-second windows", "one of the three", "a CI of nothing", "no one", "twenties", "the V6",
    "2. Second", "ds004504",
]  # fmt: skip


def _claims(text: str) -> list[tuple[float, str | None]]:
    return [(n.value, n.unit) for n in read_numbers(text) if n.exempt_reason is None]


@pytest.mark.parametrize(("text", "value", "unit"), WRITTEN + POSING)
def test_a_number_is_read_however_it_is_written(text: str, value: float, unit: str | None) -> None:
    assert _claims(text) == [(pytest.approx(value), unit)]


@pytest.mark.parametrize("text", NAMES)
def test_names_and_idioms_are_no_claims(text: str) -> None:
    assert _claims(text) == []


def test_a_known_label_may_stand_before_things_that_are_counted() -> None:
    text = "In subject 14 epochs were rejected, in session 47 epochs too."
    found = [n.value for n in read_numbers(text, exempt_names=["14"]) if n.exempt_reason is None]
    assert found == [47]


def test_a_bracket_is_a_unit_only_if_it_holds_nothing_else() -> None:
    (first, *_) = read_numbers("alpha 0.42 (min 0.30, max 0.55)")
    assert (first.value, first.unit) == (0.42, None)


def test_a_hidden_character_moves_no_place() -> None:
    text = "It is 7\u200b2 bpm, at T8."
    (first, _) = read_numbers(text)
    assert text[first.span[0] : first.span[1]] == "7\u200b2 bpm"


def test_powers_stay_raised() -> None:
    for text in ("10⁻⁴", "µV²/Hz", "s⁻¹", "η² = 0.3", "10²"):
        assert legible(text).text == text


@given(st.text(max_size=60))
def test_a_legible_text_is_legible_and_its_places_are_in_order(text: str) -> None:
    seen = legible(text)
    assert legible(seen.text).text == seen.text
    if seen.places is not None:
        assert list(seen.places) == sorted(seen.places)
        assert len(seen.places) == len(seen.text) + 1


@pytest.mark.parametrize(
    "text",
    ["1e999", "10^400", "9" * 5000, "1e-999 s", "10**-999 µV", "9e307 h", "1e308 kHz", "0e999"],
)
def test_a_number_that_no_float_holds_is_a_claim_that_nothing_grounds(text: str) -> None:
    ledger = Ledger()
    ledger.add_result({"latency": 0.43, "zero": 0.0, "sfreq": 250.0}, {}, source="a tool")
    (number,) = read_numbers(text)
    assert math.isfinite(number.half)
    assert ledger.grounds(number) is None or text == "0e999"
    if number.exempt_reason is None:
        ledger.add_text(text, "the user")
        assert all(math.isfinite(entry.value) for entry in ledger.entries)


def test_data_hide_nothing() -> None:
    def claims(data: object) -> list[float]:
        return [n.value for n in numbers_of_data(data, {}, ["11"]) if n.exempt_reason is None]

    deep: object = 93.726
    for _ in range(30):
        deep = [deep]
    assert claims({"x": deep}) == [93.726]
    assert claims({"x": "a" * 30_000 + " 93.726"}) == [93.726]
    assert claims({"93.726": "is it"}) == [93.726]
    assert claims({"it is 93.7 µV": 1}) == [93.7]
    assert claims({"x": 10**400, "y": float("nan")}) == [math.inf, math.inf]
    assert claims({"alpha_8_13_hz": "x", "11": 0.5, "n170": None}) == [0.5]


def test_data_that_are_too_much_are_named() -> None:
    deep: object = 1
    for _ in range(70):
        deep = {"a": deep}
    assert "deeper" in excess(deep)
    assert "characters" in excess({"a": "x" * 300_000})
    assert "values" in excess([0] * 100_000)
    assert excess({"a": [1, {"b": "c"}], "d": None}) == ""
