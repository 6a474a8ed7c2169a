"""Artifacts of the body: blinks, saccades and muscle."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from braino_registry.synthesis.canvas import Array, Canvas
from braino_registry.synthesis.component import (
    SITES,
    SIZE,
    TIME,
    WIDTH,
    Params,
    Setting,
    layer,
    number,
    record,
    refuse,
)
from braino_registry.synthesis.filters import band, edge, run, shaped
from braino_registry.synthesis.montage import POSITIONS, Vector, angle, direction, topography
from braino_registry.synthesis.streams import Stream


def _times(stream: Stream, per_minute: float, gap: float, canvas: Canvas) -> list[int]:
    """Return onsets in samples: exponential gaps on top of a shortest one of ``gap`` seconds."""
    mean = max(60.0 / per_minute - gap, 0.05)
    onsets: list[int] = []
    now = 1.0
    while True:
        now += gap - mean * math.log(1.0 - stream.uniform())
        sample = int(now * canvas.sfreq)
        if sample > canvas.n_times - 2 * canvas.sfreq:
            return onsets
        onsets.append(sample)


def _ocular_gains(canvas: Canvas) -> list[float]:
    eyes: Vector = direction(["Fp1", "Fp2"])
    arcs = [math.degrees(angle(POSITIONS[name], eyes)) for name in canvas.ch_names]
    return [0.85 * math.exp(-((arc / 46) ** 2)) + 0.15 * math.exp(-arc / 110) for arc in arcs]


def _blink(width: float, sfreq: float) -> Array:
    """Return one blink of size 1: the lid closes as a raised cosine and opens more slowly."""
    n = max(4, round(width * sfreq))
    x = (np.arange(n) + 0.5) / n
    close = 0.5 - 0.5 * np.cos(np.pi * np.minimum(x / 0.32, 1.0))
    opening = 0.5 + 0.5 * np.cos(np.pi * np.clip((x - 0.32) / 0.68, 0.0, 1.0))
    return np.asarray(close * opening * np.sqrt(opening))


@layer(
    "blinks",
    parameters=record(
        {"per_minute": number(0.1, 40), "amplitude_uv": SIZE},
        {"spread": number(0, 1), "duration": number(0.1, 0.6)},
    ),
    empty={"n_blinks": 0, "blinks": [], "blink_gains": {}},
)
def blinks(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Eye blinks at random times, largest over the forehead.

    Truth: ``n_blinks``, their onsets in s (``blinks``), and ``blink_gains``, the size in each
    scalp channel relative to the largest possible one.
    """
    gains = _ocular_gains(canvas)
    shape = _blink(params.get("duration", 0.28), canvas.sfreq)
    onsets = _times(stream, params["per_minute"], 0.5, canvas)
    for onset in onsets:
        size = params["amplitude_uv"] * math.exp(params.get("spread", 0.22) * stream.normal())
        canvas.add(gains, size * shape, onset)
        canvas.pick_up("blink", size * shape, onset)
    return {
        "n_blinks": len(onsets),
        "blinks": [onset / canvas.sfreq for onset in onsets],
        "blink_gains": {
            name: round(gain, 6) for name, gain in zip(canvas.ch_names, gains, strict=True)
        },
    }


@layer(
    "saccades",
    parameters=record({"per_minute": number(0.1, 40), "amplitude_uv": SIZE}),
    empty={"n_saccades": 0, "saccades": []},
)
def saccades(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Sideways eye movements: steps of opposite sign at F7 and F8. Truth: their onsets in s."""
    left = topography(canvas.ch_names, direction(["F7"]), 30.0)
    right = topography(canvas.ch_names, direction(["F8"]), 30.0)
    gains = [a - b for a, b in zip(left, right, strict=True)]
    onsets = _times(stream, params["per_minute"], 0.4, canvas)
    steps = np.zeros(canvas.n_times)
    for onset in onsets:
        sign = 1 if stream.integer(0, 1) else -1
        steps[onset:] += sign * params["amplitude_uv"]
    # Amplifiers lose a constant voltage, so a gaze that is held fades.
    moved = run(edge(0.05, canvas.sfreq, True), steps)
    canvas.add(gains, moved)
    canvas.pick_up("saccade", moved, 0)
    return {"n_saccades": len(onsets), "saccades": [onset / canvas.sfreq for onset in onsets]}


def _ordered(params: Params, setting: Setting, where: str) -> None:
    shortest, longest = _lengths(params)
    if shortest > longest:
        raise refuse(
            f"bursts of {shortest:g} s at least and {longest:g} s at most",
            f"{where}.shortest" if "shortest" in params else f"{where}.longest",
            "Let the shortest be no longer than the longest.",
        )


def _lengths(params: Params) -> tuple[float, float]:
    return params.get("shortest", 0.4), params.get("longest", 3.0)


@layer(
    "muscle",
    parameters=record(
        {
            "rms_uv": number(0, 10_000),
            "bursts_per_minute": number(0.1, 40),
            "burst_uv": number(0, 10_000),
        },
        {"sites": SITES, "width_deg": WIDTH, "shortest": TIME, "longest": TIME},
    ),
    check=_ordered,
    empty={"n_muscle_bursts": 0, "muscle_bursts": []},
)
def muscle(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Muscle tension of 20-110 Hz under each site, with bursts. Truth: onset, duration, site.

    ``rms_uv`` is the tone that is always there, ``burst_uv`` the RMS at the top of a burst.
    """
    sos = band(20.0, 110.0, canvas.sfreq)
    bursts = []
    for site in params.get("sites", ["T7", "T8"]):
        own = stream.child(site)
        level = np.full(canvas.n_times, float(params["rms_uv"]))
        rate = params["bursts_per_minute"] / len(params.get("sites", ["T7", "T8"]))
        for onset in _times(own, rate, 0.5, canvas):
            shortest, longest = _lengths(params)
            seconds = shortest + (longest - shortest) * own.uniform()
            n = min(round(seconds * canvas.sfreq), canvas.n_times - onset)
            size = params["burst_uv"] * math.exp(0.4 * own.normal())
            level[onset : onset + n] += size * np.sin(np.pi * (np.arange(n) + 0.5) / n) ** 2
            bursts.append(
                {"onset": onset / canvas.sfreq, "duration": n / canvas.sfreq, "site": site}
            )
        source = level * shaped(own.child("noise"), sos, canvas.n_times, canvas.sfreq)
        gains = topography(canvas.ch_names, direction([site]), params.get("width_deg", 24.0))
        canvas.add(gains, source)
    bursts.sort(key=lambda burst: (burst["onset"], burst["site"]))
    return {"n_muscle_bursts": len(bursts), "muscle_bursts": bursts}
