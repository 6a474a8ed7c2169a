"""Checking a task that somebody writes, stage by stage."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from braino_registry.errors import BrainoError, UsageError, close_matches
from braino_registry.runner.contributing.commands import Commands
from braino_registry.runner.contributing.desk import Desk
from braino_registry.runner.contributing.findings import Finding, Stage, folded, in_order
from braino_registry.runner.trying import open_bench

if TYPE_CHECKING:
    from braino_registry.datasets import Store
    from braino_registry.registry import Registry, Salt, Task

Row = dict[str, Any]
Told = Callable[[str, float, list[Row]], None]
#: Salts under which a task has to hold beside none.
SALTS = 2


def check_task(
    task: Path | str,
    *,
    registry_folders: Sequence[Path] = (),
    store: Store | None = None,
    salt: Salt | None = None,
    commands: Commands | None = None,
    salts: int = SALTS,
    stages: Sequence[str] = (),
    thorough: bool = False,
    tell: Told = lambda stage, seconds, rows: None,
) -> list[Row]:
    """Check a task: whether it is sound, can be solved, and can be failed as it says.

    Parameters
    ----------
    task : Path or str
        The task's JSON file, inside a folder of entries or not, or the id of a task.
    registry_folders : sequence of Path
        Further folders of entries.
    store, salt : optional
        See `try_task`.
    commands : Commands | None
        What builds the commands that findings name; with the same folders if None.
    salts : int
        Under how many further salts the reference has to pass.
    stages : sequence of str
        Only these stages; all if empty.
    thorough : bool
        Whether every instance goes through every stage.
    tell : callable
        Told of each stage as it ends: its name, its seconds, its rows.

    Returns
    -------
    list of dict
        One row per finding: ``stage, instance, what, ok, expected, says, hint, differs``. A stage
        that needs another one in which something is wrong is not run, and has one row that says
        so.

    Raises
    ------
    EntryError
        If the entry does not load.
    UsageError
        If there is no such task or stage.
    """
    chosen = list(_chosen(stages))
    registry, entry = open_task(task, registry_folders)
    with open_bench(registry, store, salt) as bench:
        desk = Desk(
            registry, entry, bench.store, bench.salt,
            tuple(_salts(entry.id, salts if entry.doc.get("saltable", True) else 0)),
            thorough, bench.scratch, commands or Commands(str(task), tuple(registry_folders)),
        )  # fmt: skip
        wrong: set[str] = set()
        rows: list[Row] = []
        for each in chosen:
            began = time.monotonic()
            found = list(_run(each, desk, wrong))
            if any(row["ok"] is False for row in found):
                wrong.add(each.name)
            rows += found
            tell(each.name, time.monotonic() - began, found)
    return rows


def open_task(task: Path | str, folders: Sequence[Path]) -> tuple[Registry, Task]:
    """Return a task by its file or its id, and the registry that holds it.

    Raises
    ------
    EntryError, UsageError
        If it does not load, or there is none.
    """
    from braino_registry.registry import Registry

    file = Path(task)
    if file.suffix == ".json" or file.is_file():
        registry = Registry.open(folders, files=[file])
        return registry, registry.task_in(file)
    registry = Registry.open(folders)
    return registry, registry.task(str(task))


def _chosen(names: Sequence[str]) -> Iterator[Stage]:
    every = list(in_order())
    known = [each.name for each in every]
    for name in names:
        if name not in known:
            raise UsageError(f"there is no stage called {name!r}", where="--stage",
                             hint=close_matches(name, known))  # fmt: skip
    yield from (each for each in every if not names or each.name in names)


def _run(each: Stage, desk: Desk, wrong: set[str]) -> Iterator[Row]:
    """Yield the rows of one stage; whatever stops it is a finding of its own."""
    missing = [name for name in each.needs if name in wrong]
    if missing:
        says = f"not run: first mend what {' and '.join(missing)} found"
        yield Finding("", each.claim, None, says).document(each.name)
        return
    if each.data and not desk.present:
        says = "the data of no instance are at hand"
        yield Finding("", each.claim, None, says).document(each.name)
        return
    found: list[Finding] = []
    try:
        found.extend(each.look(desk))
    except BrainoError as error:
        says = f"{error.problem}, in {error.where}" if error.where else error.problem
        found.append(Finding("", each.claim, False, says, hint=error.hint or ""))
    for kept in folded(found):
        yield kept.document(each.name)


def _salts(task: str, count: int) -> Iterator[Salt]:
    """Yield salts of a task's own: the same each time, so that what was found can be mended."""
    from braino_registry.registry import Salt

    for number in range(1, count + 1):
        text = f"check {number} of {task}"
        yield Salt(hashlib.sha256(text.encode()).hexdigest().encode())
