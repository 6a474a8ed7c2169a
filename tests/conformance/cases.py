"""Every entry as a test case: a new task or recipe adds no test code."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from braino_registry import agents
from braino_registry.datasets import Selection, Store
from braino_registry.registry import Registry, Task
from braino_registry.registry.entries import Instance

REGISTRY = Registry.open(environ={}, use_index=False)
#: Of a task with more instances than that, so many are walked.
MANY, SOME = 60, 12
#: The suite whose every task meets every exploit agent in every run; every n-th in the others.
FIRST_SUITE, IN_TURN = "braino", 4
REAL = Path(os.environ.get("BRAINO_SHARED", Path(__file__).resolve().parents[3] / "shared"))
MIRRORS = {"BRAINO_MIRRORS": str(REAL / "realdata")} if REAL.exists() else {}

EXPLOITS = tuple(
    spec.name_hint
    for spec in agents.builtin()
    if spec.name_hint != "null" and not (spec.reference or spec.baseline)
)


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


def some(task: Task) -> list[Instance]:
    """Return the instances of a task; of many that differ in their data alone, some."""
    every = list(task.instances)
    if len(every) <= MANY:
        return every
    return every[:: -(-len(every) // SOME)]


def first_instances() -> list[Any]:
    """Return the first instance of each task; the others are slow."""
    found = []
    for task in REGISTRY.tasks():
        for number, instance in enumerate(some(task)):
            chosen = marks(instance, quick=number == 0)
            found.append(
                pytest.param(Case(task.id, instance.id), marks=chosen, id=_name(task, instance))
            )
    return found


def exploits() -> list[Any]:
    """Return the first instance of each task with every exploit agent; the others are slow.

    Of the suites after the first, each task meets some of the agents in every run, in turn, so
    that every agent meets many tasks; all of them meet all tasks in the long one.
    """
    found = []
    for turn, task in enumerate(REGISTRY.tasks()):
        for number, instance in enumerate(some(task)):
            for place, agent in enumerate(EXPLOITS):
                in_turn = task.suite == FIRST_SUITE or (place + turn) % IN_TURN == 0
                chosen = marks(instance, quick=number == 0 and in_turn)
                name = f"{_name(task, instance)}-{agent}"
                found.append(pytest.param(Case(task.id, instance.id), agent, marks=chosen, id=name))
    return found


def counterexamples() -> list[Any]:
    """Return every counterexample of every instance; those of later instances are slow."""
    found = []
    for task in REGISTRY.tasks():
        for number, instance in enumerate(some(task)):
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


def public_datasets() -> list[Any]:
    """Return every public dataset."""
    found = [entry for entry in REGISTRY.datasets() if entry.kind != "recipe"]
    return [pytest.param(each, id=each.id) for each in found]


def marks(instance: Instance, *, quick: bool) -> tuple[pytest.MarkDecorator, ...]:
    """Return the marks of a case: what runs only on request is tested only with everything."""
    named = instance.dataset
    long = named is not None and is_long(REGISTRY.dataset(named))
    return () if quick and not instance.large and not long else (pytest.mark.slow,)


def is_long(entry: Any) -> bool:
    """Tell whether a recipe records for hours; building it takes a minute."""
    if entry.kind != "recipe":
        return False
    lengths = [
        value
        for part in entry.doc["recordings"]
        for value in numbers(part["duration"])
    ]  # fmt: skip
    return max(lengths, default=0) >= 1500


def numbers(value: Any) -> list[float]:
    """Return every number in a JSON value."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return []
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return [number for each in inner for number in numbers(each)]
    return [float(value)]


def _name(task: Any, instance: Any) -> str:
    return f"{task.id}-{instance.id}"
