"""Stretches of a recording that are spoilt, and trials that are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from braino_registry.synthesis.canvas import Array, Canvas
from braino_registry.synthesis.component import (
    COUNT,
    EVENT,
    LIMITS,
    POSITIVE,
    SITES,
    SIZE,
    WIDTH,
    Params,
    Setting,
    check_window,
    enough,
    layer,
    number,
    record,
    refuse,
    take_stretch,
)
from braino_registry.synthesis.filters import band, shaped
from braino_registry.synthesis.montage import direction, topography
from braino_registry.synthesis.streams import Stream

_STRETCH = {"onset": number(0), "duration": POSITIVE}


def _free(params: Params, setting: Setting, where: str) -> None:
    take_stretch(setting, params["onset"], params["duration"], where)


@layer(
    "muscle_stretch",
    parameters=record({**_STRETCH, "rms_uv": SIZE}, {"sites": SITES, "width_deg": WIDTH}),
    check=_free,
    empty={"muscle_stretches": []},
)
def muscle_stretch(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Clenched teeth: muscle of 20-110 Hz at all sites for the whole stretch.

    ``rms_uv`` is the RMS of each site's source. Truth: ``muscle_stretches``, onset and duration
    in s.
    """
    first = round(params["onset"] * canvas.sfreq)
    n = round(params["duration"] * canvas.sfreq)
    ramp = np.minimum(1.0, (np.minimum(np.arange(n), np.arange(n)[::-1]) + 1) / canvas.sfreq)
    sos = band(20.0, 110.0, canvas.sfreq)
    for site in params.get("sites", ["T7", "T8", "F7", "F8", "Fpz", "P7", "P8"]):
        source = shaped(stream.child(site), sos, n, canvas.sfreq)
        source *= params["rms_uv"]
        gains = topography(canvas.ch_names, direction([site]), params.get("width_deg", 30.0))
        canvas.add(gains, source * ramp, first)
    return {"muscle_stretches": [{key: params[key] for key in _STRETCH}]}


@layer("gap", parameters=record(_STRETCH), check=_free, empty={"gaps": []})
def gap(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Lost data: every channel is 0 for the whole stretch. Truth: ``gaps``, onset and duration."""
    first = round(params["onset"] * canvas.sfreq)
    last = first + round(params["duration"] * canvas.sfreq)
    canvas.signal_uv[:, first:last] = 0.0
    for channel in canvas.body.values():
        channel.signal_uv[first:last] = 0.0
    return {"gaps": [{key: params[key] for key in _STRETCH}]}


def _trials_there(params: Params, setting: Setting, where: str) -> None:
    enough(setting, params["event"], params["count"], f"{where}.count")
    first, last = params["window"]
    check_window(setting, params["event"], params["window"], f"{where}.window")
    if last + _LONGEST > setting.tails[params["event"]]:
        raise refuse(
            f"an artifact {first:g} to {last:g} s after {params['event']!r} may be cut off",
            f"{where}.window",
            f"Give the earlier limit first, and stay {_LONGEST:g} s within the event's tail.",
        )


_LONGEST = 0.5


def _disturbance(
    kind: str, size: float, stream: Stream, canvas: Canvas
) -> tuple[list[float], Array]:
    """Return the gains and time course of one artifact of half a second."""
    n = round(_LONGEST * canvas.sfreq)
    x = (np.arange(n) + 0.5) / n
    sites = ("F3", "F4", "T7", "T8", "C3", "C4", "P3", "P4")
    site = sites[stream.integer(0, len(sites) - 1)]
    hann = np.sin(math.pi * x) ** 2
    if kind == "muscle":
        noise = shaped(stream.child("noise"), band(20.0, 110.0, canvas.sfreq), n, canvas.sfreq)
        width, wave = 45.0, 0.45 * hann * noise
    elif kind == "movement":
        width, wave = 60.0, hann * np.sin(2 * math.pi * x)
    else:
        width, wave = 12.0, np.exp(-x / 0.2) * np.minimum(1.0, (1 - x) / 0.1)
    centre = direction([site]) if kind != "pop" else direction([_nearest(canvas, site)])
    return topography(canvas.ch_names, centre, width), np.asarray(size * wave)


def _nearest(canvas: Canvas, site: str) -> str:
    gains = topography(canvas.ch_names, direction([site]), 30.0)
    return canvas.ch_names[gains.index(max(gains))]


@layer(
    "artefact_trials",
    parameters=record(
        {
            "event": EVENT,
            "count": COUNT,
            "window": LIMITS,
            "amplitude_uv": SIZE,
            "kinds": {
                "type": "array",
                "items": {"enum": ["movement", "muscle", "pop"]},
                "minItems": 1,
                "uniqueItems": True,
            },
        }
    ),
    check=_trials_there,
    empty={"artefact_epochs": [], "artefact_trials": [], "n_artefact_epochs": 0},
)
def artefact_trials(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Spoil some trials of an event with one artifact each, half a second long.

    It begins within ``window`` (s after the event) and has a size of about ``amplitude_uv``.
    Truth: ``artefact_epochs``, the places of the spoilt trials among those of the event, from 0
    in order of time, ``artefact_trials`` with index, event, onset of the event (s) and kind, and
    ``n_artefact_epochs``.
    """
    shown = [event for event in canvas.events if event.trial_type == params["event"]]
    spoilt = sorted(stream.shuffled(range(len(shown)))[: params["count"]])
    low, high = (round(limit * canvas.sfreq) for limit in params["window"])
    rows = []
    for order, index in enumerate(spoilt):
        own = stream.child(f"trial {index}")
        kind = params["kinds"][order % len(params["kinds"])]
        size = params["amplitude_uv"] * (1.0 + 0.4 * own.uniform())
        gains, wave = _disturbance(kind, size, own, canvas)
        canvas.add(gains, wave, shown[index].sample + own.integer(low, high))
        onset = shown[index].sample / canvas.sfreq
        rows.append({"index": index, "event": params["event"], "onset": onset, "kind": kind})
    return {"artefact_epochs": spoilt, "artefact_trials": rows, "n_artefact_epochs": len(spoilt)}
