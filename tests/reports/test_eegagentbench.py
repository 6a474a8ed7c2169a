"""The analyses of the paper on EEGAgentBench, from reports."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest

from braino_registry.reports.comparison import compare
from braino_registry.reports.eegagentbench import analyses, by_duration, dose_response, pareto
from braino_registry.reports.eegagentbench_tables import show_eegagentbench
from braino_registry.reports.headlines import headlines
from braino_registry.reports.paired_tables import lines
from braino_registry.reports.printing import Printer
from braino_registry.reports.summary import summarise
from braino_registry.reports.tables import show_summary
from braino_registry.scoring import Answer, Evidence, score
from tests.reports import samples

NIGHT = ["W"] * 100 + ["N1"] * 60 + ["N2"] * 400 + ["N3"] * 160 + ["REM"] * 130


def trial(task: str, instance: str, data: Any, cost: float | None, **spec: Any) -> dict[str, Any]:
    """Return a trial as it stands in a report."""
    check = {"id": "x", "kind": "corpus", "task": task, "required": True, **spec}
    evidence = Evidence(request="?", events=(), answer=Answer("", data), fields={})
    found = score([check], evidence, "eegagentbench")
    (result,) = found.checks
    return {
        "task": f"task-{task}", "instance": instance, "repeat": 1, "category": "c",
        "dataset": f"d{task}@1.0.0", "outcome": "scored", "passed": found.passed, "reason": None,
        "score": found.score,
        "checks": [{"kind": "corpus", "id": "x", "detail": dict(result.detail or {})}],
        "usage": {"tool_calls": 3, "cost": cost, "input_tokens": 10, "output_tokens": 2},
    }  # fmt: skip


def report(name: str, right: bool, cost: float | None = 1.0) -> dict[str, Any]:
    """Return a report of an agent that is right about everything, or about nothing."""
    trials = [
        trial("T2", f"e{i}", {"classification": label if right else "x"}, cost, truth=label,
              about={"snr_db": level})
        for i, (label, level) in enumerate(
            [("clean", "none"), ("ocular_contaminated", -7), ("ocular_contaminated", 2),
             ("muscle_contaminated", 0)]
        )
    ]  # fmt: skip
    events = [[100, 140]] if right else [[900, 940]]
    trials += [
        trial("T5", "s1", {"seizure_events": events}, cost, truth=[[100, 140]], duration=1800.0,
              cluster="01", subject="01"),
        trial("T5", "s2", {"seizure_events": [] if right else [[5, 60]]}, cost, truth=[],
              duration=1800.0, cluster="02", subject="02"),
    ]  # fmt: skip
    runs = [{"start_epoch": i, "end_epoch": i, "stage": s} for i, s in enumerate(NIGHT)]
    trials.append(
        trial("T6", "n1", {"hypnogram_rle": runs if right else []}, cost, truth=NIGHT, cluster="s")
    )
    left = {**trials[0], "instance": "far", "outcome": "not_planned", "reason": "not here",
            "checks": [], "score": None, "passed": None}  # fmt: skip
    return {
        "agent": {"name": name, "model": None, "factory": "x", "family": "f", "parameters": None},
        "trials": [*trials, left],
        "summary": {"rule": "eegagentbench", **headlines.get("eegagentbench")(trials, "strict")},
    }


def test_levels_of_an_artefact() -> None:
    rows = {(r["label"], r["snr_db"]): r for r in dose_response(report("a", right=True))}
    assert rows[("clean", None)]["accuracy"] == 1
    assert set(rows) == {("clean", None), ("ocular_contaminated", -7.0),
                         ("ocular_contaminated", 2.0), ("muscle_contaminated", 0.0)}  # fmt: skip
    wrong = dose_response(report("b", right=False))
    assert {row["accuracy"] for row in wrong} == {0.0}
    assert [row["snr_db"] for row in wrong if row["label"] == "ocular_contaminated"] == [2.0, -7.0]


def test_nights_by_length() -> None:
    (row,) = [row for row in by_duration(report("a", right=True)) if row["n"]]
    assert (row["from_hours"], row["to_hours"]) == (7.0, 7.5)  # 850 epochs are 7.08 h
    assert row["macro_f1"] == 1


def test_the_front_holds_what_nothing_beats() -> None:
    reports = [report("good", True, 2.0), report("dear", True, 3.0), report("cheap", False, 0.1),
               report("silent", True, None)]  # fmt: skip
    rows = {row["agent"]: row for row in pareto(reports)}
    assert {name: row["front"] for name, row in rows.items()} == {
        "good": True, "dear": False, "cheap": True, "silent": False,
    }  # fmt: skip
    assert rows["silent"]["cost"] is None
    assert rows["good"]["cost"] == pytest.approx(14.0)


def test_all_of_it_is_json_and_can_be_printed() -> None:
    found = analyses([report("good", True), report("bad", False)])
    json.dumps(found, allow_nan=False)
    by_task = {row["task"]: row for row in found["distributions"]}
    assert by_task["T2"]["leader"] == "good"
    assert by_task["T2"]["chance"] == pytest.approx(1 / 3)
    assert by_task["T5"]["chance"] is None
    good, bad = found["agents"]
    t2, *_ = found["paired"]
    assert (t2["task"], t2["first"], t2["second"], t2["n"]) == ("T2", "good", "bad", 4)
    assert t2["difference"] == 1
    assert t2["low"] <= 1 <= t2["high"]
    assert [row["task"] for row in found["paired"]] == ["T2", "T5", "T6"]
    assert good["seizures"]["miss_rate"] == good["seizures"]["over_alarm_rate"] == 0
    assert bad["seizures"]["miss_rate"] == bad["seizures"]["over_alarm_rate"] == 1
    assert good["hypnograms"][0]["reference"][:2] == [["W", 100], ["N1", 60]]
    assert good["hypnograms"][0]["stages"] == good["hypnograms"][0]["reference"]
    assert bad["hypnograms"][0]["stages"] == [["W", 850]]
    (left,) = [row for row in found["filtering"] if row["task"] == "task-T2"]
    assert left["left_out"] == {"not here": 1}
    assert found["tokens"][0]["all_tokens"] == 12 * 7
    assert [r["rate"] for r in found["tool_use"] if r["agent"] == "good"] == [1.0, 1.0, 1.0]
    stream = StringIO()
    show_eegagentbench(Printer(stream), found)
    assert "ocular_contaminated" in stream.getvalue()
    assert "misses 1.000" in stream.getvalue()


def test_headlines_and_their_intervals() -> None:
    found = report("good", True)["summary"]
    assert found["score"] == 1
    assert [row["task"] for row in found["corpus"]["tasks"]] == ["T2", "T5", "T6"]
    assert found["corpus"]["overall"]["whole"] is False
    t5 = found["corpus"]["tasks"][1]
    assert (t5["n"], t5["n_clusters"], t5["primary"]) == (2, 2, "event_f1")
    assert {row["name"] for row in t5["metrics"]} >= {"dice_s", "miss_rate", "over_alarm_rate"}


def comparable(right: bool) -> dict[str, Any]:
    """Return `report` with all that a comparison needs."""
    rows = [
        samples.trial(
            row["task"], row["instance"], outcome="scored", score=row["score"], passed=None,
            checks=[{**samples.check(), "kind": "corpus", "detail": row["checks"][0]["detail"]}],
        )
        for row in report("x", right)["trials"]
        if row["checks"]
    ]  # fmt: skip
    made = samples.report(rows)
    return {**made, "summary": {**made["summary"], "rule": "eegagentbench"}}


def test_a_task_that_a_paper_numbers_is_printed_with_the_name_that_commands_take() -> None:
    rows = comparable(True)["trials"]
    summary = summarise(rows, rule="eegagentbench", planned=len(rows))
    stream = StringIO()
    show_summary(Printer(stream), {**samples.report(rows), "summary": summary})
    text = stream.getvalue()
    assert "T5 task-T5" in text
    assert "By category" not in text


def test_a_comparison_tells_how_metrics_differ() -> None:
    found = compare(comparable(False), comparable(True)).document["statistics"]
    differences = {row["task"]: row["difference"] for row in found["metrics"]}
    assert differences == pytest.approx({"T2": 1.0, "T5": 1.0, "T6": 1.0}, abs=0.2)
    assert any(line.startswith("T2: +") for line in lines(found))
    other = compare(comparable(True), comparable(False)).document["statistics"]
    assert {row["task"]: -row["difference"] for row in other["metrics"]} == pytest.approx(
        differences
    )
