"""Single trials: whatever an agent does is an outcome, and nothing is left behind."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from braino.agent import AgentAnswer
from braino_registry.datasets import Store
from braino_registry.errors import HostError, UsageError
from braino_registry.registry import Registry, schemas
from braino_registry.runner import levels, run_counterexample, tiers, trees, try_task
from braino_registry.runner.disk import Disk
from braino_registry.scoring import CheckKind, check_kinds
from braino_registry.session import Transcript
from braino_registry.tools.catalog import Toolset
from tests.runner.conftest import ENTRIES


def failed(record: dict[str, Any]) -> list[str]:
    return [check["id"] for check in record["checks"] if not check["passed"]]


def assert_valid(record: dict[str, Any]) -> None:
    schema = {"$ref": "urn:braino:schema:report:1#/$defs/trial"}
    assert list(schemas.compiled(schema).iter_errors(record)) == []


@pytest.mark.parametrize("level", ["none", "process"])
@pytest.mark.parametrize("task", ["probe-sum", "probe-rate"])
def test_the_oracle_passes(attempt: Any, level: str, task: str) -> None:
    record = attempt(":oracle", task, isolation=level)
    assert record["outcome"] == "passed", record
    assert record["score"] == 1.0
    assert record["usage"]["tool_calls"] == 1
    assert record["usage"]["input_tokens"] is None
    assert_valid(record)


@pytest.mark.parametrize("level", ["none", "process"])
def test_the_same_agent_gets_the_same_record_by_either_path(attempt: Any, level: str) -> None:
    record = attempt("good", isolation=level)
    assert record["outcome"] == "passed"
    assert [check["passed"] for check in record["checks"]] == [True, True, True, True]


@pytest.mark.parametrize(
    ("agent", "outcome", "words"),
    [
        ("idle", "failed", None),
        ("returns_nothing", "agent_error", "returned nothing"),
        ("raises", "agent_error", "RuntimeError: no idea"),
        ("returns_nan", "agent_error", "JSON"),
        ("writes_a_novel", "limit", "bytes"),
        ("prints_a_flood", "limit", "printed more than 3000000 bytes"),
        ("kills_itself", "agent_error", "killed by signal 9"),
        ("leaves", "agent_error", "exit code 7"),
        ("keeps_calling", "limit", "tool_calls"),
    ],
)
def test_what_an_agent_does_wrong_is_scored_with_the_reason(
    attempt: Any, agent: str, outcome: str, words: str | None
) -> None:
    record = attempt(agent)
    assert record["outcome"] == outcome, record["reason"]
    assert record["passed"] is False
    assert record["score"] is not None
    assert words is None or words in record["reason"]
    assert (record["score"] == 0.0) or outcome != "agent_error"
    assert_valid(record)


def test_an_agent_that_never_returns_is_stopped_with_its_children(attempt: Any) -> None:
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    record = attempt("never_returns", "probe-brief")
    assert record["outcome"] == "limit"
    assert "seconds" in record["reason"]
    assert record["process"]["left_behind"] >= 1
    after = {child.pid for child in psutil.Process().children(recursive=True)}
    assert after <= before


def test_prints_do_not_disturb_the_protocol_and_are_kept(attempt: Any, tmp_path: Path) -> None:
    record = attempt("chats", keep=tmp_path / "run")
    assert record["outcome"] == "passed"
    log = (tmp_path / "run/trials/probe-sum/small/1/agent.log").read_text()
    assert "from a child" in log
    assert record["process"]["printed_bytes"] == len(log)


def test_prints_of_an_agent_in_a_thread_are_kept_and_those_of_others_left_alone(
    attempt: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    streams = sys.stdout, sys.stderr
    record = attempt("chatters", isolation="none", keep=tmp_path / "run")
    assert record["outcome"] == "passed"
    log = (tmp_path / "run/trials/probe-sum/small/1/agent.log").read_text()
    assert log == "to standard output\nto standard error\nfrom a thread\n"
    assert record["process"]["printed_bytes"] == len(log)
    assert (sys.stdout, sys.stderr) == streams
    assert capsys.readouterr() == ("", "")


def test_a_thread_that_prints_a_flood_is_kept_at_both_ends(attempt: Any, tmp_path: Path) -> None:
    record = attempt("prints_a_flood", isolation="none", keep=tmp_path / "run")
    log = (tmp_path / "run/trials/probe-sum/small/1/agent.log").read_bytes()
    assert record["process"]["printed_bytes"] == 100 * 1_000_001
    assert len(log) < 100_000
    assert b"bytes left out" in log


def test_a_daemon_is_stopped_and_counted(attempt: Any, tmp_path: Path) -> None:
    record = attempt("leaves_a_daemon", keep=tmp_path / "run")
    assert record["outcome"] == "passed"
    assert record["process"]["left_behind"] == 1
    pid = int((tmp_path / "run/trials/probe-sum/small/1/artifacts/pid").read_text())
    assert not psutil.pid_exists(pid)


def test_only_regular_files_of_the_workspace_are_taken_over(attempt: Any, tmp_path: Path) -> None:
    record = attempt("hands_in_files", keep=tmp_path / "run")
    folder = tmp_path / "run/trials/probe-sum/small/1/artifacts"
    found = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    assert found == ["deep/notes.txt"]
    assert record["outcome"] == "failed"


def test_usage_is_summed_and_null_where_unknown(attempt: Any) -> None:
    usage = attempt("reports_usage")["usage"]
    assert usage["input_tokens"] == 150
    assert usage["cost"] is None
    assert usage["questions"] == 1


def test_the_agent_finds_itself_in_its_workspace_and_nothing_told_of_the_registry(
    attempt: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRAINO_MIRRORS", "/somewhere")
    attempt("looks_around", keep=tmp_path / "run")
    events = _events(tmp_path / "run/trials/probe-sum/small/1/events.jsonl")
    text = next(event["text"] for event in events if event["type"] == "answer")
    at_home, variables, inputs, _ = text.split(" | ")
    assert at_home == "True"
    assert variables == "[]"
    assert "probe" not in inputs


def _events(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_spoilt_place_is_removed(
    attempt: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert attempt("spoils_the_place")["outcome"] == "passed"
    assert os.listdir(tmp_path) == []


def test_an_agent_cannot_change_the_cached_data(
    attempt: Any, cache: Path, registry: Registry
) -> None:
    store, entry = Store(cache), registry.dataset("two-subject-rest@1.0.0")
    store.build_or_find(entry)
    before = store.verify(entry, deep=True)
    assert before.files > 5
    assert attempt("tampers", "probe-rate")["outcome"] == "failed"
    assert store.verify(entry, deep=True) == before


def test_expected_values_stand_outside_the_trial(attempt: Any, tmp_path: Path) -> None:
    attempt("good", keep=tmp_path / "run")
    known = json.loads((tmp_path / "run/expected/probe-sum/small/1.json").read_text())
    assert known["values"]["total"] == {"expected": 42}


@pytest.mark.parametrize("number", [0, 1, 2])
def test_counterexamples_fail_exactly_what_they_say(
    number: int, registry: Registry, cache: Path
) -> None:
    record = run_counterexample("probe-sum", number, registry=registry, store=Store(cache))
    wanted = registry.task("probe-sum").counterexamples[number]["fails"]
    assert failed(record) == wanted


def test_an_agent_object_can_be_tried_directly(registry: Registry, cache: Path) -> None:
    class Mine:
        name, model = "mine", None

        def solve(self, request: str, session: Any) -> AgentAnswer:
            total = session.call("calc", {"expression": "20 + 22"}).result["value"]
            return AgentAnswer(text=f"The total is {total}.", data={"total": total})

    record = try_task("probe-sum", agent=Mine(), registry=registry, store=Store(cache))
    assert record["outcome"] == "passed"


def test_a_fault_of_ours_is_no_fault_of_the_agent(
    attempt: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: Any, **options: Any) -> Any:
        raise ZeroDivisionError("a bug in scoring")

    monkeypatch.setattr("braino_registry.scoring.score", broken)
    record = attempt("good")
    assert record["outcome"] == "harness_error"
    assert record["score"] is None
    assert "a bug in scoring" in record["reason"]
    assert_valid(record)


def test_a_run_folder_that_cannot_be_written_is_no_fault_of_the_agent(
    attempt: Any, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    record = attempt("good", keep=tmp_path / "file" / "run")
    assert record["outcome"] == "harness_error"
    assert "cannot write" in record["reason"]


def test_an_unknown_level_is_refused() -> None:
    with pytest.raises(UsageError) as error:
        levels.get("proces")
    assert "Did you mean 'process'" in error.value.hint


def test_entries_of_the_tests_are_sound() -> None:
    assert Registry.open([ENTRIES]).survey("probe").problems == ()


@pytest.mark.parametrize(
    "agent",
    [
        "removes_the_data",
        "puts_pipes_for_data",
        "puts_devices_for_data",
        "puts_rubbish_for_data",
    ],
)
def test_what_becomes_of_the_agents_copy_changes_no_result(attempt: Any, agent: str) -> None:
    record = attempt(agent, "probe-rate")
    assert record["outcome"] == "passed", record["reason"]
    assert "notes" not in record


def test_a_number_written_into_the_data_is_no_tools_number(attempt: Any) -> None:
    record = attempt("launders_a_number", "probe-rate")
    assert record["outcome"] == "failed", record["reason"]
    assert "grounded" in failed(record)


def test_who_writes_into_the_tools_copy_is_found_out(attempt: Any, tmp_path: Path) -> None:
    record = attempt("finds_the_tools_copy", "probe-rate", keep=tmp_path / "run")
    assert (record["outcome"], record["score"]) == ("agent_error", 0.0)
    assert record["reason"] == "the data that the tools read were changed from outside"
    assert _events(tmp_path / "run" / record["transcript"])[-1]["outcome"] == "agent_error"


def test_where_the_tools_copy_lies_is_not_told(attempt: Any, tmp_path: Path) -> None:
    record = attempt("asks_for_what_is_not_there", "probe-rate", keep=tmp_path / "run")
    assert record["outcome"] == "failed"
    assert "held-" not in (tmp_path / "run" / record["transcript"]).read_text()


def test_an_agent_that_digs_is_scored_and_nothing_stays(
    attempt: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    record = attempt("digs")
    # Whether it is seen before it answers is a matter of milliseconds.
    assert record["outcome"] in ("passed", "limit"), record["reason"]
    assert os.listdir(tmp_path) == []


def test_what_cannot_be_removed_is_noted(
    attempt: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remove = trees.remove_tree
    monkeypatch.setattr(trees, "remove_tree", lambda path: remove(path) and False)
    record = attempt("good")
    assert record["outcome"] == "passed"
    assert "could not be removed" in record["notes"][0]
    assert_valid(record)


def test_usage_beyond_all_bounds_is_refused_and_the_trial_is_scored(attempt: Any) -> None:
    record = attempt("exaggerates")
    assert record["outcome"] == "passed", record["reason"]
    assert record["usage"]["cost"] is None


def test_a_check_that_cannot_be_evaluated_fails_alone_and_says_so(
    attempt: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    get = check_kinds.get

    def break_number(name: str) -> CheckKind:
        kind = get(name)
        return replace(kind, run=_broken) if name == "number" else kind

    monkeypatch.setattr(check_kinds, "get", break_number)
    record = attempt("good")
    assert (record["outcome"], record["score"]) == ("failed", 0.75)
    assert failed(record) == ["total"]
    evidence = record["checks"][1]["evidence"]
    assert evidence.endswith("a fault of the harness: OverflowError: too large")
    assert record["notes"] == [f"HARNESS: check total: {evidence}"]
    assert_valid(record)


def _broken(*args: Any, **options: Any) -> Any:
    raise OverflowError("too large")


def test_a_fault_of_a_tool_leaves_the_trial_scored_with_a_note(
    attempt: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Toolset, "run", _broken)
    record = attempt(":oracle")
    assert record["outcome"] in ("failed", "agent_error")
    assert record["score"] is not None
    assert record["notes"][0].startswith("HARNESS: calc failed: OverflowError: too large")
    assert_valid(record)


def test_who_fills_the_disk_ends_its_own_trial(
    attempt: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The transcript meets a full disk once, before the watcher has looked."""
    small = replace(tiers.get("minimum"), disk_bytes=1_000_000)
    monkeypatch.setattr(tiers, "get", lambda name: small)
    monkeypatch.setattr(Disk, "look", lambda self: None)
    write = Transcript._write
    refused: list[bytes] = []

    def full(self: Transcript, line: bytes) -> None:
        if b'"type":"call"' in line and not refused:
            refused.append(line)
            raise HostError("cannot write a transcript: No space left on device")
        write(self, line)

    monkeypatch.setattr(Transcript, "_write", full)
    record = attempt("fills_the_disk", keep=tmp_path / "run")
    assert len(refused) == 1
    assert record["outcome"] == "limit", record["reason"]
    assert "wrote more than the 1000000 bytes" in record["reason"]
    assert record["score"] is not None
    events = _events(tmp_path / "run" / record["transcript"])
    assert [event["n"] for event in events] == list(range(len(events)))
    assert (events[0]["type"], events[-1]["type"]) == ("start", "end")


def test_a_full_disk_that_the_agent_has_not_filled_is_no_fault_of_the_agent(
    attempt: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Transcript, line: bytes) -> None:
        raise HostError("cannot write a transcript: No space left on device")

    monkeypatch.setattr(Transcript, "_write", full)
    record = attempt("good")
    assert record["outcome"] == "harness_error"
    assert "No space left" in record["reason"]
