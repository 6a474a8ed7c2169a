"""The transcript: append-only JSON lines, one per event, flushed as it happens.

It is the one source for checks, reports, replay and re-scoring. The events are kept in memory
too, so that what a trial is scored on cannot be changed by an agent that reaches the file.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from braino_registry.errors import HostError, ReportError
from braino_registry.registry import documents


class Transcript:
    """An event log that can only grow.

    Parameters
    ----------
    path : Path
        The file; it must not exist yet.

    Raises
    ------
    HostError
        If the file cannot be made.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.events: list[dict[str, Any]] = []
        self._hash = hashlib.sha256()
        self._began = time.monotonic()
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
        try:
            self._file = os.open(path, flags, 0o644)
        except OSError as error:
            raise HostError(
                f"cannot write a transcript: {error.strerror}", where=str(path)
            ) from error

    def add(self, type_: str, /, **fields: Any) -> dict[str, Any]:
        """Append an event and return it, numbered and timed.

        Parameters
        ----------
        type_ : str
            Its type in ``event/1``.
        **fields
            Its other fields; values become plain JSON (a NaN becomes null).

        Raises
        ------
        HostError
            If the disk takes no more.
        """
        seconds = round(time.monotonic() - self._began, 6)
        line = msgspec.json.encode({"n": len(self.events), "t": seconds, "type": type_, **fields})
        # Decoded again, so that what is kept is exactly what was written.
        event: dict[str, Any] = msgspec.json.decode(line)
        self._write(line + b"\n")
        self.events.append(event)
        return event

    @property
    def digest(self) -> str:
        """Digest of everything written so far, ``sha256:…``."""
        return f"sha256:{self._hash.hexdigest()}"

    def intact(self) -> bool:
        """Tell whether the file still holds exactly what was written."""
        try:
            raw = documents.read_bytes(self.path, documents.LARGEST_RECORD)
        except OSError:
            return False
        return f"sha256:{hashlib.sha256(raw).hexdigest()}" == self.digest

    def restore(self) -> None:
        """Write all events again, after one of them could not be written.

        Raises
        ------
        HostError
            If the disk still takes no more.
        """
        lines = b"".join(msgspec.json.encode(event) + b"\n" for event in self.events)
        self._hash = hashlib.sha256()
        os.ftruncate(self._file, 0)
        self._write(lines)

    def close(self) -> None:
        """Close the file; closing twice is fine."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> Transcript:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _write(self, line: bytes) -> None:
        view = memoryview(line)
        try:
            while view:
                view = view[os.write(self._file, view) :]
        except OSError as error:
            raise HostError(
                f"cannot write a transcript: {error.strerror}", where=str(self.path)
            ) from error
        self._hash.update(line)


def read_events(path: Path, *, whole: bool = False) -> list[dict[str, Any]]:
    """Return the events of a transcript.

    Parameters
    ----------
    path : Path
        Its file.
    whole : bool
        Also check every event against its schema, and that the first is the session's start and
        the last its end, as in any session that came to an end.

    Raises
    ------
    ReportError
        If the file cannot be read, a line is broken, or events are missing or out of order.
    """
    try:
        lines = documents.read_bytes(path, documents.LARGEST_RECORD).split(b"\n")
    except OSError as error:
        raise ReportError(
            f"cannot read the transcript: {error.strerror}", where=str(path)
        ) from error
    if lines.pop() != b"":
        raise ReportError("the transcript is cut off in its last line", where=str(path))
    events = []
    for number, line in enumerate(lines):
        where = f"{path}, line {number + 1}"
        try:
            event = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ReportError(f"the transcript is damaged: {error}", where=where) from None
        if not isinstance(event, dict) or event.get("n") != number:
            raise ReportError(
                "the transcript has been edited: events are out of order", where=where
            )
        if whole and (problem := _problem(event)):
            raise ReportError(f"the transcript has been edited: {problem}", where=where)
        events.append(event)
    if whole and (not events or events[0]["type"] != "start" or events[-1]["type"] != "end"):
        raise ReportError("the transcript does not go from start to end", where=str(path))
    return events


def _problem(event: dict[str, Any]) -> str:
    """Return what is wrong with an event, empty if nothing is."""
    from braino_registry.registry import closing, schemas

    if closing.fits_event(event):
        return ""
    problems = schemas.check(event, "event-1")
    return f"{problems[0].message} at {problems[0].path}" if problems else ""
