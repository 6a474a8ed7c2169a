"""The order of sleep stages, which all other layers of a night follow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from braino_registry.synthesis.canvas import Event
from braino_registry.synthesis.component import (
    Params,
    Setting,
    long_layer,
    number,
    record,
    refuse,
)
from braino_registry.synthesis.reel import Reel
from braino_registry.synthesis.sleep.architecture import (
    EPOCH,
    SHORTEST,
    STAGES,
    Sleeper,
    W,
    hypnogram,
)
from braino_registry.synthesis.sleep.gains import is_known, known
from braino_registry.synthesis.sleep.night import Difficulty, night_of
from braino_registry.synthesis.streams import Stream


def _is_a_night(params: Params, setting: Setting, where: str) -> None:
    if "sleep_stages" in setting.kinds:
        raise refuse("two nights in one recording", where, "Leave one out.")
    for lead in setting.leads:
        if not is_known(lead):
            raise refuse(
                f"how sleep looks between {lead.anode} and {lead.cathode} is not known",
                where,
                f"Known: {', '.join(known())}.",
            )
    awake = params.get("before", 0) + params.get("after", 0)
    if setting.duration % EPOCH or (setting.duration - awake) / EPOCH < SHORTEST:
        raise refuse(
            f"{setting.duration:g} s with {awake:g} s awake around it hold no night",
            where,
            f"Record whole epochs of {EPOCH} s, {SHORTEST * EPOCH} s of sleep time at least.",
        )


_AROUND: Mapping[str, Any] = {
    "type": "integer",
    "minimum": 0,
    "maximum": 86_400,
    "multipleOf": EPOCH,
}
_LIGHTS = {
    "lights-off": ("The light was switched off.", "Sensory-event, Experiment-control"),
    "lights-on": ("The light was switched on.", "Sensory-event, Experiment-control"),
}


@long_layer(
    "sleep_stages",
    parameters=record(
        {"age": number(18, 101), "difficulty": number(0, 1)},
        {"fragmentation": number(0.2, 4), "before": _AROUND, "after": _AROUND},
    ),
    check=_is_a_night,
)
def sleep_stages(reel: Reel, params: Params, stream: Stream) -> dict[str, Any]:
    """Draw the order of sleep stages by age and fragmentation; other layers of sleep follow it.

    ``difficulty`` is 0 where stages look like textbooks say, 0.5 as they usually do, and 1 where
    they resemble one another. ``before`` and ``after`` are s awake in the light around the night.
    Events say when the light was switched, if it was. Truth: ``hypnogram``, one of W, N1, N2, N3
    and REM per 30 s; ``n_epochs``; ``stage_counts``; ``lights_off`` and ``lights_on`` in s.
    """
    sleeper = Sleeper.aged(params["age"], params.get("fragmentation", 1.0))
    before, after = params.get("before", 0), params.get("after", 0)
    n_epochs = (reel.seconds - before - after) // EPOCH
    night = hypnogram(n_epochs, sleeper, stream.child("order"))
    stages = [*[W] * (before // EPOCH), *night, *[W] * (after // EPOCH)]
    difficulty = Difficulty.of(params["difficulty"])
    reel.facts["night"] = night_of(stages, sleeper, difficulty, stream.child("signs"))
    switched = {"lights-off": before, "lights-on": reel.seconds - after - 1}
    for code, (name, second) in enumerate(switched.items(), start=1):
        reel.events.append(Event(second * reel.sfreq, reel.sfreq, name, code, "segment"))
        reel.notes[name] = dict(zip(("description", "hed"), _LIGHTS[name], strict=True))
    names = [STAGES[stage] for stage in stages]
    return {
        "hypnogram": names,
        "n_epochs": len(names),
        "stage_counts": {stage: names.count(stage) for stage in STAGES},
        "lights_off": before,
        "lights_on": reel.seconds - after - 1,
    }


def after_stages(params: Params, setting: Setting, where: str) -> None:
    """Refuse a layer of sleep that comes before the night's stages."""
    if "sleep_stages" not in setting.kinds:
        raise refuse(
            "no earlier layer draws the stages of a night",
            where,
            "Place the layer 'sleep_stages' first.",
        )
