"""What is said of a task in a listing."""

from __future__ import annotations

from typing import Any

from braino_registry.registry.entries import Task
from braino_registry.registry.kinds import Groups, check_versions, operation_versions


def row(task: Task, groups: Groups) -> dict[str, Any]:
    """Return one row of ``eval list --json``.

    Parameters
    ----------
    task : Task
        The task.
    groups : Groups
        Where check kinds and operations are registered, whose versions are part of the digests.

    Returns
    -------
    dict
        ``instances`` lists ids, ``datasets`` lists ``id@version``, ``needs`` lists what some of
        the instances need first, ``large`` tells whether any of them is planned on request only,
        ``chance`` is the highest probability in 0–1 that a guess passes one of them.
    """
    return {
        "id": task.id,
        "version": task.version,
        "suite": task.suite,
        "category": task.category,
        "difficulty": task.difficulty,
        "title": task.title,
        "instances": [instance.id for instance in task.instances],
        "datasets": sorted(task.datasets),
        "needs": sorted({need for instance in task.instances for need in instance.needs}),
        "large": any(instance.large for instance in task.instances),
        "reference": task.reference["kind"],
        "chance": max(instance.chance for instance in task.instances),
        "digests": digests(task, groups),
    }


def digests(task: Task, groups: Groups) -> dict[str, str]:
    """Return the digests of a task: ``{"work": ..., "scoring": ...}``."""
    from braino_registry.registry.digests import digest

    return {name: digest(doc) for name, doc in digested(task, groups).items()}


def digested(task: Task, groups: Groups) -> dict[str, dict[str, Any]]:
    """Return what the digests of a task are taken of: ``{"work": ..., "scoring": ...}``."""
    from braino_registry.registry.digests import scoring_document, work_document

    # Operations are heavy to import, and most tasks use none.
    pipelines = any("pipeline" in value for value in task.expected_values())
    operations = operation_versions(groups) if pipelines else {}
    return {
        "work": work_document(task),
        "scoring": scoring_document(task, check_versions(groups), operations),
    }
