"""The journal: one line when a trial starts, one synced line when it has finished.

It is the only record of progress. A line that was being written when the machine died is left
out when reading and cut off before writing on; a damaged line elsewhere is an error.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from braino_registry.errors import ReportError, UsageError
from braino_registry.registry import closing, documents, jsonfile, schemas
from braino_registry.reports import SCORED
from braino_registry.reports.files import host_error

Key = tuple[str, str, int]
_PIECE = 1 << 16


def key_of(record: Mapping[str, Any]) -> Key:
    """Return what identifies a trial within a run: task, instance and repeat."""
    return (record["task"], record["instance"], record["repeat"])


@dataclass
class Progress:
    """What a journal tells about a run.

    Parameters
    ----------
    started : dict
        Attempts begun, by trial.
    finished : dict
        The record of each trial that has finished.
    interrupted : dict
        Attempts of each trial that do not count, as the report tells them.
    lines : dict
        Where in the journal each of these records stands, counted from 1.
    torn : bool
        Whether the last line was cut short.
    length : int
        Bytes up to the end of the last whole line.
    """

    started: dict[Key, int] = field(default_factory=dict)
    finished: dict[Key, dict[str, Any]] = field(default_factory=dict)
    interrupted: dict[Key, list[dict[str, Any]]] = field(default_factory=dict)
    lines: dict[Key, int] = field(default_factory=dict)
    torn: bool = False
    length: int = 0

    def counted(self) -> dict[Key, dict[str, Any]]:
        """Return the records that count: of trials whose last attempt is over."""
        return {key: record for key, record in self.finished.items() if self.is_over(key)}

    def in_flight(self) -> list[Key]:
        """Return the trials whose last attempt was started and never finished."""
        return [key for key in self.started if not self.is_over(key)]

    def is_over(self, key: Key) -> bool:
        """Tell whether the last attempt at a trial has finished, and counts."""
        record = self.finished.get(key)
        if record is None or record["attempt"] < self.started.get(key, 0):
            return False
        return all(each["attempt"] < record["attempt"] for each in self.interrupted.get(key, ()))


def read(path: Path) -> Progress:
    """Return the progress that the journal in ``path`` holds.

    Raises
    ------
    ReportError
        If a line other than the last one is damaged, or is no record that a run writes.
    """
    try:
        data = documents.read_bytes(path, documents.LARGEST_RECORD)
    except OSError as error:
        raise ReportError(
            f"cannot read the journal: {error.strerror}",
            where=str(path),
            hint="Give the folder of a run.",
        ) from error
    progress = Progress()
    lines = data.split(b"\n")
    progress.torn = lines[-1] != b""
    progress.length = len(data) - len(lines[-1])
    for number, line in enumerate(lines[:-1], start=1):
        problem = _take(progress, line, number)
        if problem:
            raise ReportError(
                f"the journal is damaged: {problem}",
                where=f"{path}: line {number}",
                hint="Only its last line may be cut short. Restore the file, or run again.",
            )
    return progress


def _take(progress: Progress, line: bytes, number: int) -> str:
    """Add what a line tells; return what is wrong with it, empty if nothing is."""
    entry, problems = jsonfile.parse(line)
    if not problems and not closing.fits_journal(entry):
        problems = schemas.check(entry, "journal-1")
    if problems:
        return f"{problems[0].message} at {problems[0].path}"
    if entry["type"] == "started":
        progress.started[key_of(entry)] = entry["attempt"]
        return ""
    if entry["type"] == "interrupted":
        told = {name: entry[name] for name in ("attempt", "outcome", "score", "why")}
        progress.interrupted.setdefault(key_of(entry), []).append(told)
        return ""
    record = entry["record"]
    progress.finished[key_of(record)] = record
    progress.lines[key_of(record)] = number
    return _contradiction(record)


def _contradiction(record: Mapping[str, Any]) -> str:
    """Return what of a record cannot be true together, empty if nothing is."""
    outcome, score, passed = record["outcome"], record["score"], record["passed"]
    if (score is None) == (outcome in SCORED):
        return f"the outcome {outcome!r} with the score {score}"
    if (passed is True) != (outcome == "passed"):
        return f"the outcome {outcome!r} with passed={passed}"
    return ""


class Journal:
    """A journal being written; holds a lock so that no second runner uses the folder.

    Parameters
    ----------
    path : Path
        The journal of the run; created if it is not there.

    Raises
    ------
    UsageError
        If another process is writing it.
    HostError
        If it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        try:
            self._stream: BinaryIO = open(path, "ab", buffering=0)
        except OSError as error:
            raise host_error(error, path) from error
        try:
            fcntl.flock(self._stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._stream.close()
            raise UsageError(
                "another process is running in this folder",
                where=str(path.parent),
                hint="Wait for it to end, or give another --run-dir.",
            ) from error
        try:
            self._cut_torn_line()
        except BaseException:
            self._stream.close()
            raise

    def started(self, key: Key, attempt: int) -> None:
        """Note that a trial begins; it need not be synced, for nothing is lost with it."""
        task, instance, repeat = key
        self._append(
            {
                "type": "started",
                "task": task,
                "instance": instance,
                "repeat": repeat,
                "attempt": attempt,
            },
            sync=False,
        )

    def interrupted(self, record: Mapping[str, Any], why: str) -> None:
        """Note that an attempt does not count, and why; return only when the disk has it."""
        told = {name: record[name] for name in ("attempt", "outcome", "score")}
        task, instance, repeat = key_of(record)
        named = {"task": task, "instance": instance, "repeat": repeat}
        self._append({"type": "interrupted", **named, **told, "why": why}, sync=True)

    def finished(self, record: Mapping[str, Any], *, sync: bool = True) -> None:
        """Note that a trial has ended, and return only when the disk has it.

        Where the lines are a copy of what stands elsewhere, one `sync` at the end will do.
        """
        self._append({"type": "finished", "record": record}, sync=sync)

    def sync(self) -> None:
        """Return only when the disk has all that was noted."""
        try:
            os.fsync(self._stream.fileno())
        except OSError as error:
            raise host_error(error, self.path) from error

    def close(self) -> None:
        """Give the folder free."""
        self._stream.close()

    def __enter__(self) -> Journal:
        """Return the journal itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the journal."""
        self.close()

    def _append(self, entry: Mapping[str, Any], *, sync: bool) -> None:
        line = json.dumps(entry, separators=(",", ":"), allow_nan=False).encode() + b"\n"
        with self._lock:
            try:
                written = 0
                while written < len(line):
                    written += self._stream.write(line[written:])
                if sync:
                    os.fsync(self._stream.fileno())
            except OSError as error:
                raise host_error(error, self.path) from error

    def _cut_torn_line(self) -> None:
        """Cut off a last line that was not written to its end, wherever it begins."""
        size = end = self.path.stat().st_size
        with self.path.open("rb") as stream:
            while end > 0:
                start = max(0, end - _PIECE)
                stream.seek(start)
                found = stream.read(end - start).rfind(b"\n")
                if found >= 0:
                    end = start + found + 1
                    break
                end = start
        if end < size:
            os.ftruncate(self._stream.fileno(), end)
