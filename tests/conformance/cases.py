"""Every entry as a test case: a new task or recipe adds no test code."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from braino_registry.datasets import Selection, Store
from braino_registry.numbers import Ledger, from_transcript
from braino_registry.registry import Registry, Task
from braino_registry.registry.entries import Instance
from braino_registry.runner.contributing.desk import is_long, some
from braino_registry.runner.contributing.stages import cheats

REGISTRY = Registry.open(environ={}, use_index=False)
#: The suite whose every task meets every exploit agent in every run; in the others every n-th.
FIRST_SUITE, IN_TURN = "braino", 4
#: Agents that search or change what is around them: each gets a process of its own. The others do
#: the same in any process.
APART = ("peek", "self-approve")
#: How long an agent looks for truth, here where it can reach all of it.
BRIEFLY = {"peek": {"seconds": 0.4}}
#: So many instances of a task meet every exploit agent and every counterexample; see
#: docs/decisions/0024-sampled-tests.md.
FEW = 2
REAL = Path(os.environ.get("BRAINO_SHARED", Path(__file__).resolve().parents[3] / "shared"))
MIRRORS = {"BRAINO_MIRRORS": str(REAL / "realdata")} if REAL.exists() else {}

EXPLOITS = tuple(spec.name_hint for spec in cheats.exploits())


@dataclass(frozen=True)
class Case:
    """One instance of a task."""

    task: str
    instance: str

    def __str__(self) -> str:
        return f"{self.task}/{self.instance}"

    def need(self, store: Store) -> None:
        """Skip where the instance's recordings are not at hand."""
        instance = entry(self.task).instance(self.instance)
        if instance.dataset is None:
            return
        part = Selection.of(instance.select)
        status = store.status(REGISTRY.dataset(instance.dataset), None, part)
        if not status.present:
            pytest.skip(f"{instance.dataset}: {status.reason}")


def entry(task: str) -> Task:
    """Return a task by its id."""
    return REGISTRY.task(task)


def has_check(task: str, kind: str) -> bool:
    """Tell whether a task has a check of a kind."""
    return any(check["kind"] == kind for check in entry(task).checks)


def ledger(kept: Path) -> Ledger:
    """Return the numbers that an agent could know after the one trial of a run folder."""
    (file,) = kept.rglob("events.jsonl")
    events = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return from_transcript(events, events[0]["request"])


def instances() -> list[Any]:
    """Return every instance; quick are the first of each task and of each public dataset in it."""
    found = []
    for task in REGISTRY.tasks():
        seen: set[str | None] = set()
        for number, instance in enumerate(some(task)):
            new = instance.data == "public" and instance.dataset not in seen
            seen.add(instance.dataset)
            chosen = marks(instance, quick=number == 0 or new)
            found.append(
                pytest.param(Case(task.id, instance.id), marks=chosen, id=_name(task, instance))
            )
    return found


def few(task: Task) -> list[Instance]:
    """Return the instances of a task that what is done many times over is done on.

    The first `FEW`, and the first on each public dataset: further ones differ in their data alone.
    """
    every = some(task)
    first_of = {one.dataset: one for one in reversed(every) if one.data == "public"}
    return [one for n, one in enumerate(every) if n < FEW or one is first_of.get(one.dataset)]


def salted_instances() -> list[Any]:
    """Return instances whose data and truth change under a salt, a few of each task."""
    return [
        pytest.param(Case(task.id, one.id), id=_name(task, one))
        for task in REGISTRY.tasks()
        for one in few(task)
        if changes(task, one)
    ]


def changes(task: Task, instance: Instance) -> bool:
    """Tell whether a salt changes anything in an instance of a task."""
    drawn = instance.dataset is not None and REGISTRY.dataset(instance.dataset).kind == "recipe"
    return task.saltable and drawn


def first_instances() -> list[Any]:
    """Return the first instance of each task; a second one is slow."""
    found = []
    for task in REGISTRY.tasks():
        for number, instance in enumerate(few(task)):
            chosen = marks(instance, quick=number == 0)
            found.append(
                pytest.param(Case(task.id, instance.id), marks=chosen, id=_name(task, instance))
            )
    return found


def exploits() -> list[Any]:
    """Return the first instance of each task with every exploit agent; a few more are slow.

    In the suites after the first each task meets some of the agents in every run, in turn, so that
    every agent meets many tasks; all of them meet all tasks in the long one.
    """
    found = []
    for turn, task in enumerate(REGISTRY.tasks()):
        for number, instance in enumerate(few(task)):
            for place, agent in enumerate(EXPLOITS):
                in_turn = task.suite == FIRST_SUITE or (place + turn) % IN_TURN == 0
                chosen = marks(instance, quick=number == 0 and in_turn)
                name = f"{_name(task, instance)}-{agent}"
                found.append(pytest.param(Case(task.id, instance.id), agent, marks=chosen, id=name))
    return found


def counterexamples(*, salted: bool = False) -> list[Any]:
    """Return every counterexample on a few instances; those on the first one are not slow.

    Parameters
    ----------
    salted : bool
        Whether only the first instance is wanted, and only where a salt changes it.
    """
    found = []
    for task in REGISTRY.tasks():
        chosen_of = [one for one in few(task) if changes(task, one)][:1] if salted else few(task)
        for number, instance in enumerate(chosen_of):
            for index in range(len(task.counterexamples)):
                chosen = marks(instance, quick=number == 0)
                name = f"{_name(task, instance)}-{index}"
                found.append(pytest.param(Case(task.id, instance.id), index, marks=chosen, id=name))
    return found


def recipes() -> list[Any]:
    """Return every recipe; those that only large instances need are slow."""
    needed = [instance for task in REGISTRY.tasks() for instance in task.instances]
    large = {one.dataset for one in needed if one.large}
    large -= {one.dataset for one in needed if not one.large}
    return [
        pytest.param(
            each,
            marks=(pytest.mark.slow,) if each.ref in large or is_long(each) else (),
            id=each.id,
        )
        for each in REGISTRY.datasets()
        if each.kind == "recipe"
    ]


def recipes_in_turn() -> list[Any]:
    """Return every recipe, all but every `IN_TURN`-th slow: for what takes a program's start."""
    found = []
    for place, one in enumerate(recipes()):
        slow = () if place % IN_TURN == 0 else (pytest.mark.slow,)
        found.append(pytest.param(*one.values, marks=(*one.marks, *slow), id=one.id))
    return found


def public_datasets() -> list[Any]:
    """Return every public dataset."""
    found = [entry for entry in REGISTRY.datasets() if entry.kind != "recipe"]
    return [pytest.param(each, id=each.id) for each in found]


def marks(instance: Instance, *, quick: bool) -> tuple[pytest.MarkDecorator, ...]:
    """Return the marks of a case: what runs only on request is tested only with everything."""
    named = instance.dataset
    long = named is not None and is_long(REGISTRY.dataset(named))
    return () if quick and not instance.large and not long else (pytest.mark.slow,)


def _name(task: Any, instance: Any) -> str:
    return f"{task.id}-{instance.id}"
