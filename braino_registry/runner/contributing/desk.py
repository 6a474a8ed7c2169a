"""What the stages work on: one task, its data, and the salts under which it has to hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from braino_registry.datasets import Realised, Status, Store
    from braino_registry.expected.resolving import Expected
    from braino_registry.registry import Recipe, Registry, Salt, Task
    from braino_registry.registry.entries import Instance
    from braino_registry.runner.bench import Bench
    from braino_registry.runner.contributing.commands import Commands
    from braino_registry.runner.contributing.rehearsing import Rehearsal
    from braino_registry.runner.work import Work

#: Of a task with more instances than that, so many are looked at.
MANY, SOME = 60, 12
#: So many instances go through the stages that look at more than one, unless thorough.
SEVERAL = 3
#: Length, in s, from which a recording is long: building it takes a minute.
LONG = 1500


@dataclass(frozen=True)
class Desk:
    """One task and what is needed to check it.

    Parameters
    ----------
    registry : Registry
        The entries, with the task among them.
    task : Task
        The task.
    store : Store
        Where datasets are built.
    salt : Salt
        The salt that a person gave, or none.
    salts : tuple of Salt
        Further salts under which the task has to hold as well.
    thorough : bool
        Whether every instance goes through every stage, large and long ones too.
    scratch : Path
        Folder for temporary files.
    commands : Commands
        What builds the commands that findings name.
    rehearsals : dict
        Sessions that the reference has held, by instance; see `rehearsal`.
    benches : dict
        The trusted side of trials by hash of their salt, see `bench`.
    """

    registry: Registry
    task: Task
    store: Store
    salt: Salt
    salts: tuple[Salt, ...]
    thorough: bool
    scratch: Path
    commands: Commands
    rehearsals: dict[str, Rehearsal] = field(default_factory=dict, repr=False, compare=False)
    benches: dict[str | None, Bench] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def present(self) -> tuple[Instance, ...]:
        """The instances whose data are at hand; of very many that differ in their data, some."""
        quick = [each for each in some(self.task) if self.absence(each) is None]
        if quick:
            return tuple(quick)
        # Where every recording is long, one of them has to do.
        return tuple(each for each in some(self.task) if self._missing(each) is None)[:1]

    @cached_property
    def chosen(self) -> tuple[Instance, ...]:
        """The instances for what takes long: the first that is at hand, or all if thorough."""
        return self.present if self.thorough else self.present[:1]

    @cached_property
    def several(self) -> tuple[Instance, ...]:
        """The first few instances that are at hand, or all if thorough."""
        return self.present if self.thorough else self.present[:SEVERAL]

    @cached_property
    def recipes(self) -> tuple[Recipe, ...]:
        """The recipes of the chosen instances."""
        from braino_registry.registry import Recipe

        names = dict.fromkeys(each.dataset for each in self.chosen if each.dataset is not None)
        entries = [self.registry.dataset(name) for name in names]
        return tuple(entry for entry in entries if isinstance(entry, Recipe))

    @property
    def saltable(self) -> bool:
        """Whether a salt changes what is planted."""
        return bool(self.task.doc.get("saltable", True))

    def absence(self, instance: Instance) -> str | None:
        """Return why the data of an instance are not at hand, and what gets them; else None."""
        if not self.thorough and (instance.large or self._is_long(instance)):
            return "large or long: checked with --thorough"
        return self._missing(instance)

    def _missing(self, instance: Instance) -> str | None:
        """Return what of the data of an instance has to come from elsewhere; None if nothing."""
        status = self.status(instance)
        if status is None or status.present:
            return None
        return f"{status.reason}: {self.commands.among(status.command)}"

    def status(self, instance: Instance) -> Status | None:
        """Return how far the data of an instance are at hand; None where it needs none."""
        from braino_registry.datasets import Selection

        if instance.dataset is None:
            return None
        entry = self.registry.dataset(instance.dataset)
        return self.store.status(entry, self.salt, Selection.of(instance.select))

    def _is_long(self, instance: Instance) -> bool:
        if instance.dataset is None:
            return False
        return is_long(self.registry.dataset(instance.dataset))

    def realise(self, instance: Instance, salt: Salt) -> Realised | None:
        """Return the dataset of an instance, built if it was not."""
        from braino_registry.datasets import Selection

        if instance.dataset is None:
            return None
        entry = self.registry.dataset(instance.dataset)
        return self.store.build_or_find(entry, salt, Selection.of(instance.select))

    def bench(self, salt: Salt) -> Bench:
        """Return the trusted side of trials under a salt: one, as in a worker of a run."""
        from braino_registry.runner.bench import Bench

        if salt.hash not in self.benches:
            folder = self.scratch / f"bench-{len(self.benches)}"
            folder.mkdir()
            self.benches[salt.hash] = Bench(self.registry, self.store, salt, folder)
        return self.benches[salt.hash]

    def expect(self, instance: Instance, salt: Salt) -> Expected:
        """Return what the checks compare with in an instance."""
        found = self.realise(instance, salt)
        return self.bench(salt).expected(self._work(instance), found)

    def vocabulary(self, instance: Instance) -> dict[str, Any]:
        """Return the names of channels, people, recordings and events in an instance's data."""
        found = self.realise(instance, self.salt)
        return self.bench(self.salt).vocabulary(self._work(instance), found)

    def _work(self, instance: Instance) -> Work:
        from braino_registry.runner.work import Work

        return Work(self.task, instance, None, "")

    def attempt(self, instance: Instance, salt: Salt | None = None, **options: Any) -> Any:
        """Run one trial and return its record; see `try_task`."""
        from braino_registry.runner.trying import try_task

        with TemporaryDirectory(dir=self.scratch) as folder:
            return try_task(
                self.task.id,
                instance=instance.id,
                bench=self.bench(self.salt if salt is None else salt),
                keep=Path(folder, "run"),
                **options,
            )

    def rehearsal(self, instance: Instance) -> Rehearsal:
        """Return the session that the reference holds on an instance: it works there once."""
        from braino_registry.runner.contributing.rehearsing import rehearse

        if instance.id not in self.rehearsals:
            kept = self.scratch / f"rehearsal-{instance.id}"
            bench = self.bench(self.salt)
            self.rehearsals[instance.id] = rehearse(bench, self.task.id, instance.id, kept)
        return self.rehearsals[instance.id]

    def command(self, instance: Instance, *more: str, salt: Salt | None = None) -> str:
        """Return the command that shows one trial, under one of the further salts if named."""
        named = ("--instance", instance.id, *more)
        if salt is None:
            return self.commands.trial(*named)
        kept = f"Save the salt as FILE: echo {salt.material.decode()} > FILE; then: "
        return kept + self.commands.trial(*named, salt="FILE")


def field_of(task: Task, check: Mapping[str, Any]) -> str | None:
    """Return which field of the answer a check compares with a value; None if it does not.

    A check of kind ``corpus`` names none: it is about the only one.
    """
    if check["kind"] == "corpus":
        return next(iter(task.fields)) if len(task.fields) == 1 else None
    named = check.get("field")
    return named if named in task.fields and "expected" in check else None


def some(task: Task) -> list[Instance]:
    """Return the instances of a task; of many that differ in their data alone, some."""
    every = list(task.instances)
    return every if len(every) <= MANY else every[:: -(-len(every) // SOME)]


def is_long(entry: Any) -> bool:
    """Tell whether a recipe records for so long that building it takes a minute."""
    if entry.kind != "recipe":
        return False
    lengths = [number for part in entry.doc["recordings"] for number in _numbers(part["duration"])]
    return max(lengths, default=0) >= LONG


def _numbers(value: Any) -> Iterator[float]:
    """Yield every number in a JSON value."""
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _numbers(each)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield float(value)
