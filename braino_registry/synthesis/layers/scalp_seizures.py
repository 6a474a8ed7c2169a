"""Seizures of long bipolar recordings, and what only looks like them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.synthesis.component import (
    COUNT,
    Params,
    Setting,
    long_layer,
    number,
    record,
    refuse,
)
from braino_registry.synthesis.differences import Electrodes, Episode, EpisodePainter
from braino_registry.synthesis.montage import POSITIONS
from braino_registry.synthesis.reel import Piece, Reel
from braino_registry.synthesis.seizures.ictal import Seizure
from braino_registry.synthesis.seizures.mimics import MIMICS
from braino_registry.synthesis.seizures.schedule import (
    Difficulty,
    free_times,
    seconds_needed,
    seizure_times,
)
from braino_registry.synthesis.streams import Stream
from braino_registry.synthesis.waves import Sizes

Array = NDArray[np.float64]


def _over_a_background(params: Params, setting: Setting, where: str) -> None:
    if "scalp_background" not in setting.kinds:
        raise refuse(
            "sizes are relative to a background that no earlier layer makes",
            where,
            "Place the layer 'scalp_background' first.",
        )


def _fit(params: Params, setting: Setting, where: str) -> None:
    _over_a_background(params, setting, where)
    needed = seconds_needed(params["count"])
    if setting.duration < needed:
        raise refuse(
            f"{params['count']} seizures need {needed} s, the recording has {setting.duration:g} s",
            f"{where}.count",
            "Fewer seizures, or a longer recording.",
        )
    if {"scalp_seizures", "seizure_mimics"} & setting.kinds:
        raise refuse(
            "seizures are planned once, before what resembles them",
            where,
            "Place one layer 'scalp_seizures' before 'seizure_mimics'.",
        )


@long_layer(
    "scalp_seizures",
    parameters=record(
        {"count": COUNT, "difficulty": number(0, 1)},
        {"focus": {"type": "string", "means": "site"}},
    ),
    check=_fit,
    empty={"seizures": [], "n_seizures": 0},
)
def scalp_seizures(reel: Reel, params: Params, stream: Stream) -> dict[str, Any]:
    """Seizures that start in one place, slow down, grow, spread and end in slowing.

    The higher the ``difficulty``, 0 to 1, the smaller, shorter and more local they are. They
    begin and end on whole seconds. Without a ``focus``, each has its own. Truth: ``seizures``,
    a list of ``onset`` and ``duration`` in s, ``focus``, ``first_hz``, ``last_hz`` and
    ``other_side``; ``n_seizures``.
    """
    electrodes = Electrodes.of(reel.leads)
    unit = reel.facts["background_uv"]
    difficulty = Difficulty.of(params["difficulty"])
    sizes = Sizes(stream.child("sizes"))
    times = seizure_times(params["count"], reel.seconds, difficulty, sizes)
    size = difficulty.size * unit
    width, focus = difficulty.final_width, params.get("focus")
    drawn = [Seizure.drawn(time, focus, size, width, sizes) for time in times]
    episodes, calm = [], np.ones(reel.seconds + 1)
    for number_, seizure in enumerate(drawn):
        own = stream.child(f"seizure {number_}")
        end = seizure.onset + seizure.duration
        episodes.append(_ictal(seizure, electrodes, reel.sfreq, own))
        episodes.append(_postictal(seizure, electrodes, reel.sfreq, own, unit))
        fading = 1 - 0.4 * np.linspace(1, 0, seizure.slowing)
        place = calm[end : end + seizure.slowing]
        place *= fading[: len(place)]
    reel.facts["seizures"] = drawn
    paint_episodes = EpisodePainter(episodes)

    def paint(piece: Piece) -> None:
        quiet = calm[piece.start : piece.start + piece.seconds]
        if quiet.min() < 1:
            piece.leads_uv *= np.repeat(quiet, piece.sfreq)
        paint_episodes(piece)

    reel.painters.append(paint)
    return {
        "seizures": [
            {
                "onset": seizure.onset,
                "duration": seizure.duration,
                "focus": seizure.focus,
                "first_hz": round(seizure.first_hz, 3),
                "last_hz": round(seizure.last_hz, 3),
                "other_side": seizure.other_side,
            }
            for seizure in drawn
        ],
        "n_seizures": len(drawn),
    }


def _ictal(seizure: Seizure, electrodes: Electrodes, sfreq: int, stream: Stream) -> Episode:
    # The wave is that of a source; a channel sees less of it the closer its electrodes are.
    nearest = np.abs(electrodes.matrix @ electrodes.at_sites(POSITIONS[seizure.focus], 18)).max()

    def render() -> Array:
        made = seizure.discharge(electrodes, sfreq, stream.child("discharge"))
        return np.asarray(made / nearest)

    return Episode(seizure.onset, seizure.duration, render)


def _postictal(
    seizure: Seizure, electrodes: Electrodes, sfreq: int, stream: Stream, unit: float
) -> Episode:
    def render() -> Array:
        return seizure.slow_phase(electrodes, sfreq, stream.child("slowing"), unit)

    return Episode(seizure.onset + seizure.duration, seizure.slowing, render)


@long_layer(
    "seizure_mimics",
    parameters=record({"difficulty": number(0, 1)}),
    check=_over_a_background,
    empty={"mimics": []},
)
def seizure_mimics(reel: Reel, params: Params, stream: Stream) -> dict[str, Any]:
    """Chewing, movement, loose electrodes, harmless rhythms and sleep spindles, in turn.

    The higher the ``difficulty``, the more often; none of it comes close to a seizure. Truth:
    ``mimics``, a list of ``kind``, and ``onset`` and ``duration`` in s.
    """
    electrodes = Electrodes.of(reel.leads)
    unit = reel.facts["background_uv"]
    sizes = Sizes(stream.child("times"))
    taken = [
        (seizure.onset, seizure.onset + seizure.duration + seizure.slowing)
        for seizure in reel.facts.get("seizures", ())
    ]
    often = Difficulty.of(params["difficulty"]).mimics_per_hour
    times = free_times(often, reel.seconds, [(a, float(b)) for a, b in taken], sizes)
    order = stream.child("order").shuffled(sorted(MIMICS))
    episodes, facts = [], []
    for number_, (onset, end) in enumerate(times):
        kind = order[number_ % len(order)]
        own = stream.child(f"mimic {number_}")
        n = round((end - onset) * reel.sfreq)

        def render(kind: str = kind, n: int = n, own: Stream = own) -> Array:
            return MIMICS[kind](electrodes, reel.sfreq, n, unit, own)

        episodes.append(Episode(onset, end - onset, render))
        facts.append({"kind": kind, "onset": round(onset, 3), "duration": round(end - onset, 3)})
    reel.painters.append(EpisodePainter(episodes))
    return {"mimics": facts}
