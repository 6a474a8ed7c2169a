"""Reading numbers out of text."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from braino_registry.numbers import read_numbers

# text -> (value, unit) of the numbers that are claims, in order
CLAIMS: list[tuple[str, list[tuple[float, str | None]]]] = [
    ("93.726 % of its samples", [(93.726, "%")]),
    ("−3.2 µV at 430 ms", [(-3.2, "µV"), (430, "ms")]),
    ("-3.2 uV, +5.5 μV", [(-3.2, "µV"), (5.5, "µV")]),
    ("300–600 ms", [(300, "ms"), (600, "ms")]),
    ("300-600ms", [(300, "ms"), (600, "ms")]),
    ("8-13 Hz", [(8, "Hz"), (13, "Hz")]),
    ("8 Hz–13 Hz", [(8, "Hz"), (13, "Hz")]),
    ("between 8 and 13 Hz", [(8, "Hz"), (13, "Hz")]),
    ("8 to 13 Hz", [(8, "Hz"), (13, "Hz")]),
    ("-100 to 600 ms", [(-100, "ms"), (600, "ms")]),
    ("−100–600 ms", [(-100, "ms"), (600, "ms")]),
    ("from –100 to 600 ms", [(-100, "ms"), (600, "ms")]),
    ("a 600-ms window and a 50-Hz notch", [(600, "ms"), (50, "Hz")]),
    ("1.2e-5 and 1.2 × 10⁻⁵ and 1.2x10^-5", [(1.2e-5, None)] * 3),
    ("1.5E+03 V", [(1500, "V")]),
    ("10⁻⁴ or 10^-4", [(1e-4, None)] * 2),
    ("1,234 and 1,234,567.5", [(1234, None), (1234567.5, None)]),
    ("12\u2009000 and 12\u202f000 and 12'000", [(12000, None)] * 3),
    ("12 000 samples", [(12000, None)]),
    ("1.234,5 µV", [(1234.5, "µV")]),
    ("0,14; 31,2 µV", [(0.14, None), (31.2, "µV")]),
    ("0.65 and 14 %", [(0.65, "%"), (14, "%")]),
    ("3,4,12 Hz", [(12, "Hz")]),
    ("0E:12", [(12, None)]),
    ("[8,13] Hz", [(13, None)]),
    ("F(1,14) = 3.21, p = .03", [(14, None), (3.21, None), (0.03, None)]),
    ("t(14)=−2.31", [(14, None), (-2.31, None)]),
    ("74/80 trials", [(74, None), (80, None)]),
    ("0.14 ± 0.02", [(0.14, None), (0.02, None)]),
    ("14 per cent and 15 percent", [(14, "%"), (15, "%")]),
    ("5 µV², 6 µV^2/Hz, 7 dB, 8 min, 72 bpm, 5 kHz",
     [(5, "µV²"), (6, "µV²/Hz"), (7, "dB"), (8, "min"), (72, "bpm"), (5, "kHz")]),
    ("2.5 seconds, 40 milliseconds, 12 microvolts", [(2.5, "s"), (40, "ms"), (12, "µV")]),
    ("approx3.7 Hz", [(3.7, "Hz")]),
    ("32 channels", [(32, None)]),
    ("11", [(11, None)]),
    ("10 Hz", [(10, "Hz")]),
    ("-7", [(-7, None)]),
    ("10-20 Hz", [(10, "Hz"), (20, "Hz")]),
    ("It is 93.726.", [(93.726, None)]),
    ("each recording 90 s long", [(90, "s")]),
    ("no numbers here", []),
]  # fmt: skip

NAMES = [
    "T8", "Fp1 and AF7, FC5/FC6", "T8-T7", "the 10-20 system", "a 10–20 montage", "10-5",
    "view-1 and result-3", "sub-02", "sub-02_ses-1_task-rest_eeg.vhdr", "EEG001", "ds004504",
    "S001R01", "P300", "subject 02", "subjects 01, 02 and 12", "session 12", "channel 17",
    "2024-05-01", "2024-05-01T10:30:00", "12:30", "1 May 2024", "May 12, 2024", "v1.2.3",
    "version 1.11", "BIDS 1.9.0", "MNE 1.13.2", "(Luck, 2014)", "et al. 2014",
    "https://example.org/98.6", "10.5281/zenodo.123456", "figure_93.png", "channels.tsv 02",
    "0", "7 of 10", "1. First\n2. Second", "12. Twelfth",
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), CLAIMS)
def test_claims(text: str, expected: list[tuple[float, str | None]]) -> None:
    found = [n for n in read_numbers(text) if n.exempt_reason is None]
    assert [n.value for n in found] == pytest.approx([value for value, _ in expected])
    assert [n.unit for n in found] == [unit for _, unit in expected]


@pytest.mark.parametrize("text", NAMES)
def test_names_are_exempt(text: str) -> None:
    assert [n.text for n in read_numbers(text) if n.exempt_reason is None] == []


@pytest.mark.parametrize(
    ("text", "decimals", "digits"),
    [("0.14", 2, 2), ("0.140", 3, 3), ("430", 0, 2), ("1.2e-5", 6, 2), ("1.2e5", -4, 2),
     ("31.20", 2, 4), (".5", 1, 1), ("1,234", 0, 4), ("0.00", 2, 1)],
)  # fmt: skip
def test_printed_precision(text: str, decimals: int, digits: int) -> None:
    (number,) = read_numbers(text)
    assert (number.decimals, number.digits) == (decimals, digits)


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        ("300–600 ms", ["range", "range"]),
        ("0.65 to 0.14", ["", ""]),
        ("0.14 ± 0.02", ["", "spread"]),
        ("below 5 µV", ["bound"]),
        ("p < 0.05", ["bound"]),
        ("at 430 ms", [""]),
    ],
)
def test_roles(text: str, roles: list[str]) -> None:
    assert [number.role for number in read_numbers(text)] == roles


def test_spans_hold_number_and_unit() -> None:
    text = "It peaks at −430.5 ms, T8."
    first = read_numbers(text)[0]
    assert text[first.span[0] : first.span[1]] == "−430.5 ms"


def test_names_of_the_recording_are_exempt() -> None:
    text = "EEG 93 and E93.5 differ by 93.5"
    claims = [n.value for n in read_numbers(text) if n.exempt_reason is None]
    assert claims == [93, 93.5, 93.5]
    known = read_numbers(text, exempt_names=["EEG 93", "E93.5"])
    assert [n.value for n in known if n.exempt_reason is None] == [93.5]


def test_a_name_of_digits_hides_no_number() -> None:
    text = "12 of them; channel 12"
    found = [n.value for n in read_numbers(text, exempt_names=["12"]) if n.exempt_reason is None]
    assert found == [12]


@given(
    value=st.decimals(min_value=-99999, max_value=99999, places=3),
    unit=st.sampled_from(["ms", "µV", "Hz", "%", "s", "dB"]),
    gap=st.sampled_from(["", " ", "\u00a0", "\u2009"]),
)
def test_a_printed_number_is_read_back(value: object, unit: str, gap: str) -> None:
    (number,) = read_numbers(f"It is {value}{gap}{unit} here.")
    assert (number.value, number.unit, number.decimals) == (float(str(value)), unit, 3)


@settings(max_examples=300)
@given(st.text(max_size=80) | st.text("0123456789.,-–−eE×⁻ ±%ms<Hz", max_size=40))
def test_any_text_is_read(text: str) -> None:
    numbers = read_numbers(text)
    assert [n.span[0] for n in numbers] == sorted(n.span[0] for n in numbers)
    for number in numbers:
        assert 0 <= number.span[0] < number.span[1] <= len(text)


@pytest.mark.parametrize(
    "text", ["9", "1,234", "1.", "- ", "subject 1, ", "v1.", "a1", "10-", "(A 2014", "e1", "  0 "]
)
def test_reading_is_linear(text: str) -> None:
    long = text * (60_000 // len(text))
    started = time.process_time()
    read_numbers(long)
    assert time.process_time() - started < 2.0


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("250.0 samples per second", 250.0, "Hz"),
        ("250 samples/s", 250.0, "Hz"),
        ("250 S/s", 250.0, "Hz"),
        ("250 times per second", 250.0, "Hz"),
        ("0.25 kS/s", 0.25, "kHz"),
        ("10 cycles a second", 10.0, "Hz"),
        ("250 samples", 250.0, None),
        ("250 times", 250.0, None),
        ("250 samples per subject", 250.0, None),
    ],
)
def test_rates_in_words(text: str, value: float, unit: str | None) -> None:
    (number,) = read_numbers(f"It has {text}.")
    assert (number.value, number.unit) == (value, unit)
