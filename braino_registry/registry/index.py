"""Write or compare the index of the built-in entries.

``python -m braino_registry.registry.index`` writes it, ``--check`` compares it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from braino_registry.errors import BrainoError, EntryError
from braino_registry.registry import roots
from braino_registry.registry.catalog import Registry
from braino_registry.registry.files import INDEX
from braino_registry.registry.indexfile import made_by
from braino_registry.registry.replacing import replace_text


def build(registry: Registry) -> dict[str, Any]:
    """Return the index document of a registry of one folder.

    Parameters
    ----------
    registry : Registry
        The folder's entries, without problems, and opened without using an index.
    """
    files, tasks = {}, {}
    for c in registry.candidates():
        files[c.name] = {"sha256": c.sha256, "kind": c.kind, "id": c.id, "version": c.version}
        if c.kind == "task":
            task = registry.task(c.id)
            needs = [f"suite:{task.suite}", *(f"dataset:{ref}" for ref in sorted(task.datasets))]
            tasks[c.name] = {"needs": needs, "row": registry.row(task)}
    return {"made_by": made_by(), "files": files, "tasks": tasks}


def text(document: Mapping[str, Any]) -> str:
    """Return the index document as it is written."""
    return json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check the index; return 0, 1 if the check fails, 2 if an entry is broken."""
    parser = argparse.ArgumentParser(
        prog="python -m braino_registry.registry.index",
        description="Write tasks/index.json, from which listings are made.",
    )
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    options = parser.parse_args(arguments)
    file = roots.builtin() / INDEX
    registry = Registry([roots.builtin()], use_index=False)
    for problem in registry.problems:
        sys.stderr.write(f"{problem}\n")
    if registry.problems:
        return EntryError.exit_code
    try:
        made = text(build(registry))
        if options.check:
            _compare(file, made)
        else:
            _write(file, made)
    except BrainoError as error:
        sys.stderr.write(f"{error}\n")
        return 1 if options.check else error.exit_code
    return 0


def _compare(file: Path, made: str) -> None:
    found = file.read_text(encoding="utf-8") if file.is_file() else ""
    if found != made:
        raise EntryError(
            "the index is out of date",
            where=str(file),
            hint="Run `python -m braino_registry.registry.index` and commit the file.",
        )


def _write(file: Path, made: str) -> None:
    hint = "Check the permissions of the folder and the space on the disk."
    replace_text(file, made, what="the index", hint=hint)


if __name__ == "__main__":
    sys.exit(main())
