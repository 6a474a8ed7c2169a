"""From reports to one self-contained page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from braino_registry.errors import BrainoError, ReportError
from braino_registry.reports.html.album import Album, Locate
from braino_registry.reports.html.charts import series_names
from braino_registry.reports.html.figures import figures
from braino_registry.reports.html.headline import card, compared
from braino_registry.reports.html.matrix import matrix
from braino_registry.reports.html.packing import packed
from braino_registry.reports.html.pictures import Picture
from braino_registry.reports.html.rendering import page_of
from braino_registry.reports.html.rows import Row, filters, rows_of, searched, told
from braino_registry.reports.html.sources import Source
from braino_registry.reports.html.telling import tell
from braino_registry.reports.plain import shown

#: Rows whose details are packed together: one task's trials share most of their words.
BLOCK = 20
#: What the details may take of a page, in characters of base64.
TEXTS = 900_000
#: Characters kept of each text; less if the details of many trials would not fit.
LIMITS = (3_000, 1_000, 350, 120)


def build(
    sources: Sequence[Source],
    *,
    locate: Locate | None = None,
    difficulties: Mapping[str, str] | None = None,
    title: str | None = None,
) -> bytes:
    """Return one HTML page of reports, side by side where there are several.

    Parameters
    ----------
    sources : sequence of Source
        The reports; the first is what others are compared with.
    locate : callable or None
        Finds a dataset on this machine; without it there are no pictures of recordings.
    difficulties : mapping or None
        Difficulty by task, where neither report nor run folder tells.
    title : str or None
        Heading of the page.

    Raises
    ------
    ReportError
        If there is no report.
    """
    if not sources:
        raise ReportError("there is no report to show", hint="Give a run folder, or a report.")
    labels = series_names(
        [shown(source.label, 80) for source in sources],
        [shown(str(source.report["agent"]["factory"]), 80) for source in sources],
    )
    known = {**(difficulties or {}), **_planned(sources)}
    rows = rows_of(sources)
    details, limit = _details(sources, rows)
    album = Album(sources, locate)
    for row, cells in sorted(zip(rows, details, strict=True), key=lambda pair: not pair[0].failed):
        for place, cell in enumerate(cells):
            trial = row.cells[place]
            if cell is not None and trial is not None:
                cell["pictures"] = album.of(place, trial, cell.pop("about"))
                album.take(cell["artifacts"])
    suites = [str(source.report["suite"]) for source in sources]
    repeated = any(row.key[2] > 1 for row in rows)
    listed = [told(row, labels, suites, known, repeated=repeated) for row in rows]
    data = {
        "labels": labels,
        "size": BLOCK,
        "blocks": [packed(details[i : i + BLOCK]) for i in range(0, len(details), BLOCK)],
        "texts": packed([searched(row, cells) for row, cells in zip(rows, details, strict=True)]),
        "pictures": album.packed,
        "images": album.images,
    }
    return page_of(
        "page.html.j2",
        script="page.js",
        title=title or _title(sources, labels),
        banners=_banners(sources, labels),
        cards=[card(source, label) for source, label in zip(sources, labels, strict=True)],
        comparison=compared(sources, labels),
        figures=_figures(sources),
        tasks=matrix(sources, labels, known),
        rows=listed,
        filters=filters(listed),
        left_out=album.left_out() + _cut(limit),
        # only base64 and labels; no text in it can end the element
        data=json.dumps(data, ensure_ascii=True).replace("<", "\\u003c"),
    )


def _title(sources: Sequence[Source], labels: Sequence[str]) -> str:
    suites = " and ".join(dict.fromkeys(str(source.report["suite"]) for source in sources))
    return f"{suites}: {', '.join(labels)}" if len(labels) < 4 else f"{suites}: {len(labels)} runs"


def _banners(sources: Sequence[Source], labels: Sequence[str]) -> list[str]:
    several = len(sources) > 1
    return [
        f"{label}: {text}" if several else text
        for source, label in zip(sources, labels, strict=True)
        for text in source.banners
    ]


def _planned(sources: Sequence[Source]) -> dict[str, str]:
    """Return the difficulty of tasks, from what the runs have planned."""
    return {
        task: str(row["difficulty"])
        for source in sources
        for (task, _), row in source.plan.items()
        if row.get("difficulty")
    }


def _details(sources: Sequence[Source], rows: Sequence[Row]) -> tuple[list[list[Any]], int]:
    """Return what each trial tells, as long as it fits, and the limit that was kept to."""
    for limit in LIMITS:
        details = [
            [
                None if trial is None else tell(source, trial, limit)
                for source, trial in zip(sources, row.cells, strict=True)
            ]
            for row in rows
        ]
        # One row in a few says how long they are all together.
        step = max(1, len(details) // (20 * BLOCK))
        taken = sum(
            len(packed(_texts(details[i : i + BLOCK])))
            for i in range(0, len(details), BLOCK * step)
        )
        if taken * step <= TEXTS:
            break
    return details, limit


def _texts(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Return the details without the places of files and data, which are no part of the page."""
    bare: dict[str, Any] = {"artifacts": [], "about": None}
    return [[None if cell is None else cell | bare for cell in row] for row in rows]


def _cut(limit: int) -> str:
    return "" if limit == LIMITS[0] else (
        f" Texts are cut after {limit} characters; the run folder has them whole."
    )  # fmt: skip


def _figures(sources: Sequence[Source]) -> list[Picture]:
    """Return the papers' figures of the suites that were run, from reports that are whole."""
    rules: dict[str, list[Mapping[str, Any]]] = {}
    for source in sources:
        if source.trusted and source.report["summary"]["scored"]:
            rules.setdefault(source.report["summary"]["rule"], []).append(source.report)
    found: list[Picture] = []
    for rule, reports in rules.items():
        if rule in figures:
            try:
                found += figures.get(rule)(reports)
            except BrainoError as error:
                # Reports that do not belong together have no common figure; each has its own.
                found += [p for each in reports for p in figures.get(rule)([each])]
                found.append(Picture("Not in one figure", "", shown(str(error), 300)))
    return found
