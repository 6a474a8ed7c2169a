"""Files that an agent might leave: one as it was asked for, and many that are not."""

from __future__ import annotations

from pathlib import Path

import edfio
import numpy as np
from numpy.typing import NDArray

from braino_registry.analysis.filters import band_pass

Array = NDArray[np.float64]
SFREQ = 200.0
SECONDS = 40.0
NAMES = ("Fp1", "F3", "O1", "O2")


def eeg(seed: int = 1, sfreq: float = SFREQ, n_channels: int = 4) -> Array:
    """Return EEG in µV: a background of 1/f, an alpha rhythm of 30 µV, hum and noise."""
    rng = np.random.default_rng(seed)
    n = round(SECONDS * sfreq)
    freqs = np.fft.rfftfreq(n, 1 / sfreq)
    shape = 1 / np.maximum(freqs, 0.05) ** 0.75
    spectrum = np.fft.rfft(rng.standard_normal((n_channels, n))) * shape
    background = np.fft.irfft(spectrum, n)
    background *= 15 / background.std(axis=1, keepdims=True)
    times = np.arange(n) / sfreq
    alpha = 12 * np.sin(2 * np.pi * 10 * times + rng.uniform(0, 6, (n_channels, 1)))
    alpha *= 1 + 0.5 * np.sin(2 * np.pi * 0.3 * times + rng.uniform(0, 6, (n_channels, 1)))
    scale = np.linspace(0.6, 1.4, n_channels)[:, np.newaxis]
    return scale * (background + alpha) + rng.standard_normal((n_channels, n))


def filtered(data: Array, low: float | None, high: float | None, sfreq: float = SFREQ) -> Array:
    """Return signals filtered as the tools do it."""
    return np.asarray(band_pass(data, sfreq, low, high), dtype=np.float64)


def average(data: Array) -> Array:
    """Return signals against their mean."""
    return data - data.mean(axis=0)


def write_edf(
    path: Path,
    data: Array,
    *,
    sfreq: float = SFREQ,
    names: tuple[str, ...] = NAMES,
    prefilter: str = "",
    dimension: str = "uV",
) -> Path:
    """Write an EDF file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    scale = {"uV": 1.0, "V": 1e-6}[dimension]
    edfio.Edf(
        [
            edfio.EdfSignal(
                row * scale,
                sampling_frequency=sfreq,
                label=name,
                physical_dimension=dimension,
                prefiltering=prefilter,
            )
            for row, name in zip(data, names, strict=True)
        ]
    ).write(path)
    return path


def rms(data: Array) -> list[float]:
    """Return the RMS of each channel."""
    return [float(value) for value in np.sqrt(np.mean(data**2, axis=1))]
