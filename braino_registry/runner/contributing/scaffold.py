"""Begin a task: a copy of one that is sound, under a name of its own."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from braino_registry.errors import BrainoError, HostError, UsageError
from braino_registry.registry import jsonfile, roots
from braino_registry.registry.canary import mark
from braino_registry.reports.files import write_atomic
from braino_registry.runner.contributing.checking import open_task

if TYPE_CHECKING:
    from braino_registry.registry import Registry, Task

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
#: What fits on so many characters stays on one line.
_WIDTH = 100


def new_task(
    name: str, pattern: str, *, folders: Sequence[Path] = (), out: Path | None = None
) -> Path:
    """Write a task that is sound, for a person to change step by step.

    Parameters
    ----------
    name : str
        Its id, in kebab-case; it must tell nothing of the truth.
    pattern : str
        Id of the task that it is like.
    folders : sequence of Path
        Further folders of entries; the first of them gets the file.
    out : Path | None
        The file; ``tasks/SUITE/NAME.json`` of the first folder, or of the checkout, if None.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    UsageError
        If the name is none or is taken, there is no such pattern, or nowhere to put it.
    HostError
        If the file cannot be written.
    """
    from braino_registry.registry import Registry

    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is no id of a task",
            where="NAME",
            hint="Small letters, digits and hyphens, for example count-spindles.",
        )
    registry = Registry.open(folders)
    like = registry.task(pattern)
    _refuse_taken(registry, name)
    file = out if out is not None else place_for(like, folders) / f"{name}.json"
    if file.exists():
        raise UsageError("the file exists already", where=str(file), hint="Name another one.")
    document = jsonfile.read(like.file)
    written = {
        **document,
        "id": name,
        "version": "1.0.0",
        "title": f"New, like: {like.title}"[:120],
    }
    _write(file, render(written))
    mark(file)
    _refuse_broken(file, like, folders)
    return file


def _refuse_broken(file: Path, like: Task, folders: Sequence[Path]) -> None:
    """Remove a copy that does not load where it lies, for example without its bank of questions."""
    try:
        open_task(file, folders)
    except BrainoError as error:
        file.unlink()
        raise UsageError(
            f"a copy of {like.id!r} does not load there: {error.problem}", where=error.where,
            hint="Copy what it refers to first, or start from another task.",
        ) from error  # fmt: skip


def _refuse_taken(registry: Registry, name: str) -> None:
    if any(candidate.key == f"task:{name}" for candidate in registry.candidates()):
        raise UsageError(
            f"there is a task called {name!r} already",
            where="NAME",
            hint="Choose another name; `braino eval list` shows those taken.",
        )


def place_for(like: Task, folders: Sequence[Path]) -> Path:
    """Return the folder for the file: of the first registry folder, or of a checkout."""
    if folders:
        return folders[0] / "tasks" / like.suite
    root = roots.builtin()
    if not (root / "pyproject.toml").is_file():
        raise UsageError(
            "the built-in entries are installed, and not for editing", where=str(root),
            hint="Name a folder of your own with --registry DIR, or a file with --out FILE.",
        )  # fmt: skip
    # Beside the pattern, so that a task of a subset lies with the others of it.
    return like.file.parent


def _write(file: Path, text: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(file, text.encode())
    except OSError as error:
        raise HostError(f"the task cannot be written: {error.strerror}", where=str(file),
                        hint="Name another file with --out FILE.") from error  # fmt: skip


def render(value: Any, depth: int = 0) -> str:
    """Return JSON as people write it: what fits on a line stays on one."""
    line = json.dumps(value, ensure_ascii=False)
    pad = "  " * (depth + 1)
    plain = not isinstance(value, dict | list) or not value
    if plain or (depth > 0 and len(line) + len(pad) <= _WIDTH):
        text = line
    elif isinstance(value, dict):
        rows = [
            f"{pad}{json.dumps(key, ensure_ascii=False)}: {render(item, depth + 1)}"
            for key, item in value.items()
        ]
        text = "{\n" + ",\n".join(rows) + "\n" + pad[2:] + "}"
    else:
        text = "[\n" + ",\n".join(pad + render(i, depth + 1) for i in value) + "\n" + pad[2:] + "]"
    return text if depth else text + "\n"
