"""`eval report`, `noise`, `compare` of several, `serve`, `leaderboard`: from files to files."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from braino_registry import reports
from tests.cli.shell import Inside, assert_error
from tests.reports.html.folders import some_trials, write_run
from tests.reports.samples import report, trial


@pytest.fixture
def runs(tmp_path: Path) -> list[str]:
    return [
        str(
            write_run(tmp_path / name, some_trials(6, failing=name == "a"), run_id=name, agent=name)
        )
        for name in ("a", "b", "c")
    ]


def test_report_writes_one_page(inside: Inside, runs: list[str], tmp_path: Path) -> None:
    target = tmp_path / "out.html"
    done = inside(
        "eval", "report", runs[0], runs[1], "-o", str(target), "--title", "Mine", "--json"
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["reports"] == ["a", "b"]
    assert said["bytes"] == target.stat().st_size
    assert b"<title>Mine</title>" in target.read_bytes()


def test_report_of_a_torn_run_says_so(inside: Inside, runs: list[str], tmp_path: Path) -> None:
    (Path(runs[0]) / "report.json").write_text('{"schema": "report/1"')
    done = inside("eval", "report", runs[0], "-o", str(tmp_path / "out.html"))
    assert done.returncode == 0, done.stderr
    assert "Note: The report of this run cannot be used" in done.stdout
    assert_error(inside("eval", "report", str(tmp_path)), 2, "cannot read the report")


def test_several_reports_are_compared_with_the_first(
    inside: Inside, runs: list[str], tmp_path: Path
) -> None:
    files = ("--markdown", str(tmp_path / "c.md"), "--junit", str(tmp_path / "c.xml"))
    done = inside("eval", "compare", *runs, *files)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("2 fixed, 0 broken, 4 unchanged") == 2
    assert "corrected by Holm's rule for 2 comparisons" in done.stdout
    assert len(ElementTree.parse(tmp_path / "c.xml").getroot()) == 2
    assert "| b | 6 | 2 | 0 | 0 |" in (tmp_path / "c.md").read_text()
    done = inside("eval", "compare", runs[1], runs[0], runs[2], "--fail-on-regression", "--json")
    assert done.returncode == 1
    assert [len(each["broken"]) for each in json.loads(done.stdout)["comparisons"]] == [2, 0]


def test_noise_needs_repeats(inside: Inside, runs: list[str], tmp_path: Path) -> None:
    assert_error(inside("eval", "noise", runs[0]), 2, "two scored sessions", "--repeats 5")
    rows = [
        trial(f"t{n}", repeat=k + 1, outcome="passed" if (n + k) % 3 else "failed")
        for n in range(4)
        for k in range(3)
    ]
    folder = write_run(tmp_path / "repeated", rows, repeats=3)
    done = inside("eval", "noise", str(folder))
    assert done.returncode == 0, done.stderr
    assert "in one of twenty pairs" in done.stdout
    assert json.loads(inside("eval", "noise", str(folder), "--json").stdout)["repeats"] == 3


def test_leaderboard_writes_a_page(inside: Inside, runs: list[str], tmp_path: Path) -> None:
    target = tmp_path / "board.html"
    done = inside("leaderboard", str(tmp_path), "-o", str(target))
    assert done.returncode == 0, done.stderr
    assert "held to no release" in done.stdout
    assert "Not run here: oracle, null" in done.stdout
    assert target.read_bytes().startswith(b"<!doctype html>")
    assert_error(inside("leaderboard", str(tmp_path / "nowhere")), 2, "no such folder")


def test_serve_wants_a_folder(inside: Inside, tmp_path: Path) -> None:
    assert_error(inside("eval", "serve", str(tmp_path / "nowhere")), 2, "no such folder")


def test_a_release_that_nobody_knows_is_no_release(inside: Inside, tmp_path: Path) -> None:
    claimed = {"id": "2099.1", "status": "active", "seal": "sha256:" + "3" * 64, "whole": True,
               "verified": True, "differences": []}  # fmt: skip
    made = report([trial()], isolation="sandbox", agent="claims")
    reports.write(tmp_path / "claims.json", {**made, "release": claimed, "verified": True})
    done = inside("leaderboard", str(tmp_path), "-o", str(tmp_path / "b.html"), "--json")
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)["tables"][0]["rows"]
    assert row["rank"] is None
    assert row["objections"][0].startswith("release 2099.1: there is no release")
