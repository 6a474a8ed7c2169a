"""The table of abuses: its rows, as whom they are tried, and how they are told."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import secrets
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks import mischief
from benchmarks.counting import counted

ROOT = Path(__file__).resolve().parents[1]
#: Deeds that only a sandbox prevents: a process of the same user may do what the user may.
HIDDEN = frozenset(
    {"reaches_loopback", "reaches_outside", "reads_the_cache", "reads_entries", "reads_the_truth",
     "reads_other_trials", "reads_its_workers_memory", "reads_environments_of_others",
     "kills_its_worker", "reads_secrets_of_the_environment", "writes_to_the_input",
     "writes_to_the_cache", "remount", "remount_in_a_namespace", "memory_at_once", "fork_bomb",
     "one_large_file", "links_for_artifacts", "memory_in_files", "reads_every_environment",
     "traces_its_worker", "memory_in_segments", "memory_in_names"}
)  # fmt: skip
#: Most bytes of a trial that may be kept, and most that this process may grow by.
KEPT_BYTES, GROWN_BYTES = 1 << 20, 64 << 20
SCORED = ("passed", "failed", "limit", "agent_error")


@dataclass(frozen=True)
class Row:
    """What came of one deed.

    Parameters
    ----------
    deed, isolation, user : str
        What was tried, where, by whom.
    outcome, reason : str
        Of its trial.
    said : str
        What the agent's answer tells, if it gave one.
    seconds : float
        How long the trial took.
    kept_bytes : int
        Size of what stands in the folder of the run.
    grown_bytes : int
        By how much the highest memory of the supervising process grew.
    kept : str
        What else the host kept that it should not.
    left : int
        Processes that were left.
    """

    deed: str
    isolation: str
    user: str
    outcome: str
    reason: str
    said: str
    seconds: float
    kept_bytes: int
    grown_bytes: int
    kept: str
    left: int

    @property
    def problem(self) -> str:
        """What is wrong with it; empty if nothing is."""
        if self.outcome not in SCORED:
            return "not scored"
        if self.reason.startswith(("factory", "import", "solve")):
            return "it was not tried"
        if self.left:
            return f"{counted(self.left, 'process', 'processes')} left"
        if self.kept and not (self.isolation == "process" and self.deed == "writes_to_the_cache"):
            return self.kept
        if self.kept_bytes > KEPT_BYTES or self.grown_bytes > GROWN_BYTES:
            return "the host kept too much"
        if self.isolation == "sandbox" and self.deed in HIDDEN and "DONE" in self.said:
            return "the sandbox let it happen"
        return ""


def arguments(about: str | None) -> argparse.ArgumentParser:
    """Return what every program of this kind can be told."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--only", action="append", choices=sorted(mischief.DEEDS))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--inner", action="store_true", help=argparse.SUPPRESS)
    return parser


def tell(
    options: argparse.Namespace,
    module: str,
    attempt: Callable[[list[str], str], list[Row]],
    again: Sequence[str] = (),
) -> int:
    """Try as whoever started this, and as an ordinary user where that is root; print what came.

    Parameters
    ----------
    options : Namespace
        Of `arguments`.
    module : str
        The program, which is started again for the ordinary user.
    attempt : callable
        Takes deeds and the name of the user.
    again : sequence of str
        Further arguments for the ordinary user.

    Returns
    -------
    int
        The exit code: 1 if anything is wrong.
    """
    root = os.geteuid() == 0
    rows = attempt(options.only or list(mischief.DEEDS), "root" if root else "ordinary")
    if options.inner:
        print(json.dumps([asdict(row) for row in rows]))
        return 0
    if root:
        only = (f"--only={name}" for name in options.only or ())
        found = as_ordinary_user([*again, *only], module)
        if isinstance(found, str):
            print(f"an ordinary user is skipped: {found}", file=sys.stderr)
        else:
            rows += found
    if options.json:
        print(json.dumps([{**asdict(row), "problem": row.problem} for row in rows], indent=1))
    else:
        show(rows)
    return int(any(row.problem for row in rows))


def as_ordinary_user(arguments: list[str], module: str) -> list[Row] | str:
    """Run a program of this kind as an ordinary user; return its rows, or why that cannot be."""
    program = python_of_everybody()
    if program is None:
        return "no Python that other users may run has the packages that are needed"
    with ordinary_user() as (uid, home):
        paths = [str(ROOT), *(path for path in sys.path if path.endswith("-packages"))]
        done = subprocess.run(
            [program, "-m", module, "--inner", *arguments],
            cwd=ROOT, user=uid, group=uid, extra_groups=[], capture_output=True, text=True,
            env={"PATH": "/usr/bin:/bin", "HOME": str(home), "TMPDIR": str(home),
                 "PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1",
                 "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        )  # fmt: skip
    if done.returncode:
        return done.stderr.strip()[-400:]
    print(done.stderr, end="", file=sys.stderr)
    return [Row(**each) for each in json.loads(done.stdout)]


def python_of_everybody() -> str | None:
    """Return an interpreter of this version that any user may run."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for program in (sys.executable, f"/usr/bin/{version}", f"/usr/local/bin/{version}"):
        real = Path(program).resolve()
        if real.is_file() and all(above.stat().st_mode & stat.S_IXOTH for above in real.parents):
            return program
    return None


@contextlib.contextmanager
def ordinary_user() -> Iterator[tuple[int, Path]]:
    """Make a user who may do nothing in particular, with a home; both go afterwards."""
    name = f"abuse{secrets.token_hex(4)}"
    with tempfile.TemporaryDirectory(prefix="abuse-home-", dir="/tmp") as folder:
        command = ["useradd", "--no-create-home", "--home-dir", folder, "--shell", "/bin/sh"]
        subprocess.run([*command, name], check=True, capture_output=True)
        try:
            import pwd

            uid = pwd.getpwnam(name).pw_uid
            os.chown(folder, uid, uid)
            yield uid, Path(folder)
        finally:
            subprocess.run(["userdel", name], check=False, capture_output=True)


def show(rows: list[Row]) -> None:
    """Print the table."""
    from rich.console import Console
    from rich.table import Table

    table = Table("deed", "isolation", "user", "outcome", "what came of it", "s", "kept", "left")
    for row in rows:
        came = row.said or row.reason
        kept = row.kept or f"{row.kept_bytes / 1000:.0f} kB"
        grown = f", memory +{row.grown_bytes >> 20} MiB" if row.grown_bytes >> 20 else ""
        table.add_row(
            row.deed.replace("_", " "), row.isolation, row.user, row.outcome, came[:90],
            f"{row.seconds:.1f}", kept + grown, str(row.left),
        )  # fmt: skip
    Console(width=None if sys.stdout.isatty() else 190).print(table)
    wrong = [row for row in rows if row.problem]
    for row in wrong:
        print(f"WRONG: {row.deed} ({row.isolation}, {row.user}): {row.problem}")
    left = counted(sum(row.left for row in rows), "process", "processes")
    print(f"{counted(len(rows), 'abuse')}, {left} left, {len(wrong)} wrong")
