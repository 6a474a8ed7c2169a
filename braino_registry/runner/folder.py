"""The folder of a run: where everything stands that a run leaves behind.

::

    RUN/run.json                                      what was asked, and what it was resolved to
    RUN/journal.jsonl                                 trials started and finished
    RUN/trials/<task>/<instance>/<repeat>/events.jsonl   transcript of the session
    RUN/trials/<task>/<instance>/<repeat>/artifacts/     files the agent handed in
    RUN/trials/<task>/<instance>/<repeat>/agent.log      what the agent printed, if anything
    RUN/expected/<task>/<instance>/<repeat>.json      what the checks compared with
    RUN/report.json                                   the report
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from braino_registry.errors import HostError, ReportError, UsageError
from braino_registry.registry import documents, jsonfile, schemas
from braino_registry.reports.files import host_error, write_atomic


@dataclass(frozen=True)
class RunFolder:
    """Paths below the folder of one run.

    Parameters
    ----------
    path : Path
        The folder, absolute.
    """

    path: Path

    @property
    def run_file(self) -> Path:
        """What was asked and resolved."""
        return self.path / "run.json"

    @property
    def journal(self) -> Path:
        """Trials started and finished."""
        return self.path / "journal.jsonl"

    @property
    def report(self) -> Path:
        """The report."""
        return self.path / "report.json"

    def trial(self, task: str, instance: str, repeat: int) -> Path:
        """Return the folder of one trial."""
        return self.path / "trials" / task / instance / str(repeat)

    def expected(self, task: str, instance: str, repeat: int) -> Path:
        """Return the file of what one trial's checks compared with, outside its folder."""
        return self.path / "expected" / task / instance / f"{repeat}.json"

    def transcript(self, task: str, instance: str, repeat: int) -> str:
        """Return the path of a transcript as the report names it: relative to the run folder."""
        return (
            (self.trial(task, instance, repeat) / "events.jsonl").relative_to(self.path).as_posix()
        )


def create(asked: Path | None, *, suite: str, agent: str, now: datetime | None = None) -> RunFolder:
    """Make the folder of a new run.

    Parameters
    ----------
    asked : Path | None
        The folder to use; by default ``runs/<timestamp>-<suite>-<agent>``, never one that exists.
    suite, agent : str
        What the default name is made of.
    now : datetime | None
        Time of the default name.

    Raises
    ------
    UsageError
        If ``asked`` already holds a run, or anything else.
    HostError
        If the folder cannot be made.
    """
    try:
        if asked is not None:
            folder = asked.absolute()
            if os.path.lexists(folder) and not folder.is_dir():
                raise UsageError(
                    "this is no folder", where=f"--run-dir {asked}", hint="Give a new folder."
                )
            folder.mkdir(parents=True, exist_ok=True)
            _refuse_used(folder)
            return RunFolder(folder)
        return RunFolder(_new_default(suite, agent, now or datetime.now(UTC)))
    except OSError as error:
        raise host_error(error, asked or Path("runs").absolute()) from error


def _new_default(suite: str, agent: str, now: datetime) -> Path:
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", agent).strip("-.") or "agent"
    stem = f"{now:%Y%m%dT%H%M%SZ}-{suite}-{name}"
    root = Path("runs").absolute()
    root.mkdir(exist_ok=True)
    for attempt in range(1, 1000):
        folder = root / (stem if attempt == 1 else f"{stem}-{attempt}")
        try:
            folder.mkdir()
        except FileExistsError:
            continue
        return folder
    raise HostError("no free name for a run folder", where=str(root), hint="Give --run-dir.")


def _refuse_used(folder: Path) -> None:
    run = RunFolder(folder)
    refuse_run(run)
    if _never_begun(run):
        return
    if any(folder.iterdir()):
        raise UsageError("the folder is not empty", where=str(folder), hint="Give a new --run-dir.")


def refuse_run(run: RunFolder) -> None:
    """Refuse a folder in which a run has begun.

    Asked twice: when the folder is chosen, and once more by whoever then holds its journal, for
    another run may have come in between.

    Raises
    ------
    UsageError
        If so.
    """
    if os.path.lexists(run.run_file):
        raise UsageError(
            "the folder already holds a run",
            where=str(run.path),
            hint=f"Continue it with `braino eval resume {run.path}`, or give another --run-dir.",
        )


def _never_begun(run: RunFolder) -> bool:
    """Tell whether a run was killed here before it wrote what it was asked; it left no trial."""
    left = {path.name for path in run.path.iterdir() if not path.name.startswith(".run.json.")}
    return left <= {run.journal.name} and (
        not run.journal.exists() or run.journal.stat().st_size == 0
    )


def open_run(path: Path) -> tuple[RunFolder, dict[str, Any]]:
    """Return the folder of an existing run and its ``run.json``.

    Parameters
    ----------
    path : Path
        The folder, or a report in it.

    Raises
    ------
    ReportError
        If there is no run, its ``run.json`` is damaged, or a newer version has written it.
    """
    folder = RunFolder((path.parent if path.is_file() else path).absolute())
    try:
        raw = documents.read_bytes(folder.run_file)
    except OSError as error:
        raise ReportError(
            f"this is no run folder: run.json cannot be read ({error.strerror})",
            where=str(folder.run_file),
            hint="Give the folder that `braino eval run` made.",
        ) from error
    document, problems = jsonfile.parse(raw)
    if not problems:
        _refuse_newer(document, folder.run_file)
        problems = schemas.check(document, "run-1")
    if problems:
        raise ReportError(
            f"run.json is damaged: {problems[0].message}",
            where=f"{folder.run_file}: {problems[0].path}",
            hint="Restore it, or start a new run.",
        )
    return folder, dict(document)


def _refuse_newer(document: object, file: Path) -> None:
    schema = document.get("schema") if isinstance(document, dict) else None
    match = re.fullmatch(r"run/([1-9][0-9]{0,8})", schema) if isinstance(schema, str) else None
    if match and int(match[1]) > 1:
        raise ReportError(
            f"the run has the newer schema {schema!r}; this version reads 'run/1'",
            where=str(file),
            hint="Update braino-registry.",
        )


def write_run_file(folder: RunFolder, document: dict[str, Any]) -> None:
    """Write ``run.json``."""
    write_atomic(folder.run_file, json.dumps(document, indent=1).encode() + b"\n")
