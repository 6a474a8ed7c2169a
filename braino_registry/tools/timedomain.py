"""Features of the samples of every channel, and of their regularity."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from braino_registry.tools.decorator import Result, tool
from braino_registry.tools.errors import ToolError
from braino_registry.tools.quality import _require_continuous
from braino_registry.tools.recording import View
from braino_registry.tools.spectrum import Channels
from braino_registry.tools.state import ToolState

Feature = Literal[
    "variance", "sd", "rms", "skewness", "kurtosis", "peak_to_peak", "line_length",
    "zero_crossings", "hjorth_activity", "hjorth_mobility", "hjorth_complexity",
]  # fmt: skip
# what an analysis calls them, and their unit
_MOMENTS = {
    "variance": ("variance_uv2", "µV²"), "sd": ("sd_uv", "µV"), "rms": ("rms_uv", "µV"),
    "skewness": ("skewness", "1"), "kurtosis": ("kurtosis", "1"),
    "peak_to_peak": ("peak_to_peak_uv", "µV"), "line_length": ("line_length_uv", "µV"),
    "zero_crossings": ("zero_crossings", "count"),
}  # fmt: skip
_HJORTH = {
    "hjorth_activity": ("activity_uv2", "µV²"), "hjorth_mobility": ("mobility", "1"),
    "hjorth_complexity": ("complexity", "1"),
}  # fmt: skip


class FeatureTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One feature of all channels."""

    unit: str
    mean: Annotated[float, Meta(description="Over channels, in this unit.")]
    values: Annotated[dict[str, float], Meta(description="By channel.")]


