"""How answers phrase numbers, labels and sequences."""

from __future__ import annotations

from typing import Any

import pytest

from braino_registry.scoring import Reading, read
from tests.scoring.evidence import evidence

ALPHA: dict[str, Any] = {
    "alpha_open": {"type": "number", "unit": "1", "said_as": ["eyes open"]},
    "alpha_closed": {"type": "number", "unit": "1", "said_as": ["eyes closed"]},
}
PEAK: dict[str, Any] = {
    "latency": {"type": "number", "unit": "s"},
    "amplitude": {"type": "number", "unit": "µV"},
}
COUNTS: dict[str, Any] = {
    "n_stimulus": {"type": "number", "said_as": ["square"]},
    "n_response": {"type": "number", "said_as": ["rt"]},
    "sfreq": {"type": "number", "unit": "Hz"},
}

SHARES: list[tuple[str, tuple[float | None, float | None]]] = [
    ("relative alpha was 0.14 with eyes open and 0.65 with eyes closed", (0.14, 0.65)),
    ("Eyes open: 0.14, eyes closed: 0.65", (0.14, 0.65)),
    ("With eyes open it was 0.14 and with eyes closed 0.65.", (0.14, 0.65)),
    ("0.14 vs 0.65 for eyes open vs closed", (0.14, 0.65)),
    ("0.14 and 0.65 with eyes open and closed, respectively.", (0.14, 0.65)),
    ("14 % (eyes open) and 65 % (eyes closed)", (0.14, 0.65)),
    ("Eyes open: 0.14\nEyes closed: 0.65", (0.14, 0.65)),
    ("| open | 0.14 |\n| closed | 0.65 |", (0.14, 0.65)),
    ("0.65 closed, 0.14 open", (0.14, 0.65)),
    ("alpha_open: 0.14, alpha_closed: 0.65", (0.14, 0.65)),
    (
        "Relative alpha over O1, Oz and O2 is 0.14 when the eyes are open. It rises to 0.65 when "
        "they are closed.",
        (0.14, 0.65),
    ),
    (
        "Relative alpha rose from 0.14 (eyes open) to 0.65 (eyes closed) in the 8–13 Hz band.",
        (0.14, 0.65),
    ),
    (
        "Relative alpha (8–13 Hz over 1–40 Hz) in subject 01 over O1, Oz, O2 was 0.139 with eyes "
        "open and 0.652 with eyes closed.",
        (0.139, 0.652),
    ),
    ("It was 0.14 and 0.65.", (None, None)),
    ("Relative alpha was 0.14 with eyes open.", (0.14, None)),
    ("", (None, None)),
]
PEAKS: list[tuple[str, tuple[float | None, float | None]]] = [
    ("peak at 430 ms with 31.2 µV", (0.43, 31.2)),
    ("The response at Pz peaks 0.43 s after square, at 31.2 µV.", (0.43, 31.2)),
    (
        "Between 300 and 600 ms, the peak is at 430 ms (0.43 s) and reaches 31.2 microvolts ± 2.1 "
        "µV.",
        (0.43, 31.2),
    ),
    (
        "The P300 peaks at Pz at 430 ms; its amplitude is 31.2 µV (baseline −200 to 0 ms, 80 "
        "epochs).",
        (0.43, 31.2),
    ),
    ("Latency 0,43 s; amplitude 31,2 uV.", (0.43, 31.2)),
    ("The amplitude is −3.2 µV at 430ms.", (0.43, -3.2)),
    ("The amplitude is 3.12 × 10⁻⁵ V.", (None, 31.2)),
    ("latency 430 ms, or maybe 470 ms", (None, None)),
    ("The latency is at least 300 ms.", (None, None)),
    ("No peak.", (None, None)),
]
EVENTS: list[tuple[str, tuple[float | None, ...]]] = [
    ("80 stimulus and 74 response events, sampled at 128 Hz.", (80, 74, 128)),
    ("There are 80 stimuli and 74 responses; the sampling rate is 128 Hz.", (80, 74, 128)),
    (
        "The recording holds 154 events: 80 `square` and 74 `rt`, at a sampling rate of 128 Hz.",
        (80, 74, 128),
    ),
    ("Stimulus events: 80\nResponse events: 74\nSampling rate: 128 Hz", (80, 74, 128)),
    ("n_stimulus=80, n_response=74, sfreq=128", (80, 74, 128)),
    ("80 stimulus events (square), 74 response events (rt), 128 Hz", (80, 74, 128)),
    (
        "Subject 01's recording holds 1,200 stimulus events and 7 response events; its sampling "
        "rate is 0.25 kHz.",
        (1200, 7, 250),
    ),
]


def _read(text: Any, fields: dict[str, Any], name: str, **more: Any) -> Reading:
    return read(fields[name], name, evidence(text, fields=fields, **more))


