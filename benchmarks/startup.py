"""How long the command line takes to start, beside importing click alone.

``python benchmarks/startup.py [--json]`` prints medians of interleaved runs, as ratios.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time

COMMANDS = {
    "python -c 'import click'": [sys.executable, "-c", "import click"],
    "braino --help": [sys.executable, "-m", "braino_registry.cli", "--help"],
    "braino eval list": [sys.executable, "-m", "braino_registry.cli", "eval", "list"],
}
TARGETS = {"braino --help": 3.0, "braino eval list": 8.0}


def measure(rounds: int) -> dict[str, float]:
    """Return the median seconds of each command; every round runs each once."""
    seconds: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for number in range(rounds + 1):
        for name, command in COMMANDS.items():
            began = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            if number:  # the first round fills caches
                seconds[name].append(time.perf_counter() - began)
    return {name: statistics.median(values) for name, values in seconds.items()}


def main() -> int:
    """Print the table; exit 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    medians = measure(options.rounds)
    base = medians["python -c 'import click'"]
    rows = [
        {
            "command": name,
            "ms": round(1000 * value, 1),
            "ratio": round(value / base, 2),
            "target": TARGETS.get(name),
        }
        for name, value in medians.items()
    ]
    if options.json:
        print(json.dumps(rows, indent=1))
    else:
        for row in rows:
            goal = "" if row["target"] is None else f"  (at most {row['target']:g} x)"
            print(f"{row['command']:<28} {row['ms']:>8.1f} ms  {row['ratio']:>6.2f} x{goal}")
    return int(any(row["target"] and row["ratio"] > row["target"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
