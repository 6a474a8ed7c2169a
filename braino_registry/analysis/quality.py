"""Channels that cannot be used: measures that compare each channel with the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.operation import operation
from braino_registry.analysis.robust import robust_z
from braino_registry.analysis.spectra import UV2, band_power, welch_psd

Array = NDArray[np.float64]
UV = 1e6

# natural-log units: channels closer than this are not told apart
LOG_FLOOR = 0.1
# a channel drifts if slow changes make most of its amplitude
SLOW_SHARE = 0.5


@dataclass(frozen=True)
class Measures:
    """One value per channel of everything that :func:`bad_channels` looks at.

    Parameters
    ----------
    sd_uv : array
        Standard deviation.
    flat_fraction : array
        Share of one-second pieces whose standard deviation is below the flat limit.
    deviation_z : array
        Robust z over channels of the log standard deviation.
    high_frequency_z : array
        Robust z of the log ratio of fast (30–45 and above 65 Hz) to slow (1–30 Hz) power.
    slow_uv : array
        Standard deviation of the means of one-second pieces.
    slow_z : array
        Robust z of its logarithm.
    correlation : array
        Median over one-second pieces of the largest absolute correlation with another channel.
    """

    sd_uv: Array
    flat_fraction: Array
    deviation_z: Array
    high_frequency_z: Array
    slow_uv: Array
    slow_z: Array
    correlation: Array


def _pieces(data: Array, sfreq: float) -> Array:
    """Return complete one-second pieces, shape (n_channels, n_pieces, n_samples)."""
    n = max(round(sfreq), 2)
    count = data.shape[1] // n
    if count < 10:
        raise SignalError(
            f"{data.shape[1] / sfreq:.3g} s are too short to judge channels",
            hint="Pass a view of 10 s or more.",
        )
    return data[:, : count * n].reshape(data.shape[0], count, n)


def _correlations(pieces: Array, usable: NDArray[np.bool_]) -> Array:
    """Return the median over pieces of the largest correlation with another usable channel."""
    out = np.full(pieces.shape[0], np.nan)
    if usable.sum() < 2:
        return out
    best = np.empty((int(usable.sum()), pieces.shape[1]))
    for i in range(pieces.shape[1]):
        x = pieces[usable, i]
        x -= x.mean(axis=-1, keepdims=True)
        norm = np.sqrt((x**2).sum(axis=-1, keepdims=True))
        np.divide(x, norm, out=x, where=norm > 0)
        r = np.abs(x @ x.T)
        np.fill_diagonal(r, 0.0)
        best[:, i] = r.max(axis=1)
    out[usable] = np.median(best, axis=1)
    return out


def _fast_ratio(data: Array, sfreq: float) -> Array:
    """Return fast over slow power; 45–65 Hz are left out because the mains lie there."""
    freqs, psd = welch_psd(data, sfreq, segment_seconds=2.0)
    top = 0.45 * sfreq
    fast = band_power(freqs, psd, 30.0, min(45.0, top)) if top > 32 else np.zeros(len(data))
    if top > 70:
        fast = fast + band_power(freqs, psd, 65.0, min(100.0, top))
    slow = band_power(freqs, psd, 1.0, min(30.0, top))
    tiny = 1e-6 / UV2
    ratio: Array = (fast + tiny) / (slow + tiny)
    return ratio


def measure(data: Array, sfreq: float, *, flat_uv: float = 0.5) -> Measures:
    """Return the measures of every channel.

    Parameters
    ----------
    data : array, shape (n_channels, n_times)
        Volts, ten seconds or more.
    sfreq : float
        Samples per second.
    flat_uv : float
        Standard deviation in µV below which a second counts as flat.
    """
    pieces = _pieces(data, sfreq)
    # channel by channel, because the deviations of all at once would be a second recording
    flat_fraction = np.array([(rows.std(axis=-1) * UV < flat_uv).mean() for rows in pieces])
    sd_uv = np.array([row.std() for row in data]) * UV
    usable = (flat_fraction <= 0.5) & (sd_uv >= flat_uv)

    def log_of(values: Array) -> Array:
        return np.where(usable, np.log(np.maximum(values, 1e-12)), np.nan)

    slow_uv = pieces.mean(axis=-1).std(axis=-1) * UV
    return Measures(
        sd_uv=sd_uv,
        flat_fraction=flat_fraction,
        deviation_z=robust_z(log_of(sd_uv), floor=LOG_FLOOR),
        high_frequency_z=robust_z(log_of(_fast_ratio(data, sfreq)), floor=2 * LOG_FLOOR),
        slow_uv=slow_uv,
        slow_z=robust_z(log_of(slow_uv), floor=LOG_FLOOR),
        correlation=_correlations(pieces, usable),
    )


@operation("quality.bad_channels", version="1.0.0")
def bad_channels(
    data: Array,
    sfreq: float,
    ch_names: Sequence[str],
    *,
    z_threshold: float = 5.0,
    flat_uv: float = 0.5,
    drift_uv: float = 20.0,
    min_correlation: float = 0.4,
) -> dict[str, Any]:
    """Return the channels that stand out, with the reasons.

    Meant for a view that was high-passed at 1 Hz: on unfiltered data slow drift decides the
    standard deviation of every channel, so noisy ones hide and drifting ones seem noisy. Drift
    itself can only be seen on unfiltered data. The idea of the measures is that of the PREP
    pipeline (Bigdely-Shamlo et al. 2015); the rules are:

    - ``flat``: more than half of the one-second pieces, or the whole, below ``flat_uv`` (SD).
    - ``deviation``: robust z over channels (median, 1.4826 MAD) of the log standard deviation
      beyond ``±z_threshold``.
    - ``high_frequency_noise``: robust z of the log ratio of power at 30–45 and 65–100 Hz to power
      at 1–30 Hz above ``z_threshold``.
    - ``drift``: the means of one-second pieces vary (SD) by more than ``drift_uv`` and by more than
      half of the channel's SD, and the robust z of its logarithm is above ``z_threshold``.
    - ``low_correlation``: the median over one-second pieces of the largest absolute correlation
      with another channel is below ``min_correlation``.

    Parameters
    ----------
    data, sfreq, ch_names
        The signal in V, its rate and channels, EEG only.
    z_threshold : float
        Limit of the robust z scores.
    flat_uv, drift_uv : float
        Limits in µV.
    min_correlation : float
        Limit of the correlation, 0 to 1.

    Returns
    -------
    dict
        ``channels`` (order of the recording), ``reasons`` by channel, ``flat_channels``,
        ``noisy_channels`` (high-frequency noise, or too much amplitude that is no drift),
        ``drifting_channels``, and ``measures`` rows of all channels.
    """
    m = measure(data, sfreq, flat_uv=flat_uv)
    reasons: dict[str, list[str]] = {}
    noisy: list[str] = []
    for i, name in enumerate(ch_names):
        found = {
            "flat": m.flat_fraction[i] > 0.5 or m.sd_uv[i] < flat_uv,
            "deviation": abs(m.deviation_z[i]) > z_threshold,
            "high_frequency_noise": m.high_frequency_z[i] > z_threshold,
            "drift": m.slow_z[i] > z_threshold
            and m.slow_uv[i] > max(drift_uv, SLOW_SHARE * m.sd_uv[i]),
            "low_correlation": m.correlation[i] < min_correlation,
        }
        if any(found.values()):
            reasons[name] = [reason for reason, holds in found.items() if holds]
        loud = m.deviation_z[i] > z_threshold and not found["drift"]
        if loud or found["high_frequency_noise"]:
            noisy.append(name)
    return {
        "channels": list(reasons),
        "reasons": reasons,
        "flat_channels": [name for name in reasons if "flat" in reasons[name]],
        "noisy_channels": noisy,
        "drifting_channels": [name for name in reasons if "drift" in reasons[name]],
        "measures": [_row(name, m, i) for i, name in enumerate(ch_names)],
    }


def _row(name: str, m: Measures, i: int) -> dict[str, Any]:
    values = {
        "sd_uv": m.sd_uv[i],
        "deviation_z": m.deviation_z[i],
        "high_frequency_z": m.high_frequency_z[i],
        "slow_uv": m.slow_uv[i],
        "slow_z": m.slow_z[i],
        "correlation": m.correlation[i],
    }
    known = {key: float(v) if np.isfinite(v) else None for key, v in values.items()}
    return {"channel": name, **known}
