"""EEGAgentBench: spectra, powers of bands, differences between the sides of the head."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Meta, Struct

from braino_registry.analysis.running import Span
from braino_registry.tools.decorator import tool
from braino_registry.tools.eegagentbench_records import (
    Measured,
    RecordId,
    Stretch,
    Tmax,
    Tmin,
    finite,
    record,
    sized,
)
from braino_registry.tools.errors import ToolError
from braino_registry.tools.state import ToolState

LEAST_S = 0.5
SEGMENT_S = 2.0


def _welch(span: Span) -> tuple[Any, Any]:
    from braino_registry.analysis.running import welch

    return welch(span, min(max(8, int(SEGMENT_S * span.sfreq)), span.n))


def _bands(freqs: Any, psd: Any, fmin: float = 0.0, fmax: float = np.inf) -> dict[str, Any]:
    from braino_registry.analysis.spectra import BANDS
    from braino_registry.analysis.windowed import band_power_uv2

    return {
        name: band_power_uv2(freqs, psd, max(low, fmin), min(high, fmax))
        for name, (low, high) in BANDS.items()
    }


class PsdRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Spectrum of a channel."""

    channel: str
    alpha_peak_freq_hz: float | None
    alpha_peak_power_uv2_per_hz: float | None
    dominant_freq_hz: float | None
    total_power_uv2: float | None
    band_powers_uv2: dict[str, float | None]


class Psd(Measured, frozen=True, kw_only=True):
    """Spectra of channels."""

    record_id: str
    method: str
    resolution_hz: float
    global_alpha_peak_hz: float | None
    channels: list[PsdRow]


@tool("compute_psd", version="1.0.0", preview=False)
def compute_psd(
    state: ToolState,
    *,
    stretch: Stretch,
    method: Annotated[
        Literal["welch", "multitaper"], Meta(description="How the spectrum is estimated.")
    ] = "welch",
    fmin: Annotated[float, Meta(description="Lowest frequency, Hz.", ge=0)] = 0.5,
    fmax: Annotated[float, Meta(description="Highest frequency, Hz.", gt=0)] = 45.0,
) -> Psd:
    """Tell what the spectra of channels look like: peaks, total power, powers of bands.

    Definition: welch is Welch's method (Hann, 2 s or the window if shorter, 50 % overlap, mean
    removed, density); multitaper averages seven DPSS tapers of unit energy (time times half
    bandwidth 4) over segments of 10 s, or the window if shorter, so that both give the same power.
    alpha_peak is the largest bin from 8 to 13 Hz, dominant_freq_hz the largest from fmin to fmax
    (the first of equals); global_alpha_peak_hz is that of the mean over channels. Powers integrate
    by the trapezoid rule: delta 1-4, theta 4-8, alpha 8-13, beta 13-30, gamma 30-45 Hz, cut by fmin
    and fmax; null where fewer than two bins are left. The bins of both edges count.

    Example: {"record_id": "EEG_0001AB", "channels": ["C3"], "fmin": 0.5, "fmax": 45}
    """
    from braino_registry.analysis.running import multitaper
    from braino_registry.analysis.windowed import band_power_uv2

    groups = stretch.spans(state, LEAST_S)
    if fmin >= fmax:
        raise ToolError(f"fmin {fmin:g} is not below fmax {fmax:g} Hz", "Pass fmin < fmax.")
    rows: list[PsdRow] = []
    global_peak: float | None = None
    resolution = 0.0
    for number, (names, span) in enumerate(groups):
        freqs, psd = multitaper(span) if method == "multitaper" else _welch(span)
        within = (freqs >= fmin) & (freqs <= fmax)
        if within.sum() < 2:
            raise ToolError(
                f"fewer than two bins of the spectrum lie between {fmin:g} and {fmax:g} Hz",
                f"Bins are {freqs[1]:.3g} Hz apart up to {freqs[-1]:g} Hz.",
            )
        total = band_power_uv2(freqs, psd, fmin, fmax)
        bands = _bands(freqs, psd, fmin, fmax)
        if number == 0:
            resolution = float(freqs[1])
            global_peak = _top(freqs, psd.mean(axis=0), (freqs >= 8) & (freqs <= 13))[0]
        for i, name in enumerate(names):
            peak, height = _top(freqs, psd[i], (freqs >= 8) & (freqs <= 13))
            rows.append(
                PsdRow(
                    channel=name,
                    alpha_peak_freq_hz=peak,
                    alpha_peak_power_uv2_per_hz=height,
                    dominant_freq_hz=_top(freqs, psd[i], within)[0],
                    total_power_uv2=finite(total[i], 5),
                    band_powers_uv2={band: finite(power[i], 5) for band, power in bands.items()},
                )
            )
    found = Psd(
        record_id=stretch.record_id,
        method=method,
        resolution_hz=resolution,
        global_alpha_peak_hz=global_peak,
        channels=rows,
    )
    return sized(found, len(rows))


def _top(freqs: Any, psd: Any, within: Any) -> tuple[float | None, float | None]:
    """Return frequency and density in µV²/Hz of the largest bin of some; None of a flat signal."""
    bins = np.flatnonzero(within)
    if not bins.size or not psd[bins].max() > 0:
        return None, None
    best = bins[np.argmax(psd[bins])]
    return finite(freqs[best]), finite(psd[best] * 1e12, 5)


class BandRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Powers of a channel."""

    channel: str
    absolute_power_uv2: dict[str, float | None]
    relative_power: dict[str, float | None]
    theta_alpha_ratio: float | None
    delta_alpha_ratio: float | None
    slow_fast_ratio: float | None


class BandPower(Measured, frozen=True, kw_only=True):
    """Powers of channels."""

    record_id: str
    channels: list[BandRow]


@tool("compute_band_power", version="1.0.0", preview=False)
def compute_band_power(
    state: ToolState,
    *,
    stretch: Stretch,
) -> BandPower:
    """Tell the power of delta, theta, alpha, beta and gamma in channels, and their ratios.

    Definition: Welch's method (Hann, 2 s or the window if shorter, 50 % overlap, mean removed,
    density), integrated by the trapezoid rule over delta 1-4, theta 4-8, alpha 8-13, beta 13-30 and
    gamma 30-45 Hz, both edges included, in µV². relative_power is the share of the sum of the five.
    slow_fast_ratio is delta and theta over alpha and beta. Null where the rate or a flat signal
    leaves nothing to divide.

    Example: {"record_id": "EEG_0001AB", "channels": ["C3", "C4"], "tmin": 0, "tmax": 30}
    """
    from braino_registry.analysis.windowed import shares

    rows: list[BandRow] = []
    for names, span in stretch.spans(state, LEAST_S):
        powers = _bands(*_welch(span))
        parts = shares(powers)
        rows += [
            BandRow(
                channel=name,
                absolute_power_uv2={band: finite(power[i], 5) for band, power in powers.items()},
                relative_power={band: finite(parts[f"{band}_relative"][i]) for band in powers},
                theta_alpha_ratio=finite(parts["theta_alpha_ratio"][i]),
                delta_alpha_ratio=finite(parts["delta_alpha_ratio"][i]),
                slow_fast_ratio=finite(parts["slow_fast_ratio"][i]),
            )
            for i, name in enumerate(names)
        ]
    return sized(BandPower(record_id=stretch.record_id, channels=rows), len(rows))


class SidesRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A left and a right channel."""

    pair: str
    left_channel: str
    right_channel: str
    amplitude_asymmetry: float | None = None
    left_rms_uv: float | None = None
    right_rms_uv: float | None = None
    band_power_asymmetry: dict[str, float | None] | None = None
    total_power_asymmetry: float | None = None


class Asymmetry(Measured, frozen=True, kw_only=True):
    """Left against right."""

    record_id: str
    applicable: bool
    reason: str | None
    pairs: list[SidesRow]


@tool("compute_asymmetry", version="1.0.0", preview=False)
def compute_asymmetry(
    state: ToolState,
    *,
    record_id: RecordId,
    feature: Annotated[
        Literal["band_power", "amplitude", "all"], Meta(description="What is compared.")
    ] = "all",
    tmin: Tmin = None,
    tmax: Tmax = None,
) -> Asymmetry:
    """Compare mirrored electrodes: Fp1-Fp2, F3-F4, C3-C4, P3-P4, O1-O2, F7-F8, T7-T8, P7-P8.

    Definition: (left - right) / (left + right), from -1 to 1, of the root mean square (amplitude),
    of each band's power as in compute_band_power, and of the total power from 0 Hz to half the
    rate. Names count in any case, in both namings (T3 is T7). Bipolar derivations have no single
    electrode and make no pair: then applicable is false.

    Example: {"record_id": "EEG_0001AB", "feature": "amplitude", "tmin": 0, "tmax": 10}
    """
    from braino_registry.analysis.montage import ten_twenty_pairs

    chosen = record(state, record_id)
    pairs = ten_twenty_pairs(chosen.eeg)
    if not pairs:
        found = Asymmetry(
            record_id=record_id,
            applicable=False,
            reason=f"no left and right channel of one pair among {', '.join(chosen.names[:40])}",
            pairs=[],
        )
        return sized(found, 0)
    values: dict[str, dict[str, float]] = {}
    names = [name for _, left, right in pairs for name in (left, right)]
    for group, span in chosen.spans(names, tmin, tmax, LEAST_S):
        for name, row in zip(group, _sides(span), strict=True):
            values[name] = row
    rows = [_compared(*pair, values, feature) for pair in pairs]
    found = Asymmetry(record_id=record_id, applicable=True, reason=None, pairs=rows)
    return sized(found, len(rows))


def _sides(span: Span) -> list[dict[str, float]]:
    from braino_registry.analysis.running import moments
    from braino_registry.analysis.windowed import band_power_uv2

    freqs, psd = _welch(span)
    columns = {**_bands(freqs, psd), "total": band_power_uv2(freqs, psd, 0, float(freqs[-1]))}
    columns["rms"] = np.sqrt(moments(span).square) * 1e6
    return [
        {key: float(column[i]) for key, column in columns.items()} for i in range(span.n_channels)
    ]


def _compared(
    pair: str, left: str, right: str, values: dict[str, dict[str, float]], feature: str
) -> SidesRow:
    a, b = values[left], values[right]
    apart = {key: _share(a[key], b[key]) for key in a}
    amplitude, power = feature in ("amplitude", "all"), feature in ("band_power", "all")
    bands = {key: apart[key] for key in apart if key not in ("rms", "total")}
    return SidesRow(
        pair=pair,
        left_channel=left,
        right_channel=right,
        amplitude_asymmetry=apart["rms"] if amplitude else None,
        left_rms_uv=finite(a["rms"], 2) if amplitude else None,
        right_rms_uv=finite(b["rms"], 2) if amplitude else None,
        band_power_asymmetry=bands if power else None,
        total_power_asymmetry=apart["total"] if power else None,
    )


def _share(left: float, right: float) -> float | None:
    return finite((left - right) / (left + right)) if left + right > 0 else None
