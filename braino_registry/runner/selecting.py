"""Which suite and which tasks are meant: by name, by subset, by release."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from braino_registry.errors import EntryError, UsageError, close_matches, nearest
from braino_registry.registry import documents, jsonfile
from braino_registry.runner import named
from braino_registry.runner.settings import DEFAULT_SUITE, RunSettings

if TYPE_CHECKING:
    from braino_registry.registry import Registry
    from braino_registry.registry.entries import Suite, Task


def select(settings: RunSettings, registry: Registry) -> tuple[Suite, list[Task]]:
    """Return the suite of a run and those of its tasks that were asked for.

    Raises
    ------
    UsageError
        For unknown names, tasks of several suites, or a task that the release does not have.
    EntryError
        If an entry that is needed is broken.
    """
    lock = release_of(settings, registry)
    if settings.tasks:
        suite, tasks = _by_name(settings, registry)
        if lock is not None:
            _refuse_unreleased(lock, suite.id, tasks)
    elif lock is None:
        suite, tasks = _whole(settings.suite or DEFAULT_SUITE, registry)
    else:
        suite, tasks = _of_release(lock, settings, registry)
    if settings.subset is not None:
        if settings.subset not in suite.subsets:
            raise UsageError(
                f"the suite {suite.id!r} has no subset {settings.subset!r}",
                where="--subset",
                hint=close_matches(settings.subset, list(suite.subsets)),
            )
        tasks = [task for task in tasks if task.subset == settings.subset]
    if not tasks:
        raise UsageError(
            f"the suite {suite.id!r} has no tasks here",
            where="--suite",
            hint="See `braino eval list`.",
        )
    return suite, tasks


def release_of(settings: RunSettings, registry: Registry) -> Mapping[str, Any] | None:
    """Return the lock of the release that a run is held to; None if it is held to none.

    Raises
    ------
    UsageError, EntryError
        If there is no such release, or its file is no lock.
    """
    if settings.release is None:
        return None
    from braino_registry.registry import locks

    return locks.read(registry, settings.release)


def _by_name(settings: RunSettings, registry: Registry) -> tuple[Suite, list[Task]]:
    if settings.suite is not None:
        registry.suite(settings.suite)
    tasks = [registry.task(task_id) for task_id in named.task_ids(settings.tasks)]
    suites = sorted(
        {task.suite for task in tasks} | ({settings.suite} if settings.suite else set())
    )
    if len(suites) > 1:
        raise UsageError(
            f"a report has one suite, but this asks for {', '.join(suites)}",
            where="--suite and TASK",
            hint="Run the suites one after the other.",
        )
    return registry.suite(suites[0]), tasks


def _whole(suite_id: str, registry: Registry) -> tuple[Suite, list[Task]]:
    suite = registry.suite(suite_id)
    _refuse_broken(registry, suite.id)
    return suite, list(registry.tasks(suite.id))


def _of_release(
    lock: Mapping[str, Any], settings: RunSettings, registry: Registry
) -> tuple[Suite, list[Task]]:
    """Return the tasks that a release has of a suite and that are still here."""
    from braino_registry.registry import released

    suite, tasks = _whole(released.suite_of(lock, settings.suite, DEFAULT_SUITE), registry)
    locked = set(released.tasks_of(lock, suite.id))
    return suite, [task for task in tasks if task.id in locked]


def _refuse_unreleased(lock: Mapping[str, Any], suite: str, tasks: list[Task]) -> None:
    from braino_registry.registry import released

    locked = released.tasks_of(lock, released.suite_of(lock, suite, DEFAULT_SUITE))
    others = [task.id for task in tasks if task.id not in locked]
    if others:
        raise UsageError(
            f"the release {lock['id']} does not have: {', '.join(others)}",
            where="TASK and --release",
            hint=nearest(others[0], locked) if locked else "Leave --release away.",
        )


def _refuse_broken(registry: Registry, suite: str) -> None:
    """Refuse a suite that would shrink because one of its entries is broken."""
    problems = [each for each in registry.survey(suite).problems if _concerns(each, suite)]
    if problems:
        more = f" (and {len(problems) - 1} more broken entries)" if len(problems) > 1 else ""
        raise EntryError(
            problems[0].problem + more,
            where=problems[0].where,
            hint=problems[0].hint or "Mend it, or name the tasks to run.",
        )


def _concerns(problem: EntryError, suite: str) -> bool:
    """Tell whether a broken entry is a task of a suite, or a file in which no suite can be read."""
    file = Path(problem.where.partition(": $")[0])
    if "tasks" not in file.parts:
        return False
    try:
        document = jsonfile.value_of(documents.read_bytes(file))
    except (OSError, ValueError):
        return True
    home = document.get("suite") if isinstance(document, dict) else None
    return not isinstance(home, str) or home == suite
