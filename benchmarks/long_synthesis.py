"""How fast, and in how much memory, nights and hours of scalp EEG are made: files and all.

Run it as ``python -m benchmarks.long_synthesis``. One core; each recording in a process of its
own, so that the peak of its memory is its own. A night of 7.5 h at 100 Hz has to be at least
5,000 times as fast as real time, 23 channels of 4 h at 256 Hz 300 times, both below 400 MB; so
do 23 h of 7 channels.
"""

from __future__ import annotations

import copy
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from braino_registry.registry.roots import builtin
from braino_registry.synthesis import build

LIMIT_MB = 400


class Case(NamedTuple):
    """One recording that is measured.

    Attributes
    ----------
    about : str
    recipe : str
        The shipped recipe whose layers it has.
    seconds : int
        Length of the recording.
    changes : mapping
        Parameters of its first layer that are set.
    target : float
        Seconds of recording per second of processor time, at least.
    """

    about: str
    recipe: str
    seconds: int
    changes: Mapping[str, Any]
    target: float


CASES = (
    Case("a night of 7.5 h, 7 channels at 100 and 1 Hz", "nights-a", 27_000, {}, 5000),
    Case("a day and night of 23 h, the same channels", "sleep-edf-twin", 82_800, {}, 5000),
    Case("4 h of 23 channels at 256 Hz", "chbmit-twin", 14_400, {}, 300),
)


def recipe_of(case: Case) -> dict[str, Any]:
    """Return the recipe with one recording of the case's length."""
    file = builtin() / "generators" / f"{case.recipe}.json"
    doc: dict[str, Any] = copy.deepcopy(json.loads(file.read_text(encoding="utf-8")))
    block = doc["recordings"][0]
    for entity in ("bids_subject", "bids_session", "bids_run"):
        if entity in block["over"]:
            block["over"][entity] = block["over"][entity][:1]
    block["over"].setdefault("bids_subject", doc["participants"]["labels"][:1])
    block["duration"] = case.seconds
    block["layers"][0].setdefault("with", {}).update(case.changes)
    return {**doc, "recordings": [block]}


def once(number: int) -> dict[str, float]:
    """Build a case and return its ratio to real time and the peak of memory in MB."""
    case = CASES[number]
    doc = recipe_of(case)
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        build(doc, b"", Path(folder) / "out")
        spent = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"ratio": case.seconds / spent, "peak": peak}


def main() -> int:
    """Print a line per case; exit code 1 if one is too slow or takes too much memory."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    good = True
    for number, case in enumerate(CASES):
        command = [sys.executable, "-m", "benchmarks.long_synthesis", str(number)]
        found = [
            json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            for _ in range(3)
        ]
        ratio = sorted(one["ratio"] for one in found)[1]
        peak = max(one["peak"] for one in found)
        print(f"{case.about}: {ratio:,.0f} : 1 (at least {case.target:,.0f}), peak {peak:.0f} MB")
        good &= ratio >= case.target and peak < LIMIT_MB
    return 0 if good else 1


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(once(int(sys.argv[1]))))
    else:
        sys.exit(main())
