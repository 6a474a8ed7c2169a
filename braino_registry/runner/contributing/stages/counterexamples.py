"""Whether each wrong way is found out, by exactly the checks that the task names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from braino_registry.runner.contributing.desk import Desk
from braino_registry.runner.contributing.findings import Finding, stage
from braino_registry.runner.contributing.judging import judge


@stage("counterexamples", order=70, needs=("schema", "built twice", "reference"))
def look(desk: Desk) -> Iterator[Finding]:
    """Show that each counterexample fails exactly the checks that it names, under a salt too."""
    for instance in desk.several:
        for number, each in enumerate(desk.task.counterexamples):
            record = desk.attempt(instance, counterexample=number)
            hint = desk.command(instance, "--counterexample", str(number))
            yield _judged(desk, instance.id, number, each, record, hint)
    for instance in desk.chosen:
        for salt in desk.salts[:1]:
            for number, each in enumerate(desk.task.counterexamples):
                record = desk.attempt(instance, counterexample=number, salt=salt)
                hint = desk.command(instance, "--counterexample", str(number), salt=salt)
                found = _judged(desk, instance.id, number, each, record, hint)
                yield replace(found, what=f"under a salt, {found.what}")


def _judged(
    desk: Desk, instance: str, number: int, each: Any, record: dict[str, Any], hint: str
) -> Finding:
    what = f"counterexample {number}: {each['why']}"
    found = judge(instance, what, record, set(each["fails"]), hint, hint)
    if not (found.ok and record["passed"] and record["score"] == 1):
        return found
    return replace(
        found,
        ok=False,
        says="the trial passes all the same, at full score",
        expected="a check that counts fails",
        hint=f"What it fails does not count under the rule {desk.task.home.rule}: let it fail a "
        "check with a weight, or a required one, as well.",
    )
