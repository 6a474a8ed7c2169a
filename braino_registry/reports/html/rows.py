"""The list of trials: one row for each task, instance and repeat, with a cell for each report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from braino_registry.reports.html.sources import Source
from braino_registry.reports.plain import shown

Key = tuple[str, str, int]
Trial = dict[str, Any]
#: What a row says of an outcome.
WORDS = {
    "agent_error": "agent error", "harness_error": "harness error", "infra_error": "infra error",
    "not_planned": "not planned",
}  # fmt: skip
_WHY, _TEXT = 160, 500


@dataclass(frozen=True)
class Row:
    """A row of the list.

    Parameters
    ----------
    key : tuple
        Task, instance, repeat.
    cells : tuple
        The trial of each report, None where it has none.
    """

    key: Key
    cells: tuple[Trial | None, ...]

    @property
    def first(self) -> Trial:
        """The trial of the first report that has one."""
        return next(cell for cell in self.cells if cell is not None)

    @property
    def failed(self) -> bool:
        """Whether any of its trials did not pass."""
        return any(cell is not None and cell["passed"] is False for cell in self.cells)


def rows_of(sources: Sequence[Source]) -> list[Row]:
    """Return the rows of several reports, in the order in which trials first appear."""
    found: dict[Key, list[Trial | None]] = {}
    for place, source in enumerate(sources):
        for trial in source.report["trials"]:
            key = (trial["task"], trial["instance"], trial["repeat"])
            found.setdefault(key, [None] * len(sources))[place] = trial
    return [Row(key, tuple(cells)) for key, cells in found.items()]


def told(
    row: Row,
    labels: Sequence[str],
    suites: Sequence[str],
    difficulties: Mapping[str, str],
    *,
    repeated: bool,
) -> dict[str, Any]:
    """Return what the list shows of a row, as texts; its repeat only where there are several."""
    task, instance, repeat = row.key
    trial = row.first
    outcomes = dict.fromkeys(cell["outcome"] for cell in row.cells if cell is not None)
    return {
        "task": shown(task, _TEXT),
        "instance": shown(instance, _TEXT),
        "repeat": repeat,
        "many": repeated,
        "suite": _several(
            suite for suite, cell in zip(suites, row.cells, strict=True) if cell is not None
        ),
        "subset": str(trial.get("subset") or ""),
        "category": str(trial["category"]),
        "difficulty": str(trial.get("difficulty") or difficulties.get(task, "")),
        "outcomes": "|".join(outcomes),
        "cells": [
            None if cell is None else {
                "outcome": cell["outcome"],
                "word": WORDS.get(cell["outcome"], cell["outcome"]),
                "label": label,
            }
            for cell, label in zip(row.cells, labels, strict=True)
        ],
        "why": shown(_why(row), _WHY),
        "scores": " / ".join(_score(cell) for cell in row.cells),
    }  # fmt: skip


def _several(names: Any) -> str:
    return "|".join(dict.fromkeys(names))


def _score(cell: Trial | None) -> str:
    return "–" if cell is None or cell["score"] is None else f"{cell['score']:.2f}"


def _why(row: Row) -> str:
    """Return why a row did not pass: the reason, or the checks that failed, in any report."""
    for cell in row.cells:
        if cell is not None and cell["reason"]:
            return str(cell["reason"]).splitlines()[0]
    failed = dict.fromkeys(
        str(check["id"])
        for cell in row.cells
        if cell is not None and cell["outcome"] != "scored"
        for check in cell["checks"]
        if not check["passed"]
    )
    return ("failed: " + ", ".join(failed)) if failed else ""


def searched(row: Row, cells: Sequence[Mapping[str, Any] | None]) -> str:
    """Return the text in which a row is looked for, in lower case."""
    return " ".join(_words(row, cells)).lower()


def _words(row: Row, cells: Sequence[Mapping[str, Any] | None]) -> Iterator[str]:
    yield f"{row.key[0]}/{row.key[1]}/{row.key[2]}"
    yield str(row.first["dataset"] or "")
    for cell in cells:
        if cell is None:
            continue
        yield from (str(cell[name])[:_TEXT] for name in ("request", "answer") if cell[name])
        yield from (f"{check['id']} {check['evidence'][:200]}" for check in cell["checks"])
        yield from cell["notes"]


def filters(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the filters that have a choice, with the values that occur."""
    found = []
    for key in ("suite", "subset", "category", "difficulty", "outcome"):
        name = "outcomes" if key == "outcome" else key
        values = sorted({part for row in rows for part in str(row[name]).split("|") if part})
        if len(values) > 1 or key == "outcome":
            found.append({"key": key, "name": key, "values_": values})
    return found
