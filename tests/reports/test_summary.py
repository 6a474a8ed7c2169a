from __future__ import annotations

from braino_registry.reports.outcomes import passes
from braino_registry.runner import records
from braino_registry.runner.plan import Row
from tests.reports.samples import check, report, trial


def absent(task: str = "p3-peak", instance: str = "eeglab") -> dict[str, object]:
    row = Row(
        task, "1.0.0", instance, "erp", "eeglab@1.0.0", 0.0, "not here", "braino data fetch x"
    )
    return records.not_planned(row)


def test_the_score_is_the_mean_over_tasks_not_over_trials() -> None:
    rows = [trial(task="one"), trial(task="one", instance="b"), trial(task="two", outcome="failed")]
    assert report(rows)["summary"]["score"] == 0.5


def test_an_error_of_the_agent_counts_as_nought_and_one_of_the_harness_not_at_all() -> None:
    rows = [
        trial(task="one"),
        trial(task="two", outcome="agent_error", checks=[], score=0.0),
        trial(task="three", outcome="harness_error"),
    ]
    document = report(rows)
    assert document["summary"]["score"] == 0.5
    assert document["summary"]["outcomes"] == {"agent_error": 1, "harness_error": 1, "passed": 1}
    assert document["coverage"]["scored"] == 2
    assert not document["coverage"]["complete"]
    assert "INCOMPLETE: 2 of 3" in document["coverage"]["statement"]


def test_what_was_not_planned_is_a_row_outside_the_coverage() -> None:
    document = report([trial()], not_planned=[absent()])
    assert [row["outcome"] for row in document["trials"]] == ["passed", "not_planned"]
    assert document["trials"][1]["command"] == "braino data fetch x"
    assert document["trials"][1]["score"] is None
    assert document["coverage"]["complete"]
    assert document["coverage"]["share"] == 1.0
    assert "One more was not planned; the reason is listed." in document["coverage"]["statement"]


def test_a_plan_without_trials_has_no_share() -> None:
    document = report([], not_planned=[absent()])
    assert document["coverage"]["share"] is None
    assert document["summary"]["score"] is None


def test_an_interrupted_run_is_not_complete() -> None:
    document = report([trial()], planned=1, interrupted=True)
    assert not document["coverage"]["complete"]
    assert "interrupted" in document["coverage"]["statement"]


def test_the_table_of_checks_counts_scored_trials_only() -> None:
    rows = [
        trial(checks=[check("a"), check("b", passed=False)], outcome="failed"),
        trial(instance="sub-01", checks=[check("a"), check("b")]),
        trial(instance="sub-03", outcome="harness_error"),
    ]
    table = {row["check"]: row for row in report(rows)["summary"]["checks"]}
    assert (table["a"]["passed"], table["a"]["scored"]) == (2, 2)
    assert (table["b"]["passed"], table["b"]["scored"]) == (1, 2)


def test_unknown_usage_is_null_and_known_usage_is_summed() -> None:
    events = [
        {"type": "call"},
        {"type": "ask"},
        {"type": "decide"},
        {"type": "usage", "usage": {"input_tokens": 10, "output_tokens": None}},
        {"type": "usage", "usage": {"input_tokens": 5}},
    ]
    assert records.usage(events) == {
        "input_tokens": 15,
        "output_tokens": None,
        "cost": None,
        "tool_calls": 1,
        "questions": 1,
        "decisions": 1,
    }


def test_a_record_that_does_not_fit_the_schema_becomes_a_fault_of_ours() -> None:
    good = {**trial(), "realised": "sha256:x", "verified": True}
    assert records.checked(good) is good
    bad = records.checked({**trial(), "score": 7.5})
    assert bad["outcome"] == "harness_error"
    assert "$.score" in bad["reason"]
    assert records.checked(bad) is bad


def test_a_score_that_is_a_share_is_told_apart_from_passing_and_failing() -> None:
    some = {"passed": 3, "scored": 9, "outcomes": {"passed": 3, "failed": 2, "scored": 4}}
    assert passes(some) == (
        "3 of 5 scored trials pass; 4 more have a score and neither pass nor fail."
    )
    assert passes({**some, "scored": 5, "outcomes": {"passed": 3, "failed": 2}}) == (
        "3 of 5 scored trials pass."
    )
    none = {"passed": 0, "scored": 4, "outcomes": {"scored": 4}}
    assert passes(none) == "4 trials are scored; this suite has no pass rule."
    assert passes({"passed": 0, "scored": 0, "outcomes": {}}) == "0 of 0 scored trials pass."
