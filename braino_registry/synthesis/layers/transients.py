"""Short waves of single channels, of one polarity."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from braino_registry.synthesis.canvas import Canvas, spread
from braino_registry.synthesis.component import (
    COUNT,
    Params,
    Setting,
    layer,
    number,
    record,
    refuse,
)
from braino_registry.synthesis.streams import Stream

_WIDTH = 0.02
"""Standard deviation of a wave in s."""

_GAP = 0.4
"""Least time between two waves of a channel in s."""

_SPIKES = record(
    {"channel": {"type": "string", "means": "fault"}, "amplitude_uv": number(-3000, 3000)}
)


def _room(params: Params, setting: Setting, where: str) -> None:
    names = [row["channel"] for row in params["channels"]]
    if len(set(names)) != len(names):
        raise refuse("a channel is named twice", f"{where}.channels", "Name each channel once.")
    most = int((setting.duration - 2) / (2 * _GAP))
    if params["count"] > most:
        raise refuse(
            f"{params['count']} waves in {setting.duration:g} s would run into each other",
            f"{where}.count",
            f"At most {most} for each channel.",
        )


@layer(
    "spiky_channels",
    parameters=record(
        {"channels": {"type": "array", "items": _SPIKES, "minItems": 1}, "count": COUNT}
    ),
    check=_room,
    empty={"spiky_channels": []},
)
def spiky_channels(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Put ``count`` sharp waves of one size and polarity at random times into single channels.

    The time from 1 s after the start to 1 s before the end is cut into ``count`` equal parts with
    one wave each, 0.4 s or more apart, so that size and number of waves alone decide how skewed
    and how peaked the channel is. Truth: ``spiky_channels``, rows of channel and amplitude
    (``amplitude_uv``).
    """
    half = math.ceil(4 * _WIDTH * canvas.sfreq)
    wave = np.exp(-0.5 * ((np.arange(-half, half + 1) / canvas.sfreq) / _WIDTH) ** 2)
    part = (canvas.n_times / canvas.sfreq - 2.0) / max(params["count"], 1)
    for row in params["channels"]:
        own = stream.child(row["channel"])
        place = canvas.ch_names.index(row["channel"])
        for index in range(params["count"]):
            time = 1.0 + index * part + own.uniform() * (part - _GAP)
            start = round(time * canvas.sfreq) - half
            spread(canvas.signal_uv[place : place + 1], [row["amplitude_uv"]], wave, start)
    return {"spiky_channels": [dict(row) for row in params["channels"]]}
