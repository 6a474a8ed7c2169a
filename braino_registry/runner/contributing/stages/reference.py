"""Whether the task can be solved, whatever is drawn."""

from __future__ import annotations

from collections.abc import Iterator

from braino_registry.runner.contributing.desk import Desk
from braino_registry.runner.contributing.findings import Finding, stage
from braino_registry.runner.contributing.judging import judge


@stage("reference", order=50, needs=("schema", "built twice"))
def look(desk: Desk) -> Iterator[Finding]:
    """Show that the reference passes every check: in each instance, twice, under salts."""
    held: set[str] = set()
    for instance in desk.present:
        shows = desk.command(instance)
        first = judge(instance.id, "oracle passes", desk.attempt(instance), set(), shows, shows)
        held.update({instance.id} if first.ok else ())
        yield first
    for instance in desk.chosen:
        shows = desk.command(instance)
        chance = (
            f"A reference that passes once and fails once rests on chance. See it with: {shows}"
        )
        hint = chance if instance.id in held else shows
        record = desk.rehearsal(instance).record
        yield judge(instance.id, "oracle passes again", record, set(), hint, shows)
        for number, salt in enumerate(desk.salts, start=1):
            what = f"oracle passes under salt {number}"
            hint = desk.command(instance, salt=salt)
            yield judge(instance.id, what, desk.attempt(instance, salt=salt), set(), hint, hint)
    if not desk.saltable:
        yield Finding("", "oracle passes under salts", None, "the task says it has no salt")
