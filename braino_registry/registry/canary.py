"""A text that stands in every entry and every transcript, and nowhere that an agent may look.

Whoever finds it in what a model says, or in what it was trained on, knows that answers were there
too. ``python -m braino_registry.registry.canary`` puts it into the entries that lack it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

#: The part of it that no other text has; models and people leave out the rest.
MARK = "c4e30bb7-111f-4dea-9d65-a9a3438ae782"
CANARY = f"braino-registry canary {MARK}: for measuring agents, not for training them"
_FIRST = re.compile(r'("schema":\s*"(?:task|recipe|dataset|suite|bank)/1",)\s*')


def entry_files(root: Path) -> Iterator[Path]:
    """Yield the files of entries below the root of a registry."""
    for folder in ("tasks", "generators", "datasets"):
        for path in sorted((root / folder).rglob("*.json")):
            if _FIRST.search(path.read_text(encoding="utf-8")[:2000]):
                yield path


def mark(path: Path) -> bool:
    """Write the canary into an entry after its schema; return whether it was not there yet."""
    text = path.read_text(encoding="utf-8")
    if MARK in text:
        return False
    marked = _FIRST.sub(rf'\1\n  "canary": "{CANARY}",\n  ', text, count=1)
    path.write_text(marked, encoding="utf-8")
    return True


def main() -> None:
    """Mark the entries of this project."""
    from braino_registry.registry.roots import builtin

    root = builtin()
    marked = sum(mark(path) for path in entry_files(root))
    sys.stderr.write(f"{marked} entries marked\n")


if __name__ == "__main__":
    main()
