"""The leaderboard as a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from braino_registry.reports.html.headline import bar
from braino_registry.reports.html.rendering import page_of
from braino_registry.reports.intervals import Interval

#: What a row of an agent that comes with the registry is called.
KINDS = {"agent": "", "reference": "reference", "baseline": "baseline", "exploit": "exploit agent"}


def page(board: Mapping[str, Any], title: str) -> bytes:
    """Return a leaderboard, see `leaderboard.board`, as one static HTML page."""
    tables = [
        {**table, "title": _title(table), "rows": list(_rows(table))} for table in board["tables"]
    ]
    return page_of(
        "leaderboard.html.j2", title=title, tables=tables, refused=board["refused"], kinds=KINDS
    )


def _title(table: Mapping[str, Any]) -> str:
    release = f"release {table['release']}" if table["release"] else "held to no release"
    parts = [
        f"{table['suite']} {table['suite_version']}", release, f"tier {table['tier']}",
        f"paradigm {table['paradigm']}",
    ]  # fmt: skip
    if table["profile"] != "strict":
        parts.append(f"profile {table['profile']}")
    if table["salt"]:
        parts.append(f"salt {table['salt'][:19]}…")
    return ", ".join(parts)


def _rows(table: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the rows as text; of agents that are called the same, each with what was run."""
    called = Counter((row["agent"], row["model"]) for row in table["rows"])
    for row in table["rows"]:
        alike = called[row["agent"], row["model"]] > 1
        yield {**_row(row, table), "what": row["factory"] if alike else ""}


def _row(row: Mapping[str, Any], table: Mapping[str, Any]) -> dict[str, Any]:
    scale, score = table["scale"], row["score"]
    interval = None
    if row["low"] is not None and row["high"] is not None:
        interval = Interval(row["low"], row["high"], 0, "")
    return {
        **row,
        "place": "–" if row["rank"] is None else str(row["rank"]),
        "shown": "–" if score is None else f"{score * scale:.3g}",
        "interval": ""
        if interval is None
        else f"{interval.low * scale:.3g} to {interval.high * scale:.3g}",
        "bar": bar(score, interval),
        "passes": f"{row['passed']}/{row['scored']}",
        "covers": "" if row["scored"] == row["planned"] else f" of {row['planned']} planned",
        "costs": "not told" if row["cost"] is None else f"{row['cost']:.3g}",
        "uses": "not told" if row["tokens"] is None else f"{row['tokens']:,.0f}",
        "takes": "–" if row["seconds"] is None else f"{row['seconds']:.3g}",
    }
