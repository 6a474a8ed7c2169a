from __future__ import annotations

import io
from typing import Any

from braino_registry import reports
from braino_registry.reports.markdown import comparison
from braino_registry.reports.printing import Printer
from braino_registry.reports.tables import show_comparison
from tests.reports.samples import SCORING, WORK, check, report, trial

OTHER = "sha256:" + "9" * 64


def names(rows: list[dict[str, Any]]) -> list[tuple[str, str, int]]:
    return [(row["task"], row["instance"], row["repeat"]) for row in rows]


def test_fixed_broken_and_unchanged() -> None:
    before = report(
        [
            trial(instance="a", outcome="failed"),
            trial(instance="b"),
            trial(instance="c"),
            trial(instance="d", outcome="limit"),
        ]
    )
    after = report(
        [
            trial(instance="a"),
            trial(instance="b", outcome="failed"),
            trial(instance="c"),
            trial(instance="d", outcome="agent_error", score=0.0),
        ]
    )
    found = reports.compare(before, after)
    assert names(found.document["fixed"]) == [("bad-channels-ask", "a", 1)]
    assert names(found.document["broken"]) == [("bad-channels-ask", "b", 1)]
    assert names(found.document["unchanged"]) == [
        ("bad-channels-ask", "c", 1),
        ("bad-channels-ask", "d", 1),
    ]
    assert found.document["broken"][0]["checks"][0]["id"] == "names-it"
    assert found.exit_code() == 0
    assert found.exit_code(fail_on_regression=True) == 1


def test_worse_and_better_without_a_flip_are_told_and_still_unchanged() -> None:
    before = [trial(instance=name, outcome="failed", score=0.5) for name in "abc"]
    before.append(trial(instance="d", outcome="failed", score=0.0))
    before += [trial(instance=f"n{number}", outcome="failed", score=0.5) for number in range(60)]
    after = [
        trial(instance="a", outcome="failed", score=0.25),
        trial(instance="b", outcome="failed", score=0.75),
        trial(instance="c", outcome="failed", score=0.5),
        trial(instance="d", outcome="agent_error", score=0.0),
    ]
    after += [trial(instance=f"n{number}", outcome="failed", score=0.4) for number in range(60)]
    found = reports.compare(report(before), report(after))
    assert [row["instance"] for row in found.document["worse"]][:2] == ["a", "d"]
    assert [row["instance"] for row in found.document["better"]] == ["b"]
    assert len(found.document["unchanged"]) == found.comparable == 64
    assert found.exit_code(fail_on_regression=True) == 0
    back = reports.compare(report(after), report(before)).document
    assert back["better"][1]["before"]["outcome"] == "agent_error"

    stream = io.StringIO()
    show_comparison(Printer(stream), found.document)
    text = stream.getvalue()
    counts = "62 worse without breaking, 1 better without passing, 1 unchanged, 0 not comparable."
    assert f"0 fixed, 0 broken, {counts}" in text
    assert "0.5 to 0.25" in text
    assert "and 42 more" in text
    markdown = comparison([found.document])
    assert "Worse without breaking: 62" in markdown
    assert "Better without passing: 1" in markdown
    assert "and 12 more" in markdown


def test_changed_digests_are_named_and_not_compared() -> None:
    before = report([trial("one"), trial("two"), trial("three")])
    after = report(
        [trial("one"), trial("two", outcome="failed"), trial("three", outcome="failed")],
        digests={
            "two": {"version": "2.0.0", "work": OTHER, "scoring": SCORING},
            "three": {"version": "1.1.0", "work": WORK, "scoring": OTHER},
        },
    )
    found = reports.compare(before, after)
    reasons = {row["task"]: row["reason"] for row in found.document["not_comparable"]}
    assert set(reasons) == {"two", "three"}
    assert "the work changed" in reasons["two"]
    assert reasons["three"].startswith("the scoring changed")
    assert found.broken == []
    assert found.exit_code(fail_on_regression=True) == 0


def test_unscored_trials_are_never_a_regression_and_never_dropped_in_silence() -> None:
    before = report([trial(instance="a"), trial(instance="b")])
    after = report([trial(instance="a", outcome="harness_error"), trial(instance="b")])
    found = reports.compare(before, after)
    assert found.broken == []
    assert found.document["not_comparable"][0]["reason"] == "harness_error in the second report"
    assert names(found.document["lost"]) == [("bad-channels-ask", "a", 1)]
    assert found.exit_code() == 3
    assert found.exit_code(fail_on_regression=True) == 3
    assert reports.compare(after, before).exit_code() == 0


def test_a_regression_is_told_even_where_a_score_is_lost() -> None:
    before = report([trial(instance="a"), trial(instance="b")])
    after = report(
        [trial(instance="a", outcome="harness_error"), trial(instance="b", outcome="failed")]
    )
    assert reports.compare(before, after).exit_code(fail_on_regression=True) == 1


def test_a_trial_of_one_report_only_is_named() -> None:
    found = reports.compare(
        report([trial(instance="a"), trial(instance="b")]),
        report([trial(instance="a"), trial(instance="a", repeat=2)]),
    )
    assert [row["reason"] for row in found.document["not_comparable"]] == [
        "only in the second report",
        "only in the first report",
    ]


def test_nothing_comparable_is_exit_code_three() -> None:
    found = reports.compare(report([trial("one")]), report([trial("two")]))
    assert found.comparable == 0
    assert found.exit_code() == 3


def test_other_scoring_rules_make_nothing_comparable() -> None:
    found = reports.compare(report([trial()]), report([trial()], profile="published"))
    assert found.exit_code() == 3
    assert "profile strict and published" in found.document["not_comparable"][0]["reason"]


def test_tier_model_and_isolation_are_named() -> None:
    found = reports.compare(
        report([trial()], tier="minimum", model="qwen-4b"),
        report([trial()], tier="server", model="qwen-32b", isolation="none"),
    )
    named = {row["what"]: (row["before"], row["after"]) for row in found.document["differences"]}
    assert named == {
        "tier": ("minimum", "server"),
        "model": ("qwen-4b", "qwen-32b"),
        "isolation": ("process", "none"),
    }
    assert found.comparable == 1


def test_without_a_pass_rule_the_score_decides() -> None:
    def scored(score: float) -> dict[str, Any]:
        return trial(outcome="scored", checks=[check()], passed=None, score=score)

    assert names(reports.compare(report([scored(0.2)]), report([scored(0.3)])).document["fixed"])
    assert names(reports.compare(report([scored(0.3)]), report([scored(0.2)])).document["broken"])
    same = reports.compare(report([scored(0.3)]), report([scored(0.3)])).document
    assert len(same["unchanged"]) == 1
