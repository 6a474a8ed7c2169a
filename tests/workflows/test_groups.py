"""Comparisons of many people, against scipy and least squares written out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from braino_registry.errors import UsageError
from braino_registry.workflows import workflows

AGES = {"01": 20, "02": 25, "03": 33, "04": 47, "05": 52, "06": 58, "07": 63, "08": 70}
GROUP = {who: "patient" if int(who) > 4 else "control" for who in AGES}
PATIENTS, CONTROLS = ["05", "06", "07", "08"], ["01", "02", "03", "04"]
BANDS = {"theta": [4, 8], "alpha": [8, 13]}
CHANNELS = ["O1", "O2"]
Known = dict[tuple[str, float], float]
Run = Callable[..., float]


def planted() -> Known:
    """Return a power by recording and lower edge of the band; alpha differs, theta does not."""
    rng = np.random.default_rng(7)
    found = {}
    for who in AGES:
        for task, more in (("rest", 0.0), ("arithmetic", 1.5)):
            name = f"sub-{who}_task-{task}"
            found[name, 4.0] = 5 + rng.normal()
            found[name, 8.0] = 9 + more + 4 * (GROUP[who] == "patient") + 0.5 * rng.normal()
    return found


@pytest.fixture
def power() -> Known:
    return planted()


@pytest.fixture
def tree(tmp_path: Path, power: Known, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a dataset of eight people whose signals are replaced by known powers."""
    rows = [f"sub-{who}\t{GROUP[who]}\t{age}\n" for who, age in AGES.items()]
    (tmp_path / "participants.tsv").write_text("participant_id\tgroup\tage\n" + "".join(rows))
    (tmp_path / "dataset_description.json").write_text('{"Name": "x", "BIDSVersion": "1.9.0"}')

    def open_(*, recording: str) -> dict[str, Any]:
        return {"view": recording}

    def band_power(*, view: Any, channels: Any, fmin: float, fmax: float) -> dict[str, Any]:
        assert channels == CHANNELS
        assert fmax > fmin
        value = power[view["view"], float(fmin)]
        return {"absolute_uv2": value, "relative": value / 40}

    def peak(*, view: Any, channels: Any, fmin: float, fmax: float) -> dict[str, Any]:
        return {"frequency_hz": 12 - power[view["view"], 8.0] / 10}

    fakes = {"recordings.open": open_, "spectra.band_power": band_power, "spectra.peak": peak}
    monkeypatch.setattr("braino_registry.recordings.operations.operations", lambda root: fakes)
    return tmp_path


@pytest.fixture
def compare(tree: Path) -> Run:
    def run(**more: Any) -> float:
        args: dict[str, Any] = {
            "a": {"group": "patient", "task": "rest"},
            "b": {"group": "control", "task": "rest"},
            "bands": BANDS,
            "measure": "absolute_uv2",
            "channels": CHANNELS,
            "of": "alpha",
            "report": "t",
        }
        function = workflows.get("groups.compare@1.0.0").function
        return float(function(tree, recording=None, **{**args, **more}))

    return run


def column(power: Known, people: Any, task: str, low: float) -> np.ndarray:
    return np.array([power[f"sub-{who}_task-{task}", low] for who in people])


def test_two_groups_as_scipy_compares_them(compare: Run, power: Known) -> None:
    for name, low in (("theta", 4.0), ("alpha", 8.0)):
        a, b = column(power, PATIENTS, "rest", low), column(power, CONTROLS, "rest", low)
        found = stats.ttest_ind(a, b)
        assert compare(of=name, report="t") == pytest.approx(found.statistic)
        assert compare(of=name, report="p_value") == pytest.approx(found.pvalue)


