"""Single waves of sleep: spindles, K-complexes, slow waves, vertex and sawtooth waves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.synthesis.component import Params, long_layer, number, record
from braino_registry.synthesis.layers.sleep_stages import after_stages
from braino_registry.synthesis.reel import Reel
from braino_registry.synthesis.sleep.architecture import EPOCH, N3
from braino_registry.synthesis.sleep.gains import gains
from braino_registry.synthesis.sleep.night import Night
from braino_registry.synthesis.streams import Stream
from braino_registry.synthesis.waves import Sizes, Wave, WavePainter, moments

Array = NDArray[np.float64]


def _bump(t: Array, centre: float, sd: float) -> Array:
    return np.asarray(np.exp(-0.5 * ((t - centre) / sd) ** 2))


def _spindle(seconds: float, f: float, peak: float, phase: float, sfreq: int) -> Array:
    """Return a spindle that grows and fades, and slows down by 0.6 Hz per second."""
    t = (np.arange(max(4, round(seconds * sfreq))) + 0.5) / sfreq
    envelope = np.sin(np.pi * t / t[-1].clip(1e-9)).clip(0.0) ** 1.2
    wave: Array = peak * envelope * np.sin(2 * math.pi * (f * t - 0.3 * t * t) + phase)
    return wave


@long_layer(
    "sleep_spindles",
    parameters=record({}, {"median_uv": number(1, 200), "per_minute": number(0, 20)}),
    check=after_stages,
)
def sleep_spindles(reel: Reel, params: Params, stream: Stream) -> dict[str, Any]:
    """Spindles of N2, fewer in N3, and short bursts of their frequency that are none.

    ``median_uv`` is the peak, ``per_minute`` their rate in N2. Truth: ``spindles``, a list of
    onset and duration in s, ``p2p_uv`` and ``frequency_hz``; ``n_spindles``.
    """
    night: Night = reel.facts["night"]
    ageing = night.sleeper.ageing
    sizes = Sizes(stream.child("sizes"))
    own_f = sizes.normal(13.2, 0.45)
    much = (1 - 0.4 * ageing) * sizes.lognormal(1.0, 0.2)
    rate = params.get("per_minute", 4.5)
    per_minute = night.by_stage((0, 0.03 * rate, rate, 0.36 * rate, 0))
    per_minute *= much * np.exp(night.signs["spindles"])
    seen = gains("spindle", reel.leads)
    waves, facts = [], []
    for onset in moments(stream.child("times"), per_minute, apart=1.5):
        seconds = min(2.2, max(0.5, sizes.lognormal(0.85, 0.3)))
        peak = sizes.lognormal(params.get("median_uv", 32.0), 0.3) * (1 - 0.35 * ageing)
        f = own_f + sizes.normal(0.0, 0.4)
        if onset + seconds > reel.seconds:
            continue
        phase = sizes.uniform(0, 2 * math.pi)
        waves.append(Wave(onset, _spindle(seconds, f, peak, phase, reel.sfreq), seen))
        facts.append(
            {
                "onset": round(onset, 3),
                "duration": round(seconds, 3),
                "p2p_uv": round(2 * peak, 2),
                "frequency_hz": round(f, 3),
            }
        )
    for onset in moments(stream.child("decoys"), night.by_stage((0, 1, 4, 1, 0.3))):
        seconds, peak = sizes.uniform(0.2, 0.42), sizes.lognormal(24.0, 0.3) * (1 - 0.35 * ageing)
        phase = sizes.uniform(0, 2 * math.pi)
        waves.append(Wave(onset, _spindle(seconds, own_f, peak, phase, reel.sfreq), seen))
    reel.painters.append(WavePainter.of(waves, reel.sfreq))
    return {"spindles": facts, "n_spindles": len(facts)}


@long_layer("k_complexes", parameters=record({}), check=after_stages)
def k_complexes(reel: Reel, params: Params, stream: Stream) -> dict[str, Any]:
    """K-complexes of N2, two in five with a spindle behind. Truth: ``n_k_complexes``."""
    night: Night = reel.facts["night"]
    sizes = Sizes(stream.child("sizes"))
    seen, behind = gains("k_complex", reel.leads), gains("spindle", reel.leads)
    t = np.arange(round(1.3 * reel.sfreq)) / reel.sfreq
    shape = -0.6 * _bump(t, 0.25, 0.085) + 0.45 * _bump(t, 0.62, 0.16)
    shape /= shape.max() - shape.min()
    waves = []
    times = moments(stream.child("times"), night.by_stage((0, 0.05, 1.3, 0.4, 0)), apart=3)
    for onset in times:
        size = sizes.lognormal(140.0, 0.25) * (1 - 0.25 * night.sleeper.ageing)
        waves.append(Wave(onset, size * shape, seen))
        if sizes.chance(0.4):
            spindle = _spindle(0.8, 13.2, sizes.lognormal(25.0, 0.3), 0.0, reel.sfreq)
            waves.append(Wave(onset + 0.75, spindle, behind))
    reel.painters.append(WavePainter.of(waves, reel.sfreq))
    return {"n_k_complexes": len(times)}


def _slow_wave(period: float, p2p: float, sfreq: int) -> Array:
    """Return a slow wave: a short negative half, then a longer and lower positive one."""
    n = max(8, round(period * sfreq))
    x = (np.arange(n) + 0.5) / n
    down = -1.1 * np.sin(np.pi * np.minimum(x / 0.45, 1.0))
    up = 0.9 * np.sin(np.pi * np.clip((x - 0.45) / 0.55, 0.0, 1.0))
    wave: Array = p2p / 2 * (down + up)
    return wave


@long_layer(
    "slow_waves",
    parameters=record({}, {"median_uv": number(10, 400)}),
    check=after_stages,
)
def slow_waves(reel: Reel, params: Params, stream: Stream) -> dict[str, Any]:
    """Slow waves of N3 in trains, few in N2, and fewer and smaller with age.

    ``median_uv`` is their size from peak to peak. At least a quarter of every epoch of N3 is
    filled with waves above 75 µV, so that its stage is what the rules say. Truth:
    ``n_slow_waves``.
    """
    night: Night = reel.facts["night"]
    sizes = Sizes(stream.child("sizes"))
    drive = np.exp(night.signs["slow_waves"])
    depth = night.depth
    starts = 60 * (0.08 + 0.45 * np.clip(2 * depth - 1, 0, 1)) * night.weights[:, N3] * drive
    median = params.get("median_uv", 108.0) * (1 - 0.30 * night.sleeper.ageing)
    drawn: list[tuple[float, float, float]] = []
    for onset in moments(stream.child("trains"), starts):
        now = onset
        while True:
            period = min(1.8, max(0.67, sizes.lognormal(0.95, 0.25)))
            drawn.append((now, period, sizes.lognormal(median, 0.28)))
            now += period
            if sizes.chance(0.35):
                break
    light = 2.5 * (0.4 + 6 * np.minimum(depth, 0.5)) * night.weights[:, 2] * drive
    for onset in moments(stream.child("light"), light):
        period = min(1.8, max(0.67, sizes.lognormal(0.95, 0.25)))
        drawn.append((onset, period, sizes.lognormal(85.0 * median / 108.0, 0.28)))
    drawn = _apart(drawn)
    drawn += _topped_up(night, drawn, sizes)
    seen = gains("slow_wave", reel.leads)
    waves = [Wave(t, _slow_wave(period, p2p, reel.sfreq), seen) for t, period, p2p in drawn]
    reel.painters.append(WavePainter.of(waves, reel.sfreq))
    return {"n_slow_waves": len(waves)}


def _apart(waves: list[tuple[float, float, float]]) -> list[tuple[float, float, float]]:
    """Return the waves in order, without those that begin before the one before has ended."""
    kept: list[tuple[float, float, float]] = []
    for wave in sorted(waves):
        if not kept or wave[0] >= kept[-1][0] + kept[-1][1]:
            kept.append(wave)
    return kept


def _topped_up(
    night: Night, waves: list[tuple[float, float, float]], sizes: Sizes
) -> list[tuple[float, float, float]]:
    """Return the waves that epochs of N3 lack to be called that."""
    filled = np.zeros(night.seconds * 10, dtype=bool)
    large = np.zeros_like(filled)
    for onset, period, p2p in waves:
        place = slice(int(onset * 10), int((onset + period) * 10) + 1)
        filled[place] = True
        large[place] |= p2p >= 75
    added = []
    for epoch in np.flatnonzero(np.asarray(night.stages) == N3).tolist():
        first, last = epoch * EPOCH * 10, (epoch + 1) * EPOCH * 10
        for _ in range(60):
            if large[first:last].mean() >= 0.25:
                break
            period = sizes.uniform(0.8, 1.2)
            begin = first + int(sizes.uniform(0, last - first - 13))
            place = slice(begin, begin + int(period * 10) + 1)
            if not filled[place].any():
                filled[place] = large[place] = True
                added.append((begin / 10, period, sizes.uniform(78, 95)))
    return added


@long_layer("light_sleep_waves", parameters=record({}), check=after_stages)
def light_sleep_waves(reel: Reel, params: Params, stream: Stream) -> dict[str, Any]:
    """Vertex waves of N1 and sawtooth waves of REM sleep. Truth: ``n_vertex_waves``."""
    night: Night = reel.facts["night"]
    sizes = Sizes(stream.child("sizes"))
    sfreq = reel.sfreq
    seen = gains("vertex", reel.leads)
    t = np.arange(round(0.4 * sfreq)) / sfreq
    vertex = -_bump(t, 0.15, 0.035) + 0.4 * _bump(t, 0.27, 0.05)
    times = moments(stream.child("vertex"), night.by_stage((0, 3, 0.4, 0, 0)), apart=1)
    waves = [Wave(onset, sizes.lognormal(60.0, 0.3) * vertex, seen) for onset in times]
    seen = gains("sawtooth", reel.leads)
    for onset in moments(stream.child("sawtooth"), night.by_stage((0, 0, 0, 0, 1.2)), apart=4):
        f, teeth = sizes.uniform(2.2, 4.0), 3 + int(sizes.uniform(0, 5))
        x = np.arange(round(teeth / f * sfreq)) * f / sfreq
        tooth = 2 * (x - np.floor(x)) - 1
        # A rise that is slower than the fall, without the edge that no brain makes.
        tooth = np.convolve(tooth, np.hanning(max(5, sfreq // 20)), mode="same")
        tooth *= sizes.lognormal(35.0, 0.3) / max(1e-9, float(np.abs(tooth).max()))
        waves.append(Wave(onset, tooth, seen))
    reel.painters.append(WavePainter.of(waves, sfreq))
    return {"n_vertex_waves": len(times)}
