"""What an average would show if there were no noise, measured as it was realised."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from braino_registry.synthesis.canvas import Array, Canvas
from braino_registry.synthesis.component import (
    CHANNEL,
    CHANNELS,
    EVENT,
    LIMITS,
    TEXT,
    Params,
    Setting,
    check_window,
    layer,
    record,
    refuse,
)
from braino_registry.synthesis.streams import Stream

_WINDOWS = {"name": TEXT, "baseline": LIMITS, "window": LIMITS}
_CHOICES = {
    "sign": {"enum": [1, -1]},
    "reference": {"anyOf": [{"const": "average"}, CHANNELS]},
}


def _fits(params: Params, setting: Setting, where: str) -> None:
    for role in ("event", "minus", "left", "right"):
        if role not in params:
            continue
        if not setting.happens.get(params[role]):
            raise refuse(
                f"the event {params[role]!r} never happens",
                f"{where}.{role}",
                "Let it happen once at least, or measure another one.",
            )
        for key in ("baseline", "window"):
            check_window(setting, params[role], params[key], f"{where}.{key}")
    reference = params.get("reference")
    for name in reference if isinstance(reference, list) else []:
        if name not in setting.ch_names:
            raise refuse(
                f"the montage has no channel {name!r}", f"{where}.reference", "Name another one."
            )


def _row(canvas: Canvas, channel: str, reference: str | Sequence[str] | None) -> Array:
    """Return what events evoked at a channel, against another reference than the recorded one."""
    evoked = canvas.evoked_uv
    if evoked is None:
        return np.zeros(canvas.n_times)
    row: Array = evoked[canvas.ch_names.index(channel)]
    if reference is None:
        return row
    names = canvas.ch_names if reference == "average" else reference
    others = [evoked[canvas.ch_names.index(name)] for name in names]
    return np.asarray(row - np.sum(others, axis=0) / len(others))


def _wave(canvas: Canvas, row: Array, event: str, params: Params) -> Array:
    """Return the average over the trials of an event in the window, its baseline taken off."""
    onsets = [shown.sample for shown in canvas.events if shown.trial_type == event]

    def average(limits: Sequence[float]) -> Array:
        first, last = (round(limit * canvas.sfreq) for limit in limits)
        pieces = [row[onset + first : onset + last + 1] for onset in onsets]
        return np.asarray(np.sum(pieces, axis=0) / len(pieces))

    before = average(params["baseline"])
    wave: Array = average(params["window"]) - before.mean()
    return wave


def _half_area(wave: Array) -> float:
    """Return where, in samples, half of the area above zero lies to the left (trapezoids)."""
    height = np.maximum(wave, 0.0)
    area = np.concatenate([[0.0], np.cumsum((height[1:] + height[:-1]) / 2)])
    if area[-1] <= 0:
        return 0.0
    after = int(np.searchsorted(area, area[-1] / 2))
    step = float(area[after] - area[after - 1])
    return after - 1 + (float(area[-1]) / 2 - float(area[after - 1])) / step


def _measure(canvas: Canvas, wave: Array, params: Params) -> dict[str, Any]:
    first = round(params["window"][0] * canvas.sfreq)
    sign = params.get("sign", 1)
    best = int(np.argmax(wave * sign))
    half = _half_area(wave * sign)
    return {
        "peak_latency_s": round((first + best) / canvas.sfreq, 6),
        "peak_amplitude_uv": round(float(wave[best]), 6),
        "mean_amplitude_uv": round(float(wave.mean()), 6),
        "half_area_latency_s": round((first + half) / canvas.sfreq, 6),
    }


def _count(canvas: Canvas, event: str) -> int:
    return sum(shown.trial_type == event for shown in canvas.events)


@layer(
    "evoked_truth",
    parameters=record({**_WINDOWS, "event": EVENT, "channel": CHANNEL}, _CHOICES),
    check=_fits,
)
def evoked_truth(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Measure the average response at a channel free of noise, as it was realised.

    The evoked signal is averaged over all trials of the event, its mean over ``baseline`` is
    taken off, and within ``window`` (s, both ends included) the peak of the given sign, the mean
    and the latency that halves the area of that sign are taken. ``reference`` measures against
    the average of all scalp channels, or of some, instead of the recorded reference.
    Truth: ``measured`` under the name.
    """
    if canvas.evoked_uv is None:
        return {"measured": {}}
    row = _row(canvas, params["channel"], params.get("reference"))
    facts = {
        "channel": params["channel"],
        "event": params["event"],
        "n_trials": _count(canvas, params["event"]),
        **_measure(canvas, _wave(canvas, row, params["event"], params), params),
    }
    return {"measured": {params["name"]: facts}}


@layer(
    "difference_truth",
    parameters=record({**_WINDOWS, "event": EVENT, "minus": EVENT, "channel": CHANNEL}, _CHOICES),
    check=_fits,
    empty={"measured": {}},
)
def difference_truth(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Measure the difference wave ``event`` minus ``minus`` at a channel free of noise.

    Windows, ``sign`` and ``reference`` are those of ``evoked_truth``. Truth: ``measured``.
    """
    row = _row(canvas, params["channel"], params.get("reference"))
    waves = [_wave(canvas, row, params[key], params) for key in ("event", "minus")]
    facts = {
        "channel": params["channel"],
        "event": params["event"],
        "minus": params["minus"],
        "n_trials": _count(canvas, params["event"]),
        "n_trials_minus": _count(canvas, params["minus"]),
        **_measure(canvas, waves[0] - waves[1], params),
    }
    return {"measured": {params["name"]: facts}}


@layer(
    "lateralised_truth",
    parameters=record(
        {
            **_WINDOWS,
            "left": EVENT,
            "right": EVENT,
            "left_channel": CHANNEL,
            "right_channel": CHANNEL,
        },
        _CHOICES,
    ),
    check=_fits,
)
def lateralised_truth(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Measure contralateral minus ipsilateral at a pair of channels free of noise.

    The difference is taken for events on the ``left`` and on the ``right`` and the two are
    averaged with equal weight. Truth: ``measured``.
    """
    sides = {
        side: _row(canvas, params[f"{side}_channel"], params.get("reference"))
        for side in ("left", "right")
    }
    after_left = _wave(canvas, sides["right"] - sides["left"], params["left"], params)
    after_right = _wave(canvas, sides["left"] - sides["right"], params["right"], params)
    facts = {
        "channels": [params["left_channel"], params["right_channel"]],
        "n_trials_left": _count(canvas, params["left"]),
        "n_trials_right": _count(canvas, params["right"]),
        **_measure(canvas, (after_left + after_right) / 2, params),
    }
    return {"measured": {params["name"]: facts}}
