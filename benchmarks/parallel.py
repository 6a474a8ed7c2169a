"""How much two trials at a time are worth, on trials of half a second of analysis.

``python benchmarks/parallel.py [--trials N] [--seconds S] [--json]``

Every trial calls one tool that keeps a processor busy for so long, with numpy and a single BLAS
thread, as the runner's workers have. The same trials are run with ``--jobs 1`` and ``--jobs 2``;
printed is the ratio of the trials per second, workers started and stopped not counted. The ratio
means nothing on a computer with less than two idle processors, so what was idle is printed too.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil
from overhead import add_package

from braino_registry.runner import RunSettings, run

HERE = Path(__file__).resolve().parent
TARGET = 1.8


def rate(jobs: int, trials: int, entries: Path) -> float:
    """Return trials per second in the long run."""
    ends: list[float] = []

    def note(event: dict[str, Any]) -> None:
        if event["type"] == "finished":
            ends.append(time.perf_counter())
            assert event["record"]["usage"]["tool_calls"] == 1, event["record"]

    with tempfile.TemporaryDirectory() as folder:
        asked = RunSettings(
            agent="idle:busy", tasks=("probe-sum",), registry=(entries,), repeats=trials // 2,
            jobs=jobs, run_dir=Path(folder) / "run",
        )  # fmt: skip
        run(asked, observer=note)
    # Each worker's first trial starts with the worker, and the last ones may have a slot idle.
    first, last = jobs, len(ends) - jobs
    return (last - first) / (ends[last] - ends[first])


def main() -> int:
    """Print the ratio; exit 1 if it is below the target."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=24)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    os.chdir(HERE)
    os.environ["BENCH_SECONDS"] = str(options.seconds)
    idle = (psutil.cpu_count() or 1) * (1 - psutil.cpu_percent(1.0) / 100)
    with tempfile.TemporaryDirectory() as folder:
        entries = add_package(Path(folder))
        one, two = (rate(jobs, options.trials, entries) for jobs in (1, 2))
    found = {"jobs_1_per_s": one, "jobs_2_per_s": two, "ratio": two / one, "idle_before": idle}
    if options.json:
        print(json.dumps({**found, "target_ratio": TARGET}, indent=1))
    else:
        print(
            f"{one:.2f} trials/s with --jobs 1, {two:.2f} with --jobs 2: ratio {two / one:.2f} "
            f"(at least {TARGET:g}); {idle:.1f} processors were idle before"
        )
    return int(two / one < TARGET)


if __name__ == "__main__":
    sys.exit(main())
