"""How runs end that are refused, interrupted, damaged or badly treated."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections import deque
from pathlib import Path
from typing import Any, cast

import psutil
import pytest

from braino_registry import reports, runner
from braino_registry.errors import BrainoError, ReportError, UsageError
from braino_registry.runner import wire
from braino_registry.runner.place import Place
from braino_registry.runner.plan import Row
from braino_registry.runner.records import checked
from braino_registry.runner.run import record_without_worker
from braino_registry.runner.spec import TrialSpec
from braino_registry.runner.supervise import (
    Hooks,
    Roster,
    Supervisor,
    Worker,
    WorkerDied,
    WorkerSilent,
)
from tests.runner.conftest import ENTRIES, HERE
from tests.runner.test_runs import start_cli, wait_for_child_named

# --- refused before anything is run


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("folder", "this is a folder"),
        ("", "this is a folder"),
        ("missing/report.json", "does not exist"),
        ("pipe", "no ordinary file"),
        ("/dev/null", "no ordinary file"),
    ],
)
@pytest.mark.parametrize("command", ["run", "resume", "rescore"])
def test_a_report_that_cannot_be_written_is_refused_before_any_trial(
    settings: Any, tmp_path: Path, name: str, problem: str, command: str
) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    target = Path(tmp_path, name) if name else Path()
    action = {
        "run": lambda: runner.run(settings("idle", report=target)),
        "resume": lambda: runner.resume(tmp_path / "run", report=target),
        "rescore": lambda: runner.rescore(tmp_path / "run", report=target),
    }[command]
    with pytest.raises(UsageError, match=problem) as error:
        action()
    assert error.value.where == f"-o {target}"
    assert not (tmp_path / "run").exists()


def test_a_folder_without_permission_is_refused_before_any_trial(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The tests may run as a user for whom every folder is writable.
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with pytest.raises(UsageError, match="cannot be written to"):
        runner.run(settings("idle", report=tmp_path / "report.json"))
    assert not (tmp_path / "run").exists()


def test_a_suite_that_does_not_exist_is_said_whatever_the_tasks(settings: Any) -> None:
    with pytest.raises(UsageError, match="no suite called 'nope'"):
        runner.run(settings("idle", "probe-sum", suite="nope"))


@pytest.mark.parametrize(
    ("option", "number"), [("repeats", 0), ("repeats", 10**9), ("jobs", -1), ("jobs", 10**8)]
)
def test_numbers_that_nobody_means_are_refused(
    settings: Any, tmp_path: Path, option: str, number: int
) -> None:
    with pytest.raises(UsageError, match="is not allowed here") as error:
        runner.run(settings("idle", **{option: number}))
    assert error.value.where == f"--{option}"
    assert not (tmp_path / "run").exists()


# --- damaged run folders


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Path:
    """A run of two trials, the first passed and the second failed."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(HERE)
        runner.run(
            runner.RunSettings(
                "zoo:good",
                tasks=("probe-sum",),
                registry=(ENTRIES,),
                run_dir=folder,
                cache=cache,
            )
        )
    return folder


@pytest.fixture
def ran(whole: Path, tmp_path: Path) -> Path:
    """A copy of that run, to be damaged."""
    return Path(shutil.copytree(whole, tmp_path / "run"))


def edit(path: Path, **changes: Any) -> None:
    document = json.loads(path.read_bytes())
    path.write_text(json.dumps({**document, **changes}))


