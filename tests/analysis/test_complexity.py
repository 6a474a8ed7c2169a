"""Entropies and dimensions against antropy, neurokit2 and series of known regularity."""

from __future__ import annotations

import importlib
import math
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from braino_registry.analysis import complexity, embedding
from braino_registry.analysis.errors import SignalError
from tests.analysis.golden_signals import CH_NAMES


@pytest.fixture(scope="module")
def rows(filtered_uv) -> np.ndarray:
    return filtered_uv[:5, 2500:4500]


NAMES = CH_NAMES[:5]


@pytest.fixture(scope="module")
def antropy() -> ModuleType:
    """Return the library, which compiles for seconds while it is imported: only where needed."""
    return importlib.import_module("antropy")


@pytest.fixture(scope="module")
def neurokit2() -> ModuleType:
    return importlib.import_module("neurokit2")


def test_sample_entropy_is_that_of_antropy_and_neurokit(rows, antropy, neurokit2):
    found = complexity.sample_entropy(rows, NAMES)["values"]
    for name, row in zip(NAMES, rows, strict=True):
        assert found[name] == pytest.approx(antropy.sample_entropy(row), abs=1e-12)
    theirs, _ = neurokit2.entropy_sample(
        rows[0], delay=1, dimension=2, tolerance=0.2 * rows[0].std()
    )
    assert found[NAMES[0]] == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("m", [2, 3])
def test_templates_of_other_lengths(rows, m, antropy):
    ours = complexity.sample_entropy(rows[:1], NAMES[:1], m=m)["mean"]
    assert ours == pytest.approx(antropy.sample_entropy(rows[0], order=m), abs=1e-12)
    ours = complexity.approximate_entropy(rows[:1], NAMES[:1], m=m)["mean"]
    assert ours == pytest.approx(antropy.app_entropy(rows[0], order=m), abs=1e-9)


def test_others_are_those_of_the_libraries(rows, antropy):
    for name, row in zip(NAMES, rows, strict=True):
        assert complexity.permutation_entropy(row[None], [name])["mean"] == pytest.approx(
            antropy.perm_entropy(row, normalize=True), abs=1e-12
        )
        assert complexity.higuchi(row[None], [name])["mean"] == pytest.approx(
            antropy.higuchi_fd(row), abs=1e-6
        )
        assert complexity.petrosian(row[None], [name])["mean"] == pytest.approx(
            antropy.petrosian_fd(row), abs=1e-12
        )
        assert complexity.fluctuation(row[None], [name])["mean"] == pytest.approx(
            antropy.detrended_fluctuation(row), abs=1e-9
        )
        binary = (row > np.median(row)).astype(int)
        assert complexity.lempel_ziv(row[None], [name])["mean"] == pytest.approx(
            antropy.lziv_complexity(binary, normalize=True), abs=1e-12
        )


def brute(x: np.ndarray, m: int, limit: float) -> tuple[int, int]:
    n = x.size - m
    counts = [0, 0]
    for i in range(n):
        for j in range(i + 1, n):
            near = [abs(x[i + k] - x[j + k]) <= limit for k in range(m + 1)]
            counts[0] += all(near[:m])
            counts[1] += all(near)
    return counts[0], counts[1]


@settings(max_examples=60, deadline=None)
@given(
    x=st.lists(st.integers(-5, 5), min_size=8, max_size=40),
    m=st.integers(1, 3),
    limit=st.sampled_from([0.0, 0.5, 1.0, 2.0, 100.0]),
)
def test_pairs_are_counted_as_one_by_one(x, m, limit):
    """With ties and with differences of exactly the tolerance, which counts as alike."""
    series = np.array(x, float)
    assert embedding.close_pairs(series, m, limit) == brute(series, m, limit)
    n = series.size - m + 1
    each = [
        sum(all(abs(series[i + k] - series[j + k]) <= limit for k in range(m)) for j in range(n))
        for i in range(n)
    ]
    assert embedding.matches_per_template(series, m, limit).tolist() == each


@settings(max_examples=60, deadline=None)
@given(text=st.text("01", min_size=1, max_size=60))
def test_phrases_are_those_of_antropy(antropy, text):
    assert embedding.lz76(text) == antropy.lziv_complexity(text, normalize=False)


def test_regular_series_are_less_complex_than_noise():
    t = np.arange(2000) / 250
    sine, noise = np.sin(2 * np.pi * 10.1 * t), np.random.default_rng(0).standard_normal(2000)
    data = np.stack([sine, noise])
    for measure in (
        complexity.sample_entropy, complexity.approximate_entropy, complexity.permutation_entropy,
        complexity.lempel_ziv, complexity.higuchi, complexity.petrosian,
    ):  # fmt: skip
        found = measure(data, ["sine", "noise"])["values"]
        assert found["noise"] > found["sine"]
    # white noise fluctuates as the root of the window's length, and all orders are as frequent
    assert complexity.fluctuation_of(noise) == pytest.approx(0.5, abs=0.08)
    assert complexity.permutation_entropy_of(noise) > 0.999
    assert complexity.higuchi_of(noise) == pytest.approx(2.0, abs=0.05)
    assert complexity.permutation_entropy_of(np.arange(200.0)) == 0.0


def test_scale_and_offset_do_not_matter(rows):
    for measure in (complexity.sample_entropy_of, complexity.permutation_entropy_of):
        assert measure(rows[0] * 4e-6 + 1) == pytest.approx(measure(rows[0]), rel=1e-9)


def test_what_is_not_defined_is_refused(rows):
    with pytest.raises(SignalError, match="flat channels: b"):
        complexity.sample_entropy(np.stack([rows[0], np.ones(2000)]), ["a", "b"])
    with pytest.raises(SignalError, match="is not measured"):
        complexity.sample_entropy(rows[:, :50], NAMES)
    with pytest.raises(SignalError, match="is not measured"):
        complexity.sample_entropy(np.zeros((1, complexity.MAX_SAMPLES + 1)), ["a"])
    with pytest.raises(SignalError, match="do not describe templates"):
        complexity.sample_entropy(rows, NAMES, r=0)
    # no two pieces of four samples of a parabola are alike
    with pytest.raises(SignalError, match="no templates of 3 samples are alike in a"):
        complexity.sample_entropy((np.arange(200.0) ** 3)[None], ["a"], r=1e-6)
    assert math.isinf(complexity.sample_entropy_of(np.arange(200.0) ** 3, r=1e-6))
    with pytest.raises(SignalError, match="order 9"):
        complexity.permutation_entropy(rows, NAMES, order=9)
    with pytest.raises(SignalError, match="kmax=1 "):
        complexity.higuchi(rows, NAMES, kmax=1)
