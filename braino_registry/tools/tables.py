"""One measure of many recordings, as one table: what group statistics start from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from braino_registry.tools.decorator import Result, tool
from braino_registry.tools.epochs import Baseline, Delay, LargestSpan
from braino_registry.tools.erp import Channel
from braino_registry.tools.erp_timing import Begin, End, Points
from braino_registry.tools.errors import ToolError
from braino_registry.tools.spectrum import (
    Channels,
    LowerEdge,
    NamedBand,
    UpperEdge,
    _spectrum,
    edges_of,
)
from braino_registry.tools.state import ToolState

if TYPE_CHECKING:
    from braino_registry.recordings.views import View as ViewObject

# as many rows as one page of results.page shows
MAX_ROWS = 50
Views = Annotated[
    list[str],
    Meta(
        description="Ids of recordings or views, at most 50.", min_length=1, max_length=MAX_ROWS
    ),
]  # fmt: skip


def _opened(state: ToolState, views: list[str]) -> list[ViewObject]:
    if len(set(views)) != len(views):
        raise ToolError("a view is named twice", "Name each once.")
    return [state.view(identifier) for identifier in views]


class SpectrumRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The measure of one recording."""

    recording: str
    bids_subject: str
    view: str | UnsetType = UNSET
    relative: float | UnsetType = UNSET
    absolute_uv2: float | UnsetType = UNSET
    frequency_hz: float | UnsetType | None = UNSET
    at_edge: bool | UnsetType = UNSET
    exponent: float | UnsetType = UNSET


class SpectrumTable(Result, frozen=True, kw_only=True):
    """One spectral measure by recording."""

    rows: Annotated[list[SpectrumRow], Meta(description="In the order given, all of them.")]
    n_rows: int
    channels: Annotated[list[str], Meta(description="Of the first recording.")]


@tool("spectrum.by_recording", version="1.0.0", preview=False)
def spectrum_by_recording(
    state: ToolState,
    *,
    views: Views,
    measure: Annotated[
        Literal["relative_power", "absolute_power", "peak_frequency", "aperiodic_exponent"],
        Meta(description="What is measured, as spectrum.band_power, .peak and .aperiodic do."),
    ],
    band: NamedBand = None,
    fmin: LowerEdge = None,
    fmax: UpperEdge = None,
    channels: Channels = None,
    relative_to: Annotated[
        tuple[float, float], Meta(description="Range in Hz that relative power is a share of.")
    ] = (1.0, 40.0),
) -> SpectrumTable:
    """Measure one spectral quantity in many recordings at once: a table for group statistics.

    Pass band, or fmin and fmax; for aperiodic_exponent the range of the fit, 2–40 Hz if left out.

    Definition: Welch's method (Hann, 4 s, 50 % overlap, mean removed, density) in every recording.
    relative_power, absolute_power: as spectrum.band_power, mean over channels. peak_frequency: as
    spectrum.peak, of the spectrum averaged over channels (at_edge: the range holds no peak, and
    there is no frequency).
    aperiodic_exponent: as spectrum.aperiodic without 7–14 Hz, mean over channels.

    Example: {"views": ["sub-01_task-rest", "sub-02_task-rest"], "measure": "relative_power",
    "fmin": 8, "fmax": 13}
    """
    low, high = _edges(measure, band, fmin, fmax)
    rows = []
    first: tuple[str, ...] = ()
    for view in _opened(state, views):
        freqs, psd, names = _spectrum(view, channels, 4.0)
        first = first or names
        found = _measured(measure, freqs, psd, names, low, high, relative_to)
        rows.append(SpectrumRow(**_who(view), **found))
    return SpectrumTable(rows=rows, n_rows=len(rows), channels=list(first))


def _who(view: ViewObject) -> dict[str, Any]:
    recording = view.recording
    who = {"recording": recording.id, "bids_subject": recording.entities["bids_subject"]}
    return who if view.id == recording.id else {**who, "view": view.id}


def _edges(
    measure: str, band: str | None, fmin: float | None, fmax: float | None
) -> tuple[float, float]:
    if measure == "aperiodic_exponent" and band is None and fmin is None and fmax is None:
        return 2.0, 40.0
    return edges_of(measure, band, fmin, fmax)


