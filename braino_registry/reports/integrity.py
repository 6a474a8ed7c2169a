"""What agents did beside their tasks, as a report tells it: advisory, never part of a score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def flags_of(trial: Mapping[str, Any]) -> Sequence[str]:
    """Return the flags of a trial."""
    flags: Sequence[str] = trial.get("process", {}).get("flags", ())
    return flags


def flagged(trials: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the lines that tell of flagged trials; none if there are none.

    Parameters
    ----------
    trials : iterable of dict
        Rows of a report.
    """
    rows = [trial for trial in trials if flags_of(trial)]
    if not rows:
        return []
    kinds = Counter(
        kind for trial in rows for kind in {flag.partition(":")[0] for flag in flags_of(trial)}
    )
    counts = ", ".join(f"{kind} in {count}" for kind, count in sorted(kinds.items()))
    first = rows[0]
    name = "/".join(str(first[part]) for part in ("task", "instance", "repeat"))
    many = "One trial has" if len(rows) == 1 else f"{len(rows)} trials have"
    return [
        f"FLAGS: {many} flags, which change no score and are for you to look at: {counts}.",
        f"The first is {name}: {flags_of(first)[0]}",
    ]
