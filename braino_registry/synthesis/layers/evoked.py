"""What events evoke, and the measure of it that is free of noise."""

from __future__ import annotations

from typing import Any

import numpy as np

from braino_registry.synthesis.canvas import Canvas
from braino_registry.synthesis.component import (
    POSITIVE,
    SITES,
    TEXT,
    Params,
    Setting,
    layer,
    number,
    record,
    refuse,
)
from braino_registry.synthesis.montage import direction, topography
from braino_registry.synthesis.streams import Stream

_EVENT = {"type": "string", "means": "event"}


def _fits(params: Params, setting: Setting, where: str) -> None:
    reach = params["latency"] + 3 * params["width"] + 2 * params.get("latency_sd", 0.0)
    for event in params["amplitude_uv"]:
        if reach > setting.tails[event]:
            raise refuse(
                f"the component lasts {reach:g} s after {event!r}, beyond the recording's end",
                f"{where}.latency",
                f"At most {setting.tails[event]:g} s follow the last {event!r}; lengthen its tail.",
            )


@layer(
    "evoked",
    parameters=record(
        {
            "name": TEXT,
            "amplitude_uv": {
                "type": "object",
                "propertyNames": _EVENT,
                "minProperties": 1,
                "additionalProperties": number(),
            },
            "latency": number(0),
            "width": POSITIVE,
            "sites": SITES,
            "width_deg": POSITIVE,
        },
        {"latency_sd": number(0), "amplitude_sd": number(0, 2)},
    ),
    check=_fits,
    empty={"components": {}},
)
def evoked(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Add a Gaussian wave after events, with a size for each event that evokes it.

    ``latency`` and ``width`` (the standard deviation) are in s. From trial to trial the latency
    varies by ``latency_sd`` (s, cut at two standard deviations) and the size by the factor
    ``max(0, 1 + amplitude_sd * z)``.
    """
    gains = topography(canvas.ch_names, direction(params["sites"]), params["width_deg"])
    reach = round(4 * params["width"] * canvas.sfreq)
    grid = np.arange(-reach, reach + 1)
    for event in canvas.events:
        if event.trial_type not in params["amplitude_uv"]:
            continue
        size = params["amplitude_uv"][event.trial_type]
        size *= max(0.0, 1 + params.get("amplitude_sd", 0.0) * stream.normal())
        jitter = params.get("latency_sd", 0.0) * max(-2.0, min(2.0, stream.normal()))
        centre = (params["latency"] + jitter) * canvas.sfreq
        whole = round(centre)
        t = (grid - (centre - whole)) / (params["width"] * canvas.sfreq)
        canvas.evoke(gains, size * np.exp(-0.5 * t * t), event.sample + whole - reach)
    fact = {"latency_s": params["latency"], "amplitude_uv": dict(params["amplitude_uv"])}
    return {"components": {params["name"]: fact}}


@layer(
    "evoked_truth",
    parameters=record(
        {
            "name": TEXT,
            "event": _EVENT,
            "channel": {"type": "string", "means": "channel"},
            "baseline": {"type": "array", "items": number(), "minItems": 2, "maxItems": 2},
            "window": {"type": "array", "items": number(), "minItems": 2, "maxItems": 2},
        },
        {"sign": {"enum": [1, -1]}},
    ),
)
def evoked_truth(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Measure the average response at a channel free of noise, as it was realised.

    The evoked signal is averaged over all trials of the event, its mean over ``baseline`` is
    taken off, and within ``window`` (s, both ends included) the peak of the given sign and the
    mean are taken.
    """
    if canvas.evoked_uv is None:
        return {"measured": {}}
    row = canvas.evoked_uv[canvas.ch_names.index(params["channel"])]
    onsets = [event.sample for event in canvas.events if event.trial_type == params["event"]]

    def average(limits: list[float]) -> tuple[int, np.ndarray[Any, np.dtype[np.float64]]]:
        first, last = (round(limit * canvas.sfreq) for limit in limits)
        pieces = [row[onset + first : onset + last + 1] for onset in onsets]
        return first, np.sum(pieces, axis=0) / len(pieces)

    _, before = average(params["baseline"])
    first, wave = average(params["window"])
    wave = wave - before.mean()
    best = int(np.argmax(wave * params.get("sign", 1)))
    return {
        "measured": {
            params["name"]: {
                "channel": params["channel"],
                "event": params["event"],
                "n_trials": len(onsets),
                "peak_latency_s": round((first + best) / canvas.sfreq, 6),
                "peak_amplitude_uv": round(float(wave[best]), 6),
                "mean_amplitude_uv": round(float(wave.mean()), 6),
            }
        }
    }
