"""Channels beside the scalp: at the eyes, on the chest, on the screen."""

from __future__ import annotations

from typing import Any

import numpy as np

from braino_registry.synthesis.canvas import Array, BodyChannel, Canvas
from braino_registry.synthesis.component import (
    CH_NAME,
    SIZE,
    Params,
    Setting,
    layer,
    number,
    record,
    refuse,
    take_name,
)
from braino_registry.synthesis.filters import one_over_f, shaped
from braino_registry.synthesis.montage import POSITIONS
from braino_registry.synthesis.streams import Stream

_BEAT = (
    # size, centre and standard deviation in s from the R wave: P, Q, R, S, T
    (0.12, -0.17, 0.022),
    (-0.12, -0.028, 0.009),
    (1.0, 0.0, 0.011),
    (-0.22, 0.03, 0.010),
    (0.28, 0.24, 0.045),
)


def _before_the_eyes_move(params: Params, setting: Setting, where: str) -> None:
    late = {"blinks", "saccades"} & setting.kinds
    if late:
        raise refuse(
            f"the channels at the eyes come after the layer {min(late)!r}, which they record",
            where,
            "Place the channels before the movements of the eyes.",
        )
    for key in ("vertical", "horizontal"):
        if key in params:
            take_name(setting, params[key], f"{where}.{key}")


@layer(
    "eog_channels",
    parameters={
        **record({"noise_uv": SIZE}, {"vertical": CH_NAME, "horizontal": CH_NAME}),
        "minProperties": 2,
    },
    check=_before_the_eyes_move,
)
def eog_channels(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Bipolar channels above and below an eye, or beside the eyes, with noise of their own.

    Later layers add blinks and movements of the eyes to them. Truth: ``ch_types``.
    """
    kinds = {
        "vertical": ("EOG", "above minus below the right eye", {"blink": 1.5, "saccade": 0.1}),
        "horizontal": ("EOG", "left minus right outer corner", {"blink": 0.05, "saccade": 1.8}),
    }
    sos = one_over_f(1.4, canvas.sfreq)
    for key, (kind, description, gains) in kinds.items():
        if key in params:
            noise = shaped(stream.child(key), sos, canvas.n_times, canvas.sfreq)
            noise *= params["noise_uv"]
            canvas.body[params[key]] = BodyChannel(kind, description, noise, gains)
    return {}


def _beats(params: Params, setting: Setting, where: str) -> None:
    # The rate is that of the intervals, which may be up to twice as long as their mean.
    needed = 1 + 4 * 60 / params["per_minute"]
    if setting.duration < needed:
        raise refuse(
            f"the recording of {setting.duration:g} s may hold too few heartbeats to count",
            f"{where}.per_minute",
            f"{needed:g} s are enough: let the heart beat faster, or record for longer.",
        )
    if "channel" in params:
        take_name(setting, params["channel"], f"{where}.channel")


def _heartbeat(sfreq: float) -> tuple[int, Array]:
    """Return a beat with an R wave of size 1, and the samples by which it begins before it."""
    before, after = round(0.3 * sfreq), round(0.5 * sfreq)
    t = np.arange(-before, after + 1) / sfreq
    waves = [size * np.exp(-0.5 * ((t - centre) / sd) ** 2) for size, centre, sd in _BEAT]
    return before, np.asarray(np.sum(waves, axis=0))


@layer(
    "heartbeat",
    parameters=record(
        {"per_minute": number(30, 180), "scalp_uv": number(0, 10_000)},
        {"variability": number(0, 0.2), "channel": CH_NAME, "amplitude_uv": SIZE},
    ),
    check=_beats,
    empty={"n_heartbeats": 0, "heartbeats": [], "heart_rate_bpm": None},
)
def heartbeat(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Heartbeats, faint on the scalp and large in an ECG channel if there is one.

    Intervals vary by the share ``variability``. On the scalp the beat is a gradient from the
    left and back to the right and front, ``scalp_uv`` at its ends. Truth: ``n_heartbeats``, the
    times of the R waves in s, and ``heart_rate_bpm``, 60 s over the mean interval.
    """
    before, shape = _heartbeat(canvas.sfreq)
    gains = [-0.6 * POSITIONS[name][0] - 0.8 * POSITIONS[name][1] for name in canvas.ch_names]
    trace = np.zeros(canvas.n_times)
    beats: list[int] = []
    now = stream.uniform()
    while True:
        now += 60.0 / params["per_minute"] * (1 + params.get("variability", 0.04) * stream.normal())
        sample = round(now * canvas.sfreq)
        if sample >= canvas.n_times:
            break
        beats.append(sample)
        first, last = sample - before, sample - before + shape.shape[0]
        piece = shape[max(0, -first) : shape.shape[0] - max(0, last - canvas.n_times)]
        trace[max(0, first) : min(last, canvas.n_times)] += piece
    if params["scalp_uv"]:
        canvas.add(gains, params["scalp_uv"] * trace)
    if "channel" in params:
        noise = shaped(
            stream.child("noise"), one_over_f(1.0, canvas.sfreq), canvas.n_times, canvas.sfreq
        )
        noise *= 8.0
        noise += params.get("amplitude_uv", 1000.0) * trace
        canvas.body[params["channel"]] = BodyChannel("ECG", "chest, lead II", noise)
    interval = (beats[-1] - beats[0]) / (len(beats) - 1) / canvas.sfreq
    return {
        "n_heartbeats": len(beats),
        "heartbeats": [beat / canvas.sfreq for beat in beats],
        "heart_rate_bpm": round(60.0 / interval, 6),
    }


def _shows_events(params: Params, setting: Setting, where: str) -> None:
    if not setting.counts:
        raise refuse(
            "a photodiode needs stimuli on the screen", where, "Place it after the layer 'trials'."
        )
    take_name(setting, params["channel"], f"{where}.channel")


@layer("photodiode", parameters=record({"channel": CH_NAME}), check=_shows_events)
def photodiode(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Put a light sensor on the screen: 1000 µV while a stimulus is there, else 0, some noise."""
    light = stream.gaussian(canvas.n_times)
    light *= 3.0
    for event in canvas.events:
        if event.role == "stimulus":
            light[event.sample : event.sample + event.duration] += 1000.0
    canvas.body[params["channel"]] = BodyChannel("MISC", "light sensor on the screen", light)
    return {}
