"""The figures of BrainBench: subsets, difficulty, validation units, spread within tasks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from braino_registry.reports.brainbench import analyse
from braino_registry.reports.html.charts import Point, dots
from braino_registry.reports.html.figures import figures
from braino_registry.reports.html.pictures import Picture

Rows = dict[str, dict[str, Point]]


@figures.register("brainbench")
def brainbench(reports: Sequence[Mapping[str, Any]]) -> list[Picture]:
    """Return the figures over reports; agents that share a name and a paradigm are one system."""
    found = analyse(reports)
    subsets: Rows = {}
    for row in found["overall"]:
        for name, score in {"overall": row["overall"], **row["subsets"]}.items():
            subsets.setdefault(name, {})[_who(row)] = Point(score)
    pictures = [
        _picture("Score by subset", subsets, "Weighted by difficulty 1, 1.5 and 2."),
        _picture(
            "Score by difficulty",
            _rows(found["by_difficulty"], "difficulty"),
            "Mean over instances.",
        ),
        _picture("Score by validation unit", _rows(found["by_unit"], "unit"), "Unweighted means."),
    ]
    spread: Rows = {}
    for row in found["stability"]:
        for each in row["medians"]:
            spread.setdefault(each["subset"], {})[_who(row)] = Point(
                each["median"], each["low"], each["high"]
            )
    pictures.append(
        _picture(
            "Spread within tasks (MPAD)",
            spread,
            "Median over tasks of the mean pairwise absolute difference between instances, with "
            "its 95 % interval; 0 is the same score on every instance.",
            unit="MPAD",
        )
    )
    return [picture for picture in pictures if picture is not None]


def _who(row: Mapping[str, Any]) -> str:
    return f"{row['model'] or row['agent']}, {row['paradigm']}"


def _rows(rows: Iterable[Mapping[str, Any]], key: str) -> Rows:
    rows = list(rows)
    several = len({row["subset"] for row in rows}) > 1
    found: Rows = {}
    for row in rows:
        name = f"{row['subset']} {row[key]}" if several else str(row[key])
        found.setdefault(name, {})[_who(row)] = Point(row["score"])
    return found


def _picture(title: str, rows: Rows, caption: str, unit: str = "score") -> Picture | None:
    known = any(point.value is not None for row in rows.values() for point in row.values())
    return Picture(title, dots(title, rows, unit=unit), caption) if known else None
