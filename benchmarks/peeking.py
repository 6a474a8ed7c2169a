"""How much truth an agent finds that looks for nothing else, on each level of isolation.

``python -m benchmarks.peeking [TASK…] [--json]``

The built-in agent ``peek`` looks at its session, the stack, the objects of its process, its
environment, other processes, what can be imported, and files. Printed are for each level how many
sources of truth it found and by which way, how many values that is, and how many trials it passed
with them. In a sandbox both are 0, and only results of a sandbox are ranked.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

TASKS = ("bad-channels-ask", "alpha-peak-frequency", "line-noise-setting")
LEVELS = ("none", "process", "sandbox")


def look(tasks: list[str], level: str) -> dict[str, Any]:
    """Let it look in one trial of each task; return what it found."""
    from braino_registry.runner import try_task

    ways, values, passed = Counter[str](), 0, 0
    for task in tasks:
        with tempfile.TemporaryDirectory() as folder:
            keep = Path(folder) / "run"
            record = try_task(task, agent="peek", isolation=level, keep=keep)
            passed += record["outcome"] == "passed"
            for path in keep.rglob("peek.json"):
                for found in json.loads(path.read_text(encoding="utf-8")):
                    ways[found["way"]] += 1
                    values += len(found["values"])
    return {
        "isolation": level,
        "trials": len(tasks),
        "sources": sum(ways.values()),
        "values": values,
        "ways": dict(sorted(ways.items())),
        "passed": passed,
        "ranked": level == "sandbox",
    }


def main() -> int:
    """Print what was found; exit 1 if anything was found in a sandbox."""
    from braino_registry.errors import HostError

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", nargs="*", metavar="TASK")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = []
    for level in LEVELS:
        try:
            rows.append(look(options.tasks or list(TASKS), level))
        except HostError as error:
            print(f"{level} is skipped: {error.problem}", file=sys.stderr)
    if options.json:
        print(json.dumps(rows, indent=1))
    else:
        for row in rows:
            ways = ", ".join(f"{count} {way}" for way, count in row["ways"].items()) or "nothing"
            print(
                f"{row['isolation']:<8} {row['sources']:>5} sources of truth, {row['values']:>6} "
                f"values in {row['trials']} trials ({ways}); {row['passed']} passed; "
                f"{'ranked' if row['ranked'] else 'never ranked'}"
            )
    return int(any(row["ranked"] and (row["sources"] or row["passed"]) for row in rows))


if __name__ == "__main__":
    sys.exit(main())
