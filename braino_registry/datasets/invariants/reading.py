"""The sidecars of a BIDS tree, looked up once: which recordings there are and what is said of them.

Works without a single data file, so that a set of sidecars can be proven by itself.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any

from braino_registry.recordings.entities import BidsName, parse_name
from braino_registry.recordings.errors import RecordingError
from braino_registry.recordings.tsv import Table, decode, parse_tsv
from braino_registry.registry import documents

SUFFIXES = ("eeg", "ieeg")
"""Suffixes of the recordings that are looked at."""

LARGEST_SIDECAR = 64 * 2**20
"""Bytes; the largest tables of events that are known have a fraction of them."""

_DATA = frozenset({".edf", ".bdf", ".set", ".vhdr"})


@dataclass(frozen=True)
class Found:
    """One recording.

    Parameters
    ----------
    id : str
        BIDS entities joined, for example ``sub-01_task-rest``.
    entities : Mapping
        Entity keys as in file names: ``sub``, ``ses``, ``task``, ``run``.
    suffix : str
        ``eeg`` or ``ieeg``.
    folder : Path
        Where it lies, or would lie.
    """

    id: str
    entities: Mapping[str, str]
    suffix: str
    folder: Path

    @property
    def subject(self) -> str:
        """The subject with its prefix, for example ``sub-01``."""
        return f"sub-{self.entities['sub']}"


class Sidecars:
    """What the JSON and TSV files of a BIDS tree say.

    Parameters
    ----------
    root : Path
        The BIDS root; ``derivatives``, ``sourcedata`` and the like are not looked at.
    whole : bool
        Whether everything of the dataset is there, or a selection.
    """

    def __init__(self, root: Path, *, whole: bool = True) -> None:
        self.root = root
        self.whole = whole
        self._tables: dict[Path, Table] = {}

    def recordings(self, pattern: str = "*") -> list[Found]:
        """Return the recordings whose id matches a shell pattern, sorted by id."""
        return [one for one in self._recordings if fnmatchcase(one.id, pattern)]

    def sidecar(self, recording: Found) -> dict[str, Any]:
        """Return the JSON of a recording, merged by the inheritance principle."""
        merged: dict[str, Any] = {}
        for path in self._applicable(recording, recording.suffix, ".json"):
            try:
                loaded = json.loads(_text(path))
            except (json.JSONDecodeError, RecursionError) as error:
                raise _unreadable(path, str(error)) from error
            if not isinstance(loaded, dict):
                raise _unreadable(path, "not a JSON object")
            merged |= loaded
        return merged

    def number(self, recording: Found, field: str) -> float:
        """Return a number of the recording's JSON.

        Raises
        ------
        RecordingError
            If the field is absent or no number.
        """
        value = self.sidecar(recording).get(field)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise RecordingError(f"{recording.id} states no {field}", where=recording.folder.name)
        return value

    def table(self, recording: Found, suffix: str) -> Table:
        """Return the ``channels`` or ``events`` of a recording; empty where there are none."""
        paths = self._applicable(recording, suffix, ".tsv")
        return self._read(paths[-1]) if paths else Table((), ())

    @property
    def participants(self) -> dict[str, Mapping[str, str | None]]:
        """The rows of participants.tsv by ``participant_id``; empty without the file."""
        path = self.root / "participants.tsv"
        if not path.is_file():
            return {}
        rows: dict[str, Mapping[str, str | None]] = {}
        for row in self._read(path).rows:
            name = row.get("participant_id") or ""
            if name in rows:
                raise RecordingError(f"{name!r} stands there twice", where=path.name)
            rows[name] = row
        return rows

    def _read(self, path: Path) -> Table:
        if path not in self._tables:
            self._tables[path] = parse_tsv(_text(path), where=path.name)
        return self._tables[path]

    @cached_property
    def _recordings(self) -> list[Found]:
        """A JSON that only narrows what several data files share is no recording of its own."""
        data: dict[str, Found] = {}
        said: dict[str, Found] = {}
        for name, path in self._files:
            kinds = data if name.extension in _DATA else said
            if name.suffix in SUFFIXES and {"sub", "task"} <= set(name.entities):
                if kinds is data or name.extension == ".json":
                    one = Found(name.recording_id, name.entities, name.suffix, path.parent)
                    kinds[one.id] = one
        general = {
            key
            for key, one in said.items()
            if any(set(one.entities.items()) < set(other.entities.items())
                   for other in (*data.values(), *said.values())
                   if other.entities["sub"] == one.entities["sub"])
        }  # fmt: skip
        found = {key: one for key, one in said.items() if key not in general} | data
        return [found[key] for key in sorted(found)]

    @cached_property
    def _files(self) -> list[tuple[BidsName, Path]]:
        """Every file with a BIDS name at the root and below ``sub-*``, sorted by path."""
        found = []
        for folder, folders, names in os.walk(self.root):
            if Path(folder) == self.root:
                folders[:] = [name for name in folders if name.startswith("sub-")]
            folders.sort()
            for name in sorted(names):
                parsed = parse_name(name)
                if parsed is not None:
                    found.append((parsed, Path(folder, name)))
        return found

    @cached_property
    def _by_kind(self) -> dict[tuple[str, str, Path], list[tuple[BidsName, Path]]]:
        table: dict[tuple[str, str, Path], list[tuple[BidsName, Path]]] = {}
        for name, path in self._files:
            table.setdefault((name.suffix, name.extension, path.parent), []).append((name, path))
        return table

    def _applicable(self, recording: Found, suffix: str, extension: str) -> list[Path]:
        """Return the sidecars that apply, from the root down, the most specific last."""
        chain = [recording.folder]
        while chain[-1] != self.root:
            chain.append(chain[-1].parent)
        own = set(recording.entities.items())
        paths: list[Path] = []
        for folder in reversed(chain):
            here = self._by_kind.get((suffix, extension, folder), [])
            fitting = [(len(name.entities), path) for name, path in here
                       if set(name.entities.items()) <= own]  # fmt: skip
            paths += [path for _, path in sorted(fitting)]
        return paths


def _text(path: Path) -> str:
    """Return the text of a sidecar, which may be anything in a copy of somebody's own."""
    try:
        return decode(documents.read_bytes(path, LARGEST_SIDECAR))
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error)) from error


def _unreadable(path: Path, problem: str) -> RecordingError:
    return RecordingError(f"cannot be read: {problem}", where=path.name)
