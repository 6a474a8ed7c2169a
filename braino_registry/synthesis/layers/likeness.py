"""Channels that have much in common, to a stated degree."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from braino_registry.synthesis.canvas import Array, Canvas
from braino_registry.synthesis.component import (
    CHANNEL,
    Params,
    Setting,
    layer,
    number,
    record,
    refuse,
)
from braino_registry.synthesis.filters import edge, run
from braino_registry.synthesis.streams import Stream

_EDGE_HZ = 0.7
"""Half-power edge of the high-pass above which the correlation is as stated."""

_NOTHING = 1e-12
"""Keeps a channel without any signal from dividing by zero."""

_PAIR = record({"lead": CHANNEL, "follow": CHANNEL, "r": number(0.05, 0.999)})


def _each_follows_once(params: Params, setting: Setting, where: str) -> None:
    following: set[str] = set()
    for number_, pair in enumerate(params["pairs"]):
        place = f"{where}.pairs[{number_}]"
        if pair["lead"] == pair["follow"]:
            raise refuse("a channel cannot follow itself", place, "Name two channels.")
        if pair["follow"] in following:
            raise refuse(
                f"{pair['follow']!r} follows two channels",
                f"{place}.follow",
                "Let each channel follow one other channel.",
            )
        if pair["lead"] in {later["follow"] for later in params["pairs"][number_ + 1 :]}:
            raise refuse(
                f"{pair['lead']!r} leads before it follows, which would undo the first pair",
                f"{place}.lead",
                "List the pair in which it follows first.",
            )
        following.add(pair["follow"])


@layer(
    "coupled_channels",
    parameters=record({"pairs": {"type": "array", "items": _PAIR, "minItems": 1}}),
    check=_each_follows_once,
    empty={"coupled_pairs": []},
)
def coupled_channels(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Let channels follow others, with correlation ``r`` above about 1 Hz.

    The following channel becomes ``r`` times the leading one, at its own level, plus a remainder
    of its own spectrum: itself, moved in time by a random third of the recording and freed of
    what it has in common with the leading channel. So the pair is alike in every band, the more
    where the leading channel is strong. Whatever
    is added later, as noise of the amplifier is, lowers the correlation. Truth:
    ``coupled_pairs``, strongest first.
    """
    sos = edge(_EDGE_HZ, canvas.sfreq, True)
    for pair in params["pairs"]:
        lead, follow = canvas.channel(pair["lead"]), canvas.channel(pair["follow"])
        moved = _moved(follow, stream.child(pair["follow"]), canvas.sfreq)
        heard, own = run(sos, lead - lead.mean()), run(sos, moved - moved.mean())
        power = float(heard @ heard) + _NOTHING
        level = math.sqrt(float(own @ own) / power)
        rest = moved - (float(own @ heard) / power) * lead
        left = run(sos, rest - rest.mean())
        scale = level * math.sqrt(power / (float(left @ left) + _NOTHING))
        follow[:] = pair["r"] * level * lead + math.sqrt(1 - pair["r"] ** 2) * scale * rest
    rows = sorted(params["pairs"], key=lambda pair: -pair["r"])
    return {"coupled_pairs": [dict(pair) for pair in rows]}


def _moved(row: Array, stream: Stream, sfreq: float) -> Array:
    """Return a channel begun elsewhere, its two ends joined over half a second."""
    n = row.shape[0]
    shift = stream.integer(n // 3, 2 * n // 3)
    moved: Array = np.roll(row, shift)
    overlap = min(round(0.5 * sfreq), n // 8)
    if overlap:
        # the end of the recording and its beginning do not fit: a step would be an artifact
        step = moved[shift] - moved[shift - 1]
        ramp = 0.5 - 0.5 * np.cos(np.pi * (np.arange(2 * overlap) + 0.5) / (2 * overlap))
        mend = np.where(np.arange(2 * overlap) < overlap, ramp, ramp - 1.0)
        moved[shift - overlap : shift + overlap] += step * mend
    return moved
