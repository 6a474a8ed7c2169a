from __future__ import annotations

import io
import itertools
import json
import math
import random
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from braino_registry import reports
from braino_registry.reports.printing import Printer
from braino_registry.reports.repeats import RESAMPLES, all_of, over_repeats
from braino_registry.reports.tables import show_report
from tests.reports.samples import report, trial


def repeated(table: dict[str, list[bool | None]], repeats: int) -> dict[str, Any]:
    """Return what a report says on instances, each ``task/instance`` with its outcomes."""
    rows = []
    for name, passes in table.items():
        task, _, instance = name.partition("/")
        for number, passed in enumerate(passes, start=1):
            outcome = {True: "passed", False: "failed", None: "harness_error"}[passed]
            rows.append(trial(task, instance or "only", repeat=number, outcome=outcome))
    document = report(rows, planned=len(table) * repeats, repeats=repeats)
    found: dict[str, Any] = document["summary"]["repeats"]
    return found


def test_pass_hat_and_pass_at_of_an_example_counted_by_hand() -> None:
    found = repeated({"a": [True, True, False, True], "b": [False, True, False, False]}, 4)
    # a: 3 of 4 pass, b: 1 of 4. Of the 6 pairs of a, 3 pass wholly and all pass somewhere.
    assert found["rates"] == [
        {"k": 1, "pass_hat": 0.5, "pass_at": 0.5},
        {"k": 2, "pass_hat": pytest.approx((3 / 6 + 0) / 2), "pass_at": pytest.approx(0.75)},
        {"k": 3, "pass_hat": pytest.approx(1 / 8), "pass_at": pytest.approx((1 + 3 / 4) / 2)},
        {"k": 4, "pass_hat": 0.0, "pass_at": 1.0},
    ]
    assert (found["repeats"], found["instances"], found["mean"]) == (4, 2, 0.5)


@given(st.lists(st.booleans(), min_size=1, max_size=7), st.data())
def test_the_rates_are_shares_of_all_draws_without_replacement(
    passes: list[bool], data: st.DataObject
) -> None:
    k = data.draw(st.integers(1, len(passes)))
    draws = list(itertools.combinations(passes, k))
    n, c = len(passes), sum(passes)
    assert all_of(n, c, k) == pytest.approx(sum(map(all, draws)) / len(draws))
    assert 1 - all_of(n, n - c, k) == pytest.approx(sum(map(any, draws)) / len(draws))
    assert all_of(n, c, k) == pytest.approx(math.comb(c, k) / math.comb(n, k))


def test_many_repeats_neither_overflow_nor_fill_the_report() -> None:
    assert 0 < all_of(10_000, 9_999, 5_000) == pytest.approx(0.5)
    found = repeated({"a": [True] * 100}, 100)
    assert [row["k"] for row in found["rates"]] == [1, 2, 4, 8, 16, 32, 64, 100]


def test_failures_of_the_harness_leave_rates_open_instead_of_flattering_the_agent() -> None:
    found = repeated({"a": [True, None, None], "b": [True, True, True]}, 3)
    assert found["rates"][0] == {"k": 1, "pass_hat": 1.0, "pass_at": 1.0}
    assert found["rates"][1:] == [{"k": k, "pass_hat": None, "pass_at": None} for k in (2, 3)]
    # An instance that was never scored takes even the first rate away.
    found = repeated({"a": [None, None], "b": [True, True]}, 2)
    assert [row["pass_hat"] for row in found["rates"]] == [None, None]


def test_instances_without_a_pass_rule_have_no_rates() -> None:
    rows = [trial(repeat=k, outcome="scored", passed=None, score=0.5) for k in (1, 2)]
    found = report(rows, repeats=2)["summary"]["repeats"]
    assert found["instances"] == 0
    assert found["rates"][0] == {"k": 1, "pass_hat": None, "pass_at": None}
    assert found["mean"] == 0.5


def test_the_interval_is_that_of_an_independent_bootstrap_over_tasks() -> None:
    draw = random.Random(4)
    scores = {f"t{i}": [draw.random() for _ in range(3)] for i in range(25)}
    rows = [
        trial(task, "only", repeat=k, outcome="failed", score=value)
        for task, values in scores.items()
        for k, value in enumerate(values, start=1)
    ]
    document = report(rows, repeats=3)
    found = document["summary"]["repeats"]
    means = np.array([np.mean(values) for values in scores.values()])
    theirs = scipy.stats.bootstrap(
        (means,), np.mean, method="percentile", n_resamples=20_000, rng=np.random.default_rng(1)
    ).confidence_interval
    # The error of a quantile from this many draws is some hundredths of the standard error.
    error = means.std(ddof=1) / math.sqrt(means.size)
    assert found["interval"]["low"] == pytest.approx(theirs.low, abs=0.15 * error)
    assert found["interval"]["high"] == pytest.approx(theirs.high, abs=0.15 * error)
    assert found["mean"] == pytest.approx(document["summary"]["score"]) == means.mean()
    assert found["interval"]["resamples"] == RESAMPLES


def test_trials_of_one_task_count_as_one_draw() -> None:
    """More repeats of the same do not make a mean surer; more tasks do."""
    few = repeated({"a": [True] * 2, "b": [False] * 2}, 2)["interval"]
    more = repeated({"a": [True] * 50, "b": [False] * 50}, 50)["interval"]
    assert (few["low"], few["high"]) == (more["low"], more["high"]) == (0.0, 1.0)
    tasks: dict[str, list[bool | None]] = {f"t{i}": [i % 2 == 0] * 2 for i in range(100)}
    many = repeated(tasks, 2)["interval"]
    assert 0.15 < many["high"] - many["low"] < 0.25


def test_one_task_has_no_interval_and_one_session_no_statistics() -> None:
    assert repeated({"a/x": [True, False], "a/y": [True, True]}, 2)["interval"] is None
    assert "repeats" not in report([trial()])["summary"]


def test_the_order_of_trials_changes_nothing() -> None:
    draw = random.Random(1)
    rows = [
        trial(f"t{i}", repeat=k, outcome="failed", score=draw.random())
        for i in range(12)
        for k in (1, 2)
    ]
    shuffled = draw.sample(rows, len(rows))
    options: dict[str, Any] = {"scored": reports.SCORED, "repeats": 2, "planned": 24}
    first, second = over_repeats(rows, **options), over_repeats(shuffled, **options)
    assert first["rates"] == second["rates"]
    assert first["mean"] == pytest.approx(second["mean"])
    for end in ("low", "high"):
        assert first["interval"][end] == pytest.approx(second["interval"][end])


def test_the_rates_and_the_interval_are_printed() -> None:
    rows = [trial(task, repeat=k) for task in ("a", "b") for k in (1, 2)]
    rows[0] = trial("a", repeat=1, outcome="failed")
    stream = io.StringIO()
    show_report(Printer(stream), report(rows, repeats=2))
    text = stream.getvalue()
    assert "2 sessions per instance, 2 instances" in text
    assert ["2", "0.5", "1"] in [line.split() for line in text.splitlines()]
    assert "95% interval of the score: 0.5 to 1 (percentile bootstrap, clustered by task" in text


def test_the_statistics_fit_the_schema(tmp_path: Any) -> None:
    rows = [trial(task, repeat=k) for task in ("a", "b") for k in (1, 2)]
    reports.write(tmp_path / "report.json", report(rows, repeats=2))
    read = reports.read(tmp_path / "report.json", verify=True)
    assert json.dumps(read["summary"]["repeats"]).count("pass_hat") == 2
