"""The headline of suite brainbench, and how it is printed."""

from __future__ import annotations

import io
from typing import Any

import pytest

from braino_registry.reports.headlines import headlines
from braino_registry.reports.headlines.brainbench import brainbench
from braino_registry.reports.printing import Printer
from braino_registry.reports.summary import summarise
from braino_registry.reports.tables import show_summary


def trial(
    subset: str, difficulty: str, score: float | None, ungated: float | None = None, **more: Any
) -> dict[str, Any]:
    known = score is not None
    return {
        "task": f"{subset}-{difficulty}", "instance": "i", "repeat": 1, "category": "features",
        "subset": subset, "difficulty": difficulty, "score": score, "passed": score == 1,
        "outcome": "failed" if known else "harness_error", "checks": [], "notes": [], "usage": {},
        **({"ungated": score if ungated is None else ungated} if known else {}), **more,
    }  # fmt: skip


def test_difficulty_weighs_and_subsets_count_alike() -> None:
    found = brainbench(
        [trial("FA", "easy", 1.0), trial("FA", "hard", 0.4), trial("SA", "medium", 0.5)], "strict"
    )
    assert [row["score"] for row in found["by_subset"]] == pytest.approx([0.6, 0.5])
    assert found["score"] == pytest.approx(0.55)
    assert found["by_subset"][0]["unweighted"] == pytest.approx(0.7)


def test_a_subset_without_a_score_leaves_none() -> None:
    found = brainbench([trial("FA", "easy", 1.0), trial("SA", "easy", None)], "strict")
    assert found["score"] is None
    assert [row["score"] for row in found["by_subset"]] == [1.0, None]


def test_a_subset_of_which_nothing_was_planned_is_left_to_the_coverage() -> None:
    gone = trial("PI", "easy", None, outcome="not_planned")
    found = brainbench([trial("FA", "easy", 1.0), gone], "strict")
    assert found["score"] == 1
    assert found["by_subset"][1]["planned"] == 0


def test_an_error_of_the_agent_counts_as_zero() -> None:
    error = trial("FA", "easy", 0.0, outcome="agent_error")
    del error["ungated"]
    assert brainbench([trial("FA", "easy", 1.0), error], "strict")["score"] == 0.5


def test_profiles_differ_where_weights_do() -> None:
    heavy = [{"kind": "number", "weight": 200.0}]
    light = [{"kind": "number", "weight": 100.0}]
    rows = [
        trial("FA", "easy", 1.0, checks=heavy),
        trial("FA", "easy", 0.0, checks=light, task="other"),
    ]
    assert brainbench(rows, "strict")["score"] == pytest.approx(0.5)
    assert brainbench(rows, "published")["score"] == pytest.approx(2 / 3)


def test_other_suites_keep_the_mean_over_tasks() -> None:
    assert "braino" not in headlines
    found = summarise([trial("FA", "easy", 0.25)], rule="braino", planned=1)
    assert found["score"] == 0.25
    assert "by_subset" not in found


def printed(trials: list[dict[str, Any]], paradigm: str = "tools") -> str:
    stream = io.StringIO()
    report = {
        "summary": summarise(trials, rule="brainbench", planned=len(trials)),
        "trials": trials,
        "coverage": {"statement": "All 2 planned trials are scored."},
        "settings": {"isolation": "sandbox", "paradigm": paradigm, "profile": "strict"},
        "verified": True,
    }
    show_summary(Printer(stream), report)
    return stream.getvalue()


def test_the_headline_is_printed_by_100_with_its_paradigm_and_what_the_gate_cost() -> None:
    text = printed([trial("FA", "easy", 0.0, 1.0), trial("SA", "easy", 1.0)], "code")
    assert "Score 50 of 100" in text
    assert "By subset, paradigm code, profile strict" in text
    assert "Without the gate of evidence the score would be 100" in text
    assert "gate of evidence" not in printed([trial("FA", "easy", 1.0)])
