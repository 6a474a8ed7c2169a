"""Features of spectra, channel by channel: powers, ratios, bands, edges, notches."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from braino_registry.tools.decorator import Result, tool
from braino_registry.tools.errors import ToolError
from braino_registry.tools.recording import View
from braino_registry.tools.spectrum import (
    Channels,
    LowerEdge,
    NamedBand,
    Segment,
    UpperEdge,
    _spectrum,
    edges_of,
)
from braino_registry.tools.state import ToolState

Measure = Literal[
    "relative_power", "absolute_power", "band_ratio", "dominant_bands", "peak_frequency",
    "edge_frequency", "personal_band",
]  # fmt: skip
Window = Annotated[Literal["hann", "hamming"], Meta(description="Window of Welch's method.")]
Band = tuple[float, float]
# a narrower range makes the edge a number of the caller's choice
LEAST_RANGE = 10.0


class Features(Result, frozen=True, kw_only=True):
    """One spectral measure, per channel."""

    measure: str
    unit: Annotated[str, Meta(description="Of mean and values.")]
    mean: Annotated[float | UnsetType, Meta(description="Over channels, of their values.")] = UNSET
    values: Annotated[
        dict[str, float],
        Meta(description="By channel; by band for dominant_bands. features.rank ranks them."),
    ]
    names: Annotated[list[str] | UnsetType, Meta(description="Bands, strongest first.")] = UNSET
    frequency_hz: Annotated[
        float | UnsetType | None,
        Meta(description="Of the peak; null if the range holds none."),
    ] = UNSET
    n_channels: int


@tool("spectrum.features", version="1.0.0", aliases=("SpectralFeatureAnalyzer",))
def features(
    state: ToolState,
    *,
    view: View,
    measure: Annotated[Measure, Meta(description="What is measured.")],
    channels: Channels = None,
    band: NamedBand = None,
    fmin: LowerEdge = None,
    fmax: UpperEdge = None,
    denominator: Annotated[
        Band | None, Meta(description="Band in Hz that band_ratio divides by.")
    ] = None,
    bands: Annotated[
        dict[str, Band] | None,
        Meta(description="Bands in Hz by name, for dominant_bands; the five if left out."),
    ] = None,
    relative_to: Annotated[
        Band, Meta(description="Range in Hz that relative power is a share of.")
    ] = (0.5, 40.0),
    percent: Annotated[
        Literal[50, 75, 90, 95], Meta(description="Share of the power below edge_frequency.")
    ] = 95,
    segment_seconds: Segment = 4.0,
    window: Window = "hann",
) -> Features:
    """Measure a spectral feature of every channel: power, ratio, bands, peak, edge frequency.

    All but dominant_bands and edge_frequency take band, or fmin and fmax (personal_band: where the
    peak is looked for). edge_frequency: fmin and fmax, else 0.5–40 Hz. Rank its result by
    features.rank.

    Definition: Welch's method (segments of segment_seconds, 50 % overlap, mean removed, density,
    mean over segments). Power: trapezoid integral, both edges included. relative_power: over the
    integral of relative_to. band_ratio: power of the band over that of denominator; mean of the
    channels' ratios. dominant_bands: of the spectrum averaged over channels. peak_frequency:
    its largest bin in the range, a local maximum; values: power per channel in the
    range. edge_frequency: smallest bin where the cumulative power reaches percent of the power in
    the range. personal_band: relative power within 2 Hz of that peak.

    Example: {"view": "view-1", "measure": "relative_power", "band": "alpha"}
    """
    from braino_registry.analysis.bands import dominant_of
    from braino_registry.analysis.spectra import BANDS

    if measure == "edge_frequency" and band is None and (fmin is None) != (fmax is None):
        raise ToolError(
            "edge_frequency takes both fmin and fmax, or neither",
            "Pass both in Hz, or leave both out for 0.5–40 Hz.",
        )
    from_range = measure == "edge_frequency" and (band, fmin, fmax) == (None, None, None)
    chosen: Band | None = (0.5, 40.0) if from_range else None
    if measure != "dominant_bands" and chosen is None:
        chosen = edges_of(measure, band, fmin, fmax)
    if measure == "band_ratio" and denominator is None:
        raise ToolError("band_ratio needs a denominator", "Pass denominator as two edges in Hz.")
    view_ = state.view(view)
    freqs, psd, names = _spectrum(view_, channels, segment_seconds, window)
    if chosen is None:
        given = BANDS if bands is None else bands
        if not 2 <= len(given) <= 20:
            raise ToolError("dominant_bands compares 2 to 20 bands", "Pass bands by name.")
        found = dominant_of(freqs, psd.mean(axis=0), given)
        shown: dict[str, Any] = {"values": found["values"], "names": found["names"], "unit": "µV²"}
    else:
        shown = _measured(
            measure, freqs, psd, names, chosen, denominator, relative_to, float(percent) / 100
        )
    result = state.results.put("spectrum.features", shown, note=f"{measure} of {view_.id}")
    return Features(measure=measure, n_channels=len(names), result=result, **shown)


def _measured(
    measure: str,
    freqs: Any,
    psd: Any,
    names: tuple[str, ...],
    band: Band,
    denominator: Band | None,
    whole: Band,
    share: float,
) -> dict[str, Any]:
    """Return mean, values and unit of one measure, from spectra in V²/Hz."""
    from braino_registry.analysis import bands as analysis
    from braino_registry.analysis.spectra import UV2, band_power, peak_of, spectral_edge
    from braino_registry.analysis.tables import Table, check_varying

    if measure == "personal_band":
        own = analysis.personal_of(freqs, psd, names, band, 2.0, whole)
        del own["band"]
        return {**own, "unit": "1"}
    if measure == "relative_power":
        shares = analysis.shares_of(freqs, psd, names, band, whole)
        return {**Table.of(names, shares).shown(), "unit": "1"}
    power = band_power(freqs, psd, *analysis.edges(band, "the band"))
    if measure == "band_ratio":
        assert denominator is not None  # checked before
        below = band_power(freqs, psd, *analysis.edges(denominator, "denominator"))
        check_varying(names, below > 0)
        return {**Table.of(names, power / below).shown(), "unit": "1"}
    if measure == "edge_frequency":
        if band[1] - band[0] < LEAST_RANGE:
            raise ToolError(
                "the range is too narrow for an edge frequency",
                f"Pass fmin and fmax at least {LEAST_RANGE:g} Hz apart.",
            )
        check_varying(names, power > 0)
        edges = [spectral_edge(freqs, row, *band, share) for row in psd]
        return {**Table.of(names, edges).shown(), "unit": "Hz"}
    shown = {**Table.of(names, power * UV2).shown(), "unit": "µV²"}
    if measure == "peak_frequency":
        peak = peak_of(freqs, psd.mean(axis=0), *band, rule="grid")
        shown["frequency_hz"] = None if peak["at_edge"] else peak["frequency_hz"]
    return shown


class Attenuation(Result, frozen=True, kw_only=True):
    """By how much a notch lowers a line."""

    mean_db: Annotated[float, Meta(description="Mean over channels.")]
    values_db: Annotated[dict[str, float], Meta(description="By channel.")]
    n_channels: int


@tool("spectrum.notch_attenuation", version="1.0.0")
def notch_attenuation(
    state: ToolState,
    *,
    view: View,
    notch_hz: Annotated[float, Meta(description="Centre of the notch filter.", gt=0)],
    line_hz: Annotated[
        float | None, Meta(description="Where it is measured; the notch's centre if left out.")
    ] = None,
    quality: Annotated[
        float,
        Meta(description="Centre over width of the stop band.", ge=1, le=200),
    ] = 30.0,
    channels: Channels = None,
    segment_seconds: Segment = 4.0,
    window: Window = "hann",
) -> Attenuation:
    """Measure by how many decibels a notch filter would lower the power at a line frequency.

    Pass an unfiltered view. A notch at another frequency than the line does next to nothing to it.

    Definition: 10 log10 of the power within 0.5 Hz of line_hz before over after the filter, per
    channel, then the mean of decibels. Power as in spectrum.features. The filter: a second-order
    notch (scipy.signal.iirnotch, quality 30 unless given), run both ways over what the view shows.

    Example: {"view": "sub-01_task-rest", "notch_hz": 50, "line_hz": 50}
    """
    import numpy as np

    from braino_registry.analysis import bands as analysis

    chosen = state.view(view)
    names = chosen.pick(channels)
    found: dict[str, float] = {}
    for group, data in chosen.batches(names):
        part = analysis.notch_attenuation(
            data, chosen.sfreq, group, notch_hz=notch_hz, line_hz=line_hz, quality=quality,
            segment_seconds=segment_seconds, window=window,
        )  # fmt: skip
        found |= part["values"]
    result = state.results.put("spectrum.notch_attenuation", {"values_db": found})
    return Attenuation(
        mean_db=float(np.mean(list(found.values()))),
        values_db=found,
        n_channels=len(names),
        result=result,
    )
