"""Impossible plans of faults and measures are refused before anything is built."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from braino_registry.errors import EntryError
from braino_registry.synthesis import build
from tests.synthesis.small import (
    KEY,
    LETTERS,
    MU,
    SHOWN,
    TIMING,
    TROUBLE,
    WAVE,
    WINDOWS,
    layer,
    recipe,
)


def _answered(timing: dict[str, float], **more: Any) -> dict[str, Any]:
    """Return letters with a response to each."""
    response = {"name": "key", "to": "letter", "missed": 0, **timing, **KEY, **more}
    return layer("trials", **LETTERS["with"], responses=[response])


BIG = {"onset": 0, "duration": 5}
IMPOSSIBLE: dict[str, tuple[list[dict[str, Any]], str, str]] = {
    "a bridge to a faulty channel": (
        [
            layer("flat_channels", channels=["Fz"]),
            layer("bridged_channels", pairs=[["F3", "Fz"]]),
        ],
        "layers[1].with.pairs[0][1]",
        "two faults",
    ),
    "a bridge of one": (
        [layer("bridged_channels", pairs=[["F3"]])],
        "layers[0].with.pairs[0]",
        "",
    ),
    "a swap with a channel that is not there": (
        [layer("swapped_channels", channels=["F3", "FCz"])],
        "layers[0].with.channels[1]",
        "no channel 'FCz'",
    ),
    "clipping after the end": (
        [layer("clipped_channels", channels=["F3"], onset=40, limit_uv=300)],
        "layers[0].with.onset",
        "ends before",
    ),
    "a gap beyond the end": (
        [layer("gap", onset=38, duration=5)],
        "layers[0].with.onset",
        "ends at 43 s",
    ),
    "a gap in the muscle": (
        [layer("muscle_stretch", rms_uv=30, **BIG), layer("gap", onset=4, duration=2)],
        "layers[1].with.onset",
        "overlaps",
    ),
    "channels at the eyes after the blinks": (
        [
            layer("blinks", per_minute=5, amplitude_uv=90),
            layer("eog_channels", noise_uv=5, vertical="VEOG"),
        ],
        "layers[1].with",
        "'blinks'",
    ),
    "two channels of one name": (
        [layer("heartbeat", per_minute=60, scalp_uv=0, channel="Cz")],
        "layers[0].with.channel",
        "two channels called 'Cz'",
    ),
    "a light sensor without a screen": (
        [layer("photodiode", channel="Photo")],
        "layers[0].with",
        "needs stimuli",
    ),
    "more trouble than triggers": (
        [LETTERS, layer("trigger_trouble", duplicated=9, missed=9, late=9, **TROUBLE)],
        "layers[1].with",
        "27 presentations",
    ),
    "triggers later than the tail": (
        [
            LETTERS,
            layer(
                "trigger_trouble",
                duplicated=1, missed=1, late=1, **{**TROUBLE, "late_by": [1, 3]},
            ),
        ],
        "layers[1].with.late_by",
        "no delay",
    ),
    "trouble with an event that never comes": (
        [layer("trigger_trouble", duplicated=1, missed=1, late=1, **TROUBLE)],
        "layers[0].with.event",
        "no earlier layer",
    ),
    "more spoilt trials than trials": (
        [
            LETTERS,
            layer(
                "artefact_trials",
                event="letter", count=21, window=[0, 0.2], amplitude_uv=99, kinds=["pop"],
            ),
        ],
        "layers[1].with.count",
        "21 presentations",
    ),
    "an artifact that is cut off": (
        [
            LETTERS,
            layer(
                "artefact_trials",
                event="letter", count=2, window=[0, 1.8], amplitude_uv=99, kinds=["pop"],
            ),
        ],
        "layers[1].with.window",
        "cut off",
    ),
    "a filter above what is sampled": (
        [layer("acquisition_filter", low_pass_hz=70)],
        "layers[0].with.low_pass_hz",
        "70 Hz",
    ),
    "a tone above what is sampled": (
        [layer("tone", name="t", frequency_hz=64, amplitude_uv=3)],
        "layers[0].with.frequency_hz",
        "64 Hz",
    ),
    "two filters of one amplifier": (
        [layer("acquisition_filter", low_pass_hz=hz) for hz in (30, 40)],
        "layers[1].with",
        "two low-pass",
    ),
    "a reference that is faulty": (
        [layer("flat_channels", channels=["Cz"]), layer("recorded_against", channel="Cz")],
        "layers[1].with.channel",
        "faulty",
    ),
    "a fault on the reference": (
        [layer("recorded_against", channel="Cz"), layer("flat_channels", channels=["Cz"])],
        "layers[1].with.channels[0]",
        "no channel 'Cz'",
    ),
    "a measure beyond the end": (
        [
            LETTERS,
            WAVE,
            layer(
                "evoked_truth",
                name="w", event="letter", channel="Pz", baseline=[-0.2, 0], window=[0.5, 2.5],
            ),
        ],
        "layers[2].with.window",
        "no stretch",
    ),
    "a measure against a channel that is not there": (
        [
            LETTERS,
            WAVE,
            layer(
                "evoked_truth", name="w", event="letter", channel="Pz", reference=["M1"], **WINDOWS
            ),
        ],
        "layers[2].with.reference",
        "'M1'",
    ),
    "a difference from an event that never comes": (
        [
            LETTERS,
            WAVE,
            layer(
                "difference_truth", name="w", event="letter", minus="car", channel="Pz", **WINDOWS
            ),
        ],
        "layers[2].with.minus",
        "no earlier layer",
    ),
    "a change of rhythm beyond the end": (
        [LETTERS, layer("reactive_rhythm", **{**MU, "hold": 3})],
        "layers[1].with.hold",
        "beyond the recording",
    ),
    "more slips than responses": (
        [
            layer(
                "trials",
                **LETTERS["with"],
                responses=[
                    {
                        "name": "key", "to": "letter", "missed": 15, **TIMING, **KEY,
                        "slips": {"name": "error", "count": 6, **KEY, "code": 10},
                    }
                ],
            )
        ],
        "layers[0].with.responses[0].slips.count",
        "cannot be wrong",
    ),
    "responses whose earliest comes after the latest": (
        [_answered({**TIMING, "earliest": 1.2})],
        "layers[0].with.responses[0].earliest",
        "not within 1.2 to 1 s",
    ),
    "responses whose median is outside of their range": (
        [_answered({**TIMING, "median": 0.1})],
        "layers[0].with.responses[0].median",
        "not within 0.2 to 1 s",
    ),
    "a response with the code of its stimulus": (
        [_answered(TIMING, code=1)],
        "layers[0].with.responses[0].code",
        "'letter' and 'key' have one code, 1",
    ),
    "a slip with the code of the response": (
        [_answered(TIMING, slips={"name": "error", "count": 1, **KEY})],
        "layers[0].with.responses[0].slips.code",
        "one code, 9",
    ),
    "two layers with one code": (
        [
            LETTERS,
            layer(
                "segments",
                segments=[
                    {"name": "rest", "onset": 0, "duration": 5, **KEY, "code": 1}
                ],
            ),
        ],
        "layers[1].with.segments[0].code",
        "'letter' and 'rest' have one code",
    ),
    "stimuli faster than samples": (
        [layer("trials", **{**LETTERS["with"], "interval": 1e-9})],
        "layers[0].with.interval",
        "faster than samples",
    ),
    "a baseline before the recording": (
        [
            LETTERS,
            WAVE,
            layer(
                "evoked_truth",
                name="w", event="letter", channel="Pz", baseline=[-1.2, 0], window=[0.2, 0.6],
            ),
        ],
        "layers[2].with.baseline",
        "no stretch",
    ),
    "a measure of what never happens": (
        [
            layer(
                "trials",
                **{
                    **LETTERS["with"],
                    "stimuli": {"letter": SHOWN, "none": {**SHOWN, "count": 0, "code": 2}},
                },
            ),
            layer("evoked_truth", name="w", event="none", channel="Pz", **WINDOWS),
        ],
        "layers[1].with.event",
        "never happens",
    ),
    "a measure of what was never written": (
        [
            LETTERS,
            layer("trigger_trouble", duplicated=0, missed=20, late=0, **TROUBLE),
            layer("evoked_truth", name="w", event="letter", channel="Pz", **WINDOWS),
        ],
        "layers[2].with.event",
        "never happens",
    ),
    "a billion pops": (
        [layer("pops", channels=["Cz"], count=10**9, amplitude_uv=100)],
        "layers[0].with.count",
        "cannot be told apart",
    ),
    "a pop that fades for a year": (
        [layer("pops", channels=["Cz"], count=1, amplitude_uv=100, tau=3e7)],
        "layers[0].with.tau",
        "",
    ),
    "too few heartbeats to count": (
        [layer("heartbeat", per_minute=6, scalp_uv=1)],
        "layers[0].with.per_minute",
        "",
    ),
    "muscle that ends before it begins": (
        [
            layer(
                "muscle",
                rms_uv=1, bursts_per_minute=3, burst_uv=3, shortest=2, longest=1,
            )
        ],
        "layers[0].with.shortest",
        "2 s at least and 1 s at most",
    ),
    "noise with more shares than the whole": (
        [layer("background", rms_uv=9, exponent=1, width_deg=60, common=0.9, own=0.4)],
        "layers[0].with.own",
        "more than everything",
    ),
    "a channel name that breaks the header": (
        [layer("eog_channels", noise_uv=5, vertical="VEOG,\n")],
        "layers[0].with.vertical",
        "",
    ),
    "an amplitude beyond every amplifier": (
        [layer("blinks", per_minute=5, amplitude_uv=1e12)],
        "layers[0].with.amplitude_uv",
        "",
    ),
    "a layer for a participant who is not there": (
        [{**layer("blinks", per_minute=5, amplitude_uv=90), "only": {"bids_subject": ["02"]}}],
        "layers[0].only.bids_subject[0]",
        "no recording has bids_subject '02'",
    ),
    "a layer for a task that is not there": (
        [{**layer("blinks", per_minute=5, amplitude_uv=90), "only": {"bids_task": ["rset"]}}],
        "layers[0].only.bids_task[0]",
        "no recording has bids_task 'rset'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_impossible_faults_are_refused_before_building(name: str, tmp_path: Path) -> None:
    layers, path, problem = IMPOSSIBLE[name]
    with pytest.raises(EntryError) as caught:
        build(recipe(layers, duration=40), b"", tmp_path / "out")
    place = caught.value.where.partition(" (")[0]
    assert place.startswith(f"recipe small: $.recordings[0].{path}")
    assert problem in caught.value.problem
    assert list(tmp_path.iterdir()) == []
