"""How many seconds of EEG one core makes in a second: 32 channels at 250 Hz, BIDS and all.

Run it as ``python -m benchmarks.synthesis``. The ratio has to be at least 500.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path

from braino_registry.registry.roots import builtin
from braino_registry.synthesis import build

TARGET = 500.0
RECIPE = "oddball-p3"
REPEATS = 5


def once(recipe: dict[str, object]) -> float:
    """Return seconds of recording per second of processor time of one build."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        made = build(recipe, b"", Path(folder) / "out")
        spent = time.process_time() - start
    seconds = sum(truth["duration"] for truth in made.truth["recordings"].values())
    return float(seconds) / spent


def main() -> int:
    """Print the median ratio; exit code 1 if it is too low."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    file = builtin() / "generators" / f"{RECIPE}.json"
    recipe = json.loads(file.read_text(encoding="utf-8"))
    once(recipe)
    ratios = [once(recipe) for _ in range(REPEATS)]
    ratio = statistics.median(ratios)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"synthesis of {RECIPE}, 32 channels at 250 Hz, one core, median of {REPEATS}")
    print(f"synthesis speed : real time = {ratio:.0f} : 1   (at least {TARGET:.0f})")
    print(f"lowest {min(ratios):.0f}, highest {max(ratios):.0f}; peak memory {peak:.0f} MB")
    return 0 if ratio >= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
