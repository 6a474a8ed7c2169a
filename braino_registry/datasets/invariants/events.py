"""What events say: how many of which kind, exactly which, and the rules they follow.

Counts tell a lost event, a list or a digest of the table tells a shifted or renamed one as well.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from braino_registry.datasets.invariants import fields, invariant
from braino_registry.datasets.invariants.reading import Found, Sidecars
from braino_registry.datasets.invariants.sidecars import each, matching
from braino_registry.recordings.errors import RecordingError
from braino_registry.recordings.tsv import Table, number

Line = Mapping[str, str | None]

_DECIMALS = 6
"""Times agree to a microsecond, however many digits a table writes."""


@invariant(
    "event_count",
    {"recording": fields.PATTERN, "equals": fields.COUNT},
    {"trial_type": fields.CELL, "where": fields.WHERE},
)
def event_count(sidecars: Sidecars, row: Mapping[str, Any]) -> list[str]:
    """Count the events with given values of given columns in each matching recording.

    ``trial_type`` is short for ``where`` with that column.
    """
    where = dict(row.get("where", {}))
    if "trial_type" in row:
        where["trial_type"] = row["trial_type"]
    what = f"{row['trial_type']!r} events" if set(where) == {"trial_type"} and isinstance(
        where["trial_type"], str) else f"events with {_said(where)}"  # fmt: skip
    return each(
        sidecars, row, what,
        lambda one: sum(_fits(line, where) for line in sidecars.table(one, "events").rows),
    )  # fmt: skip


@invariant(
    "events_are",
    {
        "recording": fields.PATTERN,
        "columns": fields.COLUMNS,
        "events": {
            "type": "object",
            "additionalProperties": {"type": "array", "items": fields.CELLS},
        },
    },
    {"where": fields.WHERE},
)
def events_are(sidecars: Sidecars, row: Mapping[str, Any]) -> list[str]:
    """Compare the events that fit ``where`` with those listed, in ``columns``, per recording.

    A matching recording that is not listed has none. The total is the length of the lists.
    """
    found = matching(sidecars, row)
    if isinstance(found, str):
        return [found]
    where, columns, listed = row.get("where", {}), row["columns"], row["events"]
    problems = []
    for one in found:
        wanted = [[_plain(cell) for cell in line] for line in listed.get(one.id, [])]
        lines = [line for line in sidecars.table(one, "events").rows if _fits(line, where)]
        got = [[_plain(line.get(name)) for name in columns] for line in lines]
        problems += [f"{one.id}: {text}" for text in _differences(got, wanted, columns)]
    if sidecars.whole:
        missing = sorted(set(listed) - {one.id for one in found})
        problems += [f"{name}: the recording with listed events is not there" for name in missing]
    return problems


@invariant(
    "events_digest",
    {
        "columns": fields.COLUMNS,
        "digests": {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": {"type": "string", "pattern": "^[0-9a-f]{24}$"},
        },
    },
)
def events_digest(sidecars: Sidecars, row: Mapping[str, Any]) -> list[str]:
    """Compare the digest of the events table of each recording that ``digests`` names."""
    found = {one.id: one for one in sidecars.recordings()}
    problems = []
    for name, wanted in row["digests"].items():
        if name not in found:
            problems += [f"{name}: the recording is not there"] if sidecars.whole else []
        elif (got := table_digest(sidecars.table(found[name], "events"), row["columns"])) != wanted:
            problems.append(f"{name}: the events are others ({got} instead of {wanted})")
    return problems


def table_digest(table: Table, columns: Sequence[str]) -> str:
    """Return a digest of what a table says in some columns, whatever its bytes.

    SHA-256 over one line per row, in order: cells joined by tabs, ``n/a`` for what is missing,
    numbers rounded to microseconds and written shortest; the first 24 hexadecimal digits.

    Raises
    ------
    RecordingError
        If a column is absent.
    """
    absent = [name for name in columns if name not in table.columns]
    if absent:
        raise RecordingError(f"the events have no column {absent[0]!r}")
    text = "".join(
        "\t".join(_plain(line.get(name)) for name in columns) + "\n" for line in table.rows
    )
    return hashlib.sha256(text.encode()).hexdigest()[:24]


@invariant(
    "sample_column",
    {"recording": fields.PATTERN, "first": {"enum": [0, 1]}, "within": fields.NOT_NEGATIVE},
)
def sample_column(sidecars: Sidecars, row: Mapping[str, Any]) -> list[str]:
    """Compare the column ``sample`` with ``onset * SamplingFrequency + first``.

    ``first`` is the number that the first sample has: 0, or 1 where samples are counted from 1.
    ``within`` samples are allowed, since onsets are rounded.
    """
    first, within = row["first"], row["within"]

    def wrong(one: Found, line: Line) -> str | None:
        onset, sample = number(line.get("onset")), number(line.get("sample"))
        if onset is None or sample is None:
            return "has no onset or no sample"
        expected = onset * sidecars.number(one, "SamplingFrequency") + first
        if abs(sample - expected) <= within:
            return None
        return f"has sample {sample:g} instead of {expected:.2f}"

    return _lines(sidecars, row, wrong)


@invariant(
    "event_levels",
    {
        "recording": fields.PATTERN,
        "columns": fields.COLUMNS,
        "allowed": {"type": "array", "minItems": 1, "items": fields.CELLS},
    },
)
def event_levels(sidecars: Sidecars, row: Mapping[str, Any]) -> list[str]:
    """Check that the combinations of values in ``columns`` are among the ``allowed``."""
    columns = row["columns"]
    allowed = {tuple(_plain(cell) for cell in values) for values in row["allowed"]}

    def wrong(_: Found, line: Line) -> str | None:
        values = tuple(_plain(line.get(name)) for name in columns)
        return None if values in allowed else f"says {' / '.join(values)}, which is not allowed"

    return _lines(sidecars, row, wrong)


@invariant(
    "events_back_to_back",
    {"recording": fields.PATTERN, "start": {"type": "number"}, "step": fields.POSITIVE},
)
def events_back_to_back(sidecars: Sidecars, row: Mapping[str, Any]) -> list[str]:
    """Check that each event starts where the one before it ends and lasts whole ``step`` s.

    So it is with the stages of a hypnogram. The first starts at ``start`` s. Where a table was
    cut at the end of the recording its last event may be shorter.
    """
    found = matching(sidecars, row)
    if isinstance(found, str):
        return [found]
    problems = []
    for one in found:
        lines, expected = sidecars.table(one, "events").rows, float(row["start"])
        for index, line in enumerate(lines, start=1):
            onset, seconds = number(line.get("onset")), number(line.get("duration"))
            if onset is None or seconds is None or abs(onset - expected) > 1e-6:
                problems.append(f"{one.id}: event {index} does not start at {expected:g} s")
                break
            expected = onset + seconds
            if index < len(lines) and abs(seconds / row["step"] % 1) > 1e-6:
                problems.append(f"{one.id}: event {index} lasts {seconds:g} s")
                break
        if not lines:
            problems.append(f"{one.id}: there are no events")
    return problems


def _lines(sidecars: Sidecars, row: Mapping[str, Any], wrong: Any) -> list[str]:
    """Return the first thing that is wrong in the events of each matching recording."""
    found = matching(sidecars, row)
    if isinstance(found, str):
        return [found]
    problems = []
    for one in found:
        for index, line in enumerate(sidecars.table(one, "events").rows, start=1):
            text = wrong(one, line)
            if text is not None:
                problems.append(f"{one.id}: event {index} {text}")
                break
    return problems


def _differences(
    got: Sequence[Sequence[str]], wanted: Sequence[Sequence[str]], columns: Sequence[str]
) -> list[str]:
    if got == wanted:
        return []
    if len(got) != len(wanted):
        return [f"{len(got)} events instead of {len(wanted)}"]
    named = zip(got, wanted, strict=True)
    index, (one, other) = next((i, pair) for i, pair in enumerate(named, 1) if pair[0] != pair[1])
    said = [", ".join(f"{n} {c}" for n, c in zip(columns, line, strict=True))
            for line in (one, other)]  # fmt: skip
    return [f"event {index} is {said[0]} instead of {said[1]}"]


def _fits(line: Line, where: Mapping[str, Any]) -> bool:
    return all(_plain(line.get(name)) in _options(value) for name, value in where.items())


def _options(value: Any) -> set[str]:
    values: Iterable[Any] = value if isinstance(value, list) else [value]
    return {_plain(one) for one in values}


def _said(where: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {' or '.join(sorted(_options(v)))}" for name, v in where.items())


def _plain(cell: Any) -> str:
    """Return a cell in one spelling: ``5``, ``5.0`` and ``5.0000001`` are the same number."""
    value = number(None if cell is None else str(cell))
    if value is None:
        return "n/a" if cell is None else str(cell)
    value = round(value, _DECIMALS)
    return str(int(value)) if value.is_integer() else repr(value)
