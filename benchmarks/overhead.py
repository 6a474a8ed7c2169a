"""What the harness itself costs: trials of an agent that does nothing, and tool calls.

``python benchmarks/overhead.py [--trials N] [--inspect-python PYTHON] [--json]``

A trial is timed from the end of the one before it to its own end, journal included, in a real run
with one worker and, but for isolation ``none``, a fresh interpreter.
A tool call is what each of ten further calls adds to a trial; the tool adds two
numbers and comes from a package of its own, so that nothing of a tool's work is in it. What the
sandbox adds to a trial in a process is measured where there is a sandbox. With
``--inspect-python``, an interpreter that has ``inspect_ai``, its no-op sample and its turn with
the same tool are measured in the same run, and the ratios are
printed. Beside it stands what a fork server would save, which is never ranked.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from forkserver import trials_ms
from idle import FEW, MANY

from braino_registry.errors import HostError
from braino_registry.runner import RunSettings, levels, run

HERE = Path(__file__).resolve().parent
ENTRIES = HERE.parent / "tests" / "runner" / "entries"
TARGETS_MS = {
    "trial, none": 15.0,
    "trial, process": 80.0,
    "trial with 10 calls": 100.0,
    "sandbox adds": 40.0,
    "tool call": 1.2,
}
TARGETS_RATIO = {
    "trial, none": 1.5,
    "trial, process": 8.0,
    "trial with 10 calls": 0.5,
    "tool call": 0.2,
}


TOOL = """
from braino_registry.tools.decorator import Result, tool
from braino_registry.tools.state import ToolState

class Sum(Result, frozen=True, kw_only=True):
    total: int

class Spent(Result, frozen=True, kw_only=True):
    seconds: float

@tool("bench.work", version="1.0.0")
def work(state: ToolState) -> Spent:
    \'\'\'Keep one processor busy for as long as the environment says.\'\'\'
    import os, time
    import numpy
    matrix, began = numpy.eye(200), time.thread_time()
    while time.thread_time() - began < float(os.environ["BENCH_SECONDS"]):
        matrix = matrix @ matrix
    return Spent(seconds=0.0)

@tool("bench.add", version="1.0.0")
def add(state: ToolState, *, x: int, y: int) -> Sum:
    \'\'\'Add two numbers.\'\'\'
    return Sum(total=x + y)
"""


def add_package(folder: Path) -> Path:
    """Write a package with the tool, make it importable here and in workers; return entries."""
    package = folder / "package"
    info = package / "bench_add-1.0.dist-info"
    info.mkdir(parents=True)
    (package / "bench_add.py").write_text(TOOL, encoding="utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: bench-add\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[braino.tools]\nadd = bench_add\n")
    sys.path.insert(0, str(package))
    os.environ["PYTHONPATH"] = os.pathsep.join(
        filter(None, (str(package), os.environ.get("PYTHONPATH")))
    )
    entries = folder / "entries"
    shutil.copytree(ENTRIES, entries)
    suite = entries / "tasks" / "probe" / "suite.json"
    document = json.loads(suite.read_text(encoding="utf-8"))
    document["toolsets"]["probe"] += ["bench.add@1.0.0", "bench.work@1.0.0"]
    suite.write_text(json.dumps(document), encoding="utf-8")
    return entries


def trial_ms(agent: str, isolation: str, trials: int, entries: Path) -> float:
    """Return the median milliseconds of a trial."""
    ends: list[float] = []

    def note(event: dict[str, Any]) -> None:
        if event["type"] == "finished":
            ends.append(time.perf_counter())
            assert event["record"]["outcome"] == "failed", event["record"]

    with tempfile.TemporaryDirectory() as folder:
        asked = RunSettings(
            agent=f"idle:{agent}",
            tasks=("probe-sum",),
            registry=(entries,),
            repeats=trials,
            isolation=isolation,
            run_dir=Path(folder) / "run",
        )
        run(asked, observer=note)
    # The first instance only: the request of the other one does not ground the numbers.
    own = ends[: len(ends) // 2]
    return 1000 * statistics.median(b - a for a, b in itertools.pairwise(own))


INSPECT = """
import json, os, statistics, sys, time
os.environ["INSPECT_DISPLAY"] = "none"
import tiktoken
class Words:
    def encode(self, text, **options): return text.split()
# Its tokenizer would download a table; counting words is faster, which favours Inspect.
tiktoken.get_encoding = lambda name: Words()
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.scorer import Score, scorer, accuracy
from inspect_ai.solver import generate, solver, use_tools
from inspect_ai.tool import tool
@scorer(metrics=[accuracy()])
def yes():
    async def score(state, target): return Score(value=1)
    return score
