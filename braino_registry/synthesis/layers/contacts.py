"""What goes wrong where electrodes touch the skin or plug into the amplifier."""

from __future__ import annotations

import math
from itertools import chain
from typing import Any

import numpy as np

from braino_registry.synthesis.canvas import Canvas
from braino_registry.synthesis.component import (
    CHANNELS,
    COUNT,
    FAULTS,
    SITES,
    SIZE,
    TIME,
    WIDTH,
    Params,
    Setting,
    layer,
    number,
    record,
    refuse,
)
from braino_registry.synthesis.filters import wander
from braino_registry.synthesis.montage import direction, topography
from braino_registry.synthesis.streams import Stream

_PAIR = {**FAULTS, "minItems": 2, "maxItems": 2}


@layer(
    "bridged_channels",
    parameters=record(
        {"pairs": {"type": "array", "items": _PAIR, "minItems": 1}}, {"noise_uv": number(0, 1)}
    ),
    empty={"bridged_pairs": [], "bridged_channels": []},
)
def bridged_channels(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Pairs of electrodes joined by gel: both record the mean of the two, plus ``noise_uv``.

    Truth: ``bridged_pairs``, each and all in the order of the recording, and
    ``bridged_channels``.
    """
    place = canvas.ch_names.index
    pairs = sorted((sorted(pair, key=place) for pair in params["pairs"]), key=lambda p: place(p[0]))
    for a, b in pairs:
        mean = (canvas.channel(a) + canvas.channel(b)) / 2
        for name in (a, b):
            noise = stream.child(name).gaussian(canvas.n_times)
            noise *= params.get("noise_uv", 0.1)
            canvas.channel(name)[:] = mean + noise
    return {"bridged_pairs": pairs, "bridged_channels": sorted(chain(*pairs), key=place)}


def _onset_inside(params: Params, setting: Setting, where: str) -> None:
    if params["onset"] >= setting.duration:
        raise refuse(
            f"the fault begins at {params['onset']:g} s, the recording ends before",
            f"{where}.onset",
            f"Begin before {setting.duration:g} s.",
        )


@layer(
    "clipped_channels",
    parameters=record(
        {"channels": FAULTS, "onset": number(0), "limit_uv": number(50, 3000)},
        {"reach": number(1.2, 5), "corner_hz": number(0.02, 1)},
    ),
    check=_onset_inside,
    empty={"clipped_channels": [], "clipping": {}},
)
def clipped_channels(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Channels that wander out of the amplifier's range from ``onset`` (s) on.

    The wander has an RMS of ``reach`` times ``limit_uv``; whatever lies beyond the limit is
    recorded as the limit. Truth: ``clipped_channels``, and in ``clipping`` for each the onset,
    the limit and the ``fraction`` of samples after the onset that lie at it.
    """
    first = round(params["onset"] * canvas.sfreq)
    limit = params["limit_uv"]
    facts = {}
    for name in params["channels"]:
        row = canvas.channel(name)[first:]
        path = wander(stream.child(name), params.get("corner_hz", 0.15), row.shape[0], canvas.sfreq)
        path *= params.get("reach", 1.6) * limit / math.sqrt(float((path * path).mean()))
        row += path
        np.clip(row, -limit, limit, out=row)
        at_limit = float((np.abs(row) >= limit).mean())
        facts[name] = {
            "onset": first / canvas.sfreq,
            "limit_uv": limit,
            "fraction": round(at_limit, 4),
        }
    return {"clipped_channels": list(params["channels"]), "clipping": facts}


@layer(
    "swapped_channels",
    parameters=record({"channels": _PAIR}),
    empty={"swapped_channels": []},
)
def swapped_channels(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Two plugs exchanged: each of the two channels holds what belongs to the other.

    What events evoked is exchanged with them. Truth: ``swapped_channels``.
    """
    a, b = (canvas.ch_names.index(name) for name in params["channels"])
    canvas.signal_uv[[a, b]] = canvas.signal_uv[[b, a]]
    if canvas.evoked_uv is not None:
        canvas.evoked_uv[[a, b]] = canvas.evoked_uv[[b, a]]
    return {"swapped_channels": list(params["channels"])}


@layer(
    "humming_channels",
    parameters=record({"channels": FAULTS, "amplitude_uv": SIZE}),
    empty={"humming_channels": []},
)
def humming_channels(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Channels with a broken shield: a hum of ``amplitude_uv`` (peak) at the mains frequency."""
    turns = np.arange(canvas.n_times) * (canvas.line_frequency / canvas.sfreq)
    turns -= np.floor(turns)
    for name in params["channels"]:
        phase = stream.child(name).uniform()
        canvas.channel(name)[:] += params["amplitude_uv"] * np.sin(2 * math.pi * (turns + phase))
    return {"humming_channels": list(params["channels"])}


#: Most pops of one channel in a second; more would be one long noise.
_POPS = 10


def _told_apart(params: Params, setting: Setting, where: str) -> None:
    most = int(_POPS * setting.duration)
    if params["count"] > most:
        raise refuse(
            f"{params['count']} pops in {setting.duration:g} s cannot be told apart",
            f"{where}.count",
            f"At most {most} for each channel.",
        )


@layer(
    "pops",
    parameters=record({"channels": CHANNELS, "count": COUNT, "amplitude_uv": SIZE}, {"tau": TIME}),
    check=_told_apart,
    empty={"pops": []},
)
def pops(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Sudden jumps of single channels that fade within ``tau`` s.

    ``count`` is the number for each channel. Truth: ``pops``, rows of channel and onset (s).
    """
    tau = params.get("tau", 0.25) * canvas.sfreq
    fade = np.exp(-np.arange(round(8 * tau)) / tau)
    found = []
    for name in params["channels"]:
        own = stream.child(name)
        for _ in range(params["count"]):
            onset = own.integer(0, canvas.n_times - 1)
            size = params["amplitude_uv"] * math.exp(0.3 * own.normal())
            size *= 1 if own.integer(0, 1) else -1
            last = min(canvas.n_times, onset + fade.shape[0])
            canvas.channel(name)[onset:last] += size * fade[: last - onset]
            found.append({"channel": name, "onset": onset / canvas.sfreq})
    return {"pops": sorted(found, key=lambda pop: (pop["onset"], pop["channel"]))}


@layer(
    "sweat",
    parameters=record(
        {"sites": SITES, "rms_uv": SIZE},
        {"corner_hz": number(0.01, 0.5), "width_deg": WIDTH},
    ),
    empty={"sweat_sites": []},
)
def sweat(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Slow potentials of the skin under some sites, shared by the electrodes around.

    Truth: ``sweat_sites``.
    """
    for site in params["sites"]:
        path = wander(
            stream.child(site), params.get("corner_hz", 0.06), canvas.n_times, canvas.sfreq
        )
        gains = topography(canvas.ch_names, direction([site]), params.get("width_deg", 35.0))
        canvas.add(gains, params["rms_uv"] * path)
    return {"sweat_sites": list(params["sites"])}
