"""Whether a wrong answer after the right work fails."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from braino_registry.numbers.units import convert
from braino_registry.runner.contributing.desk import Desk, field_of
from braino_registry.runner.contributing.findings import Finding, counted, stage
from braino_registry.runner.contributing.mutants import mutants
from braino_registry.runner.contributing.rehearsing import Rehearsal


@stage("answer mutants", order=80, needs=("schema", "built twice", "reference"))
def look(desk: Desk) -> Iterator[Finding]:
    """Show that no shifted, scaled or permuted answer passes, nor one in another unit."""
    any_field = False
    for instance in desk.chosen:
        known = desk.expect(instance, desk.salt)
        held = desk.rehearsal(instance)
        for name, field in desk.task.fields.items():
            checks = [check for check in known.checks if field_of(desk.task, check) == name]
            if checks:
                any_field = True
                yield _of_field(desk, held, name, dict(field), checks)
    if not any_field:
        says = "no check compares a field of the answer with a value"
        yield Finding("", "mutants of the answer fail", None, says)


def _of_field(
    desk: Desk, held: Rehearsal, name: str, field: dict[str, Any], checks: list[dict[str, Any]]
) -> Finding:
    what = f"mutants of {name} fail"
    place = held.spec.instance
    ids = {check["id"] for check in checks}
    right = _right(held, name, field, checks[0])
    before = _scores(held, name, right, ids)
    if min(before.values()) < 1:
        says = "the expected value itself, given as data, does not pass: " + ", ".join(
            sorted(check for check, score in before.items() if score < 1)
        )
        return Finding(place, what, None, says)
    passing = []
    count = 0
    for mutant in mutants(field, right, _names(desk, place, field)):
        count += 1
        if min(_scores(held, name, mutant.value, ids).values()) >= 1:
            passing.append(f"{mutant.how} ({right} became {mutant.value})")
    if not count:
        return Finding(place, what, None, f"{right!r} has no mutants")
    kinds = sorted({check["kind"] for check in checks})
    hint = f"Tighten {', '.join(sorted(ids))} in {desk.task.file}; what it may ask: "
    hint += "; ".join(f"braino task kinds {kind}" for kind in kinds)
    says = (
        counted(count, "mutant fails", "mutants fail")
        if not passing
        else "at full score: " + "; ".join(passing[:4])
    )
    return Finding(place, what, not passing, says, "a lower score", "" if not passing else hint)


def _right(held: Rehearsal, name: str, field: dict[str, Any], check: dict[str, Any]) -> Any:
    """Return the right value of a field in its unit: what is expected, or the reference says."""
    if "expected" in check:
        value, own = check["expected"], str(field.get("unit", ""))
        unit = str(check.get("unit", own))
        measured = isinstance(value, int | float) and unit != own
        return convert(value, unit, own) if measured else value
    answer = held.answer
    if answer["data"]:
        return answer["data"].get(name)
    try:
        return json.loads(answer["text"]).get(name)
    except (ValueError, AttributeError):
        return None


def _scores(held: Rehearsal, name: str, value: Any, ids: set[str]) -> dict[str, float]:
    """Return what the checks of one field make of a value, given as data."""
    record = held.with_answer("The values are given as data.", {name: value})
    return {each["id"]: each["score"] for each in record["checks"] if each["id"] in ids}


def _names(desk: Desk, instance: str, field: dict[str, Any]) -> list[str]:
    """Return what the members of a field may be, from the data of the instance."""
    kind = {"channel": "ch_names", "subject": "subjects", "recording": "recordings"}.get(
        str(field.get("of", "")), "events"
    )
    return list(desk.vocabulary(desk.task.instance(instance)).get(kind, ()))