def test_the_effect_size_is_that_of_the_pooled_deviation(compare: Run, power: Known) -> None:
    a, b = column(power, PATIENTS, "rest", 8.0), column(power, CONTROLS, "rest", 8.0)
    pooled = np.sqrt((a.var(ddof=1) + b.var(ddof=1)) / 2)
    assert compare(report="cohen_d") == pytest.approx((a.mean() - b.mean()) / pooled)
    # a share of the same total is as different
    assert compare(report="cohen_d", measure="relative") == pytest.approx(compare(report="cohen_d"))


def test_the_clearest_band_is_the_one_with_the_smallest_p(compare: Run) -> None:
    assert compare(of="clearest", report="p_value") == min(
        compare(of=band, report="p_value") for band in BANDS
    )
    assert compare(of="clearest") == compare(of="alpha") != compare(of="theta")


def test_the_same_people_are_compared_in_pairs(compare: Run, power: Known) -> None:
    a, b = column(power, AGES, "arithmetic", 8.0), column(power, AGES, "rest", 8.0)
    found = compare(a={"task": "arithmetic"}, b={"task": "rest"}, paired=True)
    assert found == pytest.approx(stats.ttest_rel(a, b).statistic)


def test_a_covariate_is_adjusted_for(compare: Run, power: Known) -> None:
    y = np.r_[column(power, PATIENTS, "rest", 8.0), column(power, CONTROLS, "rest", 8.0)]
    ages = np.array([AGES[who] for who in (*PATIENTS, *CONTROLS)])
    design = np.column_stack([np.ones(8), np.repeat([1, 0], 4), ages])
    beta, residual, _, _ = np.linalg.lstsq(design, y, rcond=None)
    error = np.sqrt(np.linalg.inv(design.T @ design)[1, 1] * residual[0] / 5)
    assert compare(covariate="age") == pytest.approx(beta[1] / error)
    assert compare(covariate="age", report="adjusted_difference") == pytest.approx(beta[1])
    assert compare(covariate="age") != pytest.approx(compare())


@pytest.mark.parametrize("method", ["pearson", "spearman"])
def test_a_column_is_correlated_with_the_peaks(method: str, tree: Path, power: Known) -> None:
    function = workflows.get("groups.correlation@1.0.0").function
    found = function(
        tree, recording=None, task="rest", column="age", channels=CHANNELS, fmin=7, fmax=13,
        method=method, report="r",
    )  # fmt: skip
    peaks = 12 - column(power, AGES, "rest", 8.0) / 10
    wanted = {"pearson": stats.pearsonr, "spearman": stats.spearmanr}[method]
    assert found == pytest.approx(wanted(list(AGES.values()), peaks).statistic)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"report": "certainty"}, "certainty"),
        ({"of": "gamma"}, "gamma"),
        ({"covariate": "shoe_size"}, "shoe_size"),
        ({"measure": "loudness"}, "loudness"),
    ],
)
def test_what_is_not_there_is_named(more: dict[str, Any], says: str, compare: Run) -> None:
    with pytest.raises(UsageError, match=says):
        compare(**more)


def test_people_have_to_be_listed(tree: Path, compare: Run) -> None:
    (tree / "participants.tsv").unlink()
    with pytest.raises(UsageError, match=r"participants\.tsv"):
        compare()


@pytest.mark.parametrize(
    ("low", "margin", "expected"),
    [(8.0, 1.0, "demonstrated"), (4.0, 50.0, "excluded"), (4.0, 0.5, "undecided")],
)
def test_a_verdict_follows_the_test_and_the_interval(
    low: float, margin: float, expected: str, tree: Path, power: Known
) -> None:
    a, b = column(power, PATIENTS, "rest", low), column(power, CONTROLS, "rest", low)
    assert (stats.ttest_ind(a, b).pvalue < 0.05) == (expected == "demonstrated")
    found = workflows.get("groups.verdict@1.0.0").function(
        tree,
        recording=None,
        a={"group": "patient", "task": "rest"},
        b={"group": "control", "task": "rest"},
        band=[low, low + 4],
        measure="absolute_uv2",
        channels=CHANNELS,
        margin_d=margin,
    )
    assert found == expected
