"""What is printed of corpus metrics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from braino_registry.reports.printing import Printer


def show_corpus(printer: Printer, report: Mapping[str, Any]) -> None:
    """Print the metrics of each task with their intervals, and the mean of the headlines.

    Parameters
    ----------
    printer : Printer
        Where to.
    report : mapping
        A report whose summary has ``corpus``.
    """
    found = report["summary"]["corpus"]
    names = _names(report["trials"])
    rows = [
        (
            f"{task['task']} {names.get(task['task'], '')}".rstrip() if number == 0 else "",
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


def _names(trials: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return the entry's name of each task that a paper numbers: T2 is no word in a command."""
    return {
        check["detail"]["task"]: trial["task"]
        for trial in trials
        for check in trial["checks"]
        if "task" in (check.get("detail") or {})
    }


def number_of(value: float | None) -> str:
    """Return a metric for people."""
    return "–" if value is None else f"{value:.3f}"


def between(metric: Mapping[str, Any]) -> str:
    """Return an interval for people."""
    if metric["low"] is None:
        return "–"
    return f"{metric['low']:.3f} to {metric['high']:.3f}"
