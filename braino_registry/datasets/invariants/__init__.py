"""Semantic invariants: facts about a dataset that hold in its sidecars, checked without signals.

Hashes prove that the bytes are the right ones; they do not prove that events and labels survived
a conversion, nor that a local copy says what the published dataset says. An invariant kind is one
function; an entry states which hold. What is stated of each recording or each subject is checked
of whatever is there, so it holds of a selection too; totals are checked of whole datasets only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from braino_registry.datasets.invariants.reading import Sidecars
from braino_registry.errors import BrainoError, EntryError, close_matches
from braino_registry.registry.plugins import PluginGroup

Check = Callable[[Sidecars, Mapping[str, Any]], "list[str]"]
"""Takes the sidecars and the entry's row; returns what does not hold, empty when all does."""


@dataclass(frozen=True)
class Invariant:
    """A registered kind of invariant.

    Parameters
    ----------
    name : str
        Its ``kind`` in an entry.
    schema : Mapping
        JSON Schema of a row.
    check : callable
        ``check(sidecars, row)`` returns what does not hold.
    """

    name: str
    schema: Mapping[str, Any]
    check: Check


INVARIANTS: PluginGroup[Invariant] = PluginGroup(
    "braino_registry.datasets.invariants", "kind of invariant", "braino.invariants"
)


def invariant(
    name: str, required: Mapping[str, Any], optional: Mapping[str, Any] | None = None
) -> Callable[[Check], Check]:
    """Register a kind of invariant.

    Parameters
    ----------
    name : str
        Its ``kind`` in an entry.
    required, optional : Mapping
        JSON Schema by field, apart from ``kind`` and ``about``, which every row may have.
    """
    schema = {
        "type": "object",
        "properties": {"kind": {"const": name}, "about": {"type": "string", "minLength": 1}}
        | dict(required) | dict(optional or {}),
        "required": ["kind", *required],
        "additionalProperties": False,
    }  # fmt: skip

    def keep(check: Check) -> Check:
        INVARIANTS.add(name, Invariant(name, schema, check), check.__module__)
        return check

    return keep


def invalid_rows(rows: Iterable[Mapping[str, Any]], where: str) -> tuple[EntryError, ...]:
    """Return what is wrong with the rows themselves: an unknown kind, a missing or strange field.

    Parameters
    ----------
    rows : iterable of Mapping
        Invariants of an entry, each with its ``kind``.
    where : str
        JSON path of the list, for example ``"$.invariants"``.
    """
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    found = []
    for index, row in enumerate(rows):
        place = f"{where}[{index}]"
        if row["kind"] not in INVARIANTS:
            problem = f"there is no invariant {row['kind']!r}"
            hint = close_matches(row["kind"], INVARIANTS.names())
            found.append(EntryError(problem, where=f"{place}.kind", hint=hint))
            continue
        validator = Draft202012Validator(dict(INVARIANTS.get(row["kind"]).schema))
        error = best_match(validator.iter_errors(row))
        if error is not None:
            field = error.json_path.replace("$", place, 1)
            hint = f"See the schema of the invariant {row['kind']!r}."
            found.append(EntryError(f"not valid: {error.message}", where=field, hint=hint))
            continue
        found += _other_widths(row, place)
    return tuple(found)


def _other_widths(row: Mapping[str, Any], place: str) -> list[EntryError]:
    """Return which rows of values have another number of cells than there are columns."""
    width = len(row.get("columns", ()))
    tables: list[tuple[str, list[list[Any]]]] = [("allowed", row.get("allowed", []))]
    tables += [(f"events.{name}", lines) for name, lines in row.get("events", {}).items()]
    tables += [(f"participants.{n}", [cells]) for n, cells in row.get("participants", {}).items()]
    return [
        EntryError(
            f"not valid: {len(cells)} cells for {width} columns",
            where=f"{place}.{name}",
            hint="Give one value per column; n/a for what is missing.",
        )
        for name, lines in tables
        for cells in lines
        if len(cells) != width
    ]


def broken_invariants(
    bids: Path, rows: Iterable[Mapping[str, Any]], *, whole: bool = True
) -> list[str]:
    """Return which invariants of an entry do not hold in a BIDS tree, in words.

    Parameters
    ----------
    bids : Path
        The BIDS root. Data files need not be there: only JSON and TSV files are read.
    rows : iterable of Mapping
        The entry's ``invariants``.
    whole : bool
        False for a selection of subjects, tasks or runs: totals are then not checked, and what
        is stated of recordings that are not there is passed over.
    """
    sidecars = Sidecars(bids, whole=whole)
    found: list[str] = []
    for row in rows:
        try:
            found += INVARIANTS.get(row["kind"]).check(sidecars, row)
        except BrainoError as error:  # a sidecar that cannot be read breaks what it should prove
            found.append(f"{row['kind']}: {error.where or bids.name}: {error.problem}")
    return found
