"""What is printed of an imported release and of the runs that were scored with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from braino_registry.reports.corpus_tables import between, number_of
from braino_registry.reports.printing import Printer

MOST_LINES = 20


def show_import(printer: Printer, document: Mapping[str, Any]) -> None:
    """Print scenarios, problems, and each run under both profiles."""
    files = document["files"]
    counts = ", ".join(f"{task} {n}" for task, n in document["scenarios"].items())
    printer.line(f"Scenarios: {counts or 'none'}.")
    printer.line(f"Recordings: {files['present']} of {files['named']} named files are here.")
    _listed(printer, "Not usable", document["problems"])
    if not document["runs"]:
        printer.line("There is no runs.jsonl; give one with --runs.")
    for run in document["runs"]:
        _show_run(printer, run)


def _show_run(printer: Printer, run: Mapping[str, Any]) -> None:
    rows = []
    for task in run["tasks"]:
        published = {row["name"]: row for row in task["published"]["metrics"]}
        if not task["strict"]["metrics"]:
            answered = f"{task['answered']} of {task['planned']}"
            rows.append((task["task"], "–", "–", "–", "–", answered))
        for number, metric in enumerate(task["strict"]["metrics"]):
            other = published.get(metric["name"])
            rows.append(
                (
                    task["task"] if number == 0 else "",
                    metric["name"],
                    number_of(metric["value"]),
                    between(metric),
                    "–" if other is None else number_of(other["value"]),
                    f"{task['answered']} of {task['planned']}" if number == 0 else "",
                )
            )
    columns = ("task", "metric", "strict", "95% interval", "published", "answered")
    printer.table(run["file"], columns, rows)
    printer.line()
    for profile, value in run["overall"].items():
        printer.line(f"Overall, {profile}: {number_of(value)}")
    problems = list(run["problems"])
    for task in run["tasks"]:
        for what in ("missing", "unfinished", "repeated", "conflicting"):
            if task[what]:
                problems.append(f"{task['task']}: {len(task[what])} {what}: {_few(task[what])}")
        for why in task["published"].get("refused", []):
            problems.append(f"{task['task']}: published gives no score: {why}")
        for why in task["strict"]["refused"]:
            problems.append(f"{task['task']}: strict: {why}")
    if run["unknown"]:
        problems.append(f"{len(run['unknown'])} rows of no scenario: {_few(run['unknown'])}")
    _listed(printer, "Remarks", problems)
    differs = [{"task": task["task"], **row} for task in run["tasks"] for row in task["differs"]]
    if differs:
        printer.table(
            f"Read differently ({len(differs)})",
            ("task", "scenario", "strict", "published", "why", "answer"),
            [
                (row["task"], row["scenario_id"], row["strict"], row["published"], row["why"],
                 row["answer"])
                for row in differs[:MOST_LINES]
            ],
            drop=("answer",),
        )  # fmt: skip
        if len(differs) > MOST_LINES:
            printer.line(f"and {len(differs) - MOST_LINES} more; --json has all.")


def _listed(printer: Printer, title: str, lines: list[str]) -> None:
    if not lines:
        return
    printer.line(f"{title} ({len(lines)}):")
    for line in lines[:MOST_LINES]:
        printer.line(f"  {line}")
    if len(lines) > MOST_LINES:
        printer.line(f"  and {len(lines) - MOST_LINES} more; --json has all.")


def _few(names: list[str]) -> str:
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
