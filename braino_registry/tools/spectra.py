"""What else spectra tell: hum by channel, aperiodic slope, coherence, change after an event."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from braino_registry.tools.decorator import Result, tool
from braino_registry.tools.epochs import EpochView, epochs_of
from braino_registry.tools.errors import ToolError
from braino_registry.tools.recording import View
from braino_registry.tools.spectrum import Channels, _spectrum
from braino_registry.tools.state import ToolState

MAX_SHOWN = 8


class HumRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Hum of one channel."""

    channel: str
    hum_uv: float
    ratio: float | None


class Hum(Result, frozen=True, kw_only=True):
    """Mains hum by channel."""

    frequency_hz: Annotated[float | None, Meta(description="50, 60, or null without hum.")]
    channels: Annotated[list[str], Meta(description="Those that hold far more than the others.")]
    median_uv: Annotated[float | None, Meta(description="Hum of the median channel.")]
    n_channels: int
    rows: Annotated[list[HumRow], Meta(description="Largest first; results.page shows all.")]


@tool("spectrum.hum_by_channel", version="1.0.0")
def hum_by_channel(state: ToolState, *, view: View, channels: Channels = None) -> Hum:
    """Measure the mains hum of every channel, and name those that hold far more than the others.

    Pass an unfiltered view.

    Definition: The frequency is that of spectrum.line_noise. hum_uv: RMS of the line, from the
    density (Welch, Hann, 4 s, 50 % overlap) within 0.5 Hz of it minus the median density 2 to 6 Hz
    away. ratio: largest density there over that median. Named: robust z (median, 1.4826 MAD over
    channels) of log hum above 5, hum above twice the median channel's, ratio of 3 or more.

    Example: {"view": "sub-01_task-rest"}
    """
    from braino_registry.analysis.hum import hum_of

    freqs, psd, names = _spectrum(state.view(view), channels, 4.0)
    found = hum_of(freqs, psd, names)
    result = state.results.put("spectrum.hum_by_channel", found)
    shown = {**found, "rows": found["rows"][:MAX_SHOWN]}
    return msgspec.convert({**shown, "n_channels": len(names), "result": result}, Hum)


class AperiodicRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Aperiodic part of one channel."""

    channel: str
    exponent: float
    offset: float
    r_squared: float


class Aperiodic(Result, frozen=True, kw_only=True):
    """The aperiodic part of a spectrum."""

    exponent: Annotated[float, Meta(description="Mean over channels; positive if power falls.")]
    offset: Annotated[float, Meta(description="log10 µV²/Hz at 1 Hz, mean over channels.")]
    r_squared: Annotated[float, Meta(description="Of the fit, all bins of it.")]
    n_channels: int
    per_channel: list[AperiodicRow]


@tool("spectrum.aperiodic", version="1.0.0")
def aperiodic(
    state: ToolState,
    *,
    view: View,
    channels: Channels = None,
    fmin: Annotated[float, Meta(description="Begin of the fit in Hz.", gt=0)] = 2.0,
    fmax: Annotated[float, Meta(description="End of the fit in Hz.")] = 40.0,
    exclude: Annotated[
        Annotated[list[tuple[float, float]], Meta(max_length=5)] | None,
        Meta(description="Bands in Hz that hold rhythms, left out of the fit; 7–14 if not given."),
    ] = None,
) -> Aperiodic:
    """Measure the slope of the 1/f part of the spectrum: exponent and offset.

    Definition: log10 density = offset - exponent × log10 f, density in µV²/Hz (Welch, Hann, 4 s,
    50 % overlap), bins with fmin <= f <= fmax outside the excluded bands; iteratively reweighted
    least squares with Tukey's bisquare (4.685 × 1.4826 MAD), bins weighted by their width in log f;
    per channel, then the mean over channels.

    Example: {"view": "sub-01_task-rest", "channels": ["Pz"], "fmin": 2, "fmax": 40}
    """
    from braino_registry.analysis.aperiodic import ALPHA, aperiodic_of

    freqs, psd, names = _spectrum(state.view(view), channels, 4.0)
    bands = ALPHA if exclude is None else exclude
    found = aperiodic_of(freqs, psd, names, fmin, fmax, bands)
    return msgspec.convert({**found, "n_channels": len(names)}, Aperiodic)


class Coherence(Result, frozen=True, kw_only=True):
    """How alike two channels are in a band."""

    coherence: Annotated[float, Meta(description="0 to 1.")]
    peak_hz: Annotated[
        float | None, Meta(description="Where it is largest; null without a local maximum.")
    ]
    n_segments: int


@tool("spectrum.coherence", version="1.0.0")
def coherence(
    state: ToolState,
    *,
    view: View,
    channel_a: Annotated[str, Meta(description="One channel.")],
    channel_b: Annotated[str, Meta(description="The other channel.")],
    fmin: Annotated[float, Meta(description="Lower edge of the band in Hz.")],
    fmax: Annotated[float, Meta(description="Upper edge of the band in Hz.")],
) -> Coherence:
    """Measure the coherence of two channels in a frequency band.

    Definition: Magnitude-squared coherence |Sxy|² / (Sxx Syy), Welch's method (Hann, 2 s, 50 %
    overlap, mean removed), mean over the bins with fmin <= f <= fmax.

    Example: {"view": "sub-01_task-rest", "channel_a": "O1", "channel_b": "O2", "fmin": 8, "fmax":
    13}
    """
    from braino_registry.recordings.operations import analyse

    if channel_a == channel_b:
        raise ToolError("a channel is coherent with itself", "Pass two different channels.")
    found = analyse(
        "spectra.coherence", state.view(view), [channel_a, channel_b], fmin=fmin, fmax=fmax
    )
    return msgspec.convert(found, Coherence)


class ChangeRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Change of power at one channel."""

    channel: str
    change_db: float
    change_percent: float