def _measured(
    measure: str,
    freqs: Any,
    psd: Any,
    names: tuple[str, ...],
    low: float,
    high: float,
    relative_to: tuple[float, float],
) -> dict[str, Any]:
    from braino_registry.analysis.aperiodic import ALPHA, aperiodic_of
    from braino_registry.analysis.spectra import peak_of, powers_of

    if measure == "peak_frequency":
        peak = peak_of(freqs, psd.mean(axis=0), low, high)
        found = None if peak["at_edge"] else peak["frequency_hz"]
        return {"frequency_hz": found, "at_edge": peak["at_edge"]}
    if measure == "aperiodic_exponent":
        return {"exponent": aperiodic_of(freqs, psd, names, low, high, ALPHA)["exponent"]}
    powers = powers_of(freqs, psd, names, fmin=low, fmax=high, relative_to=relative_to)
    key = "relative" if measure == "relative_power" else "absolute_uv2"
    return {key: powers[key]}


class ErpRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One condition of one recording."""

    recording: str
    bids_subject: str
    view: str | UnsetType = UNSET
    event: str | list[str]
    amplitude_uv: float
    latency: Annotated[
        float | UnsetType | None,
        Meta(description="Seconds, of a peak; null if the window holds no local extremum."),
    ] = UNSET
    n_epochs: int


class ErpTable(Result, frozen=True, kw_only=True):
    """One measure of averages by recording and condition."""

    rows: Annotated[list[ErpRow], Meta(description="In the order given, all of them.")]
    n_rows: int


@tool("erp.by_recording", version="1.0.0", preview=False)
def erp_by_recording(
    state: ToolState,
    *,
    views: Views,
    events: Annotated[
        list[str | list[str]],
        Meta(
            description="Conditions: the name of their events, or several names as one kind.",
            min_length=1,
            max_length=4,
        ),
    ],
    channel: Channel,
    tmin: Begin,
    tmax: End,
    kind: Annotated[
        Literal["mean", "peak"], Meta(description="Mean amplitude, or peak with latency.")
    ] = "mean",
    polarity: Points = "positive",
    delay: Delay = 0.0,
    epoch: Annotated[
        tuple[float, float], Meta(description="Epoch in seconds from the event, end not included.")
    ] = (-0.2, 0.8),
    baseline: Baseline = (-0.2, 0.0),
    reject_uv: LargestSpan = None,
) -> ErpTable:
    """Measure one component in many recordings and conditions at once: a table for statistics.

    Pass filtered views where a filter is wanted.

    Definition: Epochs as epochs.make cuts them, averaged as erp.average does, measured as
    erp.measure does: the mean over tmin <= t <= tmax, or the largest local extremum and its time.

    Example: {"views": ["sub-01_task-oddball", "sub-02_task-oddball"], "events": ["target"],
    "channel": "Pz", "tmin": 0.3, "tmax": 0.5}
    """
    from braino_registry.analysis import erp as analysis

    opened = _opened(state, views)
    if len(opened) * len(events) > MAX_ROWS:
        raise ToolError(
            f"{len(opened)} views and {len(events)} events make more than {MAX_ROWS} rows",
            "Pass fewer views at a time.",
        )
    rows = []
    for view in opened:
        names = view.pick([channel] if isinstance(channel, str) else channel)
        for event in events:
            made = _epochs(view, event, delay, epoch, baseline, reject_uv)
            assert made.epochs is not None
            window: dict[str, Any] = {"channel": list(names), "tmin": tmin, "tmax": tmax}
            if kind == "mean":
                found = analysis.mean_amplitude(made.data(names), made.times, names, **window)
            else:
                found = analysis.peak(
                    made.data(names), made.times, names, **window, polarity=polarity
                )
                if not found.pop("local"):
                    found["latency"] = None
            count = len(made.epochs.samples)
            rows.append(ErpRow(**_who(view), event=event, **found, n_epochs=count))
    return ErpTable(rows=rows, n_rows=len(rows))


def _epochs(
    view: ViewObject,
    event: str | list[str],
    delay: float,
    epoch: tuple[float, float],
    baseline: tuple[float, float] | None,
    reject_uv: float | None,
) -> ViewObject:
    """Return the view's epochs, under no id of their own."""
    from dataclasses import replace

    from braino_registry.recordings.transforms import TRANSFORMS

    change = TRANSFORMS["epochs"](
        view,
        {
            "event": event,
            "delay": delay,
            "tmin": epoch[0],
            "tmax": epoch[1],
            "baseline": None if baseline is None else list(baseline),
            "reject_uv": reject_uv,
        },
    )
    return replace(view, signal=change.signal, epochs=change.epochs)
