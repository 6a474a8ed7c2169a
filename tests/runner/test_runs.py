"""Whole runs: parent, workers and agents as processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import psutil
import pytest

from braino_registry import reports, runner
from braino_registry.errors import HostError, UsageError
from braino_registry.runner import journal
from tests.runner.conftest import ENTRIES, HERE


def outcomes(result: runner.RunResult) -> dict[tuple[str, str], str]:
    rows = result.report["trials"]
    return {(row["task"], row["instance"]): row["outcome"] for row in rows}


def children() -> set[int]:
    return {child.pid for child in psutil.Process().children(recursive=True)}


def test_a_run_leaves_a_valid_report_and_nothing_else(settings: Any, tmp_path: Path) -> None:
    before = children()
    events: list[dict[str, Any]] = []
    asked = settings("good", jobs=2, repeats=2, report=tmp_path / "today.json")
    result = runner.run(asked, observer=events.append)
    assert result.exit_code == 0
    report = reports.read(tmp_path / "today.json", verify=True)
    assert report == reports.read(tmp_path / "run" / "report.json")
    assert report["agent"] == {
        "name": "good",
        "model": None,
        "factory": "zoo:good",
        "family": None,
        "parameters": None,
        "context": None,
    }
    rows = [(row["task"], row["instance"], row["repeat"]) for row in report["trials"]]
    assert rows == [("probe-sum", i, k) for i in ("small", "large") for k in (1, 2)]
    for row in report["trials"]:
        assert (tmp_path / "run" / row["transcript"]).is_file()
    assert outcomes(result) == {("probe-sum", "small"): "passed", ("probe-sum", "large"): "failed"}
    assert [event["type"] for event in events].count("finished") == 4
    assert events[0] == {"type": "planned", "trials": 4}
    assert events[-1] == {"type": "ended"}
    assert children() <= before
    left = sorted(path.name for path in (tmp_path / "run").iterdir())
    assert left == ["expected", "journal.jsonl", "report.json", "run.json", "trials"]


def test_the_parent_imports_no_science_and_stays_small(tmp_path: Path, cache: Path) -> None:
    """Entries that the index knows are planned, supervised and reported without numpy or MNE."""
    code = f"""
import json, re, sys
from pathlib import Path
from braino_registry.runner import RunSettings, run
result = run(RunSettings(agent="null", tasks=("bad-channels-ask",), jobs=2,
    run_dir=Path({str(tmp_path / "run")!r}), cache=Path({str(cache)!r})))
