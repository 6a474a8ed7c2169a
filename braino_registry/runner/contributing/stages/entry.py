"""Whether the entry holds together: schema, parameters, rules between its parts."""

from __future__ import annotations

from collections.abc import Iterator

from braino_registry.runner.contributing.desk import Desk
from braino_registry.runner.contributing.findings import Finding, counted, stage
from braino_registry.runner.contributing.naming import misnamed


@stage("schema", order=10, data=False)
def look(desk: Desk) -> Iterator[Finding]:
    """Show that the entry is valid, and what it refers to is there."""
    task = desk.task
    digests = desk.registry.digests(task)
    short = ", ".join(f"{name} {value[:19]}…" for name, value in digests.items())
    wrong = misnamed(task)
    for each in wrong:
        says = f"{each.message}, in {task.file}: {each.path}"
        yield Finding("", "the entry is valid", False, says, hint=each.hint)
    if not wrong:
        yield Finding("", "the entry is valid", True, f"{task.file}: {short}")
    absent: dict[str, list[str]] = {}
    for instance in task.instances:
        absence = desk.absence(instance)
        if absence is not None and instance not in desk.present:
            absent.setdefault(absence, []).append(instance.id)
    for absence, ids in absent.items():
        names = ids[0] if len(ids) == 1 else f"{ids[0]} and {len(ids) - 1} more"
        yield Finding(names, "its data are at hand", None, absence)
    more = len(desk.present) - len(desk.several)
    if more:
        says = counted(more, "more instance goes", "more instances go")
        says += " through `reference` alone; all stages with --thorough"
        yield Finding("", "every instance goes through every stage", None, says)
    if not desk.present:
        says = "the data of no instance are at hand, so that nothing can be run"
        hint = "Fetch them, or add an instance on synthetic data."
        yield Finding("", "its data are at hand", None, says, hint=hint)
