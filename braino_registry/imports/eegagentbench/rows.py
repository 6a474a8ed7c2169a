"""Files of JSON lines: each object that they hold, and what is wrong with the other lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

MOST_BYTES = 512 * 2**20


class Contradictory(dict[str, Any]):
    """An object in which, or within which, a name is given twice; the last value of each counts.

    Which of them is meant cannot be known. The released scorer takes the last.
    """


def read_rows(file: Path) -> tuple[list[Mapping[str, Any]], list[str]]:
    """Return the objects of a file of JSON lines, and what is wrong with the other lines.

    Parameters
    ----------
    file : Path
        A torn last line, as an interrupted run leaves it, is a problem like any other.

    Returns
    -------
    rows : list of mapping
        Those that give a name twice as `Contradictory`; that they do is among the problems.
    problems : list of str
        A line each, with its place.
    """
    if file.stat().st_size > MOST_BYTES:
        return [], [f"{file.name} is larger than {MOST_BYTES // 2**20} MB and was not read"]
    rows: list[Mapping[str, Any]] = []
    problems = []
    for place, line in _lines(file):
        if isinstance(line, str):
            problems.append(f"{place} is not UTF-8 ({line})")
            continue
        repeated: list[str] = []
        try:
            value = json.loads(line, object_pairs_hook=_noting(repeated))
        except (ValueError, RecursionError) as error:
            problems.append(f"{place} is no JSON ({str(error)[:80]})")
            continue
        if not isinstance(value, Mapping):
            problems.append(f"{place} is no object")
            continue
        if repeated:
            problems.append(f"{place} gives {ascii(repeated[0])[:80]} twice")
        rows.append(Contradictory(value) if repeated else value)
    return rows, problems


def _lines(file: Path) -> Iterator[tuple[str, bytes | str]]:
    """Yield the place of each line that is not empty, and it, or what is wrong with its bytes."""
    raw = file.read_bytes().removeprefix(b"\xef\xbb\xbf")
    for number, line in enumerate(raw.split(b"\n"), start=1):
        if line.strip():
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                yield f"{file.name}:{number}", f"byte {error.start + 1} of the line"
            else:
                yield f"{file.name}:{number}", line


def _noting(repeated: list[str]) -> Any:
    """Return what makes an object of pairs, and adds the names that come again to a list."""

    def made(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, value in pairs:
            if name in found:
                repeated.append(name)
            found[name] = value
        return found

    return made


def find_runs(folder: Path) -> Sequence[Path]:
    """Return the files ``runs.jsonl`` in a folder and below it, sorted."""
    return sorted(path for path in folder.rglob("runs.jsonl") if path.is_file())
