"""Finding truth where an agent could find it.

A token is a text that only the truth holds. `scan_tree` looks in names, bytes and times of
files; `scan_values` in anything that can be printed: messages, environment, errors.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

#: Modification times that say nothing: every copy has the same.
NEUTRAL_TIMES = 1


def scan_tree(root: Path, tokens: Iterable[str]) -> list[str]:
    """Return where tokens stand below ``root``: in names, contents or modification times."""
    found = []
    tokens = tuple(tokens)
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        found += [f"name {name}: {token}" for token in tokens if token in name]
        if path.is_symlink():
            found.append(f"link {name}")
        elif path.is_file():
            content = path.read_bytes()
            for token in tokens:
                wide = token.encode("utf-16-le")
                if token.encode() in content or wide in content:
                    found.append(f"content {name}: {token}")
        stamp = str(path.lstat().st_mtime_ns)
        found += [f"time {name}: {token}" for token in tokens if token and token in stamp]
    return found


def distinct_times(root: Path) -> set[int]:
    """Return the modification times of the files below ``root``, in whole seconds."""
    return {int(path.stat().st_mtime) for path in root.rglob("*") if path.is_file()}


def scan_values(values: Mapping[str, Any], tokens: Iterable[str]) -> list[str]:
    """Return where tokens stand in values that can be printed."""
    found = []
    tokens = tuple(tokens)
    for name, value in values.items():
        text = (
            value if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False)
        )
        found += [f"{name}: {token}" for token in tokens if token in text]
    return found
