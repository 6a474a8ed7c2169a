from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from braino_registry.analysis.clusters import cluster_permutation
from braino_registry.analysis.comparing import anova, effect_size, power
from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.relating import ancova, correlation, partial_correlation

RNG = np.random.default_rng(3)
X = RNG.standard_normal(20)
Y = 0.6 * X + RNG.standard_normal(20)
AGE = 40 + 10 * (0.7 * X + RNG.standard_normal(20))


def test_anova_equals_scipy():
    groups = {"a": X[:6], "b": X[6:13] + 0.8, "c": X[13:] - 0.4}
    found = anova({name: values.tolist() for name, values in groups.items()})
    expected = stats.f_oneway(*groups.values())
    assert found["f"] == pytest.approx(expected.statistic)
    assert found["p_value"] == pytest.approx(expected.pvalue)
    assert (found["df_between"], found["df_within"], found["n_total"]) == (2, 17, 20)
    every = np.concatenate(list(groups.values()))
    between = sum(len(g) * (g.mean() - every.mean()) ** 2 for g in groups.values())
    assert found["eta_squared"] == pytest.approx(between / ((every - every.mean()) ** 2).sum())
    assert found["means"]["b"] == pytest.approx(groups["b"].mean())


def test_correlations_equal_scipy():
    found = correlation(X, Y)
    expected = stats.pearsonr(X, Y)
    low, high = expected.confidence_interval(0.95)
    assert (found["r"], found["p_value"]) == pytest.approx((expected.statistic, expected.pvalue))
    assert (found["ci_low"], found["ci_high"]) == pytest.approx((low, high))
    ranks = correlation(np.round(X, 1), Y, method="spearman")
    rho = stats.spearmanr(np.round(X, 1), Y)
    assert (ranks["r"], ranks["p_value"]) == pytest.approx((rho.statistic, rho.pvalue))
    assert ranks["ci_low"] < ranks["r"] < ranks["ci_high"]
    assert (found["n"], found["df"]) == (20, 18)


def test_partial_correlation_equals_the_formula_of_three_correlations():
    found = partial_correlation(X, Y, AGE)
    xy, xz, yz = (stats.pearsonr(a, b).statistic for a, b in ((X, Y), (X, AGE), (Y, AGE)))
    r = (xy - xz * yz) / np.sqrt((1 - xz**2) * (1 - yz**2))
    assert found["r"] == pytest.approx(r)
    t = r * np.sqrt(17 / (1 - r**2))
    assert found["p_value"] == pytest.approx(2 * stats.t.sf(abs(t), 17))
    assert found["r_unadjusted"] == pytest.approx(xy)
    assert found["df"] == 17


def test_a_difference_that_age_explains_vanishes():
    rng = np.random.default_rng(1)
    age_a, age_b = rng.uniform(20, 40, 15), rng.uniform(35, 60, 15)
    a, b = (12 - 0.05 * age + 0.2 * rng.standard_normal(15) for age in (age_a, age_b))
    found = ancova(a, b, age_a, age_b)
    assert found["p_value_unadjusted"] < 0.001
    assert found["p_value"] > 0.05
    assert found["slope"] == pytest.approx(-0.05, abs=0.02)
    assert found["p_value_slope"] < 0.001
    assert found["p_value_interaction"] > 0.05
    assert found["unadjusted_difference"] == pytest.approx(a.mean() - b.mean())
    assert found["covariate_difference"] == pytest.approx(age_a.mean() - age_b.mean())
    assert found["p_value_covariate"] == pytest.approx(stats.ttest_ind(age_a, age_b).pvalue)


