"""Whether a filter was applied is told from the samples, for the filters that are in use."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import signal

from braino_registry.analysis.filters import resample
from braino_registry.scoring.files.spectrum import passband_problem
from tests.scoring.files import zoo

Array = zoo.Array
BANDS = [(1.0, 40.0), (8.0, 13.0), (0.5, 30.0), (4.0, None), (None, 30.0), (1.0, 45.0)]


def butterworth(data: Array, sfreq: float, low: float | None, high: float | None) -> Array:
    for corner, kind in ((low, "highpass"), (high, "lowpass")):
        if corner is not None:
            sos = signal.butter(4, corner, kind, fs=sfreq, output="sos")
            data = signal.sosfiltfilt(sos, data)
    return data


def house(data: Array, sfreq: float, low: float | None, high: float | None) -> Array:
    return zoo.filtered(data, low, high, sfreq)


@pytest.mark.parametrize("filter_", [house, butterworth])
@pytest.mark.parametrize("band", BANDS)
@pytest.mark.parametrize("sfreq", [128.0, 200.0, 500.0])
@pytest.mark.parametrize("seed", [1, 2])
def test_filtered_and_unfiltered(
    seed: int,
    sfreq: float,
    band: tuple[float | None, float | None],
    filter_: Callable[..., Array],
) -> None:
    data = zoo.eeg(seed, sfreq)
    assert passband_problem(filter_(data, sfreq, *band), sfreq, *band) == ""
    assert passband_problem(data, sfreq, *band) != ""


@pytest.mark.parametrize("band", [(1.0, 40.0), (8.0, 13.0)])
def test_half_of_the_filter_is_not_enough(band: tuple[float, float]) -> None:
    data = zoo.eeg()
    low, high = band
    assert passband_problem(house(data, 200.0, low, None), 200.0, low, high) != ""
    assert passband_problem(house(data, 200.0, None, high), 200.0, low, high) != ""


@pytest.mark.parametrize("filter_", [house, butterworth])
def test_too_narrow_a_filter_is_seen(filter_: Callable[..., Array]) -> None:
    data = filter_(zoo.eeg(), 200.0, 1.0, 15.0)
    assert passband_problem(data, 200.0, 1.0, 40.0) != ""


def test_a_rate_that_holds_nothing_beyond_the_corner_needs_no_filter() -> None:
    data = np.asarray(resample(zoo.eeg(), 200.0, 80.0))
    assert passband_problem(data, 80.0, None, 40.0) == ""


def test_strong_alpha_alone_is_no_filter() -> None:
    times = np.arange(0, 40, 1 / 200)
    data = zoo.eeg() + 40 * np.sin(2 * np.pi * 10.3 * times)
    assert passband_problem(data, 200.0, 8.0, 13.0) != ""
