"""The page of 1,000 trials: seconds to write it, its size, against the report it is made of.

Both sides are measured in one run and printed as ratios: the page against reading and parsing the
same report and transcripts, which no page can do without. Memory is the peak above what was there
before. Comparing 1,000 pairs with 10,000 draws is measured beside it. Seconds are those of the
processor, so that what else runs on the computer does not count.

Run ``python -m benchmarks.html_pages [--trials 1000]``.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

from braino_registry import reports
from braino_registry.reports.html import build, open_source
from tests.reports.html.folders import some_trials, write_run
from tests.reports.samples import report

WORDS = (
    "alpha",
    "power",
    "at",
    "O1",
    "is",
    "larger",
    "than",
    "at",
    "Fz",
    "by",
    "12.3",
    "µV²",
    "sub-01",
)


def main() -> None:
    """Write the run, measure both sides, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=1000)
    many = parser.parse_args().trials
    with tempfile.TemporaryDirectory() as name:
        folder = _run(Path(name), many)
        read, _, _ = _measured(lambda: _only_read(folder))
        made, peak, page = _measured(lambda: build([open_source(folder)]))
        before, after = _document(many, failing=True), _document(many, failing=False)
        compared, _, _ = _measured(lambda: reports.compare(before, after))
    size = len(page) / 1e6
    print(f"{many} trials: page {made:.2f} s, {made / read:.1f} × reading alone ({read:.2f} s)")
    print(f"size {size:.2f} MB (limit 3), peak memory {peak / 1e6:.0f} MB")
    print(f"compare {many} pairs, each of a task of its own, 10,000 draws: {compared:.2f} s")


def _run(folder: Path, many: int) -> Path:
    """Write a run whose sessions have a dozen calls with results of a kilobyte or two."""
    draw = random.Random(1)
    calls = [
        {
            "type": "call", "tool": "spectrum.band_power", "version": "1.0.0", "ok": True,
            "args": {"view": f"view-{n}", "fmin": 8, "fmax": 13}, "seconds": 0.1,
            "result": {"powers": {f"ch{i}": round(draw.random(), 5) for i in range(32)},
                       "definition": " ".join(draw.choices(WORDS, k=120))},
        }
        for n in range(12)
    ]  # fmt: skip
    rows = [{**row, "task": f"task-{n % 50}"} for n, row in enumerate(some_trials(many))]
    return write_run(folder, rows, more=calls, answer=" ".join(draw.choices(WORDS, k=300)))


def _document(many: int, *, failing: bool) -> dict[str, Any]:
    """Return a report in which every trial is of another task: as many units as there can be."""
    rows = [
        {**row, "task": f"task-{n}"} for n, row in enumerate(some_trials(many, failing=failing))
    ]
    return report(rows)


def _only_read(folder: Path) -> int:
    document = reports.read(folder)
    return sum(
        len(json.loads(line))
        for trial in document["trials"]
        for line in (folder / trial["transcript"]).read_bytes().splitlines()
    )


def _measured(work: Callable[[], Any]) -> tuple[float, int, Any]:
    """Return seconds of the processor, peak bytes and what came of it, measured apart."""
    began = time.process_time()
    found = work()
    seconds = time.process_time() - began
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return seconds, peak, found


if __name__ == "__main__":
    main()
