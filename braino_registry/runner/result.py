"""What a run ends with: the report in its place, and an exit code."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from braino_registry.errors import UsageError
from braino_registry.reports import SCALES, write
from braino_registry.reports.files import write_atomic
from braino_registry.runner import compose
from braino_registry.runner.settings import RunSettings


@dataclass(frozen=True)
class RunResult:
    """What a run ended with.

    Parameters
    ----------
    report : dict
        The report, as written.
    path : Path
        Where it stands.
    exit_code : int
        0 complete, 3 incomplete, 130 interrupted.
    run_dir : Path
        The folder of the run.
    """

    report: dict[str, Any]
    path: Path
    exit_code: int
    run_dir: Path

    def exit_code_with(self, fail_under: float | None) -> int:
        """Return the exit code, 1 if the printed score of a complete run is below a bound."""
        if self.exit_code or fail_under is None:
            return self.exit_code
        summary = self.report["summary"]
        score = summary["score"]
        return 1 if score is None or score * summary["scale"] < fail_under else 0


def write_report(
    document: Mapping[str, Any],
    rows: Sequence[dict[str, Any]],
    path: Path,
    settings: RunSettings,
    *,
    interrupted: bool,
) -> RunResult:
    """Write the report to its place in the run folder, and to where the settings want a copy.

    Parameters
    ----------
    document : mapping
        The run's ``run.json``.
    rows : sequence of dict
        All trial records, with the rows of what was not planned.
    path : Path
        Its place in the run folder.
    settings : RunSettings
        What was asked.
    interrupted : bool
        Whether a person stopped the run.
    """
    report = compose.report(document, rows, interrupted=interrupted)
    data = write(path, report)
    run_dir = path.parent
    if settings.report is not None:
        write_atomic(settings.report, data)
        path = settings.report
    return RunResult(report, path, _exit_code(report, settings), run_dir)


def _exit_code(report: Mapping[str, Any], settings: RunSettings) -> int:
    coverage = report["coverage"]
    if coverage["interrupted"]:
        return 130
    if not coverage["complete"] or coverage["planned"] == 0:
        return 3
    wanted_more = settings.fetch or settings.include_large
    return 3 if wanted_more and coverage["not_planned"] else 0


def check_bound(fail_under: float | None, rule: str) -> None:
    """Refuse a bound that no score of a suite can reach, before any trial is run.

    Parameters
    ----------
    fail_under : float | None
        What ``--fail-under`` says.
    rule : str
        The suite's rule, which decides the scale of its scores.

    Raises
    ------
    UsageError
        If so.
    """
    scale = SCALES.get(rule, 1)
    if fail_under is not None and not 0 <= fail_under <= scale:
        raise UsageError(
            f"{fail_under:g} is no score of this suite",
            where="--fail-under",
            hint=f"Its scores go from 0 to {scale}.",
        )


def check_target(path: Path | None) -> None:
    """Refuse a place where no report can be written, before any trial is run.

    Raises
    ------
    UsageError
        If its folder is not there or may not be written to, or if something other than a file
        has its name.
    """
    if path is None:
        return
    folder = path.absolute().parent
    if path.is_dir():
        problem, hint = "this is a folder, not a report", "Name a file in it."
    elif not folder.is_dir():
        problem, hint = "the folder of the report does not exist", "Make it first."
    elif os.path.lexists(path) and not path.is_file():
        problem, hint = "this is no ordinary file", "Name a new file."
    elif not os.access(folder, os.W_OK | os.X_OK):
        problem, hint = "the folder of the report cannot be written to", "Name another one."
    else:
        return
    raise UsageError(problem, where=f"-o {path}", hint=hint)
