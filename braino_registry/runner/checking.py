"""Checking a task that somebody writes: is it sound, and can it be failed as it says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from braino_registry.reports import harness_notes
from braino_registry.runner.trying import try_task

if TYPE_CHECKING:
    from braino_registry.datasets import Store
    from braino_registry.registry import Salt, Task

Row = dict[str, Any]


def check_task(
    file: Path,
    *,
    registry_folders: tuple[Path, ...] = (),
    store: Store | None = None,
    salt: Salt | None = None,
) -> list[Row]:
    """Check a task file: oracle passes, null fails, counterexamples fail exactly what they say.

    Parameters
    ----------
    file : Path
        The task's JSON file, inside a folder of entries or not.
    registry_folders : tuple of Path
        Further folders of entries.
    store, salt : optional
        See `try_task`.

    Returns
    -------
    list of dict
        One row per instance and trial: ``instance, what, ok, expected, says, differs``; the last
        lists the checks that did not do what was expected of them. What is wrong with the entry
        itself is one row, however many trials it spoils.

    Raises
    ------
    EntryError
        If the entry does not load.
    """
    from braino_registry.datasets import Selection
    from braino_registry.datasets import Store as DatasetStore
    from braino_registry.registry import Registry

    registry = Registry.open(registry_folders, files=[file])
    task = registry.task_in(file)
    found_store = store or DatasetStore()
    rows: list[Row] = []
    told: set[str] = set()
    for instance in task.instances:
        if instance.dataset is not None:
            part = Selection.of(instance.select)
            status = found_store.status(registry.dataset(instance.dataset), salt, part)
            if not status.present:
                rows.append(_row(instance.id, "data", None, f"{status.reason}: {status.command}"))
                continue
        for what, options, fails in _trials(task):
            record = try_task(
                task.id,
                instance=instance.id,
                registry=registry,
                store=found_store,
                salt=salt,
                **options,
            )
            if record["outcome"] != "harness_error":
                rows.append(_judge(instance.id, what, record, fails))
            elif (problem := record["reason"].splitlines()[0]) not in told:
                told.add(problem)
                rows.append(_row(instance.id, what, False, record["reason"], _hoped(fails)))
    return rows


def _trials(task: Task) -> Iterator[tuple[str, dict[str, Any], set[str] | None]]:
    """Yield what each trial is to show, how to run it, and the checks that have to fail."""
    yield "oracle passes", {}, set()
    yield "null fails", {"agent": "null"}, None
    for number, each in enumerate(task.counterexamples):
        what = f"counterexample {number}: {each['why']}"
        yield what, {"counterexample": number}, set(each["fails"])


def _judge(instance: str, what: str, record: Row, fails: set[str] | None) -> Row:
    checks = record["checks"]
    failed = [check["id"] for check in checks if not check["passed"]]
    if fails is None:
        ok = not record["passed"] and bool(failed)
        differs = [check for check in checks if check["required"]]
    else:
        ok = record["outcome"] in ("passed", "failed", "scored") and set(failed) == fails
        differs = [check for check in checks if check["passed"] == (check["id"] in fails)]
    says = record["outcome"] + (f"; checks that fail: {', '.join(failed)}" if failed else "")
    if record["reason"]:
        says += f" ({record['reason']})"
    for note in harness_notes([record]):
        says += f"; {note}"
    return _row(instance, what, ok, says, _hoped(fails), [] if ok else differs)


def _hoped(fails: set[str] | None) -> str:
    """Return in words what a trial was to show."""
    if fails is None:
        return "a check that fails"
    return f"these checks fail: {', '.join(sorted(fails))}" if fails else "every check passes"


def _row(
    instance: str,
    what: str,
    ok: bool | None,
    says: str,
    expected: str | None = None,
    differs: list[Row] | None = None,
) -> Row:
    kept = ("id", "passed", "evidence")
    return {
        "instance": instance,
        "what": what,
        "ok": ok,
        "expected": expected,
        "says": says,
        "differs": [{name: check[name] for name in kept} for check in differs or ()],
    }