heavy = [name for name in ("mne", "numpy", "scipy", "pandas", "bids") if name in sys.modules]
status = Path("/proc/self/status").read_text()  # ru_maxrss would be the caller's, through fork
peak = int(re.search(r"VmHWM:\\s+(\\d+) kB", status)[1]) * 1024
print(json.dumps([result.exit_code, heavy, peak]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    exit_code, heavy, peak = json.loads(done.stdout)
    assert exit_code == 0
    assert heavy == [], "is tasks/index.json fresh?"
    assert peak < 200e6


def test_data_that_are_not_here_become_rows_with_the_command(settings: Any) -> None:
    result = runner.run(settings("idle", "probe-rate"))
    assert result.exit_code == 0
    rows = {row["instance"]: row for row in result.report["trials"]}
    assert rows["real"]["outcome"] == "not_planned"
    asked = settings("idle")
    command = f"braino data fetch eeglab-tutorial --cache {asked.cache}"
    assert rows["real"]["command"] == command
    assert result.report["coverage"]["planned"] == 1
    assert result.report["coverage"]["not_planned"] == 1


def test_the_data_filter_plans_only_what_is_marked_so(settings: Any) -> None:
    plan = runner.plan(settings("idle", "probe-rate", "probe-sum", data="public"))
    assert plan.rows == ()
    assert [row.instance for row in plan.left_out] == ["real"]
    plan = runner.plan(settings("idle", "probe-rate", data="twin"))
    assert [row.instance for row in plan.rows] == ["synthetic"]
    assert plan.left_out == ()
    plan = runner.plan(settings("idle", "probe-rate", "probe-sum", data="all"))
    assert [row.instance for row in plan.rows] == ["synthetic", "small", "large"]


def test_a_filter_that_leaves_nothing_says_so(settings: Any, tmp_path: Path) -> None:
    with pytest.raises(HostError, match="none of the 1 tasks has an instance") as caught:
        runner.run(settings("idle", "probe-sum", data="twin"))
    assert (caught.value.exit_code, caught.value.where) == (3, "--data twin")
    assert not (tmp_path / "run").exists()


def test_nothing_to_run_is_incomplete(settings: Any) -> None:
    result = runner.run(settings("idle", "probe-rate", data="public"))
    assert result.exit_code == 3
    assert result.report["coverage"]["share"] is None


def test_a_failed_fetch_is_not_planned_with_the_reason_and_incomplete(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRAINO_OFFLINE", "1")
    result = runner.run(settings("idle", "probe-rate", fetch=True))
    assert result.exit_code == 3
    row = next(row for row in result.report["trials"] if row["instance"] == "real")
    assert "fetching failed: BRAINO_OFFLINE is set" in row["reason"]


def test_a_score_below_the_bound_is_exit_code_one(settings: Any) -> None:
    result = runner.run(settings("idle"))
    assert result.exit_code_with(None) == 0
    assert result.exit_code_with(0.2) == 0
    assert result.exit_code_with(0.9) == 1


@pytest.mark.parametrize("bound", [1.5, -0.1, float("nan")])
def test_a_bound_that_no_score_reaches_is_refused_before_anything_runs(
    settings: Any, tmp_path: Path, bound: float
) -> None:
    with pytest.raises(UsageError, match="no score of this suite") as caught:
        runner.run(settings("idle"), fail_under=bound)
    assert "from 0 to 1" in caught.value.hint
    assert not (tmp_path / "run").exists()


def test_bounds_are_on_the_scale_of_the_suite() -> None:
    runner.check_bound(None, "braino")
    runner.check_bound(100, "brainbench")
    with pytest.raises(UsageError):
        runner.check_bound(100, "eegagentbench")


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        ("nowhere.at.all:make", "no module called 'nowhere'"),
        ("zoo:godo", "has no 'godo'"),
        ("zoo:without_solve", "no solve"),
        ("nul", "no agent called 'nul'"),
    ],
)
def test_an_agent_that_cannot_be_made_stops_everything_before_it_begins(
    settings: Any, tmp_path: Path, agent: str, words: str
) -> None:
    asked = settings("x:y")
    with pytest.raises(UsageError) as error:
        runner.run(runner.RunSettings(**{**vars(asked), "agent": agent}))
    assert words in str(error.value)
    assert error.value.exit_code == 2
    assert not (tmp_path / "run").exists()


def test_the_model_reaches_the_agent_or_is_refused(settings: Any) -> None:
    result = runner.run(settings("with_model", model="qwen-4b"))
    assert result.report["agent"]["model"] == "qwen-4b"
    with pytest.raises(UsageError, match="cannot be given the model"):
        runner.run(settings("fixed", model="qwen-4b"))


def test_a_killed_worker_is_a_harness_error_and_the_run_goes_on(settings: Any) -> None:
    before = children()
    result = runner.run(settings("kills_its_worker", "probe-sum"))
    assert result.exit_code == 3
    rows = result.report["trials"]
    assert [row["outcome"] for row in rows] == ["harness_error", "harness_error"]
    assert "killed by signal 9" in rows[0]["reason"]
    assert rows[0]["score"] is None
    assert not result.report["coverage"]["complete"]
    assert children() <= before


def test_a_worker_whose_agent_goes_on_is_replaced(settings: Any) -> None:
    asked = settings("never_returns", "probe-brief", isolation="none", repeats=2)
    result = runner.run(asked)
    assert [row["outcome"] for row in result.report["trials"]] == ["limit", "limit"]


def test_errors_of_the_harness_can_be_run_again(settings: Any, tmp_path: Path) -> None:
    result = runner.run(settings("kills_its_worker", "probe-brief"))
    assert outcomes(result) == {("probe-brief", "only"): "harness_error"}
    again = runner.resume(tmp_path / "run", retry_errors=True)
    assert again.report["trials"][0]["attempt"] == 2
    assert (tmp_path / "run/trials/probe-brief/only/1.attempt-1/events.jsonl").is_file()


def test_a_folder_that_holds_a_run_is_refused(settings: Any) -> None:
    runner.run(settings("idle"))
    with pytest.raises(UsageError, match="already holds a run"):
        runner.run(settings("idle"))


def test_a_run_folder_that_cannot_be_made_is_a_host_error(settings: Any, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(HostError) as error:
        runner.run(settings("idle", run_dir=tmp_path / "file" / "run"))
    assert error.value.exit_code == 3


def test_a_full_disk_ends_the_run_with_exit_code_three(tmp_path: Path, cache: Path) -> None:
    """The journal of the parent meets a limit of file size, as it would a full disk."""
    code = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))
