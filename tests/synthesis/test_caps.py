"""Caps from eight to 128 electrodes: what is planted on them is found, under any salt."""

from __future__ import annotations

import mne
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.signal import welch

from braino_registry.synthesis.montage import CAPS, POSITIONS, direction, topography
from tests.synthesis.small import Made, made

Array = NDArray[np.float64]
SALTS = [
    pytest.param(b"salt %d" % number, marks=[pytest.mark.slow] * (number > 1))
    for number in range(8)
]


def _hum(one: Made) -> dict[str, float]:
    """Return the amplitude of each channel at the mains frequency, in µV."""
    frequencies, power = welch(one.scalp(), one.sfreq, nperseg=round(4 * one.sfreq))
    near = np.abs(frequencies - one.truth["line_frequency"]) < 0.6
    return dict(zip(one.names, np.sqrt(power[:, near].sum(axis=1) / 2), strict=True))


def _lowest(one: Made, below: float) -> dict[str, float]:
    """Return the RMS of each channel below a frequency, in µV."""
    slow = mne.filter.filter_data(one.scalp(), one.sfreq, None, below, verbose="error")
    return dict(zip(one.names, slow.std(axis=1), strict=True))


@pytest.mark.parametrize("salt", SALTS)
@pytest.mark.parametrize("name", ["dense-cap", "wearable"])
def test_one_electrode_hums_far_more_than_the_others(name: str, salt: bytes) -> None:
    for one in made(name, salt):
        (humming,) = one.truth["humming_channels"]
        hum = _hum(one)
        others = [level for channel, level in hum.items() if channel != humming]
        assert hum[humming] > 2 * max(others)
        assert one.truth["line_frequency"] in (50, 60)


@pytest.mark.parametrize("salt", SALTS)
@pytest.mark.parametrize("name", ["dense-cap", "wearable"])
def test_pops_are_jumps_of_single_electrodes(name: str, salt: bytes) -> None:
    for one in made(name, salt):
        pops = one.truth["pops"]
        assert len({pop["channel"] for pop in pops}) >= 2
        for pop in pops:
            first = round(pop["onset"] * one.sfreq)
            step = np.abs(one.scalp()[:, first] - one.scalp()[:, first - 1])
            size = dict(zip(one.names, step, strict=True))
            others = [value for channel, value in size.items() if channel != pop["channel"]]
            assert size[pop["channel"]] > 40
            assert size[pop["channel"]] > 2 * np.median(others)


@pytest.mark.parametrize("salt", SALTS)
@pytest.mark.parametrize("name", ["full-cap", "wearable"])
def test_sweat_is_slow_and_strongest_where_the_skin_is_wet(name: str, salt: bytes) -> None:
    for one in made(name, salt):
        (site,) = one.truth["sweat_sites"]
        slow = _lowest(one, 0.15)
        gains = topography(one.names, direction([site]), 35.0)
        near = [slow[channel] for channel, gain in zip(one.names, gains, strict=True) if gain > 0.8]
        far = [slow[channel] for channel, gain in zip(one.names, gains, strict=True) if gain < 0.1]
        assert near
        assert np.median(near) > 1.5 * np.median(far)


@pytest.mark.parametrize("salt", SALTS)
def test_bridges_among_close_electrodes_are_told_from_neighbours(salt: bytes) -> None:
    for one in made("full-cap", salt):
        info = mne.create_info(one.names, one.sfreq, "eeg")
        raw = mne.io.RawArray(one.x * 1e-6, info, verbose="error")
        found, _ = mne.preprocessing.compute_bridged_electrodes(raw, verbose="error")
        planted = {frozenset(pair) for pair in one.truth["bridged_pairs"]}
        assert len(planted) == 2
        assert {frozenset((one.names[i], one.names[j])) for i, j in found} == planted


@pytest.mark.parametrize(
    ("name", "cap", "size"),
    [
        ("dense-cap", "high-density-128", 128),
        ("full-cap", "standard-64", 64),
        ("wearable", "wearable-8", 8),
    ],
)
def test_each_cap_is_recorded_whole(name: str, cap: str, size: int) -> None:
    for one in made(name, b""):
        assert tuple(one.names) == CAPS[cap]
        assert len(set(one.names) & set(POSITIONS)) == size
        # No electrode is another's double, and none is silent.
        filtered = mne.filter.filter_data(one.scalp(), one.sfreq, 1, None, verbose="error")
        assert filtered.std(axis=1).min() > 1
