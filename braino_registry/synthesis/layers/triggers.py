"""Triggers that came twice, late or not at all."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from braino_registry.synthesis.canvas import Canvas, Event
from braino_registry.synthesis.component import (
    COUNT,
    EVENT,
    LIMITS,
    Params,
    Setting,
    enough,
    layer,
    record,
    refuse,
)
from braino_registry.synthesis.streams import Stream

_KINDS = ("duplicated", "missed", "late")


def _possible(params: Params, setting: Setting, where: str) -> None:
    enough(setting, params["event"], sum(params[kind] for kind in _KINDS), where)
    setting.happens[params["event"]] -= params["missed"]
    for key in ("late_by", "again_after"):
        first, last = params[key]
        if not 0 < first <= last or last >= setting.tails[params["event"]]:
            raise refuse(
                f"{first:g} to {last:g} s is no delay that this event can have",
                f"{where}.{key}",
                f"Above 0 and below the tail of {setting.tails[params['event']]:g} s.",
            )


@layer(
    "trigger_trouble",
    parameters=record(
        {
            "event": EVENT,
            "duplicated": COUNT,
            "missed": COUNT,
            "late": COUNT,
            "late_by": LIMITS,
            "again_after": LIMITS,
        }
    ),
    check=_possible,
    empty={
        "duplicated_triggers": [],
        "missed_triggers": [],
        "late_triggers": [],
        "n_duplicated": 0,
        "n_missed": 0,
        "n_late": 0,
        "n_presented": None,
    },
)
def trigger_trouble(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Write some triggers of an event twice, some late and some not at all.

    The stimuli themselves came as they should; a photodiode placed before shows when. Place
    this layer after all that needs the true events. ``again_after`` and ``late_by`` are ranges
    in s. Truth: ``duplicated_triggers`` (event, onset of the second trigger),
    ``missed_triggers`` (event, true onset), ``late_triggers`` (event, onset as written, true
    onset, late_by), all in s; ``n_presented``, and ``events`` as written.
    """
    sfreq, name = canvas.sfreq, params["event"]
    shown = [event for event in canvas.events if event.trial_type == name]
    others = [event for event in canvas.events if event.trial_type != name]
    deck = stream.shuffled(range(len(shown)))
    chosen: dict[int, str] = {}
    for kind in _KINDS:
        for _ in range(params[kind]):
            chosen[deck.pop()] = kind
    written: list[Event] = []
    facts: dict[str, list[dict[str, Any]]] = {kind: [] for kind in _KINDS}

    def delay(key: str) -> int:
        low, high = (round(limit * sfreq) for limit in params[key])
        return max(1, stream.integer(low, high))

    for index, event in enumerate(shown):
        trouble = chosen.get(index)
        row: dict[str, Any] = {"event": name, "onset": event.sample / sfreq}
        if trouble == "missed":
            facts[trouble].append(row)
            continue
        if trouble == "late":
            by = delay("late_by")
            row |= {"true_onset": row["onset"], "late_by": by / sfreq}
            event = replace(event, sample=event.sample + by)
            facts[trouble].append({**row, "onset": event.sample / sfreq})
        written.append(event)
        if trouble == "duplicated":
            again = replace(event, sample=event.sample + delay("again_after"))
            written.append(again)
            facts[trouble].append({**row, "onset": again.sample / sfreq})
    canvas.events[:] = sorted([*written, *others], key=lambda event: (event.sample, event.value))
    return {
        **{f"{kind}_triggers": facts[kind] for kind in _KINDS},
        **{f"n_{kind}": len(facts[kind]) for kind in _KINDS},
        "n_presented": len(shown),
        "events": {name: len(written)},
    }
