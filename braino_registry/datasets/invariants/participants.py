"""What participants.tsv says: who there is, and which group, age or score each has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from braino_registry.datasets.invariants import fields, invariant
from braino_registry.datasets.invariants.reading import Sidecars


@invariant("participant_count", {"equals": fields.COUNT}, {"where": fields.WHERE})
def participant_count(sidecars: Sidecars, row: Mapping[str, Any]) -> list[str]:
    """Count the participants with given values of given columns; a total."""
    if not sidecars.whole:
        return []
    where = row.get("where", {})
    rows = sidecars.participants.values()
    found = sum(all(line.get(name) == value for name, value in where.items()) for line in rows)
    if found == row["equals"]:
        return []
    named = "".join(f" with {name} {value}" for name, value in where.items())
    return [f"{found} participants{named} instead of {row['equals']}"]


@invariant(
    "participants_are",
    {
        "columns": fields.COLUMNS,
        "participants": {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": fields.CELLS,
        },
    },
)
def participants_are(sidecars: Sidecars, row: Mapping[str, Any]) -> list[str]:
    """Compare ``columns`` of each participant with what is listed; totals follow from the list."""
    columns, listed, found = row["columns"], row["participants"], sidecars.participants
    problems = [
        f"{name} is no participant of this dataset" for name in sorted({*found} - {*listed})
    ]
    for name, wanted in listed.items():
        if name not in found:
            problems += [f"{name} is missing"] if sidecars.whole else []
            continue
        for column, value in zip(columns, wanted, strict=True):
            got = found[name].get(column) or "n/a"
            if got != value:
                problems.append(f"{name}: {column} {got} instead of {value}")
    return problems
