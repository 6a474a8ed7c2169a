"""Power spectra: band power, peaks, mains hum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from braino_registry.tools.decorator import Result, tool
from braino_registry.tools.errors import ToolError
from braino_registry.tools.recording import View
from braino_registry.tools.state import ToolState

if TYPE_CHECKING:
    from braino_registry.recordings.views import View as ViewObject

Channels = Annotated[
    list[str] | None, Meta(description="Channels; all EEG channels of the view if left out.")
]
Segment = Annotated[float, Meta(description="Length of a Welch segment in seconds.", gt=0)]
NamedBand = Annotated[
    Literal["delta", "theta", "alpha", "beta", "gamma"] | None,
    Meta(description="delta 1–4, theta 4–8, alpha 8–13, beta 13–30, gamma 30–45 Hz."),
]
LowerEdge = Annotated[float | None, Meta(description="Lower edge in Hz, instead of band.")]
UpperEdge = Annotated[float | None, Meta(description="Upper edge in Hz, instead of band.")]


def _spectrum(
    view: ViewObject, channels: list[str] | None, segment_seconds: float, window: str = "hann"
) -> tuple[Any, Any, tuple[str, ...]]:
    """Return frequencies, densities in V²/Hz (n_channels, n_freqs), and channel names."""
    import numpy as np

    from braino_registry.analysis.spectra import welch_psd

    names = view.pick(channels)
    freqs, parts = None, []
    for _, data in view.batches(names):
        freqs, psd = welch_psd(data, view.sfreq, segment_seconds=segment_seconds, window=window)
        parts.append(psd)
    return freqs, np.concatenate(parts, axis=0), names


def edges_of(
    what: str, band: str | None, fmin: float | None, fmax: float | None
) -> tuple[float, float]:
    """Return the edges in Hz of a band that a caller names or gives.

    Raises
    ------
    ToolError
        Unless there is either a name, or both edges.
    """
    from braino_registry.analysis.spectra import BANDS

    if band is None and fmin is not None and fmax is not None:
        return fmin, fmax
    if band is not None and fmin is None and fmax is None:
        return BANDS[band]
    raise ToolError(
        f"{what} needs either band, or fmin and fmax",
        f"Pass band ({', '.join(BANDS)}), or both edges in Hz.",
    )


class ChannelPower(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Power of one channel."""

    channel: str
    absolute_uv2: float
    relative: float


class BandPower(Result, frozen=True, kw_only=True):
    """Power of a band."""

    absolute_uv2: Annotated[float, Meta(description="Mean over channels, µV².")]
    relative: Annotated[float, Meta(description="Mean over channels of the ratio, 0 to 1.")]
    fmin: Annotated[float, Meta(description="Hz.")]
    fmax: Annotated[float, Meta(description="Hz.")]
    n_channels: int
    per_channel: list[ChannelPower]


@tool("spectrum.band_power", version="1.0.0")
def band_power(
    state: ToolState,
    *,
    view: View,
    channels: Channels = None,
    band: NamedBand = None,
    fmin: LowerEdge = None,
    fmax: UpperEdge = None,
    relative_to: Annotated[
        tuple[float, float], Meta(description="Range in Hz that relative power is a share of.")
    ] = (1.0, 40.0),
    segment_seconds: Segment = 4.0,
) -> BandPower:
    """Measure absolute and relative power of a frequency band, averaged over channels.

    Pass band, or fmin and fmax.

    Definition: Welch's method: Hann window, segments of segment_seconds (4 s unless given) with
    50 % overlap, mean removed, density, mean over segments. Power is the trapezoid integral over
    fmin <= f <= fmax; relative power its ratio to the integral over relative_to (1–40 Hz unless
    given), per channel, then the mean over channels.

    Example: {"view": "view-1", "band": "alpha", "channels": ["O1", "O2"]}
    """
    from braino_registry.analysis.spectra import powers_of

    low, high = edges_of("spectrum.band_power", band, fmin, fmax)
    freqs, psd, names = _spectrum(state.view(view), channels, segment_seconds)
    found = powers_of(freqs, psd, names, fmin=low, fmax=high, relative_to=relative_to)
    return msgspec.convert(
        {**found, "fmin": low, "fmax": high, "n_channels": len(names)}, BandPower
    )


class Peak(Result, frozen=True, kw_only=True):
    """A spectral peak."""

    frequency_hz: Annotated[float | None, Meta(description="Null if the range holds no peak.")]
    power_uv2_per_hz: float
    at_edge: Annotated[
        bool, Meta(description="True if the range holds no peak, only a largest value at its edge.")
    ]
    n_channels: int


@tool("spectrum.peak", version="1.0.0")
def peak(
    state: ToolState,
    *,
    view: View,
    fmin: Annotated[float, Meta(description="Begin of the search in Hz.")],
    fmax: Annotated[float, Meta(description="End of the search in Hz.")],
    channels: Channels = None,
    segment_seconds: Segment = 4.0,
) -> Peak:
    """Find the largest peak of the spectrum between two frequencies, averaged over channels.

    Definition: Welch's method (Hann window, segments of segment_seconds (4 s unless given), 50 %
    overlap, mean removed, density), averaged over channels; the largest bin with fmin <= f <= fmax,
    refined by the parabola through the logarithms of it and its neighbours. at_edge: that bin is
    no local maximum, and has no frequency to tell: it is where the search was told to end.

    Example: {"view": "sub-01_task-rest", "fmin": 7, "fmax": 14}
    """
    from braino_registry.analysis.spectra import peak_of

    freqs, psd, names = _spectrum(state.view(view), channels, segment_seconds)
    found = peak_of(freqs, psd.mean(axis=0), fmin, fmax)
    if found["at_edge"]:
        found["frequency_hz"] = None
    return msgspec.convert({**found, "n_channels": len(names)}, Peak)


class LineNoise(Result, frozen=True, kw_only=True):
    """Mains hum."""

    frequency_hz: Annotated[
        float | None, Meta(description="50, 60, or null if neither stands out.")
    ]
    ratio_50hz: Annotated[float | None, Meta(description="Null if the rate is too low to see it.")]
    ratio_60hz: Annotated[float | None, Meta(description="Null if the rate is too low to see it.")]
    n_channels: int


@tool("spectrum.line_noise", version="1.0.0")
def line_noise(
    state: ToolState,
    *,
    view: View,
    channels: Channels = None,
    threshold: Annotated[
        float, Meta(description="Least ratio that counts as line noise.", gt=1)
    ] = 3.0,
) -> LineNoise:
    """Tell whether the recording holds mains hum, and at which frequency: 50 or 60 Hz.

    Pass an unfiltered view. It looks at the signal, not at what the sidecar states.

    Definition: Welch's method (Hann window, 4 s, 50 % overlap, density), averaged over channels;
    ratio of the largest density within 0.5 Hz of the frequency to the median density 2 to 6 Hz away
    from it. The frequency with the larger ratio is the answer if the ratio reaches the threshold.

    Example: {"view": "sub-01_task-rest"}
    """
    from braino_registry.analysis.spectra import line_ratios

    freqs, psd, names = _spectrum(state.view(view), channels, 4.0)
    found = line_ratios(freqs, psd.mean(axis=0), threshold=threshold)
    return msgspec.convert({**found, "n_channels": len(names)}, LineNoise)
