"""JSON and TSV files whose bytes are the same on every machine."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write a sidecar, indented, in UTF-8."""
    text = json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    path.write_text(text, encoding="utf-8", newline="\n")


def write_tsv(path: Path, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    """Write a table; a cell that a row lacks is ``n/a``."""
    lines = ["\t".join(columns)]
    lines += ["\t".join(str(row.get(name, "n/a")) for name in columns) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


def plain(value: float) -> float | int:
    """Return a whole number as int, so that JSON and TSV show ``128`` and not ``128.0``."""
    return int(value) if float(value).is_integer() else float(value)
