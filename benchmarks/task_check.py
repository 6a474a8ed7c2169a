"""Checking a task, stage by stage: seconds by the clock and of the processor, data built anew.

The dearest synthetic tasks compare two dozen people; each stage opens all their recordings. Seconds
of the processor include those of the processes that a stage starts, so that what else runs on the
computer does not count.

Run ``python -m benchmarks.task_check [TASK …]``.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from braino_registry.datasets import Store
from braino_registry.runner import check_task

TASKS = ("count-events", "confounded-by-age", "too-few-to-tell")
#: Seconds that a check may take.
LIMIT = 60.0


def main(tasks: list[str]) -> None:
    """Check each task in an empty cache; print."""
    for task in tasks or TASKS:
        with tempfile.TemporaryDirectory() as name:
            _check(task, Path(name))


def _check(task: str, cache: Path) -> None:
    stages: list[str] = []
    wrong: list[str] = []
    began, used = time.perf_counter(), _processor()
    last = used

    def tell(stage: str, seconds: float, rows: list[dict[str, Any]]) -> None:
        nonlocal last
        now = _processor()
        stages.append(f"{stage} {now - last:.1f}")
        wrong.extend(f"{stage}: {row['what']}" for row in rows if row["ok"] is False)
        last = now

    check_task(task, store=Store(cache), tell=tell)
    spent, wall = _processor() - used, time.perf_counter() - began
    print(f"{task}: {spent:.1f} s of the processor, {wall:.1f} s (limit {LIMIT:.0f} s)")
    print(f"  {', '.join(stages)}")
    print(f"  wrong: {'; '.join(wrong) or 'nothing'}")


def _processor() -> float:
    """Return the seconds that this process and those that it has started have used."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


if __name__ == "__main__":
    main(sys.argv[1:])
