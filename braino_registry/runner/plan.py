"""From what was asked to a list of trials, and a list of what has to be left out and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from braino_registry.agents import check_paradigm
from braino_registry.errors import HostError, UsageError, close_matches
from braino_registry.runner import named, seeds, shards
from braino_registry.runner.endpoints import read_endpoint
from braino_registry.runner.needs import unmet
from braino_registry.runner.selecting import select
from braino_registry.runner.settings import DATA, PARADIGMS, PROFILES, RunSettings

if TYPE_CHECKING:
    from braino_registry.datasets import Selection, Status, Store
    from braino_registry.registry import Registry
    from braino_registry.registry.entries import Instance, Suite, Task
    from braino_registry.registry.salt import Salt


Part = tuple[str, "Selection"]
"""``id@version`` of a dataset and the part of it that is needed."""

#: Beyond these a number is a slip of the keyboard that would fill the memory or the disk.
MOST_REPEATS, MOST_JOBS = 10_000, 1_024


@dataclass(frozen=True)
class Row:
    """One instance of one task in a plan.

    Parameters
    ----------
    task, version, instance, category : str
        Which work.
    dataset : str | None
        ``id@version``.
    chance : float
        Probability that a guess passes.
    reason : str | None
        Why it is not planned; None if it is.
    command : str
        What to type to get what is missing.
    subset : str | None
        The suite's subset that the task belongs to.
    difficulty : str
        ``easy``, ``medium`` or ``hard``.
    """

    task: str
    version: str
    instance: str
    category: str
    dataset: str | None
    chance: float
    reason: str | None = None
    command: str = ""
    subset: str | None = None
    difficulty: str = ""

    def document(self) -> dict[str, Any]:
        """Return the row as JSON values."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True)
