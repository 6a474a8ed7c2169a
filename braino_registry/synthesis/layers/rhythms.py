"""Rhythms of the brain, and the hum of the mains."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from braino_registry.synthesis.canvas import Canvas
from braino_registry.synthesis.component import (
    BANDWIDTH,
    FREQUENCY,
    SITES,
    TEXT,
    TIME,
    WIDTH,
    Params,
    layer,
    number,
    record,
)
from braino_registry.synthesis.filters import resonator, waxing
from braino_registry.synthesis.montage import direction, topography
from braino_registry.synthesis.streams import Stream


@layer(
    "rhythm",
    parameters=record(
        {
            "name": TEXT,
            "frequency_hz": FREQUENCY,
            "bandwidth_hz": BANDWIDTH,
            "amplitude_uv": number(0, 10_000),
            "sites": SITES,
            "width_deg": WIDTH,
        },
        {"gain_sd": number(0, 1), "gain_tau": TIME},
    ),
    empty={"rhythms": {}},
)
def rhythm(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Add a waxing and waning oscillation with one independent source under each site.

    ``amplitude_uv`` is the RMS of one source where it is largest.
    """
    sos = resonator(params["frequency_hz"], params["bandwidth_hz"], canvas.sfreq)
    for site in params["sites"]:
        own = stream.child(site)
        source = waxing(own, sos, canvas.n_times, canvas.sfreq, params)
        canvas.add(topography(canvas.ch_names, direction([site]), params["width_deg"]), source)
    fact = {"frequency_hz": params["frequency_hz"], "amplitude_uv": params["amplitude_uv"]}
    return {"rhythms": {params["name"]: fact}}


@layer(
    "line_noise",
    parameters=record(
        {"amplitude_uv": number(0, 10_000)},
        {"spread": number(0, 1.5), "harmonics": {"type": "array", "items": number(0, 1)}},
    ),
)
def line_noise(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Hum at the room's mains frequency, with a size and phase of its own in each channel.

    ``harmonics`` lists the sizes of the second, third ... harmonic relative to the first;
    those above half the sampling frequency are left out.
    """
    amounts = [1.0, *params.get("harmonics", [])]
    waves = []
    for number_, amount in enumerate(amounts, start=1):
        frequency = number_ * canvas.line_frequency
        if frequency >= canvas.sfreq / 2:
            break
        turns = np.arange(canvas.n_times) * (frequency / canvas.sfreq)
        turns -= np.floor(turns)
        turns *= 2 * math.pi
        waves.append((amount, np.sin(turns), np.cos(turns)))
    for number_, row in enumerate(canvas.signal_uv):
        own = stream.child(f"channel {number_}")
        level = params["amplitude_uv"] * math.exp(params.get("spread", 0.0) * own.normal())
        for amount, sine, cosine in waves:
            phase = 0.6 * own.normal()
            row += (level * amount * math.cos(phase)) * sine
            row += (level * amount * math.sin(phase)) * cosine
    return {}
