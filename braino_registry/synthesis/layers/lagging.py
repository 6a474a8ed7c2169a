"""A rhythm that reaches one channel after the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from braino_registry.synthesis.canvas import Canvas
from braino_registry.synthesis.component import (
    BANDWIDTH,
    CHANNELS,
    FREQUENCY,
    SIZE,
    TEXT,
    Params,
    Setting,
    layer,
    number,
    record,
    refuse,
)
from braino_registry.synthesis.filters import resonator, shaped
from braino_registry.synthesis.streams import Stream

_MOST = 0.1
"""Longest delay of a channel behind the first, in s."""


def _brief(params: Params, setting: Setting, where: str) -> None:
    last = (len(params["channels"]) - 1) * params["lag"]
    if last > _MOST:
        raise refuse(
            f"the rhythm reaches the last channel after {last:g} s",
            f"{where}.lag",
            f"Let the lag be {_MOST / (len(params['channels']) - 1):.3g} s at most.",
        )


@layer(
    "lagged_rhythm",
    parameters=record(
        {
            "name": TEXT,
            "frequency_hz": FREQUENCY,
            "bandwidth_hz": BANDWIDTH,
            "amplitude_uv": SIZE,
            "channels": CHANNELS,
            "lag": number(0.001, _MOST),
        }
    ),
    check=_brief,
    empty={"lagged_rhythms": {}},
)
def lagged_rhythm(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Let one oscillation reach some channels in turn, each ``lag`` s after the one before.

    The delays are rounded to samples, at least one each. ``amplitude_uv`` is its RMS in each of
    the channels. A lag that is no volume conduction is what imaginary parts of spectra see.
    Truth: ``lagged_rhythms`` by name, with frequency and channels.
    """
    step = max(1, round(params["lag"] * canvas.sfreq))
    last = step * (len(params["channels"]) - 1)
    sos = resonator(params["frequency_hz"], params["bandwidth_hz"], canvas.sfreq)
    source = shaped(stream, sos, canvas.n_times + last, canvas.sfreq)
    source *= params["amplitude_uv"]
    for place, name in enumerate(params["channels"]):
        first = last - place * step
        canvas.channel(name)[:] += np.asarray(source[first : first + canvas.n_times])
    fact = {"frequency_hz": params["frequency_hz"], "channels": list(params["channels"])}
    return {"lagged_rhythms": {params["name"]: fact}}
