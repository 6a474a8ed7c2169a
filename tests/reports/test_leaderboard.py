from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from braino_registry import reports
from braino_registry.errors import ReportError
from braino_registry.reports.html.board import page
from braino_registry.reports.leaderboard import Found, Known, board, collect
from tests.reports.html.folders import EVIL, write_run
from tests.reports.samples import report, trial

KNOWN = {
    "pkg.null:make": Known("null", "exploit", "Does nothing."),
    "pkg.base:make": Known("scripted", "baseline", "A fixed pipeline."),
}
RELEASE = {"id": "2026.1", "status": "active", "seal": "sha256:" + "3" * 64, "whole": True,
           "verified": True, "differences": []}  # fmt: skip


def run(passing: int, agent: str, **more: Any) -> dict[str, Any]:
    """Return a report that can be ranked, unless it is told otherwise."""
    release = more.pop("release", RELEASE)
    factory = more.pop("factory", f"pkg.{agent}:make")
    trials = [trial(task=f"t{n}", outcome="passed" if n < passing else "failed") for n in range(10)]
    asked = {"isolation": "sandbox", "run_id": f"run-{agent}-{passing}", **more}
    made = report(trials, agent=agent, **asked)
    made["agent"]["factory"] = factory
    return {**made, "release": release, "verified": True}


def tables(*documents: dict[str, Any], objections: Sequence[str] = ()) -> list[dict[str, Any]]:
    found = [Found(f"{n}.json", each, tuple(objections)) for n, each in enumerate(documents)]
    made: list[dict[str, Any]] = board(found, [], KNOWN)["tables"]
    return made


def test_agents_are_ranked_by_score_and_equals_share_a_rank() -> None:
    (table,) = tables(run(4, "b"), run(9, "a"), run(4, "c"), run(1, "d"))
    ranks = [(row["agent"], row["rank"]) for row in table["rows"]]
    assert ranks == [("a", 1), ("b", 2), ("c", 2), ("d", 4)]
    assert table["rows"][0]["low"] < 0.9 < table["rows"][0]["high"]


@pytest.mark.parametrize(
    "other",
    [
        {"tier": "workstation"}, {"paradigm": "code"}, {"profile": "published"},
        {"release": None}, {"release": {**RELEASE, "seal": "sha256:" + "4" * 64}},
        {"digests": {"t0": {"version": "2.0.0", "work": "sha256:" + "5" * 64,
                            "scoring": "sha256:" + "2" * 64}}},
    ],
)  # fmt: skip
def test_what_is_not_comparable_is_never_in_one_table(other: dict[str, Any]) -> None:
    assert len(tables(run(4, "a"), run(9, "b"))) == 1
    assert len(tables(run(4, "a"), run(9, "b", **other))) == 2


def test_runs_on_other_instances_or_another_salt_stand_apart() -> None:
    fewer = run(4, "b")
    fewer["trials"] = fewer["trials"][:-1]
    salted = run(4, "c")
    salted["settings"] = {**salted["settings"], "salt": "sha256:" + "6" * 64}
    assert len(tables(run(4, "a"), fewer, salted)) == 3


def test_several_runs_of_an_agent_are_one_row_with_their_mean() -> None:
    (table,) = tables(run(4, "a"), run(8, "a"), run(5, "b"))
    assert [row["agent"] for row in table["rows"]] == ["a", "b"]
    assert table["rows"][0]["score"] == pytest.approx(0.6)
    assert len(table["rows"][0]["runs"]) == 2


def test_baselines_and_exploit_agents_always_stand_in_a_table() -> None:
    (table,) = tables(run(4, "a"), run(0, "null", factory="pkg.null:make"))
    assert [row["kind"] for row in table["rows"]] == ["agent", "exploit"]
    assert table["rows"][1]["rank"] is None
    assert [row["agent"] for row in table["absent"]] == ["scripted"]


def test_a_borrowed_name_makes_no_baseline() -> None:
    (table,) = tables(run(4, "null", factory="mine:make"))
    assert table["rows"][0]["kind"] == "agent"
    assert {row["agent"] for row in table["absent"]} == {"null", "scripted"}


def test_an_objection_takes_the_rank() -> None:
    (table,) = tables(run(4, "a"), objections=["isolation process"])
    assert table["rows"][0]["rank"] is None
    assert table["rows"][0]["objections"] == ["isolation process"]


def test_reports_are_found_verified_and_examined(tmp_path: Path) -> None:
    reports.write(tmp_path / "good.json", run(4, "good"))
    reports.write(tmp_path / "weak.json", run(4, "weak", release=None, isolation="process"))
    bad = reports.seal(run(9, "bad")).replace(b'"passed"', b'"failed"', 1)
    (tmp_path / "edited.json").write_bytes(bad)
    (tmp_path / "other.json").write_text("{}")
    write_run(tmp_path / "deep" / "run", [trial()])
    asked: list[str] = []

    def examine(document: Any) -> list[str]:
        asked.append(document["agent"]["name"])
        return ["task t0 was run as another version"]

    found, refused = collect(tmp_path, examine)
    objections = {each.report["agent"]["name"]: each.objections for each in found}
    assert asked == ["good"]  # only what claims a release
    assert objections["good"] == ("task t0 was run as another version",)
    assert objections["weak"] == ("held to no release", "isolation process")
    assert objections["probe"][0] == "held to no release"
    assert [each["file"] for each in refused] == ["edited.json"]
    assert "edited" in refused[0]["problem"]


def test_a_copy_of_a_report_is_no_second_run(tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        reports.write(tmp_path / name, run(4, "good"))
    found, _ = collect(tmp_path, lambda _: ())
    assert len(found) == 1


def test_a_folder_without_reports_is_said(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="no report"):
        collect(tmp_path, lambda _: ())


def test_the_page_is_static_and_everything_in_it_is_escaped() -> None:
    found = [Found("a", run(4, EVIL, factory="x:y"), ())]
    text = page(board(found, [{"file": EVIL, "problem": EVIL}], KNOWN), "Results").decode()
    assert "<script" not in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert not re.search(r"<img|onerror=\"", text)
    assert "2 agents that come with the registry were not run here: null, scripted" in text
    assert "Does nothing." in text


def test_two_agents_of_one_name_are_told_apart() -> None:
    found = [
        Found("a", run(4, "mine", factory="one.py:make"), ()),
        Found("b", run(8, "mine", factory="two.py:make"), ()),
        Found("c", run(2, "else", factory="else.py:make"), ()),
    ]
    text = page(board(found, [], KNOWN), "Results").decode()
    assert "one.py:make" in text
    assert "two.py:make" in text
    assert "else.py:make" not in text
