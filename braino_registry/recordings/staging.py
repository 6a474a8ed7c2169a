"""Sleep stages among the events of a recording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.hypnogram import stage_of
from braino_registry.recordings.recording import event_name


def staged(events: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the stages among events, in their order.

    Parameters
    ----------
    events : sequence of mapping
        With ``onset`` and, in seconds, ``duration``; events that are no stage or have no duration
        are passed over.

    Returns
    -------
    list of dict
        ``onset`` and ``duration`` in seconds, and ``stage``: W, N1, N2, N3, R, or None for what was
        not scored.
    """
    found = []
    for event in events:
        duration = event.get("duration")
        if not isinstance(duration, int | float) or not duration > 0:
            continue
        try:
            stage = stage_of(event_name(event))
        except SignalError:
            continue  # an arousal, a change of lights: no stage
        found.append({"onset": float(event["onset"]), "duration": float(duration), "stage": stage})
    return found
