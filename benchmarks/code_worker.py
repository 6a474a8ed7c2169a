"""How long the worker that runs an agent's code takes to start, and to run a line.

``python benchmarks/code_worker.py [--json]`` starts a worker (in a sandbox, where one works, and
beside this process) and a bare interpreter in turns, and prints medians and their ratio; then what
an execution takes, with little and with much to print. Exit code 1 where a target is missed.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from braino_registry.errors import HostError
from braino_registry.runner import tiers
from braino_registry.runner.coding.executor import CodeExecutor
from braino_registry.runner.coding.housing import Housing, OpenHousing, SandboxHousing
from braino_registry.runner.coding.limits import standard
from braino_registry.runner.sandbox.choosing import choose

MOST_STARTS, MOST_MS = 6.0, 2.0
CODE = {"x = 1": "x = 1", "1 + 1": "1 + 1", "prints 10 kB": "print('x' * 10_000)"}


def bare() -> None:
    """Start an interpreter that does nothing."""
    subprocess.run([sys.executable, "-c", "pass"], check=True)


@contextmanager
def folders() -> Iterator[Path]:
    """Give a folder with what a trial has."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        root.chmod(0o755)
        for folder in ("held", "workspace", "inputs", "tmp"):
            (root / folder).mkdir()
        yield root


def housings(root: Path) -> dict[str, Housing]:
    """Return where code can run here, by what holds it."""
    found: dict[str, Housing] = {
        "no sandbox": OpenHousing(root / "inputs", root / "workspace", root / "tmp")
    }
    try:
        engine = choose()
    except HostError as error:
        print(f"no sandbox is measured: {error.problem}", file=sys.stderr)
    else:
        found[engine.name] = SandboxHousing(engine, root / "held", root / "workspace", standard())
    return found


def executor(housing: Housing, root: Path) -> CodeExecutor:
    """Return a session's executor, whose worker has not been started."""
    return CodeExecutor(housing, standard(), tiers.get("minimum"), root, time.monotonic() + 600)


def started(housing: Housing, root: Path) -> None:
    """Start a worker, and let it run nothing."""
    worker = executor(housing, root)
    try:
        assert worker("pass")["ok"]
    finally:
        worker.close()


def timed(action: Callable[[], object]) -> float:
    """Return the seconds that something takes."""
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def measure(rounds: int, executions: int) -> list[dict[str, object]]:
    """Return a row for each way to run code, and each piece of code."""
    rows: list[dict[str, object]] = []
    with folders() as root:
        places = housings(root)
        actions = {"python -c pass": bare}
        actions |= {name: _starter(house, root) for name, house in places.items()}
        seconds: dict[str, list[float]] = {name: [] for name in actions}
        for number in range(rounds + 1):
            for name, action in actions.items():
                took = timed(action)
                if number:  # the first round fills caches
                    seconds[name].append(took)
        base = statistics.median(seconds["python -c pass"])
        for name, values in seconds.items():
            median = statistics.median(values)
            goal = None if name == "python -c pass" else MOST_STARTS
            rows.append({"what": f"start: {name}", "ms": 1000 * median, "ratio": median / base,
                         "most_ratio": goal, "most_ms": None})  # fmt: skip
        for name, house in places.items():
            rows += _executions(name, house, root, executions)
    return rows


def _starter(housing: Housing, root: Path) -> Callable[[], None]:
    return lambda: started(housing, root)


def _executions(
    name: str, housing: Housing, root: Path, executions: int
) -> list[dict[str, object]]:
    worker = executor(housing, root)
    rows: list[dict[str, object]] = []
    try:
        worker("pass")
        for label, code in CODE.items():
            took = [timed(lambda code=code: worker(code)) for _ in range(executions)]
            rows.append({"what": f"run: {label}, {name}", "ms": 1000 * statistics.median(took),
                         "ratio": None, "most_ratio": None, "most_ms": MOST_MS})  # fmt: skip
    finally:
        worker.close()
    return rows


def missed(row: dict[str, object]) -> bool:
    """Tell whether a row misses its target."""
    return any(
        row[goal] is not None and row[value] > row[goal]  # type: ignore[operator]
        for value, goal in (("ratio", "most_ratio"), ("ms", "most_ms"))
    )


def main() -> int:
    """Print the table; exit 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--executions", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = measure(options.rounds, options.executions)
    if options.json:
        print(json.dumps(rows, indent=1))
    else:
        for row in rows:
            ratio = "" if row["ratio"] is None else f"{row['ratio']:>7.2f} x"
            goals = [f"at most {row['most_ratio']:g} x" if row["most_ratio"] else "",
                     f"at most {row['most_ms']:g} ms" if row["most_ms"] else ""]  # fmt: skip
            goal = " ".join(each for each in goals if each)
            print(f"{row['what']:<32} {row['ms']:>8.2f} ms {ratio:>9}  {goal}".rstrip())
    return int(any(missed(row) for row in rows))


if __name__ == "__main__":
    sys.exit(main())
