from __future__ import annotations

import warnings

import numpy as np
import pytest

from braino_registry.analysis.bridging import bridging
from braino_registry.analysis.errors import SignalError
from tests import tiny

EEG = list(tiny.EEG)


def joined(*groups: tuple[str, ...], noise_uv: float = 0.2) -> np.ndarray:
    """Return a recording in which groups of channels record their mean, and nothing else is so."""
    rng = np.random.default_rng(4)
    x = tiny.signal(5)[: len(EEG)]
    x += 4e-6 * rng.standard_normal(x.shape)
    for group in groups:
        index = [EEG.index(name) for name in group]
        noise = noise_uv * 1e-6 * rng.standard_normal((len(index), x.shape[1]))
        x[index] = x[index].mean(axis=0) + noise
    return x


def test_bridges_are_found_and_grouped():
    found = bridging(joined(("C3", "P3"), ("F4", "C4", "F8")), 250.0, EEG)
    pairs = {frozenset(pair["channels"]) for pair in found["pairs"]}
    expected = [{"C3", "P3"}, {"F4", "C4"}, {"F4", "F8"}, {"C4", "F8"}]
    assert pairs == {frozenset(pair) for pair in expected}
    assert found["groups"] == [["F4", "F8", "C4"], ["C3", "P3"]]
    assert found["channels"] == ["F4", "F8", "C3", "C4", "P3"]
    assert found["pairs"][0]["distance_uv2"] < 0.2 < found["median_distance_uv2"]


def test_good_and_flat_channels_are_left_alone():
    x = joined()
    x[0] = x[1] = 0.0
    found = bridging(x, 250.0, EEG)
    assert found["pairs"] == []
    assert found["groups"] == []
    assert len(found["closest"]) == 5
    named = {name for pair in found["closest"] for name in pair["channels"]}
    assert not named & {EEG[0], EEG[1]}


def test_small_signals_are_not_bridges_for_being_small():
    assert bridging(joined() * 0.05, 250.0, EEG)["pairs"] == []


def test_mne_finds_the_same_bridges():
    import mne
    from mne.preprocessing import compute_bridged_electrodes

    x = joined(("C3", "P3"))
    raw = mne.io.RawArray(x, mne.create_info(EEG, 250.0, "eeg"), verbose="error")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pairs, distances = compute_bridged_electrodes(raw, lm_cutoff=3.0, verbose="error")
    assert [{EEG[i] for i in pair} for pair in pairs] == [{"C3", "P3"}]
    own = bridging(x, 250.0, EEG)["pairs"][0]["distance_uv2"]
    i, j = sorted((EEG.index("C3"), EEG.index("P3")))
    # MNE filters more steeply
    assert own == pytest.approx(float(np.median(distances[:, i, j])), rel=0.4)


def test_too_little_is_refused():
    with pytest.raises(SignalError, match="too little"):
        bridging(joined()[:, :1000], 250.0, EEG)
