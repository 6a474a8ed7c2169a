from __future__ import annotations

import numpy as np
import pytest

from braino_registry.reports.intervals import headline_interval, interval_of
from tests.reports.samples import check, report, trial


def scored(task: str, score: float, **more: object) -> dict[str, object]:
    checks = [check(passed=True), check("b", passed=score > 0.9)]
    return {**trial(task=task, outcome="failed", checks=checks), "score": score, **more}


def test_it_lies_around_the_headline() -> None:
    document = report([scored(f"t{n}", (n % 5) / 4) for n in range(30)])
    found = headline_interval(document)
    assert found is not None
    assert found.low < document["summary"]["score"] < found.high
    assert found.units == 30


def test_one_task_leaves_nothing_to_draw() -> None:
    assert headline_interval(report([scored("t", 0.5), scored("t", 1.0)])) is None


def test_many_trials_of_a_task_make_no_interval_narrower() -> None:
    few = [scored(f"t{n}", n % 2) for n in range(20)]
    many = [row for row in few for _ in range(10)]
    assert interval_of(few, "braino") == interval_of(many, "braino")


def test_unscored_trials_are_passed_over() -> None:
    rows = [scored(f"t{n}", 1.0) for n in range(3)]
    lost = {**scored("t9", 0.0), "outcome": "harness_error", "score": None}
    assert interval_of([*rows, lost], "braino") == interval_of(rows, "braino")


def test_brainbench_draws_within_subsets_and_weighs_difficulty() -> None:
    rows = [
        scored(f"{subset}{n}", score, subset=subset, difficulty=difficulty)
        for subset in ("FA", "SA")
        for n, (difficulty, score) in enumerate([("easy", 0.0), ("hard", 1.0)] * 10)
    ]
    found = interval_of(rows, "brainbench")
    assert found is not None
    assert found.low < 2 / 3 < found.high  # 20 / (10 + 20)
    assert found.units == 40


def test_a_subset_of_one_task_has_no_interval() -> None:
    rows = [scored(f"a{n}", 1.0, subset="FA") for n in range(4)] + [scored("b", 1.0, subset="SA")]
    assert interval_of(rows, "brainbench") is None


@pytest.mark.slow
def test_it_covers_the_truth() -> None:
    rng, covered = np.random.default_rng(3), 0
    for _ in range(600):
        ability = rng.beta(2, 1, 40)  # mean 2/3
        rows = [
            scored(f"t{n}", float(rng.random() < p)) for n, p in enumerate(ability) for _ in "ab"
        ]
        found = interval_of(rows, "braino")
        assert found is not None
        covered += found.low <= 2 / 3 <= found.high
    assert 0.92 <= covered / 600 <= 0.98
