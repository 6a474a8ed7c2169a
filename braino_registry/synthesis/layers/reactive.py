"""Rhythms that change when something happens."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from braino_registry.synthesis.canvas import Array, Canvas
from braino_registry.synthesis.component import (
    BANDWIDTH,
    EVENT,
    FREQUENCY,
    POSITIVE,
    TEXT,
    TIME,
    WIDTH,
    Params,
    Setting,
    layer,
    number,
    record,
    refuse,
)
from braino_registry.synthesis.filters import resonator, waxing
from braino_registry.synthesis.montage import direction, topography
from braino_registry.synthesis.streams import Stream


def _fits(params: Params, setting: Setting, where: str) -> None:
    reach = params["onset"] + 2 * params["rise"] + params["hold"]
    for event in params["change"]:
        if reach > setting.tails[event]:
            raise refuse(
                f"the change lasts {reach:g} s after {event!r}, beyond the recording's end",
                f"{where}.hold",
                f"At most {setting.tails[event]:g} s follow the last {event!r}; lengthen its tail.",
            )


def _window(params: Params, sfreq: float) -> Array:
    """Return the course of a change from the event on: 0, up to 1, and back to 0."""
    rise, hold = round(params["rise"] * sfreq), round(params["hold"] * sfreq)
    up = 0.5 - 0.5 * np.cos(math.pi * (np.arange(rise) + 0.5) / rise)
    wait = np.zeros(round(params["onset"] * sfreq))
    return np.concatenate([wait, up, np.ones(hold), up[::-1]])


@layer(
    "reactive_rhythm",
    parameters=record(
        {
            "name": TEXT,
            "frequency_hz": FREQUENCY,
            "bandwidth_hz": BANDWIDTH,
            "amplitude_uv": number(0, 10_000),
            "width_deg": WIDTH,
            "change": {
                "type": "object",
                "propertyNames": EVENT,
                "minProperties": 1,
                "additionalProperties": {
                    "type": "object",
                    "propertyNames": {"type": "string", "means": "site"},
                    "minProperties": 1,
                    "additionalProperties": number(-1, 4),
                },
            },
            "onset": number(0),
            "rise": POSITIVE,
            "hold": number(0),
        },
        {"gain_sd": number(0, 1), "gain_tau": TIME},
    ),
    check=_fits,
    empty={"rhythms": {}, "desynchronisation": {}},
)
def reactive_rhythm(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Add an oscillation under some sites whose amplitude changes after events.

    ``change`` says for each event and site by which share the amplitude grows (above 0) or
    falls (below 0) while it holds; it begins ``onset`` s after the event, takes ``rise`` s to
    come and to go, and holds for ``hold`` s. Truth: ``rhythms`` as of a rhythm, and
    ``desynchronisation``, the changes of amplitude by event and site.
    """
    window = _window(params, canvas.sfreq)
    sos = resonator(params["frequency_hz"], params["bandwidth_hz"], canvas.sfreq)
    for site in dict.fromkeys(site for sites in params["change"].values() for site in sites):
        own = stream.child(site)
        source = waxing(own, sos, canvas.n_times, canvas.sfreq, params)
        for event in canvas.events:
            share = params["change"].get(event.trial_type, {}).get(site, 0.0)
            piece = source[event.sample : event.sample + window.shape[0]]
            piece *= 1 + share * window[: piece.shape[0]]
        canvas.add(topography(canvas.ch_names, direction([site]), params["width_deg"]), source)
    fact = {"frequency_hz": params["frequency_hz"], "amplitude_uv": params["amplitude_uv"]}
    changes = {event: dict(sites) for event, sites in params["change"].items()}
    return {"rhythms": {params["name"]: fact}, "desynchronisation": changes}
