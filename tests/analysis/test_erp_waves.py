"""Difference waves in a pipeline, against MNE."""

from __future__ import annotations

import mne
import numpy as np
import pytest

from braino_registry.analysis import erp_waves
from braino_registry.analysis.errors import SignalError
from braino_registry.recordings.operations import operations
from tests import tiny

NAMES = ["Fz", "Cz", "Pz"]
TIMES = np.arange(-50, 200) / 250.0


def epochs(seed: int, n: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    bump = np.exp(-0.5 * ((TIMES - 0.3) / 0.05) ** 2)
    return (seed * bump + rng.standard_normal((n, len(NAMES), TIMES.size))) * 1e-6


def evoked(data: np.ndarray) -> mne.EvokedArray:
    info = mne.create_info(NAMES, 250.0, "eeg")
    return mne.EvokedArray(data.mean(axis=0), info, tmin=TIMES[0], verbose="error")


def test_the_difference_is_that_of_mne():
    target, standard = epochs(8, 30), epochs(2, 50)
    waves = [erp_waves.averaged(data, TIMES, NAMES) for data in (target, standard)]
    found = erp_waves.difference(minuend=waves[0], subtrahend=waves[1])
    both = mne.combine_evoked([evoked(target), evoked(standard)], weights=[1, -1])
    for row, name in enumerate(NAMES):
        np.testing.assert_allclose(found["uv"][name], both.data[row] * 1e6, atol=1e-9)
    np.testing.assert_allclose(found["times"], both.times, atol=1e-9)
    assert found["n_epochs"] == 30
    mean = erp_waves.measure(erp=found, channel="Pz", tmin=0.252, tmax=0.348)
    expected = both.copy().crop(0.252, 0.348).get_data("Pz").mean() * 1e6
    assert mean["amplitude_uv"] == pytest.approx(expected)
    peak = erp_waves.measure(erp=found, channel="Pz", tmin=0.2, tmax=0.4, kind="peak")
    name, latency, amplitude = (
        both.copy().pick(["Pz"]).get_peak(tmin=0.2, tmax=0.4, mode="pos", return_amplitude=True)
    )
    assert (name, peak["latency"]) == ("Pz", pytest.approx(latency))
    assert peak["amplitude_uv"] == pytest.approx(amplitude * 1e6)


def test_what_cannot_be_subtracted():
    wave = erp_waves.averaged(epochs(8, 30), TIMES, NAMES)
    moved = {**wave, "times": [t + 0.004 for t in wave["times"]]}
    renamed = {**wave, "uv": dict(zip(["Fz", "Cz", "Oz"], wave["uv"].values(), strict=True))}
    short = erp_waves.averaged(epochs(8, 30)[..., :-1], TIMES[:-1], NAMES)
    for other in (moved, renamed, short):
        with pytest.raises(SignalError, match="channels or times"):
            erp_waves.difference(minuend=wave, subtrahend=other)
    with pytest.raises(SignalError, match="epochs"):
        erp_waves.averaged(epochs(8, 30)[0], TIMES, NAMES)
    with pytest.raises(SignalError, match="'Oz'"):
        erp_waves.measure(erp=wave, channel="Oz", tmin=0.0, tmax=0.1)


def test_a_pipeline_measures_a_difference_wave(tmp_path):
    made = tiny.write(tmp_path / "bids")
    run = operations(made.root)
    view = run["recordings.open"](recording=made.recordings[0])
    waves = {}
    for event in ("target", "standard"):
        cut = run["recordings.epochs"](
            view=view, event=event, tmin=-0.2, tmax=0.8, baseline=[-0.2, 0.0]
        )
        waves[event] = run["erp.average"](view=cut)
    wave = run["erp.difference"](minuend=waves["target"], subtrahend=waves["standard"])
    peak = run["erp.measure"](erp=wave, channel="Pz", tmin=0.2, tmax=0.6, kind="peak")
    assert peak["latency"] == pytest.approx(tiny.P3_LATENCY, abs=0.03)
    assert peak["amplitude_uv"] == pytest.approx(tiny.P3_UV, abs=4)
