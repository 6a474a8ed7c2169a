"""Segments of one channel from people with and without epilepsy, from the scalp or within."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from braino_registry.synthesis.canvas import Canvas
from braino_registry.synthesis.component import Params, Setting, layer, number, record, refuse
from braino_registry.synthesis.filters import edge, one_over_f, resonator, run, shaped, slow_gain
from braino_registry.synthesis.streams import Stream
from braino_registry.synthesis.waves import Sizes, remembering

Array = NDArray[np.float64]


class _Set(NamedTuple):
    """What is usual in a set of segments; sizes in µV."""

    label: str
    rms: float
    exponent: tuple[float, float]
    alpha: float
    spikes_per_s: float
    ictal: float


_SETS = {
    # scalp, eyes open and closed; within the skull, other side, focus, and during seizures
    "A": _Set("normal", 45.0, (1.3, 2.2), 0.35, 0.0, 0.0),
    "B": _Set("normal", 60.0, (1.3, 2.2), 1.10, 0.0, 0.0),
    "C": _Set("normal", 55.0, (2.0, 2.9), 0.15, 0.0, 0.0),
    "D": _Set("normal", 65.0, (2.0, 2.9), 0.10, 0.35, 0.0),
    "E": _Set("epileptic", 300.0, (1.8, 2.6), 0.10, 0.0, 1.0),
}


def _one_channel(params: Params, setting: Setting, where: str) -> None:
    if len(setting.ch_names) != 1 or setting.sfreq < 100 or setting.kinds:
        raise refuse(
            "a segment has one channel, 100 samples per second at least, and one layer",
            where,
            "Let the montage be one channel, and leave other layers out.",
        )


@layer(
    "recorded_segment",
    parameters=record({"set": {"enum": sorted(_SETS)}}, {"difficulty": number(0, 1)}),
    check=_one_channel,
)
def recorded_segment(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Make a segment as those of five well-known sets.

    A and B come from the scalp of healthy people with eyes open and closed; C, D and E from
    within the skull of patients: the healthy side, the focus between seizures, and seizures. The
    higher the ``difficulty``, 0 to 1, the closer seizures are to the others in size and rhythm.
    Truth: ``label`` (``epileptic`` in E, else ``normal``) and ``segment_set``.
    """
    n, sfreq = canvas.n_times, canvas.sfreq
    kind = _SETS[params["set"]]
    hard = params.get("difficulty", 0.5)
    sizes = Sizes(stream.child("sizes"))
    # Slopes and frequencies stand on a grid, so that their filters are computed once.
    half = one_over_f(round(sizes.uniform(*kind.exponent), 1) / 2, sfreq)
    wave = _unit(shaped(stream.child("slope"), half + half, n, sfreq))
    if kind.alpha:
        centre = round(2 * sizes.normal(9.8, 0.8)) / 2
        rhythm = shaped(stream.child("alpha"), resonator(centre, 1.4, sfreq), n, sfreq)
        gain = slow_gain(stream.child("gain"), 0.4, 2.5, n, sfreq)
        wave += kind.alpha * sizes.lognormal(1.0, 0.5) * rhythm * gain
    if kind.spikes_per_s or hard:
        # Sharp waves come without epilepsy too, the more of them the harder it is to tell.
        _add_spikes(wave, kind.spikes_per_s + 0.12 * hard * sizes.uniform(), sfreq, sizes)
    size = kind.rms
    if kind.ictal:
        share = sizes.lognormal(2.2 * (1 - 0.86 * hard), 0.35)
        wave += share * _discharge(n, sfreq, stream.child("ictal"))
        size = math.exp((1 - hard) * math.log(size) + hard * math.log(75.0))
    if not kind.ictal and sizes.chance(0.35 * hard):
        # Drowsiness and movement: slow rhythm and large size without epilepsy.
        slow = resonator(round(2 * sizes.uniform(2.0, 6.0)) / 2, 0.8, sfreq)
        gain = slow_gain(stream.child("slow gain"), 0.5, 4.0, n, sfreq)
        wave += sizes.uniform(0.6, 1.6) * gain * shaped(stream.child("slow"), slow, n, sfreq)
        size *= sizes.uniform(1.0, 2.2)
    wave = run(edge(0.5, sfreq, True) + edge(40.0, sfreq, False), wave)
    canvas.signal_uv[0] += size * sizes.lognormal(1.0, 0.35) * _unit(wave)
    return {"label": kind.label, "segment_set": params["set"]}


def _unit(wave: Array) -> Array:
    wave = wave - wave.mean()
    return np.asarray(wave / max(1e-9, math.sqrt(float(np.mean(wave * wave)))))


def _add_spikes(wave: Array, per_second: float, sfreq: float, sizes: Sizes) -> None:
    """Add sharp waves at random times, each with a slow wave behind."""
    t = np.arange(round(0.5 * sfreq)) / sfreq
    shape = np.exp(-0.5 * ((t - 0.08) / 0.018) ** 2) - 0.45 * np.exp(
        -0.5 * ((t - 0.26) / 0.09) ** 2
    )
    now = 0.0
    while per_second > 0:
        now -= math.log(1 - sizes.uniform()) / per_second
        first = int(now * sfreq)
        if first >= len(wave):
            return
        sign = 1 if sizes.chance(0.5) else -1
        piece = wave[first : first + len(shape)]
        piece += sign * sizes.lognormal(4.5, 0.3) * shape[: len(piece)]


def _discharge(n: int, sfreq: float, stream: Stream) -> Array:
    """Return a rhythmic discharge whose frequency and sharpness wander, RMS 1."""
    sizes = Sizes(stream.child("sizes"))
    seconds = n / sfreq
    coarse = max(8, math.ceil(seconds) + 2)
    times, at = np.arange(coarse), np.arange(n) / sfreq
    pace = np.interp(at, times, remembering(stream.child("pace"), 4.0, coarse))
    trend = sizes.uniform(-0.5, 0.2) * at / seconds
    phase = 2 * math.pi * np.cumsum(sizes.uniform(3.5, 9) * np.exp(0.15 * pace + trend)) / sfreq
    sharp = sizes.uniform(1.0, 4.0)
    wave = _unit(np.exp(sharp * (np.cos(phase) - 1)))
    wave += sizes.uniform(0.2, 0.8) * np.sin(0.5 * phase + sizes.uniform(0, 6))
    gain = np.interp(at, times, remembering(stream.child("gain"), 5.0, coarse))
    return _unit(wave * np.exp(0.35 * gain))
