"""Files that describe a recording, found by the inheritance principle of BIDS.

A sidecar applies to a recording if it lies in its folder or in one above it, and every entity of
its name is one of the recording's. Of JSON files all that apply are merged, the nearest last;
of tables the nearest counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from braino_registry.recordings.entities import BidsName, parse_name
from braino_registry.recordings.errors import RecordingError
from braino_registry.recordings.tsv import decode, read_file
from braino_registry.registry import jsonfile


def applicable(
    root: Path, data_file: Path, name: BidsName, suffix: str, extension: str
) -> list[Path]:
    """Return the sidecars that apply, from the root down, the most specific last.

    Parameters
    ----------
    root : Path
        The dataset.
    data_file : Path
        The recording's file, below ``root``.
    name : BidsName
        Its name.
    suffix, extension : str
        Of the sidecar, for example ``"events"`` and ``".tsv"``.
    """
    found: list[Path] = []
    ending = f"{suffix}{extension}"
    own = set(name.entities.items())
    for folder in folders(root, data_file):
        here = []
        for path in folder.iterdir():
            if not path.name.endswith(ending):
                continue
            parsed = parse_name(path.name)
            if parsed is None or (parsed.suffix, parsed.extension) != (suffix, extension):
                continue
            if set(parsed.entities.items()) <= own and inside(root, path):
                here.append((len(parsed.entities), path.name, path))
        found += [path for _, _, path in sorted(here)]
    return found


def electrodes(root: Path, data_file: Path, name: BidsName) -> Path | None:
    """Return the electrodes.tsv of a recording, whatever its coordinate system, or None."""
    own = set(name.entities.items())
    for path in sorted(data_file.parent.glob("*_electrodes.tsv")):
        parsed = parse_name(path.name)
        if parsed is None or not inside(root, path):
            continue
        if {(key, value) for key, value in parsed.entities.items() if key != "space"} <= own:
            return path
    return None


def inside(root: Path, path: Path) -> bool:
    """Tell whether a path, its links followed, is a file that lies within the dataset."""
    real = path.resolve()
    return real.is_relative_to(root.resolve()) and real.is_file()


def folders(root: Path, data_file: Path) -> list[Path]:
    """Return the folders in which sidecars of a recording may lie, from the root down."""
    chain = [root]
    for part in data_file.parent.relative_to(root).parts:
        chain.append(chain[-1] / part)
    return chain


def stamp(paths: Sequence[Path]) -> tuple[tuple[int, int, int] | None, ...]:
    """Return what changes when one of the files or folders does.

    The time of the last change of the inode cannot be set by a program, unlike the time of the
    last modification.
    """
    return tuple(_stamp(path) for path in paths)


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_ctime_ns, found.st_size


def merged_json(paths: Sequence[Path]) -> dict[str, Any] | None:
    """Return JSON sidecars as one object, the last winning, or None if there is none.

    Raises
    ------
    RecordingError
        If one is not a JSON object.
    """
    merged: dict[str, Any] = {}
    for path in paths:
        merged.update(read_json(path))
    return merged if paths else None


def read_json(path: Path) -> dict[str, Any]:
    """Return a JSON object from a file.

    Raises
    ------
    RecordingError
        If it cannot be read or is not one.
    """
    try:
        # Sidecars come from many programs, so a byte-order mark is no fault; NaN is one.
        document = jsonfile.value_of(decode(read_file(path)).encode())
    except ValueError as error:
        raise RecordingError(
            f"not valid JSON: {error}", where=path.name, hint="Mend the file."
        ) from error
    if not isinstance(document, dict):
        raise RecordingError("not a JSON object", where=path.name, hint="Mend the file.")
    return document
