"""Writing into the trial's BIDS copy: paths, tables and sidecars of decisions."""

from __future__ import annotations

import csv
import io
import json
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from braino_registry import __version__
from braino_registry.registry import documents

if TYPE_CHECKING:
    from braino_registry.recordings.recording import Recording

PIPELINE = Path("derivatives") / "braino"
BIDS_VERSION = "1.10.0"


def derivative(root: Path, recording: Recording, ending: str) -> Path:
    """Return the path of a derivative of a recording.

    Parameters
    ----------
    root : Path
        The BIDS root.
    recording : Recording
        What it is derived from.
    ending : str
        What follows its entities, ``desc-rejected_events.tsv``.
    """
    folder = recording.path.parent.relative_to(recording.root)
    return root / PIPELINE / folder / f"{recording.id}_{ending}"


def write_derivative(root: Path, path: Path, content: str) -> list[Path]:
    """Write a derivative, and the description of the derivative dataset if it is not there.

    Returns
    -------
    written : list of Path
    """
    written = []
    description = root / PIPELINE / "dataset_description.json"
    if not description.exists():
        write(root, description, json_text(_description(root)))
        written.append(description)
    write(root, path, content)
    return [*written, path]


def write(root: Path, path: Path, content: str) -> None:
    """Write a text file whole or not at all, in a tree that may be read-only."""
    with unlocked(root, path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name}.part")
        draft.write_text(content, encoding="utf-8")
        os.replace(draft, path)


@contextmanager
def unlocked(root: Path, *paths: Path) -> Iterator[None]:
    """Make existing paths and the folders above them, up to `root`, writable for a while."""
    changed: dict[Path, int] = {}
    for path in paths:
        for each in (path, *path.parents):
            if each.exists() and each not in changed:
                mode = stat.S_IMODE(each.stat().st_mode)
                if not mode & stat.S_IWUSR:
                    each.chmod(mode | stat.S_IWUSR)
                    changed[each] = mode
            if each == root:
                break
    try:
        yield
    finally:
        for each, mode in changed.items():
            each.chmod(mode)


def table(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a BIDS table; missing values are ``n/a``, white space in values becomes a blank."""
    text = io.StringIO()
    writer = csv.writer(
        text, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE, quotechar=None
    )
    writer.writerow(columns)
    for row in rows:
        writer.writerow([one_line(row.get(column)) for column in columns])
    return text.getvalue()


def read_table(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table written by :func:`table`; none if it is not there."""
    if not path.exists():
        return []
    columns, *rows = [line.split("\t") for line in documents.read_text(path).splitlines()]
    return [dict(zip(columns, row, strict=True)) for row in rows]


def one_line(value: Any) -> str:
    """Return a value as it may stand in a table: an agent's words cannot start a new row."""
    if value is None:
        return "n/a"
    if isinstance(value, float):
        return f"{value:.6f}".rstrip("0").rstrip(".")
    text = "".join(each if each.isprintable() else " " for each in str(value))
    return " ".join(text.split())[:500] or "n/a"


def json_text(value: Any) -> str:
    """Return a JSON document as text."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _description(root: Path) -> dict[str, Any]:
    """Return the description of the derivative dataset."""
    return {
        "Name": "Decisions made with braino-registry",
        "BIDSVersion": _bids_version(root),
        "DatasetType": "derivative",
        "GeneratedBy": [{"Name": "braino-registry", "Version": __version__}],
        "DatasetLinks": {"raw": "../.."},
    }


def _bids_version(root: Path) -> str:
    """Return the version of BIDS that a dataset names, or ours.

    A decision does not depend on it: a description that cannot be read must not forbid one.
    """
    try:
        given = json.loads(documents.read_text(root / "dataset_description.json"))
    except (OSError, ValueError, RecursionError):
        return BIDS_VERSION
    named = given.get("BIDSVersion") if isinstance(given, dict) else None
    return named if isinstance(named, str) else BIDS_VERSION
