"""When a component begins or is half over, and how precisely it was measured."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from braino_registry.tools.decorator import Result, tool
from braino_registry.tools.epochs import EpochView, epochs_of
from braino_registry.tools.erp import Channel, Erp, evoked
from braino_registry.tools.state import ToolState

Begin = Annotated[float, Meta(description="Begin of the window, seconds from the event.")]
End = Annotated[float, Meta(description="End of the window, included.")]
Points = Annotated[
    Literal["positive", "negative"], Meta(description="Which way the component points.")
]


class Latency(Result, frozen=True, kw_only=True):
    """When a component reaches a share of itself."""

    latency: Annotated[float, Meta(description="Seconds from the event.")]
    area_uv_s: Annotated[float | None, Meta(description="µV·s; null for an onset.")]
    amplitude_uv: Annotated[float | None, Meta(description="Of the peak; null for an area.")]
    channel: str | list[str]
    kind: str
    n_epochs: int


@tool("erp.latency", version="1.0.0")
def latency(
    state: ToolState,
    *,
    erp: Erp,
    channel: Channel,
    tmin: Begin,
    tmax: End,
    kind: Annotated[
        Literal["fractional_area", "fractional_peak_onset"],
        Meta(description="Share of the area from tmin on, or of the peak before it."),
    ] = "fractional_area",
    percent: Annotated[Literal[10, 20, 25, 50, 75], Meta(description="The share.")] = 50,
    polarity: Points = "positive",
) -> Latency:
    """Measure when a component of an average is half over, or begins.

    The fractional-area latency is less moved by noise than the peak; pass a window that holds the
    whole component. For an onset pass fractional_peak_onset.

    Definition: fractional_area (Luck 2014): the time at which the area of the part of the waveform
    with the given polarity, accumulated from tmin (trapezoid rule), reaches percent of that from
    tmin to tmax. fractional_peak_onset: from the largest sample of the window backwards, the first
    time at which the waveform falls to percent of it. Interpolated linearly between samples.

    Example: {"erp": "result-1", "channel": "Pz", "tmin": 0.3, "tmax": 0.5, "kind":
    "fractional_area", "percent": 50}
    """
    from braino_registry.analysis.erp_timing import fractional_latency

    stored = evoked(state, erp)
    found = fractional_latency(
        stored.data,
        stored.times,
        list(stored.uv),
        channel=channel,
        tmin=tmin,
        tmax=tmax,
        kind=kind,
        percent=percent,
        polarity=polarity,
    )
    return Latency(**found, channel=channel, kind=kind, n_epochs=stored.n_epochs)


class Precision(Result, frozen=True, kw_only=True):
    """A measure with its error."""

    amplitude_uv: Annotated[float | UnsetType, Meta(description="Of kind mean.")] = UNSET
    sme_uv: float | UnsetType = UNSET
    ci_low_uv: float | UnsetType = UNSET
    ci_high_uv: float | UnsetType = UNSET
    sd_uv: Annotated[float | UnsetType, Meta(description="Over epochs.")] = UNSET
    latency: Annotated[float | UnsetType, Meta(description="Seconds, of kind fractional_area.")] = (
        UNSET
    )
    sme_s: float | UnsetType = UNSET
    ci_low_s: float | UnsetType = UNSET
    ci_high_s: float | UnsetType = UNSET
    channel: str | list[str]
    n_epochs: int


@tool("erp.precision", version="1.0.0")
def precision(
    state: ToolState,
    *,
    view: EpochView,
    channel: Channel,
    tmin: Begin,
    tmax: End,
    kind: Annotated[
        Literal["mean", "fractional_area"],
        Meta(description="Mean amplitude, or 50 % fractional-area latency."),
    ] = "mean",
    polarity: Points = "positive",
) -> Precision:
    """Measure a component together with its standardized measurement error (SME) over trials.

    Definition: SME (Luck et al. 2021). mean: SD (n - 1) over epochs of their mean amplitude in tmin
    <= t <= tmax, over the root of their number; interval ± t(0.975, n - 1) × SME. fractional_area:
    SD of the 50 % fractional-area latency over 1000 averages of epochs drawn with replacement
    (fixed seed); interval from their 2.5th to their 97.5th percentile.

    Example: {"view": "view-2", "channel": "Pz", "tmin": 0.3, "tmax": 0.5, "kind": "mean"}
    """
    from braino_registry.analysis import erp_timing

    chosen, _ = epochs_of(state, view)
    names = chosen.pick([channel] if isinstance(channel, str) else channel)
    data, times = chosen.data(names), chosen.times
    if kind == "mean":
        found = erp_timing.precision(data, times, names, channel=list(names), tmin=tmin, tmax=tmax)
    else:
        found = erp_timing.latency_precision(
            data, times, names, channel=list(names), tmin=tmin, tmax=tmax, polarity=polarity
        )
    return Precision(**found, channel=channel)