from braino_registry.cli import main
main(["eval", "run", "--agent", "null", "--suite", "probe", "--registry", {str(ENTRIES)!r},
      "--repeats", "20", "--run-dir", {str(tmp_path / "run")!r},
      "--cache", {str(cache)!r}])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 3, done.stderr
    assert "cannot write" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "run" / "report.json").exists()


def start_cli(
    tmp_path: Path, cache: Path, agent: str, *more: str, **environ: str
) -> subprocess.Popen[str]:
    command = [
        sys.executable,
        "-m",
        "braino_registry.cli",
        "eval",
        "run",
        "--agent",
        f"zoo:{agent}",
    ]
    places = ["--registry", str(ENTRIES), "--run-dir", str(tmp_path / "run"), "--cache", str(cache)]
    return subprocess.Popen(
        [*command, *places, *more],
        cwd=HERE,
        env={**os.environ, **environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def first_finished(process: subprocess.Popen[str]) -> None:
    """Wait until the run has told of its first finished trial."""
    assert process.stderr is not None
    line = process.stderr.readline()
    assert line.startswith("[1/") or line.startswith("[ 1/"), line + process.stderr.read()


def wait_for_child_named(process: subprocess.Popen[str], word: str) -> psutil.Process:
    """Wait until a descendant with ``word`` in its command runs, without sleeping blindly."""
    tick = threading.Event()
    for _ in range(3000):
        for child in psutil.Process(process.pid).children(recursive=True):
            try:
                if word in " ".join(child.cmdline()):
                    return child
            except psutil.NoSuchProcess:
                continue
        tick.wait(0.01)
    raise AssertionError(f"no process with {word!r} came up")


@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_ctrl_c_leaves_a_valid_report_and_no_process(
    tmp_path: Path, cache: Path, number: signal.Signals
) -> None:
    process = start_cli(tmp_path, cache, "never_returns", "probe-sum", "--jobs", "2")
    sleeper = wait_for_child_named(process, "sleep 1000")
    family = psutil.Process(process.pid).children(recursive=True)
    os.kill(process.pid, number)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    report = reports.read(tmp_path / "run" / "report.json", verify=True)
    assert report["coverage"]["interrupted"]
    assert report["coverage"]["planned"] == 2
    assert report["trials"] == []
    assert "INCOMPLETE" in out
    _, alive = psutil.wait_procs([*family, sleeper], timeout=10)
    assert alive == []


def test_a_killed_parent_takes_workers_and_agents_with_it_and_can_be_resumed(
    tmp_path: Path, cache: Path
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    process = start_cli(tmp_path, cache, "sleeps_on_large", "probe-sum", TMPDIR=str(scratch))
    first_finished(process)
    sleeper = wait_for_child_named(process, "sleep 1000")
    family = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.communicate()
    _, alive = psutil.wait_procs([*family, sleeper], timeout=20)
    assert alive == []
    assert list(scratch.iterdir()) == []
    before = journal.read(tmp_path / "run" / "journal.jsonl")
    assert list(before.finished) == [("probe-sum", "small", 1)]
    assert before.in_flight() == [("probe-sum", "large", 1)]
    os.environ["PROBE_AWAKE"] = "1"
    try:
        result = runner.resume(tmp_path / "run")
    finally:
        del os.environ["PROBE_AWAKE"]
    attempts = {row["instance"]: row["attempt"] for row in result.report["trials"]}
    assert attempts == {"small": 1, "large": 2}
    assert result.report["coverage"]["complete"]
    after = [json.loads(line) for line in (tmp_path / "run/journal.jsonl").read_text().splitlines()]
    started = [(row["instance"], row["attempt"]) for row in after if row["type"] == "started"]
    assert started == [("small", 1), ("large", 1), ("large", 2)]


def test_a_salt_is_recorded_by_its_hash_only(settings: Any, tmp_path: Path) -> None:
    secret = "correct horse battery staple 1234567890"
    (tmp_path / "salt").write_text(secret)
    result = runner.run(settings("idle", salt=tmp_path / "salt"))
    assert result.report["settings"]["salt"].startswith("sha256:")
    texts = [path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert not [text for text in texts if secret.encode() in text]
    (tmp_path / "salt").write_text(secret + "!")
    with pytest.raises(UsageError, match="the salt"):
        runner.resume(tmp_path / "run")
