"""Features of the spectra of single channels: shares of bands, ratios, edges, personal bands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.operation import operation
from braino_registry.analysis.spectra import (
    BANDS,
    UV2,
    band_power,
    peak_of,
    spectral_edge,
    welch_psd,
)
from braino_registry.analysis.tables import Table, by_channel, check_varying

Array = NDArray[np.float64]
Band = Sequence[float]

# a high-pass at 0.5 Hz and a low-pass at 40 Hz are what most recordings go through
WHOLE: Band = (0.5, 40.0)


def edges(band: Band, name: str) -> tuple[float, float]:
    """Return the two edges of a band in Hz.

    Raises
    ------
    SignalError
        If there are not two, the lower one first.
    """
    if len(band) != 2 or not 0 <= float(band[0]) < float(band[1]):
        raise SignalError(
            f"{name} is no band: {list(band)}", hint="Pass two edges in Hz, the lower one first."
        )
    return float(band[0]), float(band[1])


def shares_of(freqs: Array, psd: Array, ch_names: Sequence[str], band: Band, whole: Band) -> Array:
    """Return the share of a band in the power of a wider one, per channel (0 to 1).

    Parameters
    ----------
    freqs : array, shape (n_freqs,)
        Hz.
    psd : array, shape (n_channels, n_freqs)
        Power per Hz.
    ch_names : sequence of str
        Names for messages.
    band, whole : (float, float)
        Hz.

    Raises
    ------
    SignalError
        If a channel has no power in the wider band.
    """
    total = band_power(freqs, psd, *edges(whole, "relative_to"))
    check_varying(ch_names, total > 0)
    return band_power(freqs, psd, *edges(band, "the band")) / total


@operation("spectra.powers", version="1.0.0")
def powers(
    data: Array,
    sfreq: float,
    ch_names: Sequence[str],
    *,
    bands: Mapping[str, Band] = BANDS,
    relative_to: Band = WHOLE,
    segment_seconds: float = 4.0,
    window: str = "hann",
) -> dict[str, Any]:
    """Return absolute and relative power of several bands in every channel.

    Power is the trapezoid integral of Welch's density over ``fmin <= f <= fmax``; relative power
    its ratio to the integral over ``relative_to``, per channel. Means over channels are means of
    the channels' values.

    Parameters
    ----------
    data, sfreq, ch_names
        The signal in V, its rate and channels.
    bands : mapping of str to (float, float)
        Bands in Hz by name.
    relative_to : (float, float)
        The range in Hz that relative power is a share of.
    segment_seconds, window
        As in :func:`braino_registry.analysis.spectra.welch_psd`.

    Returns
    -------
    dict
        ``absolute_uv2`` and ``relative``: by band, by channel; ``mean_absolute_uv2`` and
        ``mean_relative`` by band.
    """
    freqs, psd = welch_psd(data, sfreq, segment_seconds=segment_seconds, window=window)
    if not bands:
        raise SignalError("there is no band", hint="Pass bands by name.")
    absolute = {
        name: band_power(freqs, psd, *edges(band, f"bands.{name}")) * UV2
        for name, band in bands.items()
    }
    relative = {
        name: shares_of(freqs, psd, ch_names, band, relative_to) for name, band in bands.items()
    }
    return {
        "absolute_uv2": {name: by_channel(ch_names, x) for name, x in absolute.items()},
        "relative": {name: by_channel(ch_names, x) for name, x in relative.items()},
        "mean_absolute_uv2": {name: float(x.mean()) for name, x in absolute.items()},
        "mean_relative": {name: float(x.mean()) for name, x in relative.items()},
    }


@operation("spectra.relative", version="1.0.0")
def relative(
    data: Array,
    sfreq: float,
    ch_names: Sequence[str],
    *,
    fmin: float,
    fmax: float,
    relative_to: Band = WHOLE,
    segment_seconds: float = 4.0,
    window: str = "hann",
) -> dict[str, Any]:
    """Return the share of one band in every channel, as :func:`powers` defines it.

    Returns
    -------
    dict
        ``values`` (0 to 1) by channel and their ``mean``.
    """
    freqs, psd = welch_psd(data, sfreq, segment_seconds=segment_seconds, window=window)
    return Table.of(ch_names, shares_of(freqs, psd, ch_names, (fmin, fmax), relative_to)).shown()


@operation("spectra.ratio", version="1.0.0")
def ratio(
    data: Array,
    sfreq: float,
    ch_names: Sequence[str],
    *,
    numerator: Band,
    denominator: Band,
    segment_seconds: float = 4.0,
    window: str = "hann",
) -> dict[str, Any]:
    """Return the ratio of two bands' powers in every channel.

    Parameters
    ----------
    data, sfreq, ch_names
        The signal in V, its rate and channels.
    numerator, denominator : (float, float)
        Bands in Hz; powers as in :func:`powers`.
    segment_seconds, window
        As in :func:`braino_registry.analysis.spectra.welch_psd`.

    Returns
    -------
    dict
        ``values`` by channel, their ``mean`` (the mean of ratios) and ``ratio_of_means``.
    """
    freqs, psd = welch_psd(data, sfreq, segment_seconds=segment_seconds, window=window)
    above = band_power(freqs, psd, *edges(numerator, "numerator"))
    below = band_power(freqs, psd, *edges(denominator, "denominator"))
    check_varying(ch_names, below > 0)
    shown = Table.of(ch_names, above / below).shown()
    return {**shown, "ratio_of_means": float(above.mean() / below.mean())}


@operation("spectra.edge", version="1.0.0")
def edge(
    data: Array,
    sfreq: float,
    ch_names: Sequence[str],
    *,
    share: float = 0.95,
    fmin: float = 0.5,
    fmax: float = 40.0,
    segment_seconds: float = 4.0,
    window: str = "hann",
) -> dict[str, Any]:
    """Return the spectral edge frequency of every channel.

    The smallest bin ``f`` of Welch's spectrum in ``[fmin, fmax]`` at which the cumulative trapezoid
    power reaches ``share`` of the power in that range (SEF95 for 0.95).

    Parameters
    ----------
    data, sfreq, ch_names
        The signal in V, its rate and channels.
    share : float
        Above 0, below 1.
    fmin, fmax : float
        The range in Hz.
    segment_seconds, window
        As in :func:`braino_registry.analysis.spectra.welch_psd`.

    Returns
    -------
    dict
        ``values`` in Hz by channel and their ``mean``.
    """
    if not 0 < share < 1:
        raise SignalError(f"{share:g} is no share", hint="Pass share between 0 and 1.")
    freqs, psd = welch_psd(data, sfreq, segment_seconds=segment_seconds, window=window)
    check_varying(ch_names, band_power(freqs, psd, fmin, fmax) > 0)
    found = [spectral_edge(freqs, row, fmin, fmax, share) for row in psd]
    return Table.of(ch_names, found).shown()


@operation("spectra.dominant", version="1.0.0")
def dominant(
    data: Array,
    sfreq: float,
    *,
    bands: Mapping[str, Band] = BANDS,
    segment_seconds: float = 4.0,
    window: str = "hann",
) -> dict[str, Any]:
    """Return the bands by their power in the spectrum averaged over channels.

    Equal powers keep the order in which the bands are given.

    Parameters
    ----------
    data, sfreq
        The signal in V and its rate.
    bands : mapping of str to (float, float)
        Two bands or more, in Hz, by name.
    segment_seconds, window
        As in :func:`braino_registry.analysis.spectra.welch_psd`.

    Returns
    -------
    dict
        ``names`` (strongest first), ``values`` in µV² by band, ``first``, ``second`` and
        ``margin`` (1 - second / first).
    """
    if len(bands) < 2:
        raise SignalError("one band cannot dominate", hint="Pass two bands or more by name.")
    freqs, psd = welch_psd(data, sfreq, segment_seconds=segment_seconds, window=window)
    return dominant_of(freqs, psd.mean(axis=0), bands)


def dominant_of(freqs: Array, psd: Array, bands: Mapping[str, Band]) -> dict[str, Any]:
    """Return what :func:`dominant` returns, from one spectrum in V²/Hz."""
    found = {
        name: float(band_power(freqs, psd, *edges(band, f"bands.{name}"))) * UV2
        for name, band in bands.items()
    }
    names = sorted(found, key=lambda name: -found[name])
    first, second = names[:2]
    if not found[first] > 0:
        raise SignalError("the signal has no power in any band", hint="Leave out flat channels.")
    return {
        "names": names,
        "values": found,
        "first": first,
        "second": second,
        "margin": 1 - found[second] / found[first],
    }


@operation("spectra.personal_band", version="1.0.0")
def personal_band(
    data: Array,
    sfreq: float,
    ch_names: Sequence[str],
    *,
    fmin: float = 8.0,
    fmax: float = 13.0,
    half_width: float = 2.0,
    relative_to: Band = WHOLE,
    segment_seconds: float = 4.0,
    window: str = "hann",
) -> dict[str, Any]:
    """Return relative power in a band around a person's own peak.

    The peak is the largest bin of the spectrum, averaged over channels, with
    ``fmin <= f <= fmax`` (Klimesch 1999 centres bands on it in this way); the band reaches
    ``half_width`` to either side.

    Parameters
    ----------
    data, sfreq, ch_names
        The signal in V, its rate and channels.
    fmin, fmax : float
        Range of the search in Hz.
    half_width : float
        Hz.
    relative_to : (float, float)
        The range in Hz that relative power is a share of.
    segment_seconds, window
        As in :func:`braino_registry.analysis.spectra.welch_psd`.

    Returns
    -------
    dict
        ``frequency_hz``, ``band``, ``values`` (0 to 1) by channel and their ``mean``.

    Raises
    ------
    SignalError
        If the range holds no local maximum.
    """
    freqs, psd = welch_psd(data, sfreq, segment_seconds=segment_seconds, window=window)
    return personal_of(freqs, psd, ch_names, (fmin, fmax), half_width, relative_to)


def personal_of(
    freqs: Array, psd: Array, ch_names: Sequence[str], search: Band, half_width: float, whole: Band
) -> dict[str, Any]:
    """Return what :func:`personal_band` returns, from spectra in V²/Hz."""
    low, high = edges(search, "the range of the search")
    peak = peak_of(freqs, psd.mean(axis=0), low, high, rule="grid")
    if peak["at_edge"]:
        raise SignalError(
            f"there is no spectral peak between {low:g} and {high:g} Hz",
            hint="Pass a wider range, or other channels.",
        )
    centre = float(peak["frequency_hz"])
    band = (centre - half_width, centre + half_width)
    shown = Table.of(ch_names, shares_of(freqs, psd, ch_names, band, whole)).shown()
    return {"frequency_hz": centre, "band": list(band), **shown}


@operation("spectra.notch_attenuation", version="1.0.0")
def notch_attenuation(
    data: Array,
    sfreq: float,
    ch_names: Sequence[str],
    *,
    notch_hz: float,
    line_hz: float | None = None,
    quality: float = 30.0,
    half_width: float = 0.5,
    segment_seconds: float = 4.0,
    window: str = "hann",
) -> dict[str, Any]:
    """Return by how much a notch filter lowers the power around a line.

    The filter is :func:`scipy.signal.iirnotch` with ``quality``, run both ways
    (:func:`scipy.signal.filtfilt`, its default padding). Attenuation is ``10 log10`` of the power
    within ``half_width`` of the line before the filter over that after it, per channel; the mean
    is that of the channels' decibels. A notch beside the line lowers it by next to nothing.

    Parameters
    ----------
    data, sfreq, ch_names
        The signal in V, its rate and channels.
    notch_hz : float
        Centre of the filter, 1 Hz or more.
    line_hz : float | None
        Where it is measured in Hz; None for the centre of the filter.
    quality : float
        Centre over width of the stop band, 1 to 200.
    half_width : float
        Hz.
    segment_seconds, window
        As in :func:`braino_registry.analysis.spectra.welch_psd`.

    Returns
    -------
    dict
        ``values`` in dB by channel and their mean, ``mean_db``.

    Raises
    ------
    SignalError
        If the frequency does not lie below half the rate, or a channel has no power there.
    """
    from scipy.signal import filtfilt, iirnotch

    line = notch_hz if line_hz is None else line_hz
    if not (1 <= notch_hz < sfreq / 2 and 1 <= quality <= 200):
        raise SignalError(
            f"{notch_hz:g} Hz cannot be notched with quality {quality:g} at {sfreq:g} Hz",
            hint=f"Pass notch_hz of 1 to less than {sfreq / 2:g} Hz, quality of 1 to 200.",
        )
    b, a = iirnotch(notch_hz, quality, fs=sfreq)
    found = []
    for row in data:
        pair = np.stack([row, filtfilt(b, a, row)])
        freqs, psd = welch_psd(pair, sfreq, segment_seconds=segment_seconds, window=window)
        found.append(band_power(freqs, psd, line - half_width, line + half_width))
    before, after = np.array(found).T
    check_varying(ch_names, (before > 0) & (after > 0))
    decibels = 10 * np.log10(before / after)
    return {"values": by_channel(ch_names, decibels), "mean_db": float(decibels.mean())}
