from __future__ import annotations

import numpy as np
import pytest

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.rejection import rejection

NAMES = ["Fp1", "Cz", "Oz"]


def epochs() -> np.ndarray:
    x = 5e-6 * np.random.default_rng(0).uniform(-1, 1, (6, 3, 100))
    x[1, 0, 40:60] += 150e-6
    x[3, 2] = 0.0
    x[4, 0, 10] += 200e-6
    x[4, 1, 10] -= 250e-6
    return x


def test_the_fate_of_every_epoch():
    found = rejection(epochs(), NAMES)
    assert (found["n_epochs"], found["n_exceeding"], found["n_keep"]) == (6, 3, 3)
    assert found["exceeding"] == [1, 3, 4]
    assert found["by_channel"] == {"Fp1": 2, "Cz": 1, "Oz": 1}
    fate = found["fate"]
    assert [row["epoch"] for row in fate] == list(range(6))
    assert [row["reason"] for row in fate] == [None, "peak_to_peak", None, "flat",
                                              "peak_to_peak", None]  # fmt: skip
    assert (fate[1]["channel"], fate[3]["channel"], fate[4]["channel"]) == ("Fp1", "Oz", "Cz")
    assert fate[1]["peak_to_peak_uv"] == pytest.approx(np.ptp(epochs()[1, 0]) * 1e6)


def test_limits_decide():
    assert rejection(epochs(), NAMES, peak_to_peak_uv=500.0)["exceeding"] == [3]
    assert rejection(epochs(), NAMES, peak_to_peak_uv=500.0, flat_uv=0.0)["exceeding"] == []
    assert rejection(epochs(), NAMES, peak_to_peak_uv=1.0)["n_keep"] == 0


def test_mne_drops_the_same_epochs():
    import mne

    made = mne.EpochsArray(
        epochs(), mne.create_info(NAMES, 100.0, "eeg"), reject={"eeg": 100e-6},
        flat={"eeg": 0.5e-6}, verbose="error",
    )  # fmt: skip
    dropped = [k for k, log in enumerate(made.drop_log) if log]
    assert dropped == rejection(epochs(), NAMES)["exceeding"]


def test_a_continuous_signal_is_refused():
    with pytest.raises(SignalError, match="epochs"):
        rejection(epochs()[0], NAMES)
