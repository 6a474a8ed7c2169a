"""Faults of electrodes and stretches: bridges, saturation, muscle, gaps, exchanged labels."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from braino_registry.tools.decorator import Result, tool
from braino_registry.tools.quality import _require_continuous
from braino_registry.tools.recording import View
from braino_registry.tools.state import ToolState

MAX_SHOWN = 8


def _analysed(state: ToolState, name: str, view: str, **params: Any) -> dict[str, Any]:
    from braino_registry.recordings.operations import analyse

    chosen = state.view(view)
    _require_continuous(chosen)
    return analyse(name, chosen, None, **params)


class Pair(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Two channels and how much they differ."""

    channels: list[str]
    distance_uv2: float


class Bridging(Result, frozen=True, kw_only=True):
    """Electrodes that are joined."""

    n_pairs: int
    pairs: Annotated[list[Pair], Meta(description="Bridged pairs, the closest first.")]
    groups: Annotated[list[list[str]], Meta(description="Channels that bridges connect.")]
    channels: Annotated[list[str], Meta(description="All channels in a bridge.")]
    median_distance_uv2: Annotated[float | None, Meta(description="Over all pairs.")]
    closest: Annotated[list[Pair], Meta(description="The five closest pairs, bridged or not.")]


@tool("quality.bridging", version="1.0.0")
def bridging(
    state: ToolState,
    *,
    view: View,
    limit_uv2: Annotated[
        float, Meta(description="Largest distance of a bridge in µV².", gt=0)
    ] = 3.0,
) -> Bridging:
    """Find electrodes that gel has joined: pairs that record the same.

    Definition: Electrical distance: the variance of the difference of two channels (0.5–30 Hz,
    second-order Butterworth run both ways), median over pieces of 2 s (Tenke and Kayser 2001).
    Bridged: at most limit_uv2 and at most 5 % of the mean variance of the two. Flat channels
    (variance below 0.25 µV²) are left out.

    Example: {"view": "sub-01_task-rest"}
    """
    found = _analysed(state, "quality.bridging", view, limit_uv2=limit_uv2)
    return msgspec.convert(found, Bridging)


class ClippedRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Saturation of one channel."""

    channel: str
    share_percent: float
    n_runs: int
    onset: Annotated[float | None, Meta(description="First clipped sample, seconds.")]
    upper_uv: float | None
    lower_uv: float | None


class Clipping(Result, frozen=True, kw_only=True):
    """Saturated channels."""

    channels: Annotated[list[str], Meta(description="In the recording's order.")]
    n_clipped: int
    n_examined: int
    rows: Annotated[
        list[ClippedRow], Meta(description="Of these channels; results.page shows those of all.")
    ]


@tool("quality.clipping", version="1.0.0")
def clipping(state: ToolState, *, view: View) -> Clipping:
    """Find channels whose amplifier was saturated, how much of them, and from when.

    Pass the recording as it is: a filter rounds what saturation has cut off.

    Definition: A run is three or more equal samples (to 1e-6 of the channel's range) above or below
    both neighbours. Upper and lower level: the outermost at which three runs or more lie, nothing
    beyond it from the first on, and which holds more than twice as many samples as each step of
    the resolution just inside it, on average over five. Clipped: such a level, and 0.02 % of the
    samples or more. share_percent: samples in these runs over all. onset: seconds from the
    recording's start.

    Example: {"view": "sub-01_task-rest"}
    """
    found = _analysed(state, "quality.clipping", view)
    rows, bad = found["rows"], set(found["channels"])
    result = state.results.put("quality.clipping", found)
    shown = [row for row in rows if row["channel"] in bad]
    return msgspec.convert(
        {**found, "n_examined": len(rows), "rows": shown, "result": result}, Clipping
    )


class Window(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One window of a recording."""

    onset: Annotated[float, Meta(description="Seconds from the recording's start.")]
    muscle_uv: float
    muscle_z: float | None
    peak_to_peak_uv: float
    amplitude_z: float | None
    flat_percent: float
    reasons: list[str]


class Noisiest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The window with most muscle."""

    onset: Annotated[float, Meta(description="Seconds from the recording's start.")]
    muscle_uv: float
    muscle_z: float | None


class Stretch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Neighbouring windows that stand out."""

    onset: Annotated[float, Meta(description="Seconds from the recording's start.")]
    duration: Annotated[float, Meta(description="Seconds.")]
    reasons: Annotated[list[str], Meta(description="muscle, flat, amplitude.")]


class Segments(Result, frozen=True, kw_only=True):
    """What the windows of a recording are like."""

    n_windows: int
    n_flagged: int
    noisiest: Noisiest
    stretches: list[Stretch]
    windows: Annotated[
        list[Window], Meta(description="Those that stand out; results.page shows all.")
    ]


@tool("quality.segments", version="1.0.0")
def segments(
    state: ToolState,
    *,
    view: View,
    window_s: Annotated[Literal[1, 2, 5, 10], Meta(description="Length of a window.")] = 5,
) -> Segments:
    """Find stretches full of muscle, gaps and other large amplitudes, window by window.

    Definition: Windows lie on the grid 0, window_s, 2 window_s … of the recording. muscle_uv: RMS
    of 30–45 Hz, median over EEG channels. peak_to_peak_uv: median over channels. z: robust (median,
    1.4826 MAD) over windows that are not flat, of the logarithm. flat_percent: channels with an SD
    below 0.5 µV in a tenth of the window or more. Flagged: muscle_z or amplitude_z above 5,
    flat_percent 50 or more. A stretch is a run of flagged windows.

    Example: {"view": "sub-01_task-rest", "window_s": 10}
    """
    found = _analysed(state, "quality.segments", view, window_s=float(window_s))
    result = state.results.put("quality.segments", found)
    flagged = [window for window in found["windows"] if window["reasons"]]
    return msgspec.convert({**found, "windows": flagged, "result": result}, Segments)


class Swap(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Two labels that seem exchanged."""

    channels: list[str]
    gain_percent: Annotated[float, Meta(description="Share of their misfit that it takes away.")]


class NeighbourRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a channel goes with those around it."""

    channel: str
    neighbours: list[str]
    neighbour_r: float
    expected_r: float
    agreement: float


class Neighbours(Result, frozen=True, kw_only=True):
    """Channels that do not fit their place."""

    swaps: Annotated[list[Swap], Meta(description="Pairs whose labels seem exchanged.")]
    channels: Annotated[list[str], Meta(description="All suspicious channels.")]
    positions: Annotated[str, Meta(description="electrodes.tsv or standard (by name).")]
    n_examined: int
    rows: Annotated[
        list[NeighbourRow], Meta(description="The worst channels; results.page shows all.")
    ]


@tool("quality.neighbours", version="1.0.0")
def neighbours(state: ToolState, *, view: View) -> Neighbours:
    """Find channels that do not go with their neighbours: exchanged or wrong labels, bad contact.

    Positions come from electrodes.tsv where it has every channel, else from the 10-05 system by
    name.

    Definition: r: Pearson, 1–30 Hz, median over pieces of 2 s, against the mean of all channels
    (without flat ones and those four times as large as the median). Expected r: the median r of
    pairs at about that distance. agreement: correlation of a channel's r with the expected r over
    all others. swaps: exchanging two labels takes away 40 % or more of the squared misfit of both.
    Suspicious: in a swap, or agreement below 0.3.

    Example: {"view": "sub-01_task-rest"}
    """
    chosen = state.view(view)
    known = chosen.recording.electrodes
    complete = all(name in known for name in chosen.pick())
    found = _analysed(state, "quality.neighbours", view, positions=known if complete else None)
    result = state.results.put("quality.neighbours", found)
    return msgspec.convert(
        {
            **found,
            "positions": "electrodes.tsv" if complete else "standard",
            "rows": found["rows"][:MAX_SHOWN],
            "result": result,
        },
        Neighbours,
    )
