"""What `braino eval analyse` prints: the tables, each with its paradigms apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from braino_registry.reports.printing import Printer

Row = Mapping[str, Any]


def show_analyses(printer: Printer, found: Mapping[str, Any]) -> None:
    """Print the analyses; single scores and points stay in the JSON."""
    _show_overall(printer, found["overall"])
    for title, key, what in (
        ("By difficulty", "by_difficulty", "difficulty"),
        ("By validation unit", "by_unit", "unit"),
    ):
        printer.table(
            f"{title}; the gap is tools minus code, of one model",
            ("model", "paradigm", "subset", what, "score", "gap"),
            [(*_who(r), r["subset"], r[what], r["score"], r["gap"]) for r in found[key]],
        )
    printer.table(
        "Spread within tasks: median MPAD, 95 % interval over tasks",
        ("model", "paradigm", "subset", "tasks", "median", "from", "to"),
        [
            (*_who(row), m["subset"] or "all", m["tasks"], m["median"], m["low"], m["high"])
            for row in found["stability"]
            for m in row["medians"]
        ],
    )
    printer.table(
        "Tokens per trial",
        ("model", "paradigm", "subset", "reported", "mean", "p10", "q1", "median", "q3", "p90"),
        [
            (*_who(row), row["subset"], f"{row['reported']}/{row['trials']}",
             *(row[name] for name in ("mean", "p10", "q1", "median", "q3", "p90")))
            for row in found["tokens"]
        ],
    )  # fmt: skip
    _show_pairs(printer, found)
    printer.table(
        "What was asked",
        ("subset", "tasks easy/medium/hard", "instances", "units"),
        [
            (
                row["subset"],
                "/".join(str(n) for n in row["tasks"].values()),
                "/".join(str(n) for n in row["instances"].values()),
                ", ".join(f"{unit} {n}" for unit, n in row["units"].items() if n),
            )
            for row in found["mix"]
        ],
    )


def _show_overall(printer: Printer, rows: list[Row]) -> None:
    subsets = list(dict.fromkeys(name for row in rows for name in row["subsets"]))
    printer.table(
        "Overall: the mean of the subsets, each weighted by difficulty",
        ("model", "paradigm", "profile", *subsets, "overall", "ungated", "instances"),
        [
            (*_who(row), row["profile"], *(row["subsets"].get(name) for name in subsets),
             row["overall"], row["ungated"], row["instances"])
            for row in rows
        ],
    )  # fmt: skip


def _show_pairs(printer: Printer, found: Mapping[str, Any]) -> None:
    if found["trade_off"]:
        printer.table(
            "Tools against code, per task: gain in score, change in variability",
            ("model", "subset", "difficulty", "tasks", "gain", "variability"),
            [
                (row["model"], m["subset"], m["difficulty"], m["tasks"], m["gain"],
                 m["variability"])
                for row in found["trade_off"]
                for m in row["means"]
            ],
        )  # fmt: skip
    if found["families"]:
        printer.table(
            "Within a family: do the same tasks stay hard",
            ("family", "paradigm", "models", "tasks", "Pearson", "Spearman", "slope"),
            [
                (row["family"], row["paradigm"], " and ".join(row["models"]), row["tasks"],
                 (row["pearson"] or {}).get("r"), (row["spearman"] or {}).get("rho"),
                 (row["ols"] or {}).get("slope"))
                for row in found["families"]
            ],
        )  # fmt: skip


def _who(row: Row) -> tuple[str, str]:
    return row["model"] or row["agent"], row["paradigm"]
