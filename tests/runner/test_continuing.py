"""Runs that are gone on with or scored again, and entries that have changed in between."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from braino_registry import reports, runner
from braino_registry.errors import EntryError, ReportError, UsageError
from tests.runner.conftest import ENTRIES
from tests.runner.test_runs import outcomes


def test_resuming_a_complete_run_runs_nothing(settings: Any, tmp_path: Path) -> None:
    first = runner.run(settings("good"))
    lines = (tmp_path / "run" / "journal.jsonl").read_bytes()
    again = runner.resume(tmp_path / "run")
    assert again.report["trials"] == first.report["trials"]
    assert (tmp_path / "run" / "journal.jsonl").read_bytes() == lines


def changed_entries(tmp_path: Path, settings: Any, **change: Any) -> tuple[Any, Path]:
    """Run on a copy of the entries, and then change one of its tasks."""
    entries = tmp_path / "entries"
    shutil.copytree(ENTRIES, entries)
    runner.run(settings("good", registry=(entries,)))
    file = entries / "tasks" / "probe" / "sum.json"
    document = {**json.loads(file.read_text()), **change}
    file.write_text(json.dumps(document))
    return document, file


def test_a_changed_task_stops_a_resume_by_name(settings: Any, tmp_path: Path) -> None:
    changed_entries(tmp_path, settings, request="What is {{ a }} and {{ b }} together?")
    with pytest.raises(UsageError, match="probe-sum"):
        runner.resume(tmp_path / "run")


def test_changed_scoring_is_rescored_and_changed_work_is_refused(
    settings: Any, tmp_path: Path
) -> None:
    document, file = changed_entries(tmp_path, settings)
    checks = [{**check, "required": check["id"] == "no-data"} for check in document["checks"]]
    file.write_text(json.dumps({**document, "checks": checks}))
    result = runner.rescore(tmp_path / "run")
    assert set(outcomes(result).values()) == {"passed"}
    assert result.path == tmp_path / "run" / "rescored.json"
    former = reports.read(tmp_path / "run" / "report.json")
    assert [row["outcome"] for row in former["trials"]] == ["passed", "failed"]
    file.write_text(json.dumps({**document, "request": "Add {{ a }} and {{ b }}."}))
    with pytest.raises(UsageError, match="probe-sum"):
        runner.rescore(tmp_path / "run")


def test_a_transcript_of_another_trial_is_scored_for_none(settings: Any, tmp_path: Path) -> None:
    asked = settings("idle")
    runner.run(asked)
    files = sorted((tmp_path / "run").glob("trials/*/*/*/events.jsonl"))
    first, second = (file for file in files if "probe-sum" in str(file))
    second.write_bytes(first.read_bytes())
    rows = reports.read(runner.rescore(tmp_path / "run").path)["trials"]
    (mixed,) = [row for row in rows if row["outcome"] == "harness_error"]
    assert mixed["instance"] == second.parent.parent.name
    assert mixed["reason"].endswith("events.jsonl: the transcript answers another request")


def test_a_broken_entry_of_the_suite_stops_the_run(settings: Any, tmp_path: Path) -> None:
    entries = tmp_path / "entries"
    shutil.copytree(ENTRIES, entries)
    broken = entries / "tasks" / "probe" / "broken.json"
    document = json.loads((entries / "tasks" / "probe" / "sum.json").read_text())
    broken.write_text(json.dumps({**document, "id": "probe-broken", "checks": []}))
    asked = settings("idle", registry=(entries,), suite="probe")
    whole = runner.RunSettings(**{**vars(asked), "tasks": ()})
    with pytest.raises(EntryError) as error:
        runner.run(whole)
    assert "broken.json" in str(error.value)
    assert runner.plan(asked).size == 2


def test_a_run_is_named_by_its_folder_or_by_the_report_in_it(settings: Any, tmp_path: Path) -> None:
    asked = settings("idle", report=tmp_path / "copy.json")
    result = runner.run(asked)
    assert (result.path, result.run_dir) == (tmp_path / "copy.json", tmp_path / "run")
    for named in (tmp_path / "run", tmp_path / "run" / "report.json"):
        again = runner.rescore(named)
        assert again.path == tmp_path / "run" / "rescored.json"
        assert again.report["summary"] == result.report["summary"]


def test_rescoring_or_resuming_what_is_no_run_says_so(tmp_path: Path) -> None:
    for action in (runner.resume, runner.rescore):
        with pytest.raises(ReportError, match="no run folder"):
            action(tmp_path)
