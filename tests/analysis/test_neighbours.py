from __future__ import annotations

import numpy as np
import pytest

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.neighbours import neighbours, placed, standard_positions

NAMES = (
    "Fp1 Fp2 AF3 AF4 F7 F3 Fz F4 F8 FC5 FC1 FC2 FC6 T7 C3 Cz C4 T8 CP5 CP1 CP2 CP6 P7 P3 Pz P4 P8 "
    "O1 Oz O2"
).split()


def head(seed: int, names: list[str] = NAMES) -> np.ndarray:
    """Return 40 s at 100 Hz of many smooth sources on a sphere, in V."""
    rng = np.random.default_rng(seed)
    places = placed(names, None)
    xyz = np.array([places[name] for name in names])
    xyz = xyz - np.array([0, 0, 0.04])
    xyz /= np.linalg.norm(xyz, axis=1, keepdims=True)
    sources = rng.standard_normal((60, 3))
    sources /= np.linalg.norm(sources, axis=1, keepdims=True)
    gain = np.exp((xyz @ sources.T - 1) * 4)
    x = 10e-6 * gain @ np.cumsum(rng.standard_normal((60, 4000)), axis=1) / 20
    return x - x.mean(axis=1, keepdims=True) + 1e-6 * rng.standard_normal((len(names), 4000))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("pair", [("F3", "P8"), ("Cz", "T7"), ("O1", "Fp2")])
def test_exchanged_labels_are_found(seed, pair):
    x = head(seed)
    index = [NAMES.index(name) for name in pair]
    x[index] = x[index[::-1]]
    found = neighbours(x, 100.0, NAMES)
    assert [set(swap["channels"]) for swap in found["swaps"]] == [set(pair)]
    assert set(pair) <= set(found["channels"])
    assert found["swaps"][0]["gain_percent"] > 60


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("offset", [0.0, 30e-6])
def test_right_labels_are_left_alone(seed, offset):
    # a common signal is what a far reference adds
    common = offset * np.random.default_rng(9).standard_normal(4000)
    found = neighbours(head(seed) + common, 100.0, NAMES)
    assert found["swaps"] == []
    assert found["channels"] == []
    assert found["n_examined"] == len(NAMES)


def test_two_swaps_are_undone_one_after_the_other():
    x = head(1)
    for pair in (("F3", "P8"), ("Cz", "T7")):
        index = [NAMES.index(name) for name in pair]
        x[index] = x[index[::-1]]
    swaps = {frozenset(swap["channels"]) for swap in neighbours(x, 100.0, NAMES)["swaps"]}
    assert swaps == {frozenset(("F3", "P8")), frozenset(("Cz", "T7"))}


def test_a_channel_of_its_own_and_a_flat_one():
    x = head(2)
    x[NAMES.index("C4")] = 40e-6 * np.random.default_rng(0).standard_normal(4000)
    x[NAMES.index("Pz")] = 0.0
    found = neighbours(x, 100.0, NAMES)
    assert found["rows"][0]["channel"] == "C4"
    assert found["rows"][0]["neighbour_r"] < 0.3 < found["rows"][0]["expected_r"]
    assert found["channels"] == ["C4"]
    assert found["n_examined"] == len(NAMES) - 1


def test_coordinates_of_the_recording_win_over_names():
    names = [f"E{k}" for k in range(len(NAMES))]
    sites = standard_positions()
    positions = {
        name: [1000 * v for v in sites[old.upper()]] for name, old in zip(names, NAMES, strict=True)
    }
    x = head(3)
    x[[3, 25]] = x[[25, 3]]
    found = neighbours(x, 100.0, names, positions=positions)
    assert set(found["swaps"][0]["channels"]) == {"E3", "E25"}
    with pytest.raises(SignalError, match="known position"):
        neighbours(x, 100.0, names)


def test_labels_are_read_as_people_write_them():
    found = placed(["EEG Fp1", "FCZ", "T3", "C3..", "Pz-A1", "EOG", "X1"], None)
    assert list(found) == ["EEG Fp1", "FCZ", "T3", "C3..", "Pz-A1"]
    sites = standard_positions()
    assert found["T3"] == sites["T7"]
    assert found["FCZ"] == sites["FCZ"]
