"""Analyses of long epochs take memory in proportion to the data, not to how often they repeat."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from braino_registry.analysis import clusters, erp_timing, tfr
from braino_registry.analysis.errors import SignalError

SFREQ = 1000.0
MB = 2**20


@pytest.fixture
def peak() -> Iterator[Callable[[], int]]:
    """Return what tells the largest memory so far, in bytes."""
    tracemalloc.start()
    yield lambda: tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()


def waves(n: int, n_times: int) -> np.ndarray:
    return np.random.default_rng(n).standard_normal((n, n_times)) * 1e-6


@pytest.mark.slow
def test_permutations_are_made_in_parts(peak):
    times = np.arange(10_000) / SFREQ
    found = clusters.cluster_permutation(waves(5, 10_000), waves(6, 10_000), times)
    assert found["n_clusters"] > 0
    assert peak() < 100 * MB  # a thousand permutations of ten thousand samples are 80 MB, thrice
    with pytest.raises(SignalError, match="too many to permute"):
        clusters.cluster_permutation(waves(5, 10_001), waves(6, 10_001), np.arange(10_001))


def test_resampled_averages_are_made_in_parts(peak):
    times = np.arange(-100, 19_900) / SFREQ
    data = waves(6, 20_000)[:, None] + 1e-6
    found = erp_timing.latency_precision(data, times, ["Pz"], channel="Pz", tmin=0.0, tmax=19.0)
    assert found["sme_s"] > 0
    assert peak() < 120 * MB  # a thousand averages are 152 MB, several times


def test_wavelets_see_a_few_epochs_at_a_time(peak):
    times = np.arange(-1000, 3000) / SFREQ
    data = waves(600, 4000)[:, None]
    found = tfr.power_change(
        data, SFREQ, times, ["Pz"], fmin=10, fmax=10, tmin=0.0, tmax=1.0, baseline=(-0.5, 0.0)
    )
    assert found["n_epochs"] == 600
    assert abs(found["change_percent"]) < 20
    assert peak() < data.nbytes + 90 * MB  # all epochs at once are 40 MB, complex, thrice and more
