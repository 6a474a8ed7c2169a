from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import ceil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.windows import (
    complete_epochs,
    first_sample,
    inside,
    window_to_samples,
)


def test_golden_windows(golden):
    expected = golden["window_to_samples"]["value"]
    found = [list(window_to_samples(12.34, 15.67, rate)) for rate in (256.0, 100.0)]
    assert found == expected


@pytest.mark.parametrize(
    ("time", "sfreq", "sample"),
    [(0.29, 100.0, 29), (0.07, 100.0, 7), (0.071, 100.0, 8), (-0.2, 250.0, -50), (0.0, 250.0, 0)],
)
def test_floating_point_neither_loses_nor_adds_a_sample(time, sfreq, sample):
    assert first_sample(time, sfreq) == sample


@given(
    hundredths=st.integers(-100_000, 10_000_000),
    sfreq=st.sampled_from([100, 128, 160, 250, 256, 500, 512, 1000]),
)
def test_equals_exact_arithmetic(hundredths, sfreq):
    exact = ceil(Fraction(hundredths, 100) * sfreq)
    assert first_sample(hundredths / 100, float(sfreq)) == exact


def test_adjacent_windows_share_no_sample_and_lose_none():
    edges = [0.0, 0.29, 0.58, 1.17, 2.0]
    pieces = [window_to_samples(a, b, 100.0) for a, b in pairwise(edges)]
    assert [stop for _, stop in pieces[:-1]] == [start for start, _ in pieces[1:]]
    assert sum(stop - start for start, stop in pieces) == 200


def test_empty_window_is_refused_with_what_to_pass():
    with pytest.raises(SignalError, match="holds no sample") as error:
        window_to_samples(1.0, 1.0, 100.0)
    assert "0.01 s" in error.value.hint


def test_closed_window_includes_both_ends():
    times = np.arange(-50, 200) / 250.0
    mask = inside(times, 0.3, 0.6)
    assert times[mask][0] == pytest.approx(0.3)
    assert times[mask][-1] == pytest.approx(0.6)
    with pytest.raises(SignalError, match=r"-0\.2 and 0\.796"):
        inside(times, 2.0, 3.0)


def test_only_complete_epochs_count():
    assert complete_epochs(3050, 100.0, 30.0) == 1
    assert complete_epochs(6000, 100.0, 30.0) == 2
