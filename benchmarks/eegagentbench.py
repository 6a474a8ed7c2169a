"""A table of reports of suite ``eegagentbench``, as docs/eegagentbench.md has it.

``python -m benchmarks.eegagentbench REPORT...`` prints one row per report: the headline of each
task and Overall, each with its interval.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from braino_registry import reports
from braino_registry.scoring.corpus import TASKS

COLUMNS = ("agent", *TASKS, "Overall")


def row(report: Mapping[str, Any]) -> list[str]:
    """Return the cells of a report."""
    found = report["summary"]["corpus"]
    by_task = {task["task"]: task for task in found["tasks"]}
    cells = [str(report["agent"]["name"])]
    for name in TASKS:
        task = by_task.get(name)
        metrics = task["metrics"] if task else []
        (primary,) = [each for each in metrics if each["name"] == task["primary"]] or [None]
        cells.append("–" if primary is None else cell(primary))
    return [*cells, cell(found["overall"])]


def cell(metric: Mapping[str, Any]) -> str:
    """Return a value with its interval."""
    if metric["value"] is None:
        return "–"
    if metric["low"] is None:
        return f"{metric['value']:.3f}"
    return f"{metric['value']:.3f} [{metric['low']:.3f}, {metric['high']:.3f}]"


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as a Markdown table."""
    lines = [COLUMNS, ["---"] * len(COLUMNS), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    """Print the table of the reports that are named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("reports", nargs="+", type=Path)
    given = parser.parse_args().reports
    print(table([row(reports.read(path)) for path in given]))


if __name__ == "__main__":
    main()
