"""The figures of EEGAgentBench: headline metrics with intervals, dose and response, cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from braino_registry.reports import eegagentbench as analyses
from braino_registry.reports.html.charts import Point, dots, series_names
from braino_registry.reports.html.figures import figures
from braino_registry.reports.html.pictures import Picture
from braino_registry.reports.html.svg import number

Report = Mapping[str, Any]
Rows = dict[str, dict[str, Point]]


@figures.register("eegagentbench")
def eegagentbench(reports: Sequence[Report]) -> list[Picture]:
    """Return the figures over reports."""
    names = series_names(
        [analyses.label(report) for report in reports],
        [str(report["agent"]["factory"]) for report in reports],
    )
    named = list(zip(names, reports, strict=True))
    return [
        picture
        for picture in (_headlines(named), _dose(named), _durations(named), _tools(named))
        if picture is not None
    ]


def _headlines(named: Sequence[tuple[str, Report]]) -> Picture | None:
    rows: Rows = {}
    for name, report in named:
        corpus = report["summary"].get("corpus")
        if corpus is None:
            continue
        whole = corpus["overall"]
        title = "Overall" if whole["whole"] else "Mean of those run"
        rows.setdefault(title, {})[name] = Point(whole["value"], whole["low"], whole["high"])
        for task in corpus["tasks"]:
            metric = next((one for one in task["metrics"] if one["name"] == task["primary"]), None)
            if metric is not None:
                rows.setdefault(f"{task['task']} {task['primary']}", {})[name] = Point(
                    metric["value"], metric["low"], metric["high"]
                )
    if not rows:
        return None
    caption = "95 % intervals; subjects or recordings are drawn, each with all its trials."
    svg = dots("Headline metrics", _sorted(rows), series=_names(named), top=1.0)
    return Picture("Headline metrics", svg, caption)


def _names(named: Sequence[tuple[str, Report]]) -> list[str]:
    return [name for name, _ in named]


def _sorted(rows: Rows) -> Rows:
    """Return the rows of tasks in the order T1 to T6, behind all others."""
    return dict(sorted(rows.items(), key=lambda row: row[0] if row[0][0] == "T" else ""))


def _dose(named: Sequence[tuple[str, Report]]) -> Picture | None:
    """T2: right labels by level of the artefact."""
    rows: Rows = {}
    for name, report in named:
        for row in analyses.dose_response(report):
            level = "" if row["snr_db"] is None else f" at {number(row['snr_db'])} dB"
            label = str(row["label"]).removesuffix("_contaminated")
            rows.setdefault(f"{label}{level}", {})[name] = Point(row["accuracy"])
    if not rows:
        return None
    svg = dots(
        "Right labels by artefact and its level",
        rows,
        series=_names(named),
        top=1.0,
        unit="share right",
    )
    return Picture("T2: dose and response", svg, "A guess is right in a third.")


def _durations(named: Sequence[tuple[str, Report]]) -> Picture | None:
    """T6: macro-F1 by the length of the recording."""
    rows: Rows = {}
    for name, report in named:
        for row in analyses.by_duration(report):
            if row["n"]:
                upper = "" if row["to_hours"] is None else f"–{row['to_hours']:g}"
                title = f"{row['from_hours']:g}{upper or ' and more'} h ({row['n']})"
                rows.setdefault(title, {})[name] = Point(row["macro_f1"])
    if not rows:
        return None
    title = "Macro-F1 by length of the recording"
    svg = dots(title, rows, series=_names(named), top=1.0, unit="macro-F1")
    return Picture("T6: long recordings", svg, "Hours, and how many recordings.")


def _tools(named: Sequence[tuple[str, Report]]) -> Picture | None:
    rows: Rows = {}
    for name, report in named:
        for row in analyses.tool_use(report):
            rows.setdefault(row["task"], {})[name] = Point(row["rate"])
    if not rows:
        return None
    title = "Share of trials in which a tool was used"
    svg = dots(title, _sorted(rows), series=_names(named), top=1.0, unit="share of trials")
    return Picture("Use of tools", svg, "Trials in which any tool was called.")