def test_ancova_is_the_comparison_of_two_regressions():
    a, b, age_a, age_b = Y[:9], Y[9:], AGE[:9], AGE[9:]
    found = ancova(a, b, age_a, age_b)
    group = np.r_[np.ones(9), np.zeros(11)]
    full = np.column_stack([np.ones(20), group, AGE])
    without = full[:, [0, 2]]

    def left(design):
        beta = np.linalg.lstsq(design, Y, rcond=None)[0]
        return ((Y - design @ beta) ** 2).sum()

    f = (left(without) - left(full)) / (left(full) / 17)
    assert found["t"] ** 2 == pytest.approx(f)
    assert found["p_value"] == pytest.approx(stats.f.sf(f, 1, 17))
    both = np.column_stack([full, group * AGE])
    f = (left(full) - left(both)) / (left(both) / 16)
    assert found["p_value_interaction"] == pytest.approx(stats.f.sf(f, 1, 16))
    difference = found["adjusted_mean_a"] - found["adjusted_mean_b"]
    assert difference == pytest.approx(found["adjusted_difference"])


def test_effect_sizes_and_their_interval():
    a, b = X[:12] + 1.0, X[12:]
    found = effect_size(a, b)
    t, df = stats.ttest_ind(a, b).statistic, 18
    root = np.sqrt(12 * 8 / 20)
    assert found["cohen_d"] == pytest.approx(t / root)
    assert found["hedges_g"] == pytest.approx(found["cohen_d"] * (1 - 3 / (4 * df - 1)))
    # the interval's ends are the effects under which this t is the 97.5th and 2.5th percentile
    assert stats.nct.cdf(t, df, found["ci_low"] * root) == pytest.approx(0.975, abs=1e-6)
    assert stats.nct.cdf(t, df, found["ci_high"] * root) == pytest.approx(0.025, abs=1e-6)
    paired = effect_size(X, Y, paired=True)
    assert paired["cohen_d"] == pytest.approx((X - Y).mean() / (X - Y).std(ddof=1))


def test_power_equals_published_tables_and_simulation():
    # Cohen (1988), table 2.3.5: 64 people per group find d = 0.5 with 80 %
    assert power(0.5, 64)["achieved_power"] == pytest.approx(0.801, abs=0.001)
    assert power(0.5, 10)["n_needed"] == 64
    assert power(0.5, 34, paired=True)["achieved_power"] == pytest.approx(0.808, abs=0.001)
    assert power(0.5, 10, paired=True)["n_needed"] == 34
    assert power(0.0, 20)["achieved_power"] == pytest.approx(0.05)
    assert power(0.0, 20)["n_needed"] is None
    small = power(0.4, 6, 6)
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((20000, 6)) + 0.4, rng.standard_normal((20000, 6))
    share = (stats.ttest_ind(a, b, axis=1).pvalue < 0.05).mean()
    assert small["achieved_power"] == pytest.approx(share, abs=0.006)
    again = power(small["detectable_d"], 6, 6)
    assert again["achieved_power"] == pytest.approx(0.8, abs=1e-6)
    assert power(-0.5, 64, 64) == power(0.5, 64, 64)
    assert power(50.0, 30)["achieved_power"] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda: anova({"a": [1.0, 2.0]}), "two groups"),
        (lambda: anova({"a": [1.0, 1.0], "b": [2.0, 2.0]}), "do not vary"),
        (lambda: correlation([1.0] * 3, [1.0, 2.0, 3.0]), "too few"),
        (lambda: correlation([1.0] * 5, X[:5]), "do not vary"),
        (lambda: correlation(X[:5], X[:6]), "x has 5, y has 6"),
        (lambda: partial_correlation(X, Y, X), "completely"),
        (lambda: ancova(X[:5], Y[:5], [1.0] * 5, AGE[:5]), "do not vary"),
        (lambda: ancova(X[:5], Y[:6], AGE[:5], AGE[:5]), "one value per person"),
        (lambda: power(0.5, 1), "two people"),
        (lambda: power(1e6, 10), "no effect size"),
        (lambda: effect_size([1.0, 1.0], [1.0, 1.0]), "do not vary"),
        (lambda: cluster_permutation(np.ones((3, 5)), np.ones((9, 5)), np.arange(5)), "3 and 9"),
    ],
)
def test_what_cannot_be_computed_is_refused(call, problem):
    with pytest.raises(SignalError, match=problem) as error:
        call()
    assert error.value.hint


