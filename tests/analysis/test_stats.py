from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mne.stats import bonferroni_correction, fdr_correction
from scipy import stats as scipy_stats

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.stats import cohen_d, correct, ttest

P = [0.01, 0.04, 0.03, 0.005, 0.5]


def groups() -> tuple[list[float], list[float]]:
    rs = np.random.RandomState(13)
    return list(rs.normal(0.6, 1, 20)), list(rs.normal(0, 1, 24))


def test_golden_t_test_and_effect(golden):
    found = ttest(*groups())
    t, p = golden["ttest_ind"]["value"]
    assert found["t"] == pytest.approx(t, abs=1e-9)
    assert found["p_value"] == pytest.approx(p, abs=1e-9)
    assert found["cohen_d"] == pytest.approx(golden["cohen_d"]["value"], abs=1e-9)
    assert found["df"] == 42
    assert (found["n_a"], found["n_b"]) == (20, 24)


@pytest.mark.parametrize(("method", "case"), [("holm", "holm"), ("fdr_bh", "fdr_bh")])
def test_golden_corrections(golden, method, case):
    found = correct(P, method=method)["p_adjusted"]
    np.testing.assert_allclose(found, golden[case]["value"], atol=1e-12)


def test_welch_and_paired_equal_scipy():
    a, b = groups()
    welch = ttest(a, b, equal_variances=False)
    expected = scipy_stats.ttest_ind(a, b, equal_var=False)
    assert (welch["t"], welch["p_value"]) == pytest.approx((expected.statistic, expected.pvalue))
    assert welch["df"] == pytest.approx(expected.df)
    paired = ttest(a, b[:20], paired=True)
    expected = scipy_stats.ttest_1samp(np.subtract(a, b[:20]), 0)
    assert (paired["t"], paired["p_value"]) == pytest.approx((expected.statistic, expected.pvalue))
    assert paired["cohen_d"] == pytest.approx(paired["t"] / np.sqrt(20))
    assert paired["mean_difference"] == pytest.approx(np.mean(a) - np.mean(b[:20]))


def test_one_constant_group_is_no_mistake():
    found = ttest([0.0, 1.0, 3.0], [1.0, 1.0, 1.0])
    assert found["t"] == pytest.approx(1 / 3 / np.sqrt(7 / 9))
    assert found["cohen_d"] == pytest.approx(found["t"] * np.sqrt(2 / 3))


def test_sign_follows_the_order():
    a, b = groups()
    assert ttest(a, b)["t"] == pytest.approx(-ttest(b, a)["t"])
    assert cohen_d(a, b) == pytest.approx(-cohen_d(b, a))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_corrections_equal_mne_and_never_help(p_values):
    none = correct(p_values, method="none")["p_adjusted"]
    holm = correct(p_values, method="holm")["p_adjusted"]
    strict = correct(p_values, method="bonferroni")["p_adjusted"]
    lenient = correct(p_values, method="fdr_bh")["p_adjusted"]
    np.testing.assert_allclose(strict, np.minimum(bonferroni_correction(p_values)[1], 1))
    np.testing.assert_allclose(lenient, fdr_correction(p_values)[1], rtol=1e-9, atol=1e-15)
    for a, b, c, d in zip(none, lenient, holm, strict, strict=True):
        assert a <= b * (1 + 1e-12) <= c * (1 + 1e-9) + 1e-15
        assert c <= d * (1 + 1e-12)


def test_equal_p_values_get_equal_adjusted_values():
    for method in ("holm", "fdr_bh", "bonferroni"):
        found = correct([0.02, 0.01, 0.02], method=method)["p_adjusted"]
        assert found[0] == found[2]


def test_significance_includes_alpha():
    found = correct([0.05, 0.051], method="none", alpha=0.05)
    assert found["significant"] == [True, False]
    assert found["n_significant"] == 1


@pytest.mark.parametrize(
    ("a", "b", "paired", "message"),
    [
        ([1.0], [1.0, 2.0], False, "two values or more"),
        ([1.0, 2.0], [1.0, 2.0, 3.0], True, "as many values"),
        ([1.0, 1.0], [2.0, 2.0], False, "do not vary"),
        ([1.0, 2.0], [2.0, 3.0], True, "do not vary"),
    ],
)
def test_undefined_tests_are_refused(a, b, paired, message):
    with pytest.raises(SignalError, match=message):
        ttest(a, b, paired=paired)


@pytest.mark.parametrize("p_values", [[], [1.2], [-0.1], [float("nan")]])
def test_what_is_no_p_value_is_refused(p_values):
    with pytest.raises(SignalError, match="between 0 and 1"):
        correct(p_values)
