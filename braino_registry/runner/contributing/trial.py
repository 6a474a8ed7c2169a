"""One trial of a task that somebody writes, kept to be looked at."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from braino_registry.errors import HostError
from braino_registry.runner import folder
from braino_registry.runner.contributing.checking import open_task
from braino_registry.runner.contributing.commands import Commands

if TYPE_CHECKING:
    from braino_registry.registry import Task


@dataclass(frozen=True)
class Tried:
    """A trial and what is left of it.

    Parameters
    ----------
    record : dict
        Its record, as it would stand in a report.
    run_dir : Path
        The folder with its transcript and its artifacts.
    whole : bool
        Whether the folder is that of a run, with a report, so that a page can be made of it.
    """

    record: dict[str, Any]
    run_dir: Path
    whole: bool


def try_once(
    task: Path | str,
    *,
    folders: Sequence[Path] = (),
    instance: str | None = None,
    agent: str = "oracle",
    counterexample: int | None = None,
    salt: Path | None = None,
    cache: Path | None = None,
    run_dir: Path | None = None,
) -> Tried:
    """Run one trial and keep it.

    Parameters
    ----------
    task : Path or str
        Id of a task, or its file, in a folder of entries or not.
    folders : sequence of Path
        Further folders of entries.
    instance : str | None
        Which instance; the first one if None.
    agent : str
        See `RunSettings`.
    counterexample : int | None
        Number of the counterexample that is played instead.
    salt, cache, run_dir : Path | None
        See `RunSettings`.

    Raises
    ------
    BrainoError
        If the task does not load, its data are not at hand, or a name is unknown.
    """
    registry, entry = open_task(task, folders)
    chosen = entry.instance(instance or entry.instances[0].id).id
    if counterexample is not None:
        return _counterexample(registry, entry, chosen, counterexample, salt, cache, run_dir)
    from braino_registry.runner.run import run
    from braino_registry.runner.settings import RunSettings

    with _findable(entry, task, folders) as known:
        result = run(
            RunSettings(
                agent=agent, tasks=(f"{entry.id}/{chosen}",), registry=tuple(known),
                salt=salt, cache=cache, run_dir=run_dir, include_large=False,
            )
        )  # fmt: skip
    commands = Commands(str(task), tuple(folders), cache, salt)
    (record,) = result.report["trials"]
    if record["outcome"] == "not_planned":
        raise HostError(
            f"the data are not at hand: {record['reason']}",
            where=f"{entry.id}/{chosen}",
            hint=f"Get them with: {commands.among(record['command'])}",
        )
    return Tried(record, result.run_dir, whole=True)


def read_answer(
    task: Path | str,
    text: str,
    *,
    folders: Sequence[Path] = (),
    instance: str | None = None,
    salt: Path | None = None,
    cache: Path | None = None,
) -> dict[str, Any]:
    """Return how a trial would end in which the reference's work is told in other words.

    Parameters
    ----------
    task, folders, instance, salt, cache
        See `try_once`.
    text : str
        The answer in words.

    Returns
    -------
    dict
        The trial's record, with ``request`` and ``answer``; nothing of it is kept.
    """
    from braino_registry.datasets import Store
    from braino_registry.registry import Salt
    from braino_registry.runner.contributing.desk import Desk
    from braino_registry.runner.trying import open_bench

    registry, entry = open_task(task, folders)
    chosen = entry.instance(instance or entry.instances[0].id)
    drawn = Salt.none() if salt is None else Salt.read(salt)
    with open_bench(registry, Store(cache), drawn) as bench:
        commands = Commands(str(task), tuple(folders), cache, salt)
        desk = Desk(registry, entry, bench.store, drawn, (), False, bench.scratch, commands)
        held = desk.rehearsal(chosen)
        if not held.events:
            raise HostError(str(held.record["reason"]), where=f"{entry.id}/{chosen.id}",
                            hint=f"Let the reference pass first: {commands.check()}")  # fmt: skip
        record = {**held.record, **held.with_answer(text, None, held.answer["artifacts"])}
    return {
        **record, "transcript": None, "traceback": None,
        "request": entry.request_for(chosen), "answer": text,
    }  # fmt: skip


def _counterexample(
    registry: Any, entry: Task, instance: str, number: int,
    salt: Path | None, cache: Path | None, run_dir: Path | None,
) -> Tried:  # fmt: skip
    from braino_registry.datasets import Store
    from braino_registry.errors import UsageError
    from braino_registry.registry import Salt
    from braino_registry.runner.trying import try_task

    count = len(entry.counterexamples)
    if not 0 <= number < count:
        raise UsageError(f"there is no counterexample {number}", where="--counterexample",
                         hint=f"{entry.id} has those from 0 to {count - 1}.")  # fmt: skip
    place = folder.create(run_dir, suite=entry.suite, agent=f"counterexample-{number}")
    record = try_task(
        entry.id, instance=instance, counterexample=number, registry=registry,
        store=Store(cache), salt=Salt.none() if salt is None else Salt.read(salt),
        keep=place.path,
    )  # fmt: skip
    return Tried(record, place.path, whole=False)


@contextmanager
def _findable(entry: Task, task: Path | str, folders: Sequence[Path]) -> Iterator[list[Path]]:
    """Give folders of entries among which a run, in processes of its own, finds the task."""
    from braino_registry.registry import Registry

    if any(each.key == f"task:{entry.id}" for each in Registry.open(folders).candidates()):
        yield list(folders)
        return
    with tempfile.TemporaryDirectory(prefix="braino-task-") as name:
        home = Path(name) / "tasks" / entry.suite
        home.mkdir(parents=True)
        shutil.copyfile(task, home / entry.file.name)
        yield [*folders, Path(name)]
