"""One table by category: every built-in agent under several salts.

``python -m benchmarks.baselines [--salts 3] [--jobs 2] [--cache DIR] [--agents NAME …]`` runs
``braino eval run`` once per agent and salt and writes docs/suite.md. Real recordings take part
where ``BRAINO_MIRRORS`` or the cache has them. It takes half an hour or more.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.counting import counted
from braino_registry import __version__, agents
from braino_registry.registry import Registry, Suite

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "suite.md"
SUITE = "braino"


@dataclass
class Tally:
    """How many trials of an agent passed, by category.

    Attributes
    ----------
    passed, scored : Counter
        Trials by category.
    failed_tasks, seen_tasks : set of str
        Tasks of which a trial did not pass, and all of them.
    unscored : list of str
        Trials that were not scored, with the reason.
    """

    passed: Counter[str] = field(default_factory=Counter)
    scored: Counter[str] = field(default_factory=Counter)
    failed_tasks: set[str] = field(default_factory=set)
    seen_tasks: set[str] = field(default_factory=set)
    unscored: list[str] = field(default_factory=list)

    def add(self, report: Mapping[str, Any]) -> None:
        """Count the trials of a report."""
        for trial in report["trials"]:
            if trial["outcome"] == "not_planned":
                continue
            name = f"{trial['task']}/{trial['instance']}"
            if trial["passed"] is None:
                self.unscored.append(f"{name}: {trial['outcome']} {trial['reason'] or ''}".strip())
                continue
            self.scored[trial["category"]] += 1
            self.passed[trial["category"]] += bool(trial["passed"])
            self.seen_tasks.add(trial["task"])
            if not trial["passed"]:
                self.failed_tasks.add(trial["task"])


def salts(folder: Path, n: int) -> list[Path]:
    """Write salts that anybody can write again, and return their files."""
    files = []
    for number in range(1, n + 1):
        file = folder / f"salt-{number}"
        text = hashlib.sha256(f"baselines of the suite, {number}".encode()).hexdigest()
        file.write_text(f"{text}\n", encoding="ascii")
        files.append(file)
    return files


def run(agent: str, salt: Path, folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Run the suite with one agent under one salt and return the report.

    Raises
    ------
    RuntimeError
        If the run ends without a report.
    """
    out = folder / f"{agent}-{salt.name}.json"
    command = [
        *(sys.executable, "-m", "braino_registry.cli", "eval", "run", "--suite", SUITE),
        *("--agent", agent, "--salt", str(salt), "--jobs", str(options.jobs)),
        *("--run-dir", str(folder / f"{agent}-{salt.name}"), "-o", str(out)),
        *(("--cache", str(options.cache)) if options.cache else ()),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not out.is_file():
        raise RuntimeError(f"{agent} under {salt.name}: {done.stdout[-800:]}{done.stderr[-800:]}")
    report: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return report


def table(tallies: Mapping[str, Tally], categories: Sequence[str]) -> list[str]:
    """Return a Markdown table: passed trials of scored ones, by agent and category."""
    lines = [
        f"| agent | {' | '.join(categories)} | all |",
        f"|---|{'---|' * len(categories)}---|",
    ]
    for agent, tally in tallies.items():
        cells = [_share(tally.passed[c], tally.scored[c]) for c in categories]
        whole = _share(tally.passed.total(), tally.scored.total())
        lines.append(f"| {agent} | {' | '.join(cells)} | {whole} |")
    return lines


def page(tallies: Mapping[str, Tally], suite: Suite, n_salts: int, data: Iterable[str]) -> str:
    """Return docs/suite.md."""
    categories = list(suite.doc["categories"])
    seen = set().union(*(tally.seen_tasks for tally in tallies.values()))
    floor = tallies.get("scripted")
    lines = [
        f"# The suite `{suite.id}` {suite.version}",
        "",
        f"{suite.doc['title']}. [Every task on a page of its own](tasks/README.md); "
        "[the wrong ways that fail](tasks/wrong-ways.md).",
        "",
        "## What the built-in agents reach",
        "",
        f"Written by `python -m benchmarks.baselines --salts {n_salts}` with braino-registry "
        f"{__version__}: passed of scored trials over {counted(n_salts, 'salt')}, "
        f"{counted(len(seen), 'task')}{_with(data)}.",
        "",
        *table(tallies, categories),
        "",
        "`oracle` carries out each task's reference, `null` does nothing. `scripted` is the floor: "
        "a fixed pipeline that goes by the keywords of the request, asks before it changes data, "
        "and reports what the tools say. `random`, `prior` and `classical` give the labels, events "
        "and stages that the suite `eegagentbench` asks for, and have nothing to say here. The "
        "other agents cheat, each in its own way, and must pass nothing.",
        "",
    ]
    if floor is not None:
        always = sorted(floor.seen_tasks - floor.failed_tasks)
        lines += [
            f"`scripted` passes {counted(len(always), 'task')} in every instance under every salt: "
            f"{', '.join(f'[{t}](tasks/{t}.md)' for t in always) or 'none'}.",
            "",
        ]
    for agent, tally in tallies.items():
        lines += [f"- not scored, {agent}: {text}" for text in tally.unscored]
    return "\n".join(lines).rstrip() + "\n"


def _with(data: Iterable[str]) -> str:
    found = sorted(data)
    return f", with the recordings of {', '.join(found)}" if found else ", without recordings"


def _share(part: int, whole: int) -> str:
    return f"{part}/{whole}" if whole else "–"


def _recorded(reports: Iterable[Mapping[str, Any]]) -> set[str]:
    public = {d.id for d in Registry.open(environ={}).datasets() if d.kind != "recipe"}
    used = {
        str(trial["dataset"]).partition("@")[0]
        for report in reports
        for trial in report["trials"]
        if trial["passed"] is not None
    }
    return used & public


def main() -> int:
    """Run everything and write the page; exit code 3 if a trial was not scored."""
    known = [spec.name_hint for spec in agents.builtin()]
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--salts", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--agents", nargs="+", choices=known, default=known)
    options = parser.parse_args()
    os.chdir(ROOT)  # so that a checkout runs its own code
    tallies = {agent: Tally() for agent in options.agents}
    reports = []
    with tempfile.TemporaryDirectory(prefix="baselines-") as scratch:
        suite = Registry.open(environ={}).suite(SUITE)
        for n, salt in enumerate(salts(Path(scratch), options.salts), 1):
            for agent, tally in tallies.items():
                report = run(agent, salt, Path(scratch), options)
                tally.add(report)
                reports.append(report)
                share = _share(tally.passed.total(), tally.scored.total())
                print(f"{salt.name} {agent}: {share}", flush=True)
            # After every salt, so that an interrupted measurement leaves what it has.
            PAGE.write_text(page(tallies, suite, n, _recorded(reports)), encoding="utf-8")
    print(f"{counted(len(reports), 'run')}: {PAGE.relative_to(ROOT)}")
    return 3 if any(tally.unscored for tally in tallies.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
