"""Heart rate and blinks, from channels that were recorded for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from braino_registry.tools.decorator import Result, tool
from braino_registry.tools.errors import ToolError
from braino_registry.tools.quality import _require_continuous
from braino_registry.tools.recording import View
from braino_registry.tools.state import ToolState

if TYPE_CHECKING:
    from braino_registry.recordings.views import View as ViewObject

Channel = Annotated[
    str | None, Meta(description="Which channel, if there are several of that type.")
]


def _picked(view: ViewObject, channel: str | None, known: list[str], what: str) -> str:
    """Return the channel asked for, or the first of a type."""
    if not known:
        raise ToolError(
            f"{view.id} has no {what} channel",
            "It cannot be measured here: no other channel stands in for it.",
        )
    if channel is None:
        return known[0]
    if channel not in known:
        view.pick([channel])
        raise ToolError(f"{channel} is no {what} channel", f"Allowed: {', '.join(known)}.")
    return channel


def _analysed(view: ViewObject, name: str, channel: str, **params: Any) -> dict[str, Any]:
    from braino_registry.recordings.operations import analyse

    return analyse(name, view, [channel], **params)


class HeartRate(Result, frozen=True, kw_only=True):
    """A heart rate."""

    mean_bpm: float
    min_bpm: float
    max_bpm: float
    n_beats: int
    sdnn_ms: float
    rmssd_ms: float | None
    channel: str


@tool("physio.heart_rate", version="1.0.0")
def heart_rate(state: ToolState, *, view: View, channel: Channel = None) -> HeartRate:
    """Measure the heart rate in an ECG channel. Without one there is none to measure.

    Definition: R peaks: the largest sample within 0.06 s of each maximum of the energy of the 8–20
    Hz band that reaches 0.3 of the typical beat, 0.3 s apart or more. mean_bpm: mean of 60 / RR
    over beats with RR from 0.3 to 2 s (not 60 over the mean RR); min and max of the same. sdnn_ms:
    SD (n - 1) of RR; rmssd_ms: root mean square of the differences of neighbouring RR.

    Example: {"view": "sub-01_task-rest", "channel": "ECG"}
    """
    chosen = state.view(view)
    _require_continuous(chosen)
    name = _picked(chosen, channel, list(chosen.signal.of_type("ecg")), "ECG")
    found = _analysed(chosen, "physio.heart_rate", name)
    return msgspec.convert({**found, "channel": name}, HeartRate)


class BlinkRate(Result, frozen=True, kw_only=True):
    """How often somebody blinked."""

    blinks_per_minute: float
    n_blinks: int
    median_uv: Annotated[float | None, Meta(description="Height of the blinks; null without any.")]
    channel: str


@tool("physio.blink_rate", version="1.0.0")
def blink_rate(
    state: ToolState,
    *,
    view: View,
    channel: Channel = None,
    threshold_uv: Annotated[
        float, Meta(description="Least height of a blink in µV.", gt=0)
    ] = 100.0,
) -> BlinkRate:
    """Count blinks in a vertical EOG channel. Without one they cannot be counted.

    Definition: Maxima above threshold_uv of the 0.5–15 Hz band (second-order Butterworth run both
    ways), 0.3 s apart or more; the signal is turned over if its 99.9th percentile is closer to zero
    than its 0.1th. The rate is their number over the length of the view.

    Example: {"view": "sub-01_task-rest", "channel": "VEOG"}
    """
    from braino_registry.recordings.recording import is_vertical

    chosen = state.view(view)
    _require_continuous(chosen)
    eog = [name for name in chosen.signal.of_type("eog") if is_vertical(chosen.recording, name)]
    name = _picked(chosen, channel, eog, "vertical EOG")
    found = _analysed(chosen, "physio.blink_rate", name, threshold_uv=threshold_uv)
    return msgspec.convert({**found, "channel": name}, BlinkRate)