@solver
def noop():
    async def solve(state, generate): return state
    return solve
@tool
def add():
    async def execute(x: int, y: int):
        '''Add two numbers.

        Args:
            x: First.
            y: Second.
        '''
        return x + y
    return execute
def run(n, turns):
    outputs = []
    for _ in range(n):
        outputs += [ModelOutput.for_tool_call("mockllm/model", "add", {"x": 20, "y": 22})
                    for _ in range(turns)]
        outputs.append(ModelOutput.from_content("mockllm/model", "42"))
    model = get_model("mockllm/model", custom_outputs=outputs)
    steps = [use_tools([add()]), generate()] if turns else noop()
    task = Task(dataset=[Sample(input="What is 20 plus 22?", target="42") for _ in range(n)],
                solver=steps, scorer=yes())
    began = time.perf_counter()
    log = eval(task, model=model, log_dir=sys.argv[1], display="none", max_samples=1)[0]
    seconds = time.perf_counter() - began
    assert log.status == "success", log.error
    return seconds
n = int(sys.argv[2])
run(2, 0)
small, large = run(5, 0), run(5 + n, 0)
out = {"sample_ms": 1000 * (large - small) / n, "tool_ms": None, "ten_ms": None}
try:
    out["ten_ms"] = 1000 * (run(5 + n, 10) - run(5, 10)) / n
    few, many = run(n, 1), run(n, 11)
    out["tool_ms"] = 1000 * (many - few) / (n * (11 - 1))
except Exception as error:
    out["tool_error"] = str(error)[:300]
print(json.dumps(out))
"""


def inspect_ms(python: str, trials: int) -> dict[str, Any]:
    """Return Inspect's milliseconds per no-op sample and per tool turn."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [python, "-c", INSPECT, folder, str(trials)],
            capture_output=True,
            text=True,
            check=True,
            cwd=folder,
        )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> int:
    """Print the table; exit 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=60)
    parser.add_argument("--inspect-python", metavar="PYTHON")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    os.chdir(HERE)
    other: dict[str, Any] = {}
    if options.inspect_python:
        other = inspect_ms(options.inspect_python, options.trials)
    with tempfile.TemporaryDirectory() as folder:
        entries = add_package(Path(folder))

        def measured(agent: str, level: str) -> float:
            return trial_ms(agent, level, options.trials, entries)

        none, process = measured("nothing", "none"), measured("nothing", "process")
        measured_ms = {"trial, none": none, "trial, process": process}
        measured_ms["trial with 10 calls"] = measured("ten", "process")
        few, many = measured("few", "process"), measured("many", "process")
        try:
            levels.get("sandbox")
            measured_ms["sandbox adds"] = measured("nothing", "sandbox") - process
        except HostError as error:
            print(f"the sandbox is not measured: {error.problem}", file=sys.stderr)
        forked = trials_ms("ten", options.trials, entries)
    measured_ms["tool call"] = (many - few) / (MANY - FEW)
    theirs = {
        "trial, none": other.get("sample_ms"),
        "trial, process": other.get("sample_ms"),
        "trial with 10 calls": other.get("ten_ms"),
        "tool call": other.get("tool_ms"),
    }
    rows = []
    for name, value in measured_ms.items():
        other_ms = theirs.get(name)
        ratio = value / other_ms if other_ms else None
        rows.append(
            {
                "what": name,
                "ms": round(value, 2),
                "target_ms": TARGETS_MS[name],
                "inspect_ms": other_ms and round(other_ms, 2),
                "ratio": ratio and round(ratio, 2),
                "target_ratio": TARGETS_RATIO.get(name),
            }
        )
    if options.json:
        print(json.dumps({"rows": rows, "forked": forked, "inspect": other}, indent=1))
    else:
        for row in rows:
            print(
                f"{row['what']:<19} {row['ms']:>7.2f} ms (at most {row['target_ms']:g})"
                + (
                    f"   Inspect {row['inspect_ms']:.2f} ms, ratio {row['ratio']:.2f}"
                    f" (at most {row['target_ratio']:g})"
                    if row["ratio"]
                    else ""
                )
            )
        print(
            "a trial with 10 calls, without the journal: "
            f"{forked['fresh interpreter']:.2f} ms in a fresh interpreter, "
            f"{forked['fork server']:.2f} ms with a fork server (never ranked)"
        )
        if "tool_error" in other:
            print(f"Inspect's tool turn could not be measured: {other['tool_error']}")
    missed = [
        row
        for row in rows
        if (row["ratio"] > row["target_ratio"] if row["ratio"] else row["ms"] > row["target_ms"])
    ]
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
