"""Carrying out a sweep: every run that is not there yet, until all is done or the budget is used.

Each cell is an ordinary run in a folder of its own, so a sweep that was interrupted goes on where
it stopped: finished runs are read, begun ones resumed, the others started.
"""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from braino_registry.errors import BrainoError
from braino_registry.reports import read
from braino_registry.reports.files import make_folder, write_atomic
from braino_registry.reports.intervals import headline_interval
from braino_registry.reports.several import compare_all
from braino_registry.runner import folder
from braino_registry.runner.continuing import resume
from braino_registry.runner.result import RunResult
from braino_registry.runner.run import run
from braino_registry.runner.sources import Observer, ignore
from braino_registry.runner.sweeps.budget import Budget
from braino_registry.runner.sweeps.cells import Cell, Sweep
from braino_registry.runner.testimony import progress_of

Row = dict[str, Any]
RESULT = "sweep.json"


@dataclass(frozen=True)
class SweepResult:
    """What a sweep ended with.

    Parameters
    ----------
    document : dict
        ``rows`` (one per cell), ``comparisons`` (of each suite, with its first run), ``budget``.
    exit_code : int
        0 if every run is complete, 3 if not, 130 if a person interrupted it.
    path : Path
        Where the document stands.
    """

    document: dict[str, Any]
    exit_code: int
    path: Path


def sweep(
    plan: Sweep,
    place: Path,
    *,
    jobs: int | None = None,
    registry: Sequence[Path] = (),
    salt: Path | None = None,
    cache: Path | None = None,
    observer: Observer = ignore,
) -> SweepResult:
    """Carry out a sweep, or go on with it.

    Parameters
    ----------
    plan : Sweep
        What is to be run.
    place : Path
        Folder of the sweep; a run of each cell lies in it.
    jobs, registry, salt, cache : optional
        See `RunSettings`.
    observer : callable
        Told what happens, as by a run; ``cell`` events tell which run begins.

    Returns
    -------
    SweepResult
        With a row for every cell, whatever became of it.
    """
    make_folder(place)
    desk = _Desk(plan, place, {"jobs": jobs, "salt": salt}, observer)
    where = {"registry": tuple(registry), "cache": cache}
    rows: list[Row] = []
    interrupted = False
    for cell in plan.cells:
        row, stopped = desk.carry_out(cell, where, skip=interrupted)
        interrupted = interrupted or stopped
        rows.append(row)
    return _conclude(plan, place, rows, desk.budget, interrupted=interrupted)


class _Desk:
    """Runs the cells of a sweep one after the other."""

    def __init__(
        self, plan: Sweep, place: Path, how: Mapping[str, Any], observer: Observer
    ) -> None:
        self._place, self._how, self._tell = place, how, observer
        self.budget = Budget(plan.budget)
        self._stopping = threading.Event()
        for cell in plan.cells:
            self.budget.take(_records(place / cell.folder))

    def carry_out(self, cell: Cell, where: Mapping[str, Any], *, skip: bool) -> tuple[Row, bool]:
        """Run a cell if it is not done; return its row, and whether a person stopped it."""
        path = self._place / cell.folder
        done = _finished(path)
        if done is not None:
            return _row(cell, done, "done"), False
        if skip:
            return _row(cell, None, "not run", "the sweep was interrupted"), False
        if (reason := self.budget.spent()) is not None:
            return _row(cell, _partial(path), "not run", reason), False
        self._tell({"type": "cell", "name": f"{cell.name} on {cell.group}"})
        try:
            result = self._run(cell, path, where)
        except BrainoError as error:
            return _row(cell, _partial(path), "error", str(error).replace("\n", "; ")), False
        reason = self.budget.spent()
        if result.exit_code == 130 and reason is not None:
            return _row(cell, result.report, "stopped", reason), False
        state = "done" if result.report["coverage"]["complete"] else "incomplete"
        return _row(cell, result.report, state), result.exit_code == 130

    def _run(self, cell: Cell, path: Path, where: Mapping[str, Any]) -> RunResult:
        if (path / "run.json").is_file():
            return resume(path, **self._how, observer=self._observe)
        settings = cell.run_settings(run_dir=path, **self._how, **where)
        return run(settings, observer=self._observe)

    def _observe(self, event: dict[str, Any]) -> None:
        """Pass an event on; end the run where the budget is used up and trials are left."""
        self._tell(event)
        if event["type"] != "finished":
            return
        self.budget.take([event["record"]])
        left = event["done"] < event["planned"]
        if left and self.budget.spent() is not None and not self._stopping.is_set():
            # As Ctrl-C would: the run ends in order, and can be resumed. A second one would not
            # wait for that, so trials that end meanwhile send none.
            self._stopping.set()
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)


