from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from braino_registry.analysis.erp_timing import (
    fractional_latency,
    latency_precision,
    precision,
)
from braino_registry.analysis.errors import SignalError
from tests.analysis import golden_signals

TIMES = np.arange(-50, 200) / 250.0
NAMES = ["Cz", "Pz"]


def bump(height_uv: float, middle: float, width: float) -> np.ndarray:
    return height_uv * 1e-6 * np.exp(-0.5 * ((TIMES - middle) / width) ** 2)


def wave(y: np.ndarray) -> np.ndarray:
    return np.stack([np.zeros_like(y), y])


def test_half_of_the_area_of_a_symmetric_component_is_its_middle():
    found = fractional_latency(
        wave(bump(8, 0.361, 0.05)), TIMES, NAMES, channel="Pz", tmin=0.1, tmax=0.6
    )
    assert found["latency"] == pytest.approx(0.361, abs=2e-4)
    assert found["area_uv_s"] == pytest.approx(8 * 0.05 * np.sqrt(2 * np.pi), rel=1e-3)
    assert found["amplitude_uv"] is None


@pytest.mark.parametrize("percent", [10, 25, 50, 75])
def test_shares_of_area_and_peak_follow_the_normal_distribution(percent):
    y = wave(bump(8, 0.36, 0.05))
    window = {"channel": "Pz", "tmin": 0.05, "tmax": 0.65, "percent": percent}
    area = fractional_latency(y, TIMES, NAMES, **window)
    assert area["latency"] == pytest.approx(0.36 + 0.05 * stats.norm.ppf(percent / 100), abs=5e-4)
    onset = fractional_latency(y, TIMES, NAMES, kind="fractional_peak_onset", **window)
    before = 0.36 - 0.05 * np.sqrt(-2 * np.log(percent / 100))
    assert onset["latency"] == pytest.approx(before, abs=1e-3)
    assert onset["amplitude_uv"] == pytest.approx(8.0, rel=1e-6)


def test_the_other_polarity_is_left_out():
    y = bump(-6, 0.17, 0.02) + bump(8, 0.4, 0.05)
    window = {"channel": "Pz", "tmin": 0.1, "tmax": 0.65}
    late = fractional_latency(wave(y), TIMES, NAMES, **window)
    early = fractional_latency(wave(y), TIMES, NAMES, polarity="negative", **window)
    assert late["latency"] == pytest.approx(0.4, abs=0.002)
    assert early["latency"] == pytest.approx(0.17, abs=0.002)
    assert early["area_uv_s"] < 0
    n1 = fractional_latency(
        wave(y), TIMES, NAMES, polarity="negative", kind="fractional_peak_onset", **window
    )
    assert n1["amplitude_uv"] == pytest.approx(-6, rel=0.01)


def test_what_is_not_there_is_refused():
    flat = wave(np.zeros_like(TIMES))
    with pytest.raises(SignalError, match="nowhere positive"):
        fractional_latency(flat, TIMES, NAMES, channel="Pz", tmin=0.1, tmax=0.5)
    with pytest.raises(SignalError, match="does not fall"):
        fractional_latency(
            wave(bump(8, 0.3, 0.2)), TIMES, NAMES, channel="Pz", tmin=0.25, tmax=0.6,
            kind="fractional_peak_onset",
        )  # fmt: skip
    with pytest.raises(SignalError, match="no channel 'Pzz'"):
        fractional_latency(flat, TIMES, NAMES, channel="Pzz", tmin=0.1, tmax=0.5)
    with pytest.raises(SignalError, match="fewer than three"):
        fractional_latency(flat, TIMES, NAMES, channel="Pz", tmin=0.1, tmax=0.104)


def golden_trials() -> np.ndarray:
    targets, times = golden_signals.p300_trials()
    assert np.allclose(times, TIMES)
    return np.stack([targets, targets], axis=1) * 1e-6


def test_measurement_error_is_that_of_single_trials():
    data = golden_trials()
    found = precision(data, TIMES, NAMES, channel="Pz", tmin=0.3, tmax=0.42)
    mask = (TIMES >= 0.3 - 1e-9) & (TIMES <= 0.42 + 1e-9)
    means = data[:, 1, mask].mean(axis=1) * 1e6
    assert found["amplitude_uv"] == pytest.approx(means.mean(), rel=1e-12)
    assert found["sme_uv"] == pytest.approx(stats.sem(means), rel=1e-12)
    interval = stats.ttest_1samp(means, 0).confidence_interval(0.95)
    assert (found["ci_low_uv"], found["ci_high_uv"]) == pytest.approx(tuple(interval), rel=1e-9)
    assert found["n_epochs"] == 30


def test_the_error_of_a_latency_is_that_of_repeated_experiments():
    data = golden_trials()
    window = {"channel": "Pz", "tmin": 0.25, "tmax": 0.5}
    found = latency_precision(data, TIMES, NAMES, **window)
    assert found == latency_precision(data, TIMES, NAMES, **window)
    assert found["ci_low_s"] < found["latency"] < found["ci_high_s"]
    rng = np.random.default_rng(0)
    true = 5e-6 * np.exp(-0.5 * ((TIMES - 0.36) / 0.06) ** 2)
    repeated = [
        fractional_latency(
            wave(true + 2e-6 / np.sqrt(30) * rng.standard_normal(TIMES.size)), TIMES, NAMES,
            **window,
        )["latency"]
        for _ in range(300)
    ]  # fmt: skip
    assert found["sme_s"] == pytest.approx(np.std(repeated), rel=0.5)
    with pytest.raises(SignalError, match="1 epoch"):
        latency_precision(data[:1], TIMES, NAMES, **window)