class DatasetRow:
    """One dataset that a plan needs.

    Parameters
    ----------
    dataset : str
        ``id@version``.
    state : str
        ``built``, ``to build`` or ``missing``.
    bytes_to_get : int
        What has to come from elsewhere.
    files_missing : int
        How many files that is.
    command : str
        What to type to get them.
    reason : str
        Why it is not there.
    select : dict
        Which part of it: labels by BIDS entity; empty for all of it.
    """

    dataset: str
    state: str
    bytes_to_get: int = 0
    files_missing: int = 0
    command: str = ""
    reason: str = ""
    select: dict[str, list[str]] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """Return the row as JSON values."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True)
class Plan:
    """What a run will do.

    Parameters
    ----------
    suite : Suite
        The one suite of the report.
    rows : tuple of Row
        What will be run, in order.
    left_out : tuple of Row
        What will not, with reason and command.
    repeats : int
        Sessions per row.
    datasets : tuple of DatasetRow
        The datasets of both.
    digests : dict
        ``{"version", "work", "scoring"}`` by task.
    shard : str | None
        Which part of it this run is about; None for all of it.
    """

    suite: Suite
    rows: tuple[Row, ...]
    left_out: tuple[Row, ...]
    repeats: int
    datasets: tuple[DatasetRow, ...]
    digests: dict[str, dict[str, str]] = field(repr=False)
    shard: str | None = None

    @property
    def trials(self) -> list[tuple[Row, int]]:
        """The trials of this run in their order, each a row and the number of its repeat."""
        every = [(row, repeat) for row in self.rows for repeat in range(1, self.repeats + 1)]
        return shards.share(every, self.shard)

    @property
    def size(self) -> int:
        """Number of planned trials."""
        return len(self.trials)

    def document(self) -> dict[str, Any]:
        """Return the plan as JSON values, for ``--dry-run --json`` and ``run.json``."""
        shard = {} if self.shard is None else {"shard": self.shard}
        return {
            **shard,
            "suite": self.suite.id,
            "suite_version": self.suite.version,
            "trials": self.size,
            "repeats": self.repeats,
            "planned": [row.document() for row in self.rows],
            "not_planned": [row.document() for row in self.left_out],
            "datasets": [row.document() for row in self.datasets],
            "bytes_to_get": sum(row.bytes_to_get for row in self.datasets),
            "digests": self.digests,
        }


def check_settings(settings: RunSettings) -> None:
    """Refuse settings that mean nothing, before anything is read or started.

    Raises
    ------
    UsageError
        With the allowed values.
    """
    for value, allowed, option in (
        (settings.data, DATA, "--data"),
        (settings.paradigm, PARADIGMS, "--paradigm"),
        (settings.profile, PROFILES, "--profile"),
    ):
        if value not in allowed:
            raise UsageError(
                f"{value!r} is not allowed here", where=option, hint=close_matches(value, allowed)
            )
    check_paradigm(settings.agent, settings.paradigm)
    for number, most, option in (
        (settings.repeats, MOST_REPEATS, "--repeats"),
        (1 if settings.jobs is None else settings.jobs, MOST_JOBS, "--jobs"),
    ):
        if not 1 <= number <= most:
            raise UsageError(
                f"{number} is not allowed here",
                where=option,
                hint=f"Give a number from 1 to {most}.",
            )
    if not 0 <= settings.seed <= seeds.LARGEST:
        raise UsageError(
            f"{settings.seed} is not allowed here",
            where="--seed",
            hint=f"Give a number from 0 to {seeds.LARGEST}.",
        )
    if settings.shard is not None:
        shards.parse(settings.shard)
    for address in settings.endpoints:
        read_endpoint(address)


def make_plan(settings: RunSettings, registry: Registry, store: Store, salt: Salt) -> Plan:
    """Resolve settings into trials.

    Tasks whose data have to be fetched are planned only if every byte is in the cache or a
    mirror; large ones only if they were asked for. What is left out becomes a row with the
    reason, never silently less.

    Raises
    ------
    UsageError
        For unknown names, or tasks of several suites.
    EntryError
        If an entry that the run needs is broken.
    HostError
        If no instance has the kind of data that was asked for.
    """
    check_settings(settings)
    suite, tasks = select(settings, registry)
    if settings.paradigm not in suite.paradigms:
        raise UsageError(
            f"the suite {suite.id!r} has no paradigm {settings.paradigm!r}",
            where="--paradigm",
            hint=f"Allowed: {', '.join(suite.paradigms)}.",
        )
    pairs = [
        (task, instance)
        for task, instance in named.instances(settings.tasks, tasks)
        if _wanted(instance, settings.data)
    ]
    if not pairs:
        raise HostError(
            f"none of the {len(tasks)} tasks has an instance whose data are marked as "
            f"{settings.data!r}",
            where=f"--data {settings.data}",
            hint="Use --data all, or other tasks.",
        )
    statuses = _statuses(pairs, registry, store, salt)
    rows: list[Row] = []
    left_out: list[Row] = []
    for task, instance in pairs:
        row = _row(task, instance, settings, statuses)
        (rows if row.reason is None else left_out).append(row)
    shards.refuse_empty(settings.shard, len(rows) * settings.repeats)
    return Plan(
        suite=suite,
        shard=settings.shard,
        rows=tuple(rows),
        left_out=tuple(left_out),
        repeats=settings.repeats,
        datasets=tuple(_dataset_row(part, status) for part, status in statuses.items()),
        digests=_digests(tasks, registry),
    )


def _wanted(instance: Instance, data: str) -> bool:
    return data in ("all", instance.data)


def _statuses(
    pairs: Iterable[tuple[Task, Instance]], registry: Registry, store: Store, salt: Salt
) -> dict[Part, Status]:
    parts = dict.fromkeys(part for _, instance in pairs for part in _parts(instance))
    return {
        (ref, selection): store.status(registry.dataset(ref), salt, selection)
        for ref, selection in parts
    }


def _row(
    task: Task, instance: Instance, settings: RunSettings, statuses: dict[Part, Status]
) -> Row:
    reason, command = _tools_only(task, settings) or _obstacle(instance, settings, statuses)
    return Row(
        task=task.id,
        version=task.version,
        instance=instance.id,
        category=task.category,
        dataset=instance.dataset,
        chance=instance.chance,
        reason=reason,
        command=command,
        subset=task.subset,
        difficulty=task.difficulty,
    )


def _tools_only(task: Task, settings: RunSettings) -> tuple[str, str] | None:
    """Return why an agent that works by code cannot do a task, and what to do, if it cannot."""
    if settings.paradigm == "code" and any("rests_on" in check for check in task.checks):
        return "what it decides has to rest on a tool's result, and code has no tools", (
            "add --paradigm tools"
        )
    return None


def _obstacle(
    instance: Instance, settings: RunSettings, statuses: dict[Part, Status]
) -> tuple[str | None, str]:
    if instance.large and not settings.include_large:
        return "a large dataset, planned only on request", "add --include-large"
    for need in instance.needs:
        obstacle = unmet(need)
        if obstacle is not None:
            return obstacle
    for part in _parts(instance):
        status = statuses[part]
        if not status.present:
            return status.reason, status.command
    return None, ""


def _parts(instance: Instance) -> list[Part]:
    """Return what has to be there for an instance: the part of its own dataset, and others."""
    from braino_registry.datasets import ALL, Selection

    needed: list[Part] = []
    if instance.dataset is not None:
        needed.append((instance.dataset, Selection.of(instance.select)))
    kinds = [need.partition(":") for need in instance.needs]
    others = [name for kind, _, name in kinds if kind == "dataset" and name != instance.dataset]
    return needed + [(name, ALL) for name in others]


def _dataset_row(part: Part, status: Status) -> DatasetRow:
    ref, selection = part
    absent = "to build" if status.present else "missing"
    return DatasetRow(
        dataset=ref,
        state="built" if status.built else absent,
        bytes_to_get=status.bytes_to_get,
        files_missing=len(status.missing),
        command=status.command,
        reason=status.reason,
        select=selection.document(),
    )


def _digests(tasks: Iterable[Task], registry: Registry) -> dict[str, dict[str, str]]:
    # The listing takes digests from the index where that is fresh, and then imports no tool.
    listed = {row["id"]: row["digests"] for row in registry.listing()}
    return {task.id: {"version": task.version, **listed[task.id]} for task in tasks}
