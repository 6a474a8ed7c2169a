"""The figure of suite ``braino``: what an agent can do, by category of tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from braino_registry.reports.html.charts import Point, dots, series_names
from braino_registry.reports.html.figures import figures
from braino_registry.reports.html.pictures import Picture

Rows = dict[str, dict[str, Point]]


@figures.register("braino")
def braino(reports: Sequence[Mapping[str, Any]]) -> list[Picture]:
    """Return the share of trials that pass, and the mean score, by category."""
    names = series_names(
        [str(each["agent"]["model"] or each["agent"]["name"]) for each in reports],
        [str(each["agent"]["factory"]) for each in reports],
    )
    passed: Rows = {}
    scores: Rows = {}
    for name, report in zip(names, reports, strict=True):
        for row in report["summary"]["by_category"]:
            if row["scored"]:
                title = f"{row['name']} ({row['scored']})" if len(names) == 1 else row["name"]
                passed.setdefault(title, {})[name] = Point(row["passed"] / row["scored"])
                scores.setdefault(title, {})[name] = Point(row["score"])
    if len(passed) < 2:
        return []
    return [
        Picture(
            "Trials that pass, by category",
            dots("Share of trials that pass", passed, series=names, top=1.0, unit="share"),
            "Every required check has to pass.",
        ),
        Picture(
            "Mean score, by category",
            dots("Mean score", scores, series=names, top=1.0),
            "The share of checks that pass; who does nothing passes some of them.",
        ),
    ]
