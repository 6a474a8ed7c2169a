"""What events evoke."""

from __future__ import annotations

from typing import Any

import numpy as np

from braino_registry.synthesis.canvas import Canvas
from braino_registry.synthesis.component import (
    EVENT,
    POSITIVE,
    SITES,
    TEXT,
    WIDTH,
    Params,
    Setting,
    layer,
    number,
    record,
    refuse,
)
from braino_registry.synthesis.montage import direction, topography
from braino_registry.synthesis.streams import Stream


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
                "propertyNames": EVENT,
                "minProperties": 1,
                "additionalProperties": number(-10_000, 10_000),
            },
            "latency": number(0),
            "width": POSITIVE,
            "sites": SITES,
            "width_deg": WIDTH,
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
