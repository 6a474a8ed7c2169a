"""The scalp EEG of long bipolar recordings: background, rhythms, eyes, muscle and noise."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.synthesis.component import (
    BANDWIDTH,
    FREQUENCY,
    SITES,
    SIZE,
    WIDTH,
    Params,
    Setting,
    long_layer,
    number,
    record,
    refuse,
)
from braino_registry.synthesis.differences import Electrodes
from braino_registry.synthesis.field import mixing
from braino_registry.synthesis.filters import band, one_over_f, resonator
from braino_registry.synthesis.flow import Filtered, by_second
from braino_registry.synthesis.reel import Piece, Reel
from braino_registry.synthesis.streams import Stream
from braino_registry.synthesis.waves import Sizes, Wave, WavePainter, moments, remembering

Array = NDArray[np.float64]

_NEAR, _FAR = (1.3, 32.0, 0.05, 0.05), (1.8, 62.0, 0.38, 0.02)
"""Exponent, width in degrees, common and own share of the narrow and the wide background."""


def _once(params: Params, setting: Setting, where: str) -> None:
    if "scalp_background" in setting.kinds:
        raise refuse("two backgrounds of one scalp", where, "Leave one out.")


@long_layer(
    "scalp_background",
    parameters=record({"wide_uv": SIZE, "near_uv": SIZE}, {"drowsiness": number(0, 2)}),
    check=_once,
)
def scalp_background(reel: Reel, params: Params, stream: Stream) -> dict[str, Any]:
    """Add the 1/f background: one part wide and steep, one narrow and flat, drowsy slow waves.

    ``wide_uv`` and ``near_uv`` are the RMS at an electrode between 1 and 40 Hz; ``drowsiness``
    is how large slow waves get that come and go over minutes. Truth: ``background_uv``, the RMS
    of the median channel.
    """
    electrodes = Electrodes.of(reel.leads)
    total = np.zeros(len(reel.leads))
    parts = []
    for name, size, (exponent, *field) in (
        ("wide", params["wide_uv"], _FAR),
        ("near", params["near_uv"], _NEAR),
    ):
        factor = _square(mixing(electrodes.sites, *field)) * size
        weights = electrodes.matrix @ factor
        total += (weights**2).sum(axis=1)
        own = stream.child(name)
        sos = one_over_f(exponent, reel.sfreq)
        sources = [Filtered(own.child(f"source {k}"), sos) for k in range(len(electrodes.sites))]
        parts.append((weights, sources))
    unit = float(np.median(np.sqrt(total)))
    reel.facts["background_uv"] = unit
    gain = np.exp(0.18 * remembering(stream.child("gain"), 6.0, reel.seconds) - 0.016)
    drowsy = remembering(stream.child("drowsy"), 400.0, reel.seconds)
    drowsy = params.get("drowsiness", 1.0) * np.clip(drowsy, 0, 1.5)
    slow = Filtered(stream.child("slow"), resonator(1.5, 1.2, reel.sfreq))
    over_slow = electrodes.seen(["Fz", "Cz"], 55.0) * 2.0 * unit

    def paint(piece: Piece) -> None:
        at = by_second(gain, piece)
        for weights, sources in parts:
            made = np.stack([source(piece.n_times) for source in sources])
            made *= at
            piece.leads_uv += weights @ made
        piece.leads_uv += over_slow[:, None] * (slow(piece.n_times) * by_second(drowsy, piece))

    reel.painters.append(paint)
    return {"background_uv": round(unit, 6)}


def _square(rows: tuple[tuple[float, ...], ...]) -> Array:
    factor = np.zeros((len(rows), len(rows)))
    for number_, row in enumerate(rows):
        factor[number_, : len(row)] = row
    return factor


@long_layer(
    "scalp_rhythm",
    parameters=record(
        {
            "frequency_hz": FREQUENCY,
            "bandwidth_hz": BANDWIDTH,
            "amplitude_uv": SIZE,
            "sites": SITES,
            "width_deg": WIDTH,
        }
    ),
)
def scalp_rhythm(reel: Reel, params: Params, stream: Stream) -> dict[str, Any]:
    """Add a waxing and waning rhythm with an independent source under each site."""
    electrodes = Electrodes.of(reel.leads)
    sos = resonator(params["frequency_hz"], params["bandwidth_hz"], reel.sfreq)
    sources = []
    for site in params["sites"]:
        own = stream.child(site)
        wander = remembering(own.child("gain"), 4.0, reel.seconds)
        level = params["amplitude_uv"] * np.exp(0.5 * wander - 0.12)
        seen = electrodes.seen([site], params["width_deg"])
        sources.append((seen, level, Filtered(own, sos)))

    reel.painters.append(_swelling(sources))
    return {}


def _swelling(sources: Sequence[tuple[Array, Array, Filtered]]) -> Callable[[Piece], None]:
    """Return what paints sources: how each is seen, its level by second, its noise."""

    def paint(piece: Piece) -> None:
        for seen, level, noise in sources:
            piece.leads_uv += seen[:, None] * (noise(piece.n_times) * by_second(level, piece))

    return paint


@long_layer(
    "scalp_muscle",
    parameters=record(
        {"rms_uv": number(0, 1000), "bursts_per_minute": number(0, 30), "burst_uv": SIZE}
    ),
)
def scalp_muscle(reel: Reel, params: Params, stream: Stream) -> dict[str, Any]:
    """Muscle of 20 to 110 Hz at the temples and the forehead, always a little, and in bursts."""
    electrodes = Electrodes.of(reel.leads)
    sos = band(20.0, 110.0, reel.sfreq)
    sources = []
    for site, share in (("T7", 1.0), ("T8", 1.0), ("Fpz", 0.5)):
        own = stream.child(site)
        sizes = Sizes(own.child("sizes"))
        level = np.full(reel.seconds, params["rms_uv"] * share)
        rate = np.full(reel.seconds, params["bursts_per_minute"] / 3)
        for onset in moments(own.child("times"), rate):
            size = share * params["burst_uv"] * sizes.lognormal(1.0, 0.4)
            level[int(onset) : int(onset + sizes.uniform(1, 4))] += size
        seen = electrodes.seen([site], 24.0)
        sources.append((seen, level, Filtered(own.child("noise"), sos)))

    reel.painters.append(_swelling(sources))
    return {}


@long_layer(
    "scalp_blinks",
    parameters=record({"per_minute": number(0, 40), "amplitude_uv": SIZE}),
)
def scalp_blinks(reel: Reel, params: Params, stream: Stream) -> dict[str, Any]:
    """Blinks, largest over the forehead; they pause for minutes when the eyes are closed."""
    electrodes = Electrodes.of(reel.leads)
    seen = np.append(electrodes.seen(["Fp1", "Fp2"], 32.0), 0.0)
    n = round(0.3 * reel.sfreq)
    lid = np.sin(np.pi * (np.arange(n) + 0.5) / n) ** 2
    open_eyes = remembering(stream.child("open"), 300.0, reel.seconds) > -0.2
    sizes = Sizes(stream.child("sizes"))
    times = moments(stream.child("times"), params["per_minute"] * open_eyes, apart=0.6)
    waves = [
        Wave(onset, params["amplitude_uv"] * sizes.lognormal(1.0, 0.25) * lid, seen)
        for onset in times
    ]
    reel.painters.append(WavePainter.of(waves, reel.sfreq))
    return {}


@long_layer(
    "scalp_noise",
    parameters=record({"rms_uv": SIZE}, {"hum_uv": number(0, 100)}),
)
def scalp_noise(reel: Reel, params: Params, stream: Stream) -> dict[str, Any]:
    """White noise of the amplifier, and hum at the room's mains frequency, in each channel."""
    n_leads = len(reel.leads)
    sizes = Sizes(stream.child("sizes"))
    levels = [params["rms_uv"] * sizes.lognormal(1.0, 0.2) for _ in range(n_leads)]
    hums = [params.get("hum_uv", 0.0) * sizes.lognormal(1.0, 0.4) for _ in range(n_leads)]
    own = [stream.child(f"channel {row}") for row in range(n_leads)]
    heard = reel.line_frequency < reel.sfreq / 2

    def paint(piece: Piece) -> None:
        n = piece.n_times
        turns = np.arange(n) * (reel.line_frequency / reel.sfreq)
        turns += (piece.start * reel.line_frequency) % 1.0
        hum = np.sin(2 * math.pi * turns) if heard else np.zeros(n)
        for row, noise in enumerate(own):
            piece.leads_uv[row] += levels[row] * noise.gaussian(n) + hums[row] * hum

    reel.painters.append(paint)
    return {}