def _finished(path: Path) -> dict[str, Any] | None:
    """Return the report of a complete run, None if there is none."""
    report = _partial(path)
    return report if report is not None and report["coverage"]["complete"] else None


def _partial(path: Path) -> dict[str, Any] | None:
    """Return the report of a run as far as it came, None if it has none."""
    file = path / "report.json"
    return dict(read(file)) if file.is_file() else None


def _records(path: Path) -> list[dict[str, Any]]:
    """Return the trials of a run that have finished, whether it has a report or not."""
    if not (path / "run.json").is_file():
        return []
    place, document = folder.open_run(path)
    finished: list[dict[str, Any]] = list(progress_of(place, document).finished.values())
    return finished


def _row(cell: Cell, report: Mapping[str, Any] | None, state: str, reason: str = "") -> Row:
    """Return what a sweep tells of one cell."""
    summary = None if report is None else report["summary"]
    return {
        "suite": cell.group,
        "agent": cell.agent["agent"],
        "model": cell.model,
        "name": cell.name,
        "folder": cell.folder,
        "state": state,
        "reason": reason or None,
        "score": None if summary is None else summary["score"],
        "interval": _interval(report),
        "scale": None if summary is None else summary["scale"],
        "passed": None if summary is None else summary["passed"],
        "scored": None if summary is None else summary["scored"],
        "planned": None if summary is None else summary["planned"],
        **_totals(report),
    }


def _interval(report: Mapping[str, Any] | None) -> list[float] | None:
    """Return the 95 % interval of the score over tasks, None where there is none."""
    found = None if report is None else headline_interval(report)
    return None if found is None else [found.low, found.high]


def _totals(report: Mapping[str, Any] | None) -> dict[str, float | None]:
    """Return what a run has used; None where a trial did not tell it."""
    budget = Budget({})
    budget.take(() if report is None else report["trials"])
    return {
        kind: None if report is None or budget.unknown[kind] else budget.used[kind]
        for kind in ("cost", "tokens", "seconds")
    }


def _conclude(
    plan: Sweep, place: Path, rows: list[Row], budget: Budget, *, interrupted: bool
) -> SweepResult:
    document = {
        "sweep": plan.id,
        "rows": rows,
        "comparisons": _comparisons(place, rows),
        "budget": budget.document(),
        "warning": budget.blind(),
    }
    path = place / RESULT
    write_atomic(path, json.dumps(document, indent=1, ensure_ascii=False).encode())
    whole = all(row["state"] == "done" for row in rows)
    return SweepResult(document, 130 if interrupted else 0 if whole else 3, path)


def _comparisons(place: Path, rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Compare the runs of each suite with its first one, as far as they have come."""
    found = []
    for suite in dict.fromkeys(row["suite"] for row in rows):
        held = [(row, _partial(place / row["folder"])) for row in rows if row["suite"] == suite]
        there = [(row, report) for row, report in held if report is not None]
        if len(there) < 2:
            continue
        compared = compare_all([report for _, report in there])
        for (row, _), each in zip(there[1:], compared, strict=True):
            names = {"suite": suite, "before": there[0][0]["name"], "after": row["name"]}
            found.append({**names, "comparison": each.document})
    return found
