"""Near-infrared spectroscopy: from intensities to haemoglobin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.operation import operation
from braino_registry.analysis.windows import window_to_samples

Array = NDArray[np.float64]

# natural-log absorption of oxygenated and deoxygenated haemoglobin per mM and m, by wavelength in
# nm: molar extinction (Prahl, Optical absorption of hemoglobin, 1998, per cm and M) times 0.2303
ABSORPTION = {
    760: (0.2303 * 586.0, 0.2303 * 1548.52),
    850: (0.2303 * 1058.0, 0.2303 * 691.32),
}


def optical_density(intensity: Array, reference: Array) -> Array:
    """Return ``-ln(I / reference)`` by channel.

    Parameters
    ----------
    intensity : array, shape (n_channels, n_times)
        Above 0.
    reference : array, shape (n_channels,)
        Intensity that counts as none.

    Raises
    ------
    SignalError
        If an intensity is not above 0.
    """
    if not (intensity > 0).all() or not (reference > 0).all():
        raise SignalError("an intensity is not above 0", hint="Leave out channels without light.")
    density: Array = -np.log(intensity / reference[:, None])
    return density


@operation("nirs.optical_density", version="1.0.0")
def density_change(
    data: Array, sfreq: float, *, baseline: Sequence[float], window: Sequence[float]
) -> dict[str, Any]:
    """Return the mean change of optical density in a window.

    ``-ln(I / median of I over the baseline)``, averaged over the window, per channel. Both are
    half-open, in seconds from the first sample.

    Returns
    -------
    dict
        ``changes``: one per channel, natural log.
    """
    low, high = window_to_samples(float(baseline[0]), float(baseline[1]), sfreq)
    start, stop = window_to_samples(float(window[0]), float(window[1]), sfreq)
    density = optical_density(data, np.median(data[:, low:high], axis=1))
    return {"changes": [float(row[start:stop].mean()) for row in density]}


def haemoglobin(
    data: Array, wavelengths: Sequence[int], *, distance_m: float, path_factor: float
) -> Array:
    """Return changes of haemoglobin by the modified Beer-Lambert law.

    Optical density with the mean intensity of the whole signal as reference, solved for
    concentrations with the absorption in :data:`ABSORPTION`, the distance and the partial
    path-length factor. Delpy et al. (1988); as MNE's ``beer_lambert_law``.

    Parameters
    ----------
    data : array, shape (2, n_times)
        Intensity at two wavelengths.
    wavelengths : sequence of int
        nm, one per row.
    distance_m : float
        Between source and detector.
    path_factor : float
        Partial path-length factor, of both wavelengths.

    Returns
    -------
    array, shape (2, n_times)
        Oxygenated and deoxygenated haemoglobin in µM.
    """
    unknown = [w for w in wavelengths if w not in ABSORPTION]
    if unknown or len(wavelengths) != len(data) or len(data) < 2:
        raise SignalError(
            f"no absorption is known for {unknown or list(wavelengths)} nm",
            hint=f"Pass a row for each of {', '.join(map(str, ABSORPTION))} nm.",
        )
    density = optical_density(data, data.mean(axis=1))
    matrix = np.array([ABSORPTION[w] for w in wavelengths]) * distance_m * path_factor
    micromolar: Array = np.linalg.pinv(matrix) @ density * 1000
    return micromolar


@operation("nirs.haemoglobin", version="1.0.0")
def haemoglobin_change(
    data: Array,
    sfreq: float,
    *,
    wavelengths: Sequence[int],
    baseline: Sequence[float],
    window: Sequence[float],
    distance_m: float = 0.03,
    path_factor: float = 6.0,
) -> dict[str, Any]:
    """Return the mean of :func:`haemoglobin` in a window minus that in a baseline.

    Both are half-open, in seconds from the first sample.

    Returns
    -------
    dict
        ``hbo_um`` and ``hbr_um``.
    """
    found = haemoglobin(data, wavelengths, distance_m=distance_m, path_factor=path_factor)
    low, high = window_to_samples(float(baseline[0]), float(baseline[1]), sfreq)
    start, stop = window_to_samples(float(window[0]), float(window[1]), sfreq)
    change = found[:, start:stop].mean(axis=1) - found[:, low:high].mean(axis=1)
    return {"hbo_um": float(change[0]), "hbr_um": float(change[1])}
