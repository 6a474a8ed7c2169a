"""Whether the task can be solved, whatever is drawn."""

from __future__ import annotations

from collections.abc import Iterator

from braino_registry.runner.contributing.desk import Desk
from braino_registry.runner.contributing.findings import Finding, stage
from braino_registry.runner.contributing.judging import judge


@stage("reference", order=50, needs=("schema", "built twice"))
def look(desk: Desk) -> Iterator[Finding]:
    """Show that the reference passes every check: in each instance, twice, under salts."""
    told: set[str] = set()
    for instance in desk.present:
        record = desk.attempt(instance)
        problem = (record["reason"] or "").splitlines()[:1]
        # What is wrong with the entry spoils every trial, and is told once.
        if record["outcome"] == "harness_error" and problem[0] in told:
            continue
        told.update(problem if record["outcome"] == "harness_error" else ())
        yield judge(instance.id, "oracle passes", record, set(), desk.command(instance))
    for instance in desk.chosen:
        yield judge(instance.id, "oracle passes again", desk.rehearsal(instance).record, set(),
                    "A reference that passes once and fails once rests on chance.")  # fmt: skip
        for number, salt in enumerate(desk.salts, start=1):
            what = f"oracle passes under salt {number}"
            hint = f"Save the salt as FILE: echo {salt.material.decode()} > FILE; then: "
            hint += desk.command(instance, "--salt FILE")
            yield judge(instance.id, what, desk.attempt(instance, salt=salt), set(), hint)
    if not desk.saltable:
        yield Finding("", "oracle passes under salts", None, "the task says it has no salt")
