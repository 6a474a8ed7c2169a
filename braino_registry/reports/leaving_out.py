"""What is printed of trials that were not run, or that cannot be compared: short, and grouped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from braino_registry.reports.printing import Printer

#: Trials that are named of those that are left out for one and the same reason.
NAMED = 3


def show_not_planned(printer: Printer, trials: Iterable[Mapping[str, Any]]) -> None:
    """Print what was left out, why, and what to type to get it: three lines for each dataset.

    Reasons and commands are too long for columns beside one another.

    Parameters
    ----------
    printer : Printer
        Where to.
    trials : iterable of dict
        Rows of a report or of a plan; of a report's those that were run are passed over.
    """
    groups: dict[tuple[str, str, str], list[str]] = {}
    for row in trials:
        if row.get("outcome", "not_planned") == "not_planned":
            why = (row["dataset"] or "", row["reason"] or "", row.get("command", ""))
            groups.setdefault(why, []).append(f"{row['task']}/{row['instance']}")
    if groups:
        many = sum(len(set(names)) for names in groups.values())
        printer.line()
        printer.line(f"Not planned: {many} instance{'' if many == 1 else 's'}")
        for (dataset, reason, command), names in sorted(groups.items()):
            printer.line(f"  {dataset or 'no dataset'}: {reason}")
            printer.line(f"    {_few(dict.fromkeys(names))}")
            if command:
                printer.line(f"    to get it: {command}")


def show_apart(printer: Printer, rows: Iterable[Mapping[str, Any]]) -> None:
    """Print the trials of a comparison that have no pair: for each reason how many, and a few.

    Parameters
    ----------
    printer : Printer
        Where to.
    rows : iterable of dict
        ``not_comparable`` of a comparison.
    """
    groups: dict[str, list[str]] = {}
    for row in rows:
        name = "/".join(str(row[part]) for part in ("task", "instance", "repeat"))
        groups.setdefault(row["reason"], []).append(name)
    if groups:
        printer.table(
            "Not comparable",
            ("reason", "trials", "which"),
            [(reason, len(names), _few(names)) for reason, names in sorted(groups.items())],
        )


def _few(names: Iterable[str]) -> str:
    """Return the first names, and how many more there are."""
    every = list(names)
    more = len(every) - NAMED
    return ", ".join(every[:NAMED]) + (f" and {more} more (all with --json)" if more > 0 else "")