@pytest.mark.parametrize(
    ("fields", "text", "values"),
    [(f, *row) for f, rows in ((ALPHA, SHARES), (PEAK, PEAKS), (COUNTS, EVENTS)) for row in rows],
)
def test_numbers(fields: dict[str, Any], text: str, values: tuple[float | None, ...]) -> None:
    found = [_read(text, fields, name).value for name in fields]
    assert found == [None if v is None else pytest.approx(v, rel=1e-12) for v in values]


@pytest.mark.parametrize("may", ["may", "may well", "could well", "might also", "could possibly"])
def test_what_may_be_is_no_value(may: str) -> None:
    assert _read(f"The peak latency {may} be 430 ms.", PEAK, "latency").value is None


def test_data_and_text_agree_within_the_printed_precision() -> None:
    agreeing = _read("Latency: 0.43 s", PEAK, "latency", data={"latency": 0.4297})
    assert (agreeing.value, agreeing.conflict) == (0.4297, False)
    assert _read("Latency: 0.44 s", PEAK, "latency", data={"latency": 0.4297}).conflict


def test_a_number_beside_another_word_is_no_conflict() -> None:
    text = "Filtered with a 1 s edge."
    assert _read(text, PEAK, "latency", data={"latency": 0.4297}).value == 0.4297


@pytest.mark.parametrize(
    ("value", "expected"),
    [("430 ms", 0.43), ("0.43", 0.43), (0, 0.0), ("430 Hz", None), ("0.4 or 0.5", None),
     ("0.4–0.5 s", None), (True, None), (None, None), ([], None), ({}, None), ("", None),
     (float("inf"), None), (10**400, None)],
)  # fmt: skip
def test_number_in_data(value: Any, expected: float | None) -> None:
    found = _read("see data", PEAK, "latency", data={"latency": value}).value
    assert found == (None if expected is None else pytest.approx(expected))


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("I marked the target as bad.", None),
        ("The larger response came from the target.", "target"),
        ("Larger: targets", "target"),
        ("larger_condition: target", "target"),
        ("The target response is larger than that to the standard.", None),
        ("The larger response is not to the standard but to the target.", "target"),
        ("It is the standard, rather than the target.", "standard"),
        ("I do not know.", None),
        ("The larger response may well be that to the target.", None),
        ("The larger response could possibly be that to the target.", None),
    ],
)
def test_label(text: str, label: str | None) -> None:
    field = {
        "type": "label",
        "labels": ["target", "standard"],
        "aliases": {"target": ["targets", "deviant"]},
        "said_as": ["larger"],
    }
    assert _read(text, {"larger_condition": field}, "larger_condition").value == label


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("delta > theta > alpha", "delta theta alpha"),
        ("First delta, then theta and finally alpha.", "delta theta alpha"),
        ("- delta\n- theta\n- alpha", "delta theta alpha"),
        ("1. delta\n2. theta\n3. alpha", "delta theta alpha"),
        ("delta", None),
        ("The order is theta, alpha. I also looked at alpha and delta.", "theta alpha"),
        ("theta, alpha; alpha, theta\nalpha, theta", None),
    ],
)
def test_sequence(text: str, order: str | None) -> None:
    fields = {"order": {"type": "sequence", "labels": ["delta", "theta", "alpha"]}}
    found = _read(text, fields, "order").value
    assert found == (None if order is None else tuple(order.split()))


SHARE = {"share": {"type": "number", "unit": "%", "said_as": ["relative alpha power"]}}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Relative alpha power: 22.4 %, 30.1 %", None),
        ("Relative alpha power is 22.4 %; 30.1 %.", None),
        ("Relative alpha power is 22.4 and 30.1 %", None),
        ("Relative alpha power: 22.4 % / 30.1 %", None),
        ("Relative alpha power: 22.4 %, 30.1 % of which is noise", 22.4),
        ("Relative alpha power: 22.4 %, i.e. 22.38 %", 22.4),
        ("Relative alpha power: 224 ‰", 22.4),
        ("Relative alpha power: 224 per mille", 22.4),
        ("Relative alpha power: 10 % ± 50 %", 10),
    ],
)
def test_one_number_for_one_field(text: str, value: float | None) -> None:
    found = _read(text, SHARE, "share").value
    assert found == (None if value is None else pytest.approx(value, rel=1e-12))


def test_events_are_read_from_data_and_from_what_names_them() -> None:
    fields = {"seizures": {"type": "events"}}
    assert _read("From 10 to 20 s.", fields, "seizures").value is None
    said = _read("The seizures lasted from 10 to 20 s.", fields, "seizures").value
    assert said == [{"onset": 10.0, "duration": 10.0}]
    given = [{"onset": 10.0, "duration": 10.0}]
    assert _read("", fields, "seizures", data={"seizures": given}).value == given
