"""What the amplifier does to everything, and what leaks into it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from braino_registry.synthesis.canvas import Canvas
from braino_registry.synthesis.component import (
    CHANNEL,
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
from braino_registry.synthesis.filters import run, steep_low_pass
from braino_registry.synthesis.streams import Stream


def _once(params: Params, setting: Setting, where: str) -> None:
    if "acquisition_filter" in setting.kinds:
        raise refuse("two low-pass filters of one amplifier", where, "Leave one out.")


@layer(
    "acquisition_filter",
    parameters=record({"low_pass_hz": FREQUENCY}),
    check=_once,
    empty={"acquisition_low_pass_hz": None},
)
def acquisition_filter(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Low-pass everything recorded so far, as the software of an amplifier does.

    A Butterworth filter of order 8; the sidecar says so in SoftwareFilters and channels.tsv in
    high_cutoff. Truth: ``acquisition_low_pass_hz``.
    """
    cutoff = params["low_pass_hz"]
    sos = steep_low_pass(cutoff, canvas.sfreq)
    rows = [*canvas.signal_uv, *(channel.signal_uv for channel in canvas.body.values())]
    for row in rows:
        first = float(row[0])
        row[:] = run(sos, row - first) + first
    canvas.sidecar["SoftwareFilters"] = {
        "Low-pass": {"Type": "Butterworth", "Order": 8, "Cutoff (Hz)": cutoff}
    }
    canvas.table.high_cutoff_hz = cutoff
    return {"acquisition_low_pass_hz": cutoff}


def _leaves(params: Params, setting: Setting, where: str) -> None:
    name = params["channel"]
    if name in setting.faults:
        raise refuse(
            f"the reference {name!r} is a faulty channel",
            f"{where}.channel",
            f"The fault stands at {setting.faults[name]}. Choose another channel.",
        )
    if len(setting.ch_names) == 1:
        raise refuse("no channel would be left", f"{where}.channel", "Record another one.")
    setting.ch_names = tuple(other for other in setting.ch_names if other != name)


@layer("recorded_against", parameters=record({"channel": CHANNEL}), check=_leaves)
def recorded_against(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Make a channel of the montage the reference: it is taken off all others and not stored.

    Name it in the recording's ``reference`` too. Truth: ``ch_names`` lacks it.
    """
    place = canvas.ch_names.index(params["channel"])
    canvas.signal_uv -= canvas.signal_uv[place].copy()
    if canvas.evoked_uv is not None:
        canvas.evoked_uv -= canvas.evoked_uv[place].copy()
    canvas.drop(params["channel"])
    return {}


@layer(
    "tone",
    parameters=record(
        {"name": TEXT, "frequency_hz": FREQUENCY, "amplitude_uv": SIZE},
        {"spread": number(0, 1)},
    ),
    empty={"tones": {}},
)
def tone(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Add a steady tone from a device in the room to every scalp channel.

    ``amplitude_uv`` is its peak, lognormal from channel to channel by ``spread``. Truth:
    ``tones`` by name.
    """
    turns = np.arange(canvas.n_times) * (params["frequency_hz"] / canvas.sfreq)
    turns -= np.floor(turns)
    wave = np.sin(2 * math.pi * (turns + stream.uniform()))
    for number_, row in enumerate(canvas.signal_uv):
        own = stream.child(f"channel {number_}")
        size = params["amplitude_uv"] * math.exp(params.get("spread", 0.0) * own.normal())
        row += size * wave
    fact = {"frequency_hz": params["frequency_hz"], "amplitude_uv": params["amplitude_uv"]}
    return {"tones": {params["name"]: fact}}
