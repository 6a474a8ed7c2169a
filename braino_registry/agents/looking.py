"""What agents without understanding can collect: tool results and sidecars."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from braino.agent import Session

_MOST_BYTES = 200_000


def result_of(session: Session, tool: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return a tool's result, empty if the session has no such tool or the call fails."""
    if tool not in {spec.name for spec in session.tools()}:
        return {}
    return session.call(tool, dict(args)).result


def recording_ids(session: Session) -> list[str]:
    """Return the ids of the recordings, from the tools or else from file names."""
    listed = result_of(session, "dataset.inspect", {}).get("recordings", [])
    found = [row["recording"] for row in listed if isinstance(row, dict) and "recording" in row]
    if found:
        return found
    endings = ("_eeg.vhdr", "_eeg.edf", "_eeg.bdf", "_eeg.set")
    names = (path.name for path in sorted(session.inputs.rglob("*_eeg.*")))
    return [
        name.removesuffix(ending) for name in names for ending in endings if name.endswith(ending)
    ]


def sidecars(inputs: Path) -> Iterator[tuple[str, str]]:
    """Yield relative path and text of every JSON and TSV file."""
    for path in sorted(inputs.rglob("*")):
        if path.suffix in (".json", ".tsv") and path.is_file():
            # Some tables begin with a byte-order mark, which is no part of the first column's name.
            text = path.read_text(encoding="utf-8-sig", errors="replace")
            yield path.relative_to(inputs).as_posix(), text[:_MOST_BYTES]


def rows(text: str) -> list[dict[str, str]]:
    """Return the rows of a TSV file."""
    lines = [line.split("\t") for line in text.splitlines() if line]
    return [dict(zip(lines[0], line, strict=False)) for line in lines[1:]]


def leaves(value: Any) -> Iterator[str]:
    """Yield every text, number and truth value inside a JSON value, as text.

    Parameters
    ----------
    value : JSON value
        Anything else that it holds is passed over, and what holds itself is visited once.
    """
    seen: set[int] = set()
    todo = [value]
    while todo:
        inner = todo.pop()
        if isinstance(inner, str):
            yield inner
        elif isinstance(inner, bool | int | float):
            yield json.dumps(inner)
        elif isinstance(inner, Mapping | list | tuple) and id(inner) not in seen:
            seen.add(id(inner))
            parts = inner.values() if isinstance(inner, Mapping) else inner
            todo.extend(reversed(list(parts)))
