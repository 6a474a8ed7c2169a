"""Where a run takes entries, data and salt from, and what it plans with them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from braino_registry.errors import BrainoError, HostError
from braino_registry.runner import seeds
from braino_registry.runner.folder import RunFolder
from braino_registry.runner.plan import Plan, Row, make_plan
from braino_registry.runner.preflight import AgentChoice
from braino_registry.runner.settings import RunSettings
from braino_registry.runner.spec import TrialSpec

if TYPE_CHECKING:
    from braino_registry.datasets import Selection, Store
    from braino_registry.registry import Registry, Salt

Observer = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class Sources:
    """Entries, data and salt of a run.

    Parameters
    ----------
    registry : Registry
        The entries.
    store : Store
        The datasets.
    salt : Salt
        The salt of this run.
    """

    registry: Registry
    store: Store
    salt: Salt

    @classmethod
    def open(cls, settings: RunSettings) -> Sources:
        """Open what the settings name."""
        from braino_registry.datasets import Store
        from braino_registry.registry import Registry, Salt

        return cls(
            registry=Registry.open(settings.registry),
            store=Store(settings.cache),
            salt=Salt.none() if settings.salt is None else Salt.read(settings.salt),
        )

    def plan(self, settings: RunSettings) -> Plan:
        """Resolve settings into trials.

        Raises
        ------
        HostError
            If datasets would have to be kept where nothing can be: one error instead of one for
            every trial.
        """
        planned = make_plan(settings, self.registry, self.store, self.salt)
        if any(row.state == "to build" for row in planned.datasets):
            check_cache(self.store.root)
        return planned


def check_cache(root: Path) -> None:
    """Refuse a cache folder in which no dataset could be kept; nothing is made.

    Raises
    ------
    HostError
        If it, or the nearest folder above it that exists, is no folder or cannot be written to.
    """
    there = root
    while not os.path.lexists(there) and there != there.parent:
        there = there.parent
    if not there.is_dir():
        problem = f"{there} is no folder"
    elif not os.access(there, os.W_OK | os.X_OK):
        problem = f"{there} cannot be written to"
    else:
        return
    raise HostError(
        f"datasets cannot be kept here: {problem}",
        where=f"cache {root}",
        hint="Name another folder with --cache or BRAINO_DATA.",
    )


def make_cache(root: Path) -> None:
    """Make the cache folder before the first trial.

    Raises
    ------
    HostError
        If the system refuses it.
    """
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise HostError(
            f"datasets cannot be kept here: {error.strerror}",
            where=f"cache {root}",
            hint="Name another folder with --cache or BRAINO_DATA.",
        ) from error


def fetch_missing(planned: Plan, settings: RunSettings, sources: Sources, tell: Observer) -> Plan:
    """Where it was asked for, fetch what a plan lacks and plan again."""
    if any(row.state == "to build" for row in planned.datasets):
        make_cache(sources.store.root)
    if not (settings.fetch or settings.include_large):
        return planned
    from braino_registry.datasets import Selection

    failures: dict[tuple[str | None, Selection], str] = {}
    for row in planned.datasets:
        part = (row.dataset, Selection.of(row.select))
        large = any(
            _is_large(sources, each) for each in planned.left_out if _part(sources, each) == part
        )
        if row.state == "missing" and (settings.fetch or large):
            tell({"type": "note", "text": f"fetching {row.dataset}{part[1].options()}"})
            try:
                sources.store.fetch(sources.registry.dataset(row.dataset), selection=part[1])
            except BrainoError as error:
                failures[part] = str(error).replace("\n", "; ")
                tell({"type": "note", "text": f"{row.dataset}: {failures[part]}"})
    planned = sources.plan(settings)
    left_out = tuple(
        replace(row, reason=f"fetching failed: {failures[_part(sources, row)]}")
        if _part(sources, row) in failures
        else row
        for row in planned.left_out
    )
    return replace(planned, left_out=left_out)


def _part(sources: Sources, row: Row) -> tuple[str | None, Selection]:
    """Return which part of which dataset an instance is about."""
    from braino_registry.datasets import Selection

    instance = sources.registry.task(row.task).instance(row.instance)
    return row.dataset, Selection.of(instance.select)


def _is_large(sources: Sources, row: Row) -> bool:
    return sources.registry.task(row.task).instance(row.instance).large


def make_specs(
    planned: Plan, agent: AgentChoice, settings: RunSettings, place: RunFolder
) -> list[TrialSpec]:
    """Return the trials of a plan in their order, each as a worker is told of it."""
    return [
        TrialSpec(
            task=row.task,
            version=row.version,
            instance=row.instance,
            repeat=repeat,
            factory=agent.factory,
            run_dir=str(place.path),
            model=agent.asked_model,
            path=agent.path,
            reference=agent.reference,
            tier=settings.tier,
            isolation=settings.isolation,
            paradigm=settings.paradigm,
            profile=settings.profile,
            allow_unsandboxed_code=settings.allow_unsandboxed_code,
            seed=seeds.of_trial(settings.seed, row.task, row.instance, repeat),
            endpoints=settings.endpoints,
            passed=settings.passed,
            options=dict(agent.options),
            server=agent.server,
        )
        for row, repeat in planned.trials
    ]


def ignore(event: dict[str, Any]) -> None:
    """Tell nobody."""
