from __future__ import annotations

import numpy as np
import pytest

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.tfr import morlet_power, power_change

SFREQ = 200.0
TIMES = np.arange(-400, 600) / SFREQ
WINDOW = {"fmin": 8.0, "fmax": 12.0, "tmin": 0.5, "tmax": 1.5, "baseline": (-1.0, -0.2)}


def trials(gain: float, seed: int = 0) -> np.ndarray:
    """Return 30 epochs of two channels: 10 Hz of random phase, at C3 times gain after the event."""
    rng = np.random.default_rng(seed)
    phase = rng.uniform(0, 2 * np.pi, (30, 1))
    wave = 10e-6 * np.sin(2 * np.pi * 10 * TIMES + phase)
    changed = wave * np.where(TIMES > 0.1, gain, 1.0)
    noise = 0.1e-6 * rng.standard_normal((30, 2, TIMES.size))
    return np.stack([changed, wave], axis=1) + noise


@pytest.mark.parametrize("gain", [0.5, 1.0, 2.0])
def test_planted_change_is_measured_in_decibels(gain):
    found = power_change(trials(gain), SFREQ, TIMES, ["C3", "Oz"], **WINDOW)
    rows = {row["channel"]: row for row in found["per_channel"]}
    assert rows["C3"]["change_db"] == pytest.approx(20 * np.log10(gain), abs=0.15)
    assert rows["C3"]["change_percent"] == pytest.approx(100 * (gain**2 - 1), abs=4)
    assert rows["Oz"]["change_db"] == pytest.approx(0, abs=0.1)
    assert found["change_db"] == pytest.approx(10 * np.log10((gain**2 + 1) / 2), abs=0.15)
    assert found["n_epochs"] == 30


@pytest.mark.parametrize("cycles", [3, 5, 7])
def test_power_equals_that_of_mne(cycles):
    from mne.time_frequency import tfr_array_morlet

    data = trials(2.0)
    expected = tfr_array_morlet(
        data, SFREQ, np.array([9.0]), n_cycles=cycles, zero_mean=True, output="power",
        verbose="error",
    )[:, 0, 0]  # fmt: skip
    own = morlet_power(data[:, 0], SFREQ, 9.0, cycles)
    inner = slice(100, -100)
    scale = own[:, inner] / expected[:, inner]
    # both have unit energy up to one factor
    assert scale == pytest.approx(np.full_like(scale, scale.mean()), rel=0.01)


def test_intervals_too_close_to_the_edge_are_refused():
    for change in ({"baseline": (-2.0, -1.0)}, {"tmax": 2.99}, {"cycles": 40}):
        with pytest.raises(SignalError, match="beyond the epoch") as error:
            power_change(trials(1.0), SFREQ, TIMES, ["C3", "Oz"], **{**WINDOW, **change})
        assert "Make epochs from" in error.value.hint


def test_bands_and_signals_that_do_not_fit_are_refused():
    data = trials(1.0)
    for change, problem in (
        ({"fmin": 80.0, "fmax": 95.0}, "too fast"),
        ({"fmin": 12.0, "fmax": 8.0}, "no band"),
        ({"fmin": 0.2}, "no band"),
    ):
        with pytest.raises(SignalError, match=problem):
            power_change(data, SFREQ, TIMES, ["C3", "Oz"], **{**WINDOW, **change})
    with pytest.raises(SignalError, match="epochs"):
        power_change(data[0], SFREQ, TIMES, ["C3", "Oz"], **WINDOW)
    with pytest.raises(SignalError, match="no power in Oz"):
        power_change(data * np.array([1, 0])[:, None], SFREQ, TIMES, ["C3", "Oz"], **WINDOW)
