"""Trials that do not count, for something outside has interrupted them."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from braino_registry import reports, runner
from braino_registry.errors import UsageError
from braino_registry.reports.printing import Printer
from braino_registry.reports.tables import show_report
from braino_registry.runner import journal

LARGE = "probe-sum/large/1"
WHY = "the provider was down, as its status page says"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the run that tests start from is made, once; they get copies."""
    return tmp_path_factory.mktemp("interruptions") / "run"


@pytest.fixture
def ran(settings: Any, kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run in which one of two trials has ended with an error of the agent."""
    if not kept.exists():
        runner.run(settings("fails_on_large", run_dir=kept))
    outcomes = [row["outcome"] for row in reports.read(kept)["trials"]]
    assert outcomes == ["passed", "agent_error"]
    monkeypatch.setenv("PROBE_AWAKE", "1")
    return Path(shutil.copytree(kept, tmp_path / "run"))


def test_an_interrupted_trial_is_run_again_and_both_are_told(ran: Path) -> None:
    again = runner.resume(ran, retry_errors=True, interrupted=[LARGE], why=WHY)
    small, large = again.report["trials"]
    assert (small["attempt"], large["attempt"]) == (1, 2)
    assert "interruptions" not in small
    assert large["outcome"] == "failed"
    assert large["interruptions"] == [
        {"attempt": 1, "outcome": "agent_error", "score": 0.0, "why": WHY}
    ]
    report = reports.read(ran, verify=True)
    assert (ran / "trials/probe-sum/large/1.attempt-1/events.jsonl").is_file()
    stream = io.StringIO()
    show_report(Printer(stream), report)
    assert "One trial was run again after an interruption" in stream.getvalue()
    assert WHY in stream.getvalue()
    assert runner.rescore(ran).report["trials"] == report["trials"]


def test_without_being_asked_no_scored_trial_is_run_again(ran: Path) -> None:
    again = runner.resume(ran, retry_errors=True)
    assert [row["attempt"] for row in again.report["trials"]] == [1, 1]


@pytest.mark.parametrize(
    ("named", "words"),
    [
        ("probe-sum/small/1", "it is 'passed'"),
        ("probe-sum/large/2", "there is no such trial"),
        ("probe-sum/large", "there is no such trial"),
    ],
)
def test_what_was_not_interrupted_is_refused_and_nothing_is_noted(
    ran: Path, named: str, words: str
) -> None:
    before = (ran / "journal.jsonl").read_bytes()
    with pytest.raises(UsageError, match=words) as caught:
        runner.resume(ran, retry_errors=True, interrupted=[LARGE, named], why=WHY)
    assert LARGE in caught.value.hint
    assert (ran / "journal.jsonl").read_bytes() == before


@pytest.mark.parametrize(("names", "why"), [([LARGE], " "), ([], WHY), ([LARGE], "x" * 501)])
def test_trial_and_reason_go_together(ran: Path, names: list[str], why: str) -> None:
    with pytest.raises(UsageError, match="go together"):
        runner.resume(ran, retry_errors=True, interrupted=names, why=why)


@pytest.mark.slow
def test_a_run_that_is_killed_before_the_new_attempt_ends_does_not_count_the_old_one(
    ran: Path,
) -> None:
    """Not even its transcript is where it was: the folder holds that of the new attempt."""
    runner.resume(ran, retry_errors=True, interrupted=[LARGE], why=WHY)
    file = ran / "journal.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    kinds = [json.loads(line)["type"] for line in lines]
    assert kinds[-3:] == ["interrupted", "started", "finished"]
    for kept in (len(lines) - 1, len(lines) - 2):
        file.write_text("".join(lines[:kept]))
        progress = journal.read(file)
        assert [key[1] for key in progress.counted()] == ["small"]
        assert [row["instance"] for row in runner.rescore(ran).report["trials"]] == ["small"]
    again = runner.resume(ran)
    assert again.report["trials"][1]["interruptions"][0]["why"] == WHY


def test_an_error_whose_retry_was_killed_is_retried(settings: Any, tmp_path: Path) -> None:
    runner.run(settings("kills_its_worker", "probe-brief"))
    with journal.Journal(tmp_path / "run" / "journal.jsonl") as log:
        log.started(("probe-brief", "only", 1), 2)
    again = runner.resume(tmp_path / "run")
    assert again.report["trials"][0]["attempt"] == 3


def test_a_merge_keeps_what_does_not_count(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shard = runner.run(settings("fails_on_large", shard="1/1")).run_dir
    monkeypatch.setenv("PROBE_AWAKE", "1")
    runner.resume(shard, retry_errors=True, interrupted=[LARGE], why=WHY)
    whole = runner.merge([shard], run_dir=tmp_path / "whole")
    assert whole.report["trials"][1]["interruptions"][0]["why"] == WHY
    file = shard / "journal.jsonl"
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:-1]))
    part = runner.merge([shard], run_dir=tmp_path / "part")
    assert [row["instance"] for row in part.report["trials"]] == ["small"]
    large = runner.resume(tmp_path / "part").report["trials"][1]
    assert (large["attempt"], large["interruptions"][0]["why"]) == (3, WHY)
