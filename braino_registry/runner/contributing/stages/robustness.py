"""Whether the scorer keeps its head, whatever it is given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from braino_registry.runner.contributing.desk import Desk
from braino_registry.runner.contributing.findings import Finding, stage
from braino_registry.runner.contributing.judging import score_of
from braino_registry.runner.contributing.rehearsing import Rehearsal

#: Texts of answers that no honest agent gives, by what they are.
TEXTS = {
    "nothing": "",
    "white space": " \n\t ",
    "not a number": "NaN, inf, -inf, 1e999, 0x10, ½, ٣",
    "no end of digits": "9" * 10_000,
    "one word, very often": "yes no " * 5_000,
    "markup": "<script>alert(1)</script> {{ 7 * 7 }} {% raw %} \x1b[2J \x00 \u202e",
    "half a JSON": '{"' * 1_000,
    "brackets": "(" * 5_000 + ")" * 5_000,
}
#: Values that a field may be given, by what they are.
VALUES: dict[str, Any] = {
    "null": None,
    "a truth value": True,
    "not a number": float("nan"),
    "infinity": float("inf"),
    "an empty list": [],
    "a list of everything": [None, True, 1, "x", [], {}],
    "an object": {"value": 1},
    "deep": [[[[[[[[[[[[[[[["x"]]]]]]]]]]]]]]]],
    "a huge number": 10**400,
    "a long text": "x" * 100_000,
}


@stage("scorer", order=90, needs=("schema", "built twice", "reference"))
def look(desk: Desk) -> Iterator[Finding]:
    """Show that hostile answers make no fault and do not pass, and the same scores the same."""
    for instance in desk.chosen:
        yield from _of_instance(desk, desk.rehearsal(instance))


def _of_instance(desk: Desk, held: Rehearsal) -> Iterator[Finding]:
    place = held.spec.instance
    answer = held.answer
    first = held.with_answer(**answer)
    again = held.with_answer(**answer)
    same = first["checks"] == again["checks"] and first["score"] == held.record["score"]
    yield Finding(
        place,
        "the same answer scores the same",
        same,
        f"{score_of(held.record)} in the session, {score_of(first)} and {score_of(again)}",
        hint="" if same else "A check depends on something else than its evidence.",
    )
    answers: dict[str, tuple[str, Any]] = {
        f"text: {name}": (text, None) for name, text in TEXTS.items()
    }
    # An empty list is hostile unless it is right.
    known = desk.expect(desk.task.instance(place), desk.salt)
    right = [check.get("expected", check.get("truth")) for check in known.checks]
    for name, value in VALUES.items():
        if value == [] and [] in right:
            continue
        data = dict.fromkeys(desk.task.fields, value)
        answers[f"every field: {name}"] = ("", data)
    faults, passing = [], []
    for name, (text, data) in answers.items():
        record = held.with_answer(text, data, files=False)
        if record.get("notes"):
            faults.append(f"{name}: {record['notes'][0]}")
        if record["passed"]:
            passing.append(name)
    yield Finding(
        place,
        "hostile answers make no fault",
        not faults,
        "; ".join(faults[:3]) or f"{len(answers)} answers were scored",
        hint="" if not faults else "The kind of check that is named has to be mended.",
    )
    yield Finding(
        place,
        "hostile answers do not pass",
        not passing,
        "; ".join(passing[:5]) or f"none of {len(answers)} passes",
        hint="" if not passing else f"Add a required check of the answer to {desk.task.file}.",
    )
