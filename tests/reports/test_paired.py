"""Paired statistics: intervals that cover, tests that agree with statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from braino_registry.reports.paired import Difference, difference, holm, mcnemar

#: Mean difference in pass rate of the simulated pairs, by the size of the effect: that of
#: P(N(d, sd² = 1 + 0.8² + 0.6² + 0.4²) > 0) − 1/2, see `_pairs`.
EFFECTS = (0.0, 0.3)
_SPREAD = np.sqrt(1 + 0.8**2 + 0.6**2 + 0.4**2)


def _truth(effect: float) -> float:
    from scipy.stats import norm

    return float(norm.cdf(effect / _SPREAD) - 0.5)


def _pairs(
    rng: np.random.Generator, tasks: int, instances: int, effect: float
) -> tuple[list[float], list[float], list[int]]:
    """Return passes of two agents: tasks differ in difficulty and in what the change does."""
    ability = rng.normal(0, 1, (tasks, 1))
    change = rng.normal(effect, 0.4, (tasks, 1))
    shared = 0.8 * rng.normal(size=(tasks, instances))
    before, after = (
        ability + more + shared + 0.6 * rng.normal(size=shared.shape) > 0 for more in (0, change)
    )
    owners = np.repeat(np.arange(tasks), instances)
    return (
        before.ravel().astype(float).tolist(),
        after.ravel().astype(float).tolist(),
        owners.tolist(),
    )


def _simulated(simulations: int, tasks: int, effect: float) -> tuple[float, float]:
    """Return how often the interval covers the truth, and how often it leaves out zero."""
    rng, covered, alarms = np.random.default_rng(1), 0, 0
    for seed in range(simulations):
        found = difference(*_pairs(rng, tasks, 3, effect), draws=500, seed=seed)
        assert found.interval is not None
        low, high = found.interval
        covered += low <= _truth(effect) <= high
        alarms += not low <= 0 <= high
    return covered / simulations, alarms / simulations


@pytest.mark.slow
@pytest.mark.parametrize("tasks", [20, 50])
@pytest.mark.parametrize("effect", EFFECTS)
def test_intervals_cover_the_truth(tasks: int, effect: float) -> None:
    covered, alarms = _simulated(2000, tasks, effect)
    assert 0.93 <= covered <= 0.97
    if effect == 0:
        assert alarms <= 0.06


def test_intervals_cover_the_truth_in_a_few_hundred() -> None:
    covered, _ = _simulated(300, 50, 0.3)
    assert 0.91 <= covered <= 0.985


@pytest.mark.parametrize(("fixed", "broken"), [(0, 0), (5, 0), (3, 9), (12, 12), (40, 21)])
def test_mcnemar_is_that_of_statsmodels(fixed: int, broken: int) -> None:
    tables = pytest.importorskip("statsmodels.stats.contingency_tables")
    expected = tables.mcnemar([[7, broken], [fixed, 11]], exact=True).pvalue
    assert mcnemar(fixed, broken) == pytest.approx(min(1.0, expected))


@settings(deadline=None, max_examples=12)  # statsmodels collects garbage in every call
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_is_that_of_statsmodels(p_values: list[float]) -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    assert holm(p_values) == pytest.approx(multitest.multipletests(p_values, method="holm")[1])


def test_tasks_are_the_units() -> None:
    """Ten alike instances of each task say no more than one."""
    rng = np.random.default_rng(3)
    values = rng.normal(0.1, 0.3, 30)
    one = difference([0.0] * 30, values.tolist(), list(range(30)))
    ten = difference([0.0] * 300, np.repeat(values, 10).tolist(), np.repeat(range(30), 10).tolist())
    assert ten.interval == pytest.approx(one.interval)
    assert ten.standard_error == pytest.approx(one.standard_error)
    assert (one.n_pairs, ten.n_pairs, ten.n_clusters) == (30, 300, 30)


def test_the_standard_error_is_that_of_a_mean() -> None:
    values = np.random.default_rng(4).normal(size=40)
    found = difference([0.0] * 40, values.tolist(), list(range(40)))
    assert found.standard_error == pytest.approx(values.std(ddof=1) / np.sqrt(40))


def test_p_value_and_interval_agree() -> None:
    rng = np.random.default_rng(5)
    for _ in range(40):
        found = difference([0.0] * 25, rng.normal(0.35, 1, 25).tolist(), list(range(25)))
        assert found.interval is not None
        assert found.p_value is not None
        outside = not found.interval[0] <= 0 <= found.interval[1]
        assert outside == (found.p_value < 0.05) or abs(found.p_value - 0.05) < 0.003


def test_what_a_suite_could_have_seen_falls_with_its_size() -> None:
    rng = np.random.default_rng(6)
    seen = [
        difference([0.0] * n, rng.normal(0, 0.3, n).tolist(), list(range(n))).detectable
        for n in (10, 40, 160)
    ]
    assert seen == sorted(seen, reverse=True)  # type: ignore[type-var]


def test_one_task_has_no_interval() -> None:
    found = difference([0.0, 0.0], [1.0, 0.0], ["a", "a"])
    assert found == Difference(0.5, None, None, None, None, 2, 1)


def test_agents_without_any_difference() -> None:
    found = difference([1.0, 0.0, 1.0], [1.0, 0.0, 1.0], ["a", "b", "c"])
    assert (found.estimate, found.interval, found.p_value) == (0.0, (0.0, 0.0), 1.0)


@pytest.mark.parametrize(
    ("before", "after", "clusters"),
    [([], [], []), ([0.0], [1.0], []), ([0.0], [float("nan")], ["a"])],
)
def test_rubbish_is_refused(before: list[float], after: list[float], clusters: list[str]) -> None:
    with pytest.raises(ValueError, match="pairs need"):
        difference(before, after, clusters)
