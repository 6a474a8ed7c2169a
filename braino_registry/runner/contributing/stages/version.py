"""Whether the version says what has changed since the last release."""

from __future__ import annotations

from collections.abc import Iterator

from braino_registry.registry.versions import against_lock
from braino_registry.runner.contributing.desk import Desk
from braino_registry.runner.contributing.findings import Finding, stage


@stage("version", order=100, needs=("schema",), data=False)
def look(desk: Desk) -> Iterator[Finding]:
    """Show that the version says what changed since the last release that has the task."""
    task, what = desk.task, "the version says what changed"
    locks = [each.doc for each in desk.registry.releases() if each.doc["status"] != "draft"]
    holding = [lock for lock in locks if any(row["id"] == task.id for row in lock["tasks"])]
    if not holding:
        yield Finding("", what, True, f"{task.version}; no release has the task yet")
        return
    last = max(holding, key=lambda lock: tuple(int(part) for part in lock["id"].split(".")))
    only = {**last, "tasks": [row for row in last["tasks"] if row["id"] == task.id]}
    problems = against_lock([desk.registry.row(task)], only)
    if not problems:
        yield Finding("", what, True, f"{task.version}, against release {last['id']}")
    for problem in problems:
        yield Finding("", what, False, f"{problem.problem}, against release {last['id']}",
                      hint=f"{problem.hint} Write it to $.version of {task.file}; see all with: "
                      f"{desk.commands.verify(last['id'])}")  # fmt: skip