@pytest.mark.parametrize(
    ("changes", "problem", "where"),
    [
        ({"schema": "run/2"}, "newer schema 'run/2'", "run.json"),
        ({"schema": "task/1"}, "damaged", "$.schema"),
        ({"asked": {}}, "damaged", "$.asked"),
        ({"agent": 7}, "damaged", "$.agent"),
        ({"plan": {"planned": [{}]}}, "damaged", "$.plan"),
        ({"rule": None}, "damaged", "$.rule"),
    ],
)
def test_a_bad_run_file_is_refused_with_its_place(
    ran: Path, changes: dict[str, Any], problem: str, where: str
) -> None:
    edit(ran / "run.json", **changes)
    for action in (runner.resume, runner.rescore):
        with pytest.raises(ReportError, match=problem) as error:
            action(ran)
        assert error.value.exit_code == 2
        assert error.value.where.startswith(str(ran / "run.json"))
        assert where in error.value.where


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"7", b"\xff\xfe", b'{"a":' * 2000])
def test_rubbish_for_a_run_file_is_refused(ran: Path, content: bytes) -> None:
    (ran / "run.json").write_bytes(content)
    with pytest.raises(ReportError):
        runner.resume(ran)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"score": 99}, "99 is more than 1"),
        ({"score": None}, "the outcome 'passed' with the score None"),
        ({"passed": False}, "with passed=False"),
        ({"outcome": "harness_error"}, "the outcome 'harness_error' with the score"),
        ({"usage": None}, "usage"),
        ({"task": "probe-other"}, "not planned"),
        ({"repeat": 7}, "not planned"),
        ({"verified": "yes"}, "verified"),
    ],
)
def test_a_record_that_no_run_writes_is_not_put_into_a_report(
    ran: Path, change: dict[str, Any], problem: str
) -> None:
    lines = (ran / "journal.jsonl").read_text().splitlines()
    entry = json.loads(lines[1])
    lines[1] = json.dumps({**entry, "record": {**entry["record"], **change}})
    (ran / "journal.jsonl").write_text("\n".join(lines) + "\n")
    before = (ran / "report.json").read_bytes()
    for action in (runner.resume, runner.rescore):
        with pytest.raises(ReportError) as error:
            action(ran)
        assert problem in error.value.problem
        assert error.value.where.endswith("journal.jsonl: line 2")
    assert (ran / "report.json").read_bytes() == before


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        ("cut", "cut off in its last line"),
        pytest.param("garbled", "events.jsonl, line 2", marks=pytest.mark.slow),
        ("event", "events.jsonl, line 2"),
        pytest.param("short", "does not go from start to end", marks=pytest.mark.slow),
        pytest.param("gone", "cannot read the transcript", marks=pytest.mark.slow),
        pytest.param("pipe", "not a regular file", marks=pytest.mark.slow),
    ],
)
def test_a_damaged_transcript_spoils_its_own_trial_alone(
    ran: Path, damage: str, words: str
) -> None:
    path = ran / "trials/probe-sum/small/1/events.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    wrong = {"n": 1, "t": 0.0, "type": "answer", "text": 7}
    changed = {
        "cut": "".join(lines)[:-4],
        "garbled": "".join([lines[0], "{\n", *lines[2:]]),
        "event": "".join([lines[0], json.dumps(wrong) + "\n", *lines[2:]]),
        "short": "".join(lines[:-1]),
    }
    path.unlink()
    if damage in changed:
        path.write_text(changed[damage])
    elif damage == "pipe":
        os.mkfifo(path)
    result = runner.rescore(ran)
    assert result.exit_code == 3
    small, large = result.report["trials"]
    assert (small["outcome"], small["score"]) == ("harness_error", None)
    assert words in small["reason"]
    assert (large["outcome"], large["score"]) == ("failed", pytest.approx(0.5))
    assert reports.read(ran / "rescored.json", verify=True)["trials"] == result.report["trials"]


def test_rescoring_keeps_notes_and_changes_nothing_of_a_sound_run(ran: Path) -> None:
    former = reports.read(ran / "report.json")["trials"]
    assert runner.rescore(ran).report["trials"] == former


# --- workers that do not answer

SPEC = TrialSpec("probe-sum", "1.0.0", "small", 1, "zoo:good", "nowhere")
ROW = Row("probe-sum", "1.0.0", "small", "arithmetic", None, 0.0)


