"""Which instances the names TASK and TASK/INSTANCE of a command line mean."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from braino_registry.registry.entries import Instance, Task


def task_ids(names: Iterable[str]) -> list[str]:
    """Return the tasks that are named, each once, in the order of their first mention."""
    return list(dict.fromkeys(name.partition("/")[0] for name in names))


def instances(names: Iterable[str], tasks: Sequence[Task]) -> list[tuple[Task, Instance]]:
    """Return the instances that are meant, in the order of the tasks and their entries.

    Parameters
    ----------
    names : iterable of str
        ``task`` means all of its instances, ``task/instance`` one of them; both together all. A
        task that no name mentions is meant as a whole.
    tasks : sequence of Task
        The tasks that are left of those that the names mention.

    Raises
    ------
    UsageError
        If a task has no such instance.
    """
    known = {task.id: task for task in tasks}
    single: dict[str, set[str]] = {}
    whole: set[str] = set()
    for name in names:
        task_id, slash, instance_id = name.partition("/")
        if not slash:
            whole.add(task_id)
        elif task_id in known:
            known[task_id].instance(instance_id)
            single.setdefault(task_id, set()).add(instance_id)
    parts = {task_id: ids for task_id, ids in single.items() if task_id not in whole}
    return [
        (task, instance)
        for task in tasks
        for instance in task.instances
        if task.id not in parts or instance.id in parts[task.id]
    ]
