"""Tasks and checks as a table: how often each check passed, side by side for several reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from braino_registry.reports.html.headline import bar
from braino_registry.reports.html.sources import Source


def matrix(
    sources: Sequence[Source], labels: Sequence[str], difficulties: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return a row for each task with a line for each report that has it.

    Parameters
    ----------
    sources : sequence of Source
        The reports.
    labels : sequence of str
        What they are called.
    difficulties : mapping
        ``easy``, ``medium`` or ``hard`` by task, as far as it is known.
    """
    tasks: dict[str, dict[str, Any]] = {}
    for place, (source, label) in enumerate(zip(sources, labels, strict=True)):
        summary = source.report["summary"]
        categories = {trial["task"]: trial["category"] for trial in source.report["trials"]}
        checks: dict[str, list[Mapping[str, Any]]] = {}
        for row in summary["checks"]:
            checks.setdefault(row["task"], []).append(row)
        for row in summary["by_task"]:
            name = row["name"]
            about = [str(categories.get(name, "")), difficulties.get(name, "")]
            task = tasks.setdefault(
                name, {"name": name, "about": " · ".join(filter(None, about)), "lines": []}
            )
            task["lines"].append(
                {
                    "source": place,
                    "label": label,
                    "passed": f"{row['passed']}/{row['scored']}",
                    "bar": _scored(row["score"], place),
                    "checks": [_check(check) for check in checks.get(name, ())],
                }
            )
    return list(tasks.values())


def _scored(score: float | None, place: int) -> Any:
    if score is None:
        return "–"
    return f"{score:.2f}" + bar(score, style=f"s{place % 4}")


def _check(row: Mapping[str, Any]) -> dict[str, Any]:
    share = row["passed"] / row["scored"] if row["scored"] else 0.0
    return {
        "name": row["check"],
        "kind": row["kind"],
        "required": row["required"],
        "count": f"{row['passed']}/{row['scored']}",
        "state": "ok" if share == 1 else "no" if share == 0 else "part",
    }
