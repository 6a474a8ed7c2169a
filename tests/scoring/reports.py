"""Reports with what they say, and how much of it is read.

``python -m tests.scoring.reports`` prints the table of `docs/reading-reports.md`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from braino_registry.scoring import Answer, Evidence, read

FOLDER = Path(__file__).resolve().parents[1] / "data" / "reports"


@dataclass(frozen=True)
class Report:
    """A text, the fields it is read for, and the value of each; None where it says nothing."""

    id: str
    style: str
    file: str
    text: str
    fields: Mapping[str, Mapping[str, Any]]
    expected: Mapping[str, Any]
    channels: tuple[str, ...] = ()


@lru_cache(maxsize=1)
def reports() -> tuple[Report, ...]:
    """Return all reports of the corpus."""
    return tuple(
        Report(
            one["id"], one["style"], path.stem, one["text"], one["fields"], one["expected"],
            tuple(one.get("channels", ())),
        )
        for path in sorted(FOLDER.glob("*.json"))
        for one in json.loads(path.read_text("utf-8"))["reports"]
    )  # fmt: skip


def values(report: Report, text: str | None = None) -> dict[str, Any]:
    """Return what is read for each field of a report, of another text if one is given."""
    evidence = Evidence(
        request="",
        events=(),
        answer=Answer(report.text if text is None else text),
        fields=report.fields,
        context={"ch_names": report.channels},
    )
    return {name: read(spec, name, evidence).value for name, spec in report.fields.items()}


def same(kind: str, value: Any, wanted: Any) -> bool:
    """Tell whether a value that was read is the one that a report states."""
    if value is None or wanted is None:
        return value is wanted
    if kind == "number":
        return isinstance(value, float) and abs(value - wanted) <= 1e-9 + 1e-6 * abs(wanted)
    if kind == "set":
        return frozenset(value) == frozenset(wanted)
    if kind == "events":
        return len(value) == len(wanted) and all(map(_same_event, value, wanted))
    if kind in ("sequence", "hypnogram"):
        return list(value) == list(wanted)
    return " ".join(str(value).split()) == " ".join(wanted.split())


def _same_event(value: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    for key in ("onset", "duration"):
        one, two = value.get(key), wanted.get(key)
        if (one is None) != (two is None) or (one is not None and abs(one - two) > 1e-6):
            return False
    return wanted.get("label") in (None, value.get("label"))


def outcome(kind: str, value: Any, wanted: Any) -> str:
    """Return ``read``, ``missed``, ``wrong``, ``null`` or ``invented``."""
    if wanted is None:
        return "null" if value is None else "invented"
    if same(kind, value, wanted):
        return "read"
    return "missed" if value is None else "wrong"


def count(found: Iterable[Report]) -> dict[str, Counter[str]]:
    """Return, by style, how many reports there are and what became of their fields."""
    table: dict[str, Counter[str]] = {}
    for report in found:
        row = table.setdefault(report.style, Counter())
        row["reports"] += 1
        for name, value in values(report).items():
            kind = report.fields[name]["type"]
            row[outcome(kind, value, report.expected[name])] += 1
    return table


def table(found: Iterable[Report]) -> str:
    """Return the table by style, in Markdown."""
    rows = count(found)
    total: Counter[str] = Counter()
    lines = [
        "| style | reports | values | read | missed | wrong | absent | null | invented |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for style, row in sorted(rows.items()):
        total.update(row)
        lines.append(_line(style, row))
    lines.append(_line("**all**", total))
    return "\n".join(lines)


def _line(style: str, row: Counter[str]) -> str:
    present = row["read"] + row["missed"] + row["wrong"]
    absent = row["null"] + row["invented"]
    cells = [
        row["reports"], present, row["read"], row["missed"], row["wrong"], absent, row["null"],
        row["invented"],
    ]  # fmt: skip
    return f"| {style} | " + " | ".join(map(str, cells)) + " |"


if __name__ == "__main__":
    for file in sorted({report.file for report in reports()}):
        print(f"{file}\n\n{table(r for r in reports() if r.file == file)}\n")
    print(f"together\n\n{table(reports())}")
