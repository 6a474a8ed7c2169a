"""Whether a run of many trials stays as quick and as small as one of few.

``python benchmarks/scale.py [--trials N] [--isolation none|process] [--json]``

An agent that does nothing is run N times in one run (10,000 is what the targets are for; fewer by
default). Printed are the memory of the parent after the first tenth of the trials and at its
highest, the time per trial in the first and in the last tenth, and what it takes to write the
report, to resume the complete run, and to compare the report with another one of the same size.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from braino_registry.runner import RunSettings, resume, run

HERE = Path(__file__).resolve().parent
ENTRIES = HERE.parent / "tests" / "runner" / "entries"
#: Megabytes, a share, and seconds that 10,000 trials may take.
TARGETS = {"peak_mb": 200.0, "drift": 0.2, "report_s": 5.0, "compare_s": 3.0}


def memory_mb(what: str) -> float:
    """Return the memory of this process in MB: ``VmRSS`` now, ``VmHWM`` at its highest."""
    match = re.search(rf"{what}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    if match is None:
        raise SystemExit("this needs Linux, where /proc/self/status tells the memory")
    return int(match[1]) * 1024 / 1e6


@dataclass
class Watch:
    """Notes when each trial ended, and the parent's memory now and then.

    Parameters
    ----------
    trials : int
        How many there will be.
    """

    trials: int
    ends: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)
    over: float = 0.0

    def __call__(self, event: dict[str, Any]) -> None:
        """Take one event of the run."""
        if event["type"] == "finished":
            self.ends.append(time.perf_counter())
            assert event["record"]["outcome"] == "failed", event["record"]
            if len(self.ends) % max(1, self.trials // 10) == 0:
                self.memory.append(memory_mb("VmRSS"))
        elif event["type"] == "ended":
            self.over = time.perf_counter()

    def trial_ms(self, tenth: int) -> float:
        """Return milliseconds of a trial in a tenth of the run, counted from 0.

        The tenth percentile: what a trial takes when the computer does nothing else.
        """
        size = self.trials // 10
        ends = self.ends[tenth * size : (tenth + 1) * size]
        return 1000 * statistics.quantiles((b - a for a, b in itertools.pairwise(ends)), n=10)[0]


def measure(trials: int, isolation: str) -> dict[str, float]:
    """Run so many trials and return what was measured."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        watch = Watch(trials)
        settings = RunSettings(
            agent="idle:nothing", tasks=("probe-sum",), registry=(ENTRIES,), repeats=trials // 2,
            isolation=isolation, run_dir=path,
        )  # fmt: skip
        run(settings, observer=watch)
        report_s = time.perf_counter() - watch.over
        peak = memory_mb("VmHWM")
        began = time.perf_counter()
        resume(path)
        resumed = time.perf_counter() - began
        other = Path(folder) / "other.json"
        shutil.copy(path / "report.json", other)
        began = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "braino_registry.cli", "eval", "compare", str(path), str(other),
             "--json"],
            check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        first, last = watch.trial_ms(0), watch.trial_ms(9)
        return {
            "trials": trials,
            "memory_first_tenth_mb": watch.memory[0],
            "memory_last_tenth_mb": watch.memory[-1],
            "peak_mb": peak,
            "first_tenth_ms": first,
            "last_tenth_ms": last,
            "drift": last / first - 1,
            "report_s": report_s,
            "report_mb": other.stat().st_size / 1e6,
            "resume_s": resumed,
            "compare_s": time.perf_counter() - began,
        }


def main() -> int:
    """Print what was measured; exit 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=600)
    parser.add_argument("--isolation", default="none", choices=("none", "process"))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    os.chdir(HERE)
    found = measure(options.trials, options.isolation)
    missed = [name for name, most in TARGETS.items() if found[name] > most]
    if options.json:
        print(json.dumps({**found, "missed": missed}, indent=1))
        return int(bool(missed))
    print(f"{options.trials} trials, isolation {options.isolation}")
    for name, value in found.items():
        target = f"   (at most {TARGETS[name]:g})" if name in TARGETS else ""
        print(f"{name:<24} {value:>10.3g}{target}")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