class PowerChange(Result, frozen=True, kw_only=True):
    """Change of power against a baseline."""

    change_db: Annotated[float, Meta(description="Of the mean power of the channels.")]
    change_percent: float
    per_channel: list[ChangeRow]
    n_epochs: int
    n_channels: int


@tool("tfr.power", version="1.0.0")
def power(
    state: ToolState,
    *,
    view: EpochView,
    fmin: Annotated[float, Meta(description="Lower edge of the band in Hz.", ge=1)],
    fmax: Annotated[float, Meta(description="Upper edge of the band in Hz.", ge=1)],
    tmin: Annotated[float, Meta(description="Begin of the window, seconds from the event.")],
    tmax: Annotated[float, Meta(description="End of the window, included.")],
    baseline: Annotated[
        tuple[float, float], Meta(description="Interval to compare with, seconds from the event.")
    ],
    channels: Channels = None,
    cycles: Annotated[Literal[3, 5, 7], Meta(description="Of a wavelet.")] = 5,
) -> PowerChange:
    """Measure how the power of a band changes after an event: (de)synchronisation, in dB.

    Cut epochs longer than both intervals, with baseline null: wavelets need room on either side.

    Definition: Morlet wavelets of so many cycles at fmin, fmin + 1 … Hz (SD cycles / 2πf); power of
    every epoch, averaged over frequencies, epochs and samples of the window, over the same of the
    baseline. change_db: 10 log10 of the ratio; change_percent: 100 (ratio - 1). Over channels:
    ratio of mean powers. Evoked power is included. Two SD of the slowest wavelet must lie inside
    the epoch.

    Example: {"view": "view-2", "fmin": 8, "fmax": 12, "tmin": 0.5, "tmax": 2.5, "baseline":
    [-1.5, -0.5]}
    """
    from braino_registry.recordings.operations import analyse

    chosen, _ = epochs_of(state, view)
    found = analyse(
        "tfr.power", chosen, channels, fmin=fmin, fmax=fmax, tmin=tmin, tmax=tmax,
        baseline=list(baseline), cycles=cycles,
    )  # fmt: skip
    return msgspec.convert({**found, "n_channels": len(found["per_channel"])}, PowerChange)