@given(st.lists(st.floats(-1e3, 1e3).map(lambda v: round(v, 2)), min_size=4, max_size=12))
def test_correlation_lies_in_its_interval(values):
    x = np.arange(len(values), dtype=float)
    if np.ptp(values) == 0:
        return
    found = correlation(x, values)
    assert -1 <= found["ci_low"] <= found["r"] + 1e-9
    assert found["r"] - 1e-9 <= found["ci_high"] <= 1
    assert 0 <= found["p_value"] <= 1


TIMES = np.arange(100) / 100


def waves(n: int, shift: float, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    y = np.cumsum(rng.standard_normal((n, 100)), axis=1) / 4
    y[:, 40:60] += shift
    return y - y.mean(axis=1, keepdims=True)


def by_hand(t: np.ndarray, limit: float) -> list[tuple[int, int, float]]:
    """Return first and last sample and mass of each cluster, sample by sample."""
    found: list[tuple[int, int, float]] = []
    for k, value in enumerate(t):
        if abs(value) <= limit:
            continue
        if found and found[-1][1] == k - 1 and found[-1][2] * value > 0:
            found[-1] = (found[-1][0], k, found[-1][2] + value)
        else:
            found.append((k, k, value))
    return found


@pytest.mark.parametrize("paired", [False, True])
def test_clusters_equal_those_made_by_hand(paired):
    a, b = waves(14, 2.2, 0), waves(14, 0.0, 1)
    found = cluster_permutation(a, b, TIMES, paired=paired, n_permutations=2000)
    test = stats.ttest_rel if paired else stats.ttest_ind
    limit = stats.t.ppf(0.975, 13 if paired else 26)
    expected = by_hand(test(a, b).statistic, limit)
    rows = found["clusters"]
    assert [(row["onset"], row["offset"]) for row in rows] == [
        (TIMES[first], TIMES[last]) for first, last, _ in expected
    ]
    assert [row["t_sum"] for row in rows] == pytest.approx([mass for _, _, mass in expected])
    rng, largest = np.random.default_rng(7), []
    both = np.concatenate([a, b])
    for _ in range(600):
        if paired:
            t = stats.ttest_1samp((a - b) * rng.choice([-1, 1], (14, 1)), 0).statistic
        else:
            order = rng.permutation(28)
            t = stats.ttest_ind(both[order[:14]], both[order[14:]]).statistic
        largest.append(max((abs(mass) for _, _, mass in by_hand(t, limit)), default=0.0))
    for row in rows:
        share = (np.array(largest) >= abs(row["t_sum"])).mean()
        assert row["p_value"] == pytest.approx(share, abs=0.07)
    assert found["n_significant"] == 1
    assert found == cluster_permutation(a, b, TIMES, paired=paired, n_permutations=2000)


def test_mne_finds_the_same_significant_cluster():
    import mne

    a, b = waves(14, 2.2, 0), waves(14, 0.0, 1)
    _, clusters, p, _ = mne.stats.permutation_cluster_1samp_test(
        a - b, threshold=stats.t.ppf(0.975, 13), n_permutations=500, out_type="mask",
        rng=0, verbose="error",
    )  # fmt: skip
    expected = [(TIMES[c[0]][0], TIMES[c[0]][-1]) for c, v in zip(clusters, p, strict=True)
                if v <= 0.05]  # fmt: skip
    rows = cluster_permutation(a, b, TIMES, paired=True)["clusters"]
    assert [(r["onset"], r["offset"]) for r in rows if r["p_value"] <= 0.05] == expected


def test_chance_makes_few_significant_clusters():
    found = [
        cluster_permutation(waves(10, 0.0, 2 * k), waves(10, 0.0, 2 * k + 1), TIMES,
                            n_permutations=200)["n_significant"] > 0
        for k in range(60)
    ]  # fmt: skip
    assert sum(found) <= 9  # 5 % of 60, and chance
