"""What becomes of a run whose processes are killed, at random moments, one after the other.

``python -m benchmarks.killing [--kills N] [--trials N] [--seed N]``

The *parent* is killed while it plans, starts, supervises or writes, and the run is resumed each
time. At its end every trial must have finished exactly once, with no process left behind, and the
report must be that of a run that nobody disturbed, but for times, the run's id and the number of
attempts. A killed *worker* leaves its trial unscored, until ``retry-errors`` mends it; a killed
*agent* is an error of the agent. Nothing else may be touched by either.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from benchmarks.counting import counted
from braino_registry import reports
from braino_registry.runner import journal

HERE = Path(__file__).resolve().parent
ENTRIES = HERE.parent / "tests" / "runner" / "entries"
WORKER, AGENT = "braino_registry.runner.worker", "from braino.agent import main"
_GONE_SECONDS = 30.0
#: What two reports of the same work differ in: when, under which name, how fast, by which way.
_PASSING = ("run_id", "started", "finished", "merged", "seal")
_PASSING_SETTINGS = ("jobs", "shard")
_PASSING_TRIAL = ("seconds", "working_seconds", "phases", "process", "attempt")


def lasting(report: dict[str, Any], *, attempts: bool = False) -> dict[str, Any]:
    """Return what of a report depends on the work alone.

    Parameters
    ----------
    report : dict
        The report.
    attempts : bool
        Whether the number of attempts counts too.
    """
    passing = [name for name in _PASSING_TRIAL if not (attempts and name == "attempt")]
    rest = {name: value for name, value in report.items() if name not in _PASSING}
    rest["settings"] = {k: v for k, v in rest["settings"].items() if k not in _PASSING_SETTINGS}
    rest["trials"] = [
        {k: v for k, v in trial.items() if k not in passing} for trial in rest["trials"]
    ]
    return rest


@dataclass
class Range:
    """Where runs are made, and with what.

    Parameters
    ----------
    folder : Path
        For the runs.
    trials : int
        Trials of each, an even number.
    draw : random.Random
        What chooses the moments.
    """

    folder: Path
    trials: int
    draw: random.Random
    runs: int = field(default=0, init=False)

    def new(self) -> Path:
        """Return the folder of a new run."""
        self.runs += 1
        return self.folder / f"run-{self.runs}"

    def command(self, action: str, run: Path) -> list[str]:
        """Return the command that begins a run or goes on with it."""
        base = [sys.executable, "-m", "braino_registry.cli", "eval", action]
        if action != "run":
            return [*base, str(run)]
        return [
            *base, "probe-sum", "--agent", "idle:nothing", "--registry", str(ENTRIES),
            "--repeats", str(self.trials // 2), "--jobs", "2", "--run-dir", str(run),
            "--cache", str(self.folder / "cache"),
        ]  # fmt: skip

    def start(self, action: str, run: Path) -> subprocess.Popen[bytes]:
        """Begin a run, or go on with it."""
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                self.command(action, run), cwd=HERE, stdout=log, stderr=log, start_new_session=True
            )

    def finish(self, action: str, run: Path, code: int = 0) -> dict[str, Any]:
        """Let a run come to its end; return its report."""
        process = self.start(action, run)
        if process.wait() != code:
            raise AssertionError(f"{action} ended with {process.returncode}: {self.said()}")
        return reports.read(run, verify=True)

    def said(self) -> str:
        """Return the last that the runs have printed."""
        return (self.folder / "log").read_bytes()[-2000:].decode(errors="replace")


@dataclass(frozen=True)
class Pace:
    """How long things take on this computer, undisturbed.

    Parameters
    ----------
    report : dict
        The report of the run that nobody disturbed.
    begin : float
        Seconds until the first trial begins.
    trial : float
        Seconds that each trial adds.
    """

    report: dict[str, Any]
    begin: float
    trial: float


def undisturbed(field: Range) -> Pace:
    """Run once without any kill."""
    run, began = field.new(), time.monotonic()
    process = field.start("run", run)
    first = None
    while process.poll() is None:
        if first is None and _size(run / "journal.jsonl"):
            first = time.monotonic()
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.02)
    ended = time.monotonic()
    if process.returncode or first is None:
        raise AssertionError(field.said())
    return Pace(reports.read(run, verify=True), first - began, (ended - first) / field.trials)


def kill_parents(field: Range, pace: Pace, kills: int) -> dict[str, int]:
    """Kill the parent so many times, in as many runs as it takes; return what was met.

    Raises
    ------
    AssertionError
        If anything is lost, done twice, left behind, or different.
    """
    left, met = kills, Counter[str]()
    while left:
        run, done = field.new(), False
        while left and not done:
            done, where = _live(field, run, *_moment(field, pace, kills))
            if not done:
                left -= 1
                met[where] += 1
        action = "resume" if (run / "run.json").exists() else "run"
        report = field.finish(action, run)
        assert lasting(report) == lasting(pace.report), "the report differs"
        _check_journal(run, report)
        met["runs"] += 1
    return dict(met)


def _moment(field: Range, pace: Pace, kills: int) -> tuple[float, bool]:
    """Return how many seconds to wait, and whether to wait for the first trial before that."""
    if field.draw.random() < 0.25:
        return field.draw.uniform(0, pace.begin), False
    return field.draw.uniform(0, 2.5 * pace.trial * field.trials / max(kills, 4)), True


def _live(field: Range, run: Path, seconds: float, amid: bool) -> tuple[bool, str]:
    """Let the parent live for so long; return whether it came to its end, or what it was at."""
    action = "resume" if (run / "run.json").exists() else "run"
    before = _size(run / "journal.jsonl")
    process = field.start(action, run)
    while amid and process.poll() is None and _size(run / "journal.jsonl") == before:
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.01)
    with suppress(subprocess.TimeoutExpired):
        if process.wait(seconds) == 0:
            return True, ""
        raise AssertionError(f"{action} ended with {process.returncode}: {field.said()}")
    family = _family(process.pid)
    process.kill()
    process.wait()
    _, alive = psutil.wait_procs(family, timeout=_GONE_SECONDS)
    assert not alive, f"left behind: {alive}"
    return False, "in trials" if _size(run / "journal.jsonl") > before else "before any trial"


def _check_journal(run: Path, report: dict[str, Any]) -> None:
    """Check that each trial finished once, and that its attempts were begun one after the other."""
    finished, started = Counter[journal.Key](), Counter[journal.Key]()
    for line in (run / "journal.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        if entry["type"] == "finished":
            finished[journal.key_of(entry["record"])] += 1
            continue
        key = journal.key_of(entry)
        assert key not in finished, f"{key} was begun again after it had finished"
        started[key] += 1
        # Of a begun attempt the unsynced note may be lost with the machine, never with a process.
        assert entry["attempt"] == started[key], f"attempt {entry['attempt']} of {key}"
    assert set(finished.values()) == {1}, "a trial finished twice"
    assert len(finished) == report["coverage"]["planned"]


def kill_children(
    field: Range, pace: Pace, kills: int, word: str, outcome: str
) -> tuple[Path, dict[str, Any], int]:
    """Kill workers or agents of one run at random moments; return folder, report and number hit.

    Parameters
    ----------
    field, pace : Range, Pace
        Where, and how fast.
    kills : int
        How many.
    word : str
        What stands in the command of those who are killed.
    outcome : str
        What a trial may end with when it was hit.
    """
    run = field.new()
    process = field.start("run", run)
    hit = 0
    # A killed worker takes as long as the first one to be replaced.
    longest = pace.begin if word == WORKER else 2 * pace.trial
    for victim in _victims(process, word, lambda: field.draw.uniform(0, longest)):
        with suppress(psutil.NoSuchProcess):
            victim.kill()
            hit += 1
        if hit == kills:
            break
    if process.wait() not in (0, 3) or not (run / "report.json").exists():
        raise AssertionError(f"run ended with {process.returncode}: {field.said()}")
    report = reports.read(run, verify=True)
    mine = {journal.key_of(row): row for row in lasting(pace.report)["trials"]}
    struck = 0
    for row in lasting(report)["trials"]:
        if row != mine[journal.key_of(row)]:
            assert row["outcome"] == outcome, row
            assert "signal 9" in row["reason"], row
            struck += 1
    assert struck <= hit
    return run, report, struck


def _victims(
    process: subprocess.Popen[bytes], word: str, pause: Callable[[], float]
) -> Iterator[psutil.Process]:
    """Yield processes of the run that are at work, after random pauses, until it ends."""
    seconds = 0.0
    while process.poll() is None:
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        victim = next((each for each in _family(process.pid) if _at_work(each, word)), None)
        seconds = 0.01
        if victim is not None:
            yield victim
            seconds = pause()


def _at_work(process: psutil.Process, word: str) -> bool:
    """Tell whether it is an agent that a worker has, or a worker that has one."""
    with suppress(psutil.Error):
        if word not in " ".join(process.cmdline()):
            return False
        if word == WORKER:
            return bool(process.children())
        # Before any trial the parent itself makes the agent once.
        return WORKER in " ".join(psutil.Process(process.ppid()).cmdline())
    return False


def _family(pid: int) -> list[psutil.Process]:
    with suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).children(recursive=True)
    return []


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def main() -> int:
    """Print what was killed and what came of it; fail if anything was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=60)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4), "big"))
    options = parser.parse_args()
    print(f"seed {options.seed}")
    with tempfile.TemporaryDirectory(prefix="braino-killing-") as folder:
        field = Range(Path(folder), options.trials, random.Random(options.seed))
        pace = undisturbed(field)
        print(
            f"undisturbed: first trial after {pace.begin:.2f} s, {1000 * pace.trial:.0f} ms a trial"
        )
        met = kill_parents(field, pace, options.kills)
        print(
            f"parent: killed {counted(options.kills, 'time')} "
            f"({met.get('before any trial', 0)} before it had begun a trial) in "
            f"{counted(met['runs'], 'run')} of {counted(options.trials, 'trial')}; every trial "
            "finished once, reports equal"
        )
        few = max(1, options.kills // 6)
        run, _, struck = kill_children(field, pace, few, WORKER, "harness_error")
        mended = field.finish("retry-errors", run) if struck else reports.read(run)
        assert lasting(mended) == lasting(pace.report), "retry-errors left something else"
        print(
            f"workers: killed {few}, {counted(struck, 'trial')} harness_error, "
            "mended by retry-errors"
        )
        _, _, struck = kill_children(field, pace, few, AGENT, "agent_error")
        print(f"agents: killed {few}, {counted(struck, 'trial')} agent_error, nothing else touched")
    return 0


if __name__ == "__main__":
    sys.exit(main())
