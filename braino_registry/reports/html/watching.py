"""A folder of runs as it is now: what is in it, and how far each run has come."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from braino_registry.errors import BrainoError
from braino_registry.registry import documents, jsonfile
from braino_registry.reports.outcomes import SCORED, mean

#: Folders below the one that is watched in which runs are looked for.
_DEPTH = 3


@dataclass(frozen=True)
class State:
    """How far a run has come.

    Parameters
    ----------
    name : str
        Its folder, relative to the one that is watched.
    agent, suite : str
        Who is measured on what.
    status : str
        ``running``, ``finished`` or ``interrupted``.
    planned, finished : int
        Trials.
    outcomes : dict
        How many ended how.
    score : float or None
        The mean over tasks so far; the headline may follow another rule.
    """

    name: str
    agent: str
    suite: str
    status: str
    planned: int
    finished: int
    outcomes: dict[str, int]
    score: float | None

    def document(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return dict(vars(self))


class Watched:
    """A folder of runs, read again where something has changed.

    Parameters
    ----------
    root : Path
        The folder; it may itself be a run.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()
        self._kept: dict[Path, tuple[tuple[int, ...], State]] = {}

    def runs(self) -> dict[str, Path]:
        """Return the run folders by name; only these can be asked for."""
        return {
            path.relative_to(self.root).as_posix() if path != self.root else ".": path
            for path in _runs(self.root, _DEPTH)
        }

    def states(self) -> list[State]:
        """Return the state of every run, the latest first."""
        found = [self._state(name, path) for name, path in self.runs().items()]
        return sorted(found, key=lambda state: state.name, reverse=True)

    def stamp(self, path: Path) -> tuple[int, ...]:
        """Return what changes when a run goes on."""
        return tuple(
            number
            for name in ("journal.jsonl", "report.json", "run.json")
            for number in _stat(path / name)
        )

    def _state(self, name: str, path: Path) -> State:
        stamp = self.stamp(path)
        kept = self._kept.get(path)
        if kept is not None and kept[0] == stamp:
            state = replace(kept[1], status=_status(path, kept[1]))
        else:
            state = _read(name, path)
        self._kept[path] = (stamp, state)
        return state


def _stat(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        return (0, 0)
    return (found.st_mtime_ns, found.st_size)


def _runs(folder: Path, depth: int) -> Iterator[Path]:
    if (folder / "run.json").is_file():
        yield folder
        return
    if depth == 0:
        return
    try:
        below = sorted(
            each.path for each in os.scandir(folder) if each.is_dir(follow_symlinks=False)
        )
    except OSError:
        below = []  # closed to us
    for each in below:
        yield from _runs(Path(each), depth - 1)


def _read(name: str, path: Path) -> State:
    run = _document(path / "run.json")
    agent = run.get("agent") if isinstance(run.get("agent"), dict) else {}
    plan = run.get("plan") if isinstance(run.get("plan"), dict) else {}
    outcomes, scores = _ended(path / "journal.jsonl")
    finished = sum(outcomes.values())
    planned = (plan or {}).get("trials")
    planned = planned if isinstance(planned, int) else finished
    state = State(
        name=name,
        agent=str((agent or {}).get("name", "?")),
        suite=str((plan or {}).get("suite", "?")),
        status="",
        planned=planned,
        finished=finished,
        outcomes=dict(sorted(outcomes.items())),
        score=mean(mean(each) for each in scores.values()),
    )
    return replace(state, status=_status(path, state))


def _status(path: Path, state: State) -> str:
    """Tell whether a run goes on: whoever writes its journal holds a lock on it."""
    try:
        with (path / "journal.jsonl").open("rb") as stream:
            fcntl.flock(stream, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return "running"
    except OSError:
        return "interrupted"  # nothing was begun, or it cannot be read
    whole = state.finished >= state.planned or (path / "report.json").is_file()
    return "finished" if whole else "interrupted"


def _document(path: Path) -> dict[str, Any]:
    try:
        found = jsonfile.value_of(documents.read_bytes(path, documents.LARGEST_RECORD))
    except (OSError, ValueError, BrainoError):
        return {}
    return found if isinstance(found, dict) else {}


def _ended(path: Path) -> tuple[dict[str, int], dict[str, list[float]]]:
    """Return how many trials ended how, and the scores by task."""
    last: dict[Any, dict[str, Any]] = {}
    try:
        lines = documents.read_bytes(path, documents.LARGEST_RECORD).split(b"\n")
    except (OSError, BrainoError):
        lines = []
    for line in lines:
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue  # the line that is being written
        record = entry.get("record") if isinstance(entry, dict) else None
        if isinstance(record, dict) and isinstance(record.get("outcome"), str):
            key = tuple(str(record.get(part)) for part in ("task", "instance", "repeat"))
            last[key] = record
    outcomes: dict[str, int] = {}
    scores: dict[str, list[float]] = {}
    for key, record in last.items():
        outcomes[record["outcome"]] = outcomes.get(record["outcome"], 0) + 1
        score = record.get("score")
        if record["outcome"] in SCORED and isinstance(score, int | float) and 0 <= score <= 1:
            scores.setdefault(key[0], []).append(float(score))
    return outcomes, scores