class FieldPeak(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The largest global field power of a window."""

    time_s: Annotated[
        float | None,
        Meta(description="Seconds from the recording's start; null at the end of the window."),
    ]
    gfp_uv: float


class SignalFeatures(Result, frozen=True, kw_only=True):
    """Features in the time domain."""

    features: Annotated[
        dict[str, FeatureTable],
        Meta(description="By feature; features.rank ranks features.kurtosis.values, say."),
    ]
    gfp_peaks: Annotated[
        list[FieldPeak] | UnsetType, Meta(description="One per window, in the order given.")
    ] = UNSET
    n_channels: int


@tool("signal.features", version="1.0.0", aliases=("TimeDomainFeatureAnalyzer",))
def signal_features(
    state: ToolState,
    *,
    view: View,
    features: Annotated[list[Feature], Meta(description="Which; may be empty.", max_length=11)],
    channels: Channels = None,
    gfp_windows: Annotated[
        list[tuple[float, float]] | None,
        Meta(description="Half-open windows in seconds from the recording's start."),
    ] = None,
) -> SignalFeatures:
    """Measure variance, RMS, skewness, kurtosis, Hjorth parameters … and global field power.

    The whole tables are kept under the result id, for features.rank.

    Definition: variance, sd: n in the denominator. rms: mean not removed. skewness: g1 of
    population moments. kurtosis: excess (normal: 0), population moments. line_length: sum of
    absolute differences of neighbouring samples. zero_crossings: changes of sign. hjorth_activity:
    variance; hjorth_mobility: sqrt(var(dx) / var(x)), per sample; hjorth_complexity: mobility of dx
    over that of x. Global field power: SD (n) over the channels at each sample; its largest value
    in each window [begin, end).

    Example: {"view": "view-1", "features": ["variance"], "channels": ["Pz"]}
    """
    if not features and not gfp_windows:
        raise ToolError("no feature is asked for", "Pass features, gfp_windows or both.")
    chosen = state.view(view)
    _require_continuous(chosen)
    names = chosen.pick(channels)
    tables = _tables(chosen, names, features)
    shown = {
        name: FeatureTable(unit=unit, mean=sum(values.values()) / len(values), values=values)
        for name, (unit, values) in tables.items()
    }
    peaks: Any = UNSET if gfp_windows is None else _field_peaks(chosen, names, gfp_windows)
    kept = {name: {"values": values} for name, (_, values) in tables.items()}
    result = state.results.put("signal.features", {"features": kept})
    return SignalFeatures(features=shown, gfp_peaks=peaks, n_channels=len(names), result=result)


def _tables(
    view: Any, names: tuple[str, ...], features: list[Feature]
) -> dict[str, tuple[str, dict[str, float]]]:
    """Return unit and values by channel of each feature."""
    from braino_registry.analysis import timedomain as analysis

    tables: dict[str, tuple[str, dict[str, float]]] = {}
    for group, data in view.batches(names) if features else ():
        found: dict[str, Any] = {}
        for known, measure in ((_MOMENTS, analysis.moments), (_HJORTH, analysis.hjorth)):
            if set(known) & set(features):
                found |= measure(data, group)
        for name in features:
            key, unit = (_MOMENTS | _HJORTH)[name]
            tables.setdefault(name, (unit, {}))[1].update(found[key])
    return tables


def _field_peaks(
    view: Any, names: tuple[str, ...], windows: list[tuple[float, float]]
) -> list[FieldPeak]:
    from braino_registry.analysis import timedomain as analysis

    if not 1 <= len(windows) <= 20:
        raise ToolError(f"{len(windows)} windows", "Pass 1 to 20 windows.")
    found = analysis.gfp_peaks(view.data(names), view.sfreq, view.times, windows=windows)
    peaks = []
    for (begin, end), row in zip(windows, found["peaks"], strict=True):
        # the end of a window was chosen: what rises beyond it is no peak
        step = 1.5 / view.sfreq
        inside = begin + step < row["time"] < end - step
        peaks.append(FieldPeak(time_s=row["time"] if inside else None, gfp_uv=row["gfp_uv"]))
    return peaks


class Complexity(Result, frozen=True, kw_only=True):
    """One measure of regularity."""

    measure: str
    mean: Annotated[float, Meta(description="Over channels.")]
    values: Annotated[dict[str, float], Meta(description="By channel.")]
    n_channels: int


@tool("complexity.features", version="1.0.0", aliases=("ComplexityFeatureAnalyzer",))
def complexity_features(
    state: ToolState,
    *,
    view: View,
    measure: Annotated[
        Literal[
            "sample_entropy",
            "approximate_entropy",
            "permutation_entropy",
            "lempel_ziv",
            "higuchi",
            "petrosian",
            "dfa",
        ],
        Meta(description="What is measured."),
    ] = "sample_entropy",
    channels: Channels = None,
    m: Annotated[int, Meta(description="Samples of a template (entropies).", ge=1, le=5)] = 2,
    r_percent: Annotated[
        float, Meta(description="Tolerance in percent of the SD (entropies).", ge=1, le=100)
    ] = 20.0,
) -> Complexity:
    """Measure how irregular every channel is: sample entropy and other measures.

    Pass a filtered view of a short window, 100 to 30,000 samples: the values depend on the rate,
    the filter and the length.

    Definition: sample_entropy: -ln(A / B) of pairs of templates alike over m + 1 and m samples
    (largest difference at most r_percent of the SD with n, no self-match, n - m templates for
    both). approximate_entropy: phi(m) - phi(m + 1), self-matches counted. permutation_entropy:
    order 3, delay 1, log2, over log2(3!). lempel_ziv: LZ76 of x above its median, times log2(n)/n.
    higuchi: kmax 10. petrosian: changes of sign of the differences. dfa: windows 4 × 1.2^i up to
    a tenth, no overlap, lines.

    Example: {"view": "view-1", "measure": "sample_entropy", "channels": ["Pz"], "m": 2,
    "r_percent": 20}
    """
    from braino_registry.analysis import complexity as analysis

    chosen = state.view(view)
    _require_continuous(chosen)
    names = chosen.pick(channels)
    if chosen.n_times > analysis.MAX_SAMPLES:
        raise ToolError(
            f"complexity of more than {analysis.MAX_SAMPLES} samples is not measured",
            "Pass a shorter window (view.build with tmin and tmax).",
        )
    data = chosen.data(names)
    if measure in ("sample_entropy", "approximate_entropy"):
        measured = getattr(analysis, measure)(data, names, m=m, r=r_percent / 100)
    else:
        measured = getattr(analysis, "fluctuation" if measure == "dfa" else measure)(data, names)
    result = state.results.put("complexity.features", measured)
    return Complexity(measure=measure, **measured, n_channels=len(names), result=result)
