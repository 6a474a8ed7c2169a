"""What is printed of corpus metrics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from braino_registry.reports.printing import Printer


def show_corpus(printer: Printer, found: Mapping[str, Any]) -> None:
    """Print the metrics of each task with their intervals, and the mean of the headlines.

    Parameters
    ----------
    printer : Printer
        Where to.
    found : mapping
        ``corpus`` of a report's summary.
    """
    rows = [
        (
            task["task"] if number == 0 else "",
            metric["name"] + (" *" if metric["name"] == task["primary"] else ""),
            number_of(metric["value"]),
            between(metric),
            f"{task['n']} in {task['n_clusters']} clusters" if number == 0 else "",
        )
        for task in found["tasks"]
        for number, metric in enumerate(task["metrics"])
    ]
    level = f"{found['overall']['level']:.0%} interval"
    printer.table(
        f"Corpus metrics, profile {found['profile']} (* enters the score)",
        ("task", "metric", "value", level, "instances"),
        rows,
    )
    for task in found["tasks"]:
        if "broken" in task:
            printer.line(f"{task['task']} has no score: {task['broken']}")
    overall = found["overall"]
    if overall["value"] is not None:
        what = "Overall" if overall["whole"] else "Mean of the tasks that were run"
        printer.line()
        printer.line(f"{what}: {number_of(overall['value'])} ({between(overall)})")


def number_of(value: float | None) -> str:
    """Return a metric for people."""
    return "–" if value is None else f"{value:.3f}"


def between(metric: Mapping[str, Any]) -> str:
    """Return an interval for people."""
    if metric["low"] is None:
        return "–"
    return f"{metric['low']:.3f} to {metric['high']:.3f}"