@pytest.mark.parametrize(
    ("step", "outcome", "score"),
    [
        ("session", "limit", 0.0),
        ("score", "limit", 0.0),
        ("data", "harness_error", None),
        ("expected", "harness_error", None),
        ("", "harness_error", None),
    ],
)
def test_what_takes_for_ever_in_the_agents_service_is_scored(
    step: str, outcome: str, score: float | None
) -> None:
    """Otherwise a request without end would be the way out of a trial that fails."""

    class Silent:
        def request(self, message: Any) -> Any:
            raise WorkerSilent(300.0, step)

        def close(self) -> None: ...

    rows: list[dict[str, Any]] = []
    hooks = Hooks(lambda spec: None, lambda spec, record: rows.append(record))
    supervisor = Supervisor(
        [SPEC],
        1,
        lambda: cast(Worker, Silent()),
        hooks,
        Roster(),
        lambda spec, why: record_without_worker(spec, ROW, why),
    )
    assert supervisor.run()
    assert [(row["outcome"], row["score"]) for row in rows] == [(outcome, score)]
    assert "300 s" in rows[0]["reason"]
    assert checked(rows[0]) == rows[0]


def test_a_worker_that_died_says_nothing_of_the_agent() -> None:
    record = record_without_worker(SPEC, ROW, WorkerDied("the worker was killed by signal 9"))
    assert (record["outcome"], record["score"]) == ("harness_error", None)


def start_worker(scratch: Path, registry: Path = ENTRIES) -> subprocess.Popen[bytes]:
    """Start a worker as a run does, and give it its first message."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "braino_registry.runner.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    init = wire.init_message(registry=(registry,), cache=None, salt=None, scratch=scratch)
    assert process.stdin is not None
    process.stdin.write(wire.encode(init))
    process.stdin.flush()
    return process


def test_workers_share_no_folder_that_one_of_them_could_remove(tmp_path: Path) -> None:
    first, second = start_worker(tmp_path / "a"), start_worker(tmp_path / "b")
    for each in (first, second):
        assert each.stdout is not None
        assert json.loads(each.stdout.readline())["type"] == "ready"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]
    first.communicate()
    assert [path.name for path in tmp_path.iterdir()] == ["b"]
    second.communicate()
    assert list(tmp_path.iterdir()) == []


def test_a_parent_that_is_gone_at_once_leaves_nothing(tmp_path: Path) -> None:
    # The pipe is closed while the worker is still importing what it needs.
    start_worker(tmp_path / "scratch").communicate()
    assert list(tmp_path.iterdir()) == []


def test_a_worker_without_space_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    process = start_worker(tmp_path / "file" / "scratch")
    out, _ = process.communicate()
    reply = json.loads(out or b"{}")
    # It may be told to leave before it has answered.
    assert reply == {} or "folder for temporary files" in reply["problem"]


def test_a_temporary_folder_that_cannot_be_made_is_a_host_error(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "file"))
    with pytest.raises(BrainoError, match=r"cannot make .*: File exists") as error:
        runner.run(settings("idle"))
    assert error.value.exit_code == 3


# --- interruption


def test_a_second_ctrl_c_ends_at_once_with_the_same_code(tmp_path: Path, cache: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    process = start_cli(tmp_path, cache, "never_returns", "probe-sum", TMPDIR=str(scratch))
    sleeper = wait_for_child_named(process, "sleep 1000")
    family = psutil.Process(process.pid).children(recursive=True)
    waiting = deque([signal.SIGINT] * 50)
    while waiting and process.poll() is None:
        os.kill(process.pid, waiting.popleft())
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    _, alive = psutil.wait_procs([*family, sleeper], timeout=20)
    assert alive == []
    assert list(scratch.iterdir()) == []


def test_a_worker_is_refused_more_memory_than_there_is() -> None:
    """So that what an agent asks of a tool fails as a call, and not the worker with it."""
    code = """
import numpy, psutil
from braino_registry.runner.worker import bound_memory
bound_memory()
try:
    numpy.empty(4 * psutil.virtual_memory().total, dtype=numpy.uint8)
except MemoryError:
    print("refused")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "refused\n", done.stderr


def test_a_place_is_made_where_a_former_agent_has_removed_the_folder(tmp_path: Path) -> None:
    with Place(tmp_path / "gone") as place:
        assert place.workspace.is_dir()
        assert place.held.is_dir()
        assert not place.held.is_relative_to(place.root)
    assert list((tmp_path / "gone").iterdir()) == []
