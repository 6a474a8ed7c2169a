"""What becomes of an agent that abuses its place, and what the host keeps of it: a table.

``python -m benchmarks.abuse [--isolation sandbox|process|both] [--only NAME] [--json]``

Every deed of ``mischief`` is tried in a sandbox and in a process, as the user who starts this
and, where that is root, as an ordinary user too, who is made for it and removed afterwards. Printed
are for each: what the trial ended with, what the agent says came of it, what the host kept (files
and how large they are, its memory, whether the cached data are as before), and how many processes
were left. Exit code 1 where the host kept something, a process was left, a trial was not scored,
or a sandbox let something happen that it is to prevent.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import re
import resource
import secrets
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psutil

from benchmarks import mischief

HERE = Path(__file__).resolve().parent
ENTRIES = HERE.parent / "tests" / "runner" / "entries"

LEVELS = ("sandbox", "process")
#: A small computer, so that no deed takes much of a real one.
TIER = {
    "title": "A small one, for abuse", "memory_bytes": 1 << 30, "gpu": False, "processes": 64,
    "file_bytes": 64 << 20, "disk_bytes": 128 << 20, "files": 1000,
}  # fmt: skip
SECONDS = 6
SECRET = "a secret that only the environment holds"
#: Deeds that only a sandbox prevents: a process of the same user may do what the user may.
HIDDEN = frozenset(
    {"reaches_loopback", "reaches_outside", "reads_the_cache", "reads_entries", "reads_the_truth",
     "reads_other_trials", "reads_its_workers_memory", "reads_environments_of_others",
     "kills_its_worker", "reads_secrets_of_the_environment", "writes_to_the_input",
     "writes_to_the_cache", "remount", "remount_in_a_namespace", "memory_at_once", "fork_bomb",
     "one_large_file", "links_for_artifacts", "memory_in_files", "reads_every_environment",
     "traces_its_worker", "memory_in_segments", "memory_in_names"}
)  # fmt: skip
#: Deeds that would hurt this computer where nothing holds them.
HELD_ONLY = frozenset({"memory_in_files", "memory_in_segments", "memory_in_names"})
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
            return f"{self.left} processes left"
        if self.kept and not (self.isolation == "process" and self.deed == "writes_to_the_cache"):
            return self.kept
        if self.kept_bytes > KEPT_BYTES or self.grown_bytes > GROWN_BYTES:
            return "the host kept too much"
        if self.isolation == "sandbox" and self.deed in HIDDEN and "DONE" in self.said:
            return "the sandbox let it happen"
        return ""


@contextlib.contextmanager
def surroundings(folder: Path) -> Iterator[tuple[Any, Any, dict[str, str]]]:
    """Give a registry with short limits, a cache with data, and what there is to find."""
    from braino_registry.datasets import Store
    from braino_registry.registry import Registry
    from braino_registry.runner import tiers, try_task

    tiers._table()["abuse"] = dict(TIER)
    shutil.copytree(ENTRIES, folder / "entries")
    suite = folder / "entries" / "tasks" / "probe" / "suite.json"
    text = re.sub(r'"seconds": \d+', f'"seconds": {SECONDS}', suite.read_text(encoding="utf-8"))
    suite.write_text(text.replace('"calc@1.0.0"', '"calc@1.0.0", "export.data@1.0.0"'))
    registry, store = Registry.open([folder / "entries"]), Store(folder / "cache")
    other = folder / "other"
    try_task("probe-rate", registry=registry, store=store, keep=other)
    truths = [path for path in (folder / "cache").rglob("*truth*") if path.is_file()]
    secret = folder / "secret.txt"
    secret.write_text("a secret of the host\n")
    os.environ["ABUSE_SECRET"] = SECRET
    with socket.create_server(("127.0.0.1", 0)) as server, witness() as process:
        yield registry, store, {
            "port": str(server.getsockname()[1]),
            "cache": str(folder / "cache"),
            "entries": str(folder / "entries" / "tasks" / "probe" / "rate.json"),
            "truth": str(truths[0]),
            "other_trial": str(next(other.rglob("events.jsonl"))),
            "secret_file": str(secret),
            "secret": "ABUSE_SECRET",
            "secret_value": SECRET,
            "pid": str(os.getpid()),
            "witness": str(process.pid),
        }  # fmt: skip


@contextlib.contextmanager
def witness() -> Iterator[subprocess.Popen[bytes]]:
    """Give a process of this user that is none of the agent's business."""
    process = subprocess.Popen(["sleep", "86396"])
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def commit(deed: str, isolation: str, user: str, folder: Path, around: Any) -> Row:
    """Let an agent do one deed; return what came of it."""
    from braino_registry.runner import try_task

    registry, store, places = around
    before, memory, began = state(Path(places["cache"])), highest_memory(), time.monotonic()
    keep = folder / f"run-{deed}-{isolation}"
    record = try_task(
        "probe-rate", agent=f"mischief:make.{deed}", isolation=isolation, model=json.dumps(places),
        tier="abuse", registry=registry, store=store, keep=keep,
    )  # fmt: skip
    row = Row(
        deed=deed,
        isolation=isolation,
        user=user,
        outcome=record["outcome"],
        reason=" ".join((record["reason"] or "").split())[:200],
        said=answer_of(keep),
        seconds=round(time.monotonic() - began, 2),
        kept_bytes=sum(path.lstat().st_blocks * 512 for path in keep.rglob("*")),
        grown_bytes=highest_memory() - memory,
        kept="; ".join(traces(folder, keep, places, before)),
        left=len(leftovers()),
    )
    shutil.rmtree(keep)
    return row


def answer_of(run: Path) -> str:
    """Return the text of the answer in a trial's transcript."""
    for path in run.rglob("events.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines():
            event = json.loads(line)
            if event["type"] == "answer":
                return str(event["text"])
    return ""


def traces(folder: Path, run: Path, places: dict[str, str], before: str) -> Iterator[str]:
    """Yield what the host kept that it should not."""
    if state(Path(places["cache"])) != before:
        yield "the cached data were changed"
        shutil.rmtree(Path(places["cache"]) / "spoilt", ignore_errors=True)
        with contextlib.suppress(OSError):
            (Path(places["cache"]) / "spoilt").unlink()
    if not psutil.pid_exists(int(places["witness"])):
        yield "a process of the host was killed"
    for path in folder.rglob("*"):
        mode = path.lstat().st_mode
        if stat.S_ISREG(mode) and mode & (stat.S_ISUID | stat.S_ISGID):
            yield f"a setuid file, {path.name}"
    for path in run.rglob("artifacts/*"):
        if not path.is_file() or path.is_symlink() or b"secret" in path.read_bytes()[:100]:
            yield f"an artifact that should not be one, {path.name}"
    yield from (f"the trial's folder, {path}" for path in Path(folder).glob("braino-*"))


def state(root: Path) -> str:
    """Return a digest of names and contents of a folder."""
    found = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        found.update(f"{path.relative_to(root)} {path.lstat().st_mode}".encode())
        if path.is_file():
            found.update(path.read_bytes())
    return found.hexdigest()


def highest_memory() -> int:
    """Return the highest resident memory of this process so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def leftovers() -> list[int]:
    """Return processes of agents that are alive, wherever they hang."""
    found = []
    for process in psutil.process_iter(["cmdline", "status"]):
        line = " ".join(process.info["cmdline"] or ())
        ours = any(parent.pid == os.getpid() for parent in _parents(process))
        sleeper = line == " ".join(mischief.SLEEPER)
        agent = "from braino.agent import main" in line and ours
        if (sleeper or agent) and process.info["status"] != psutil.STATUS_ZOMBIE:
            found.append(process.pid)
            with contextlib.suppress(psutil.Error):
                process.kill()
    return found


def _parents(process: psutil.Process) -> list[psutil.Process]:
    with contextlib.suppress(psutil.Error):
        return list(process.parents())
    return []


def try_all(levels: list[str], deeds: list[str], user: str) -> list[Row]:
    """Let every deed be done on every level, by this user."""
    from braino_registry.errors import HostError
    from braino_registry.runner import levels as known

    os.chdir(HERE)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="abuse-") as name:
        folder = Path(name)
        os.environ["TMPDIR"] = tempfile.tempdir = name
        with surroundings(folder) as around:
            for level in levels:
                try:
                    known.get(level)
                except HostError as error:
                    print(f"{level} as {user} is skipped: {error.problem}", file=sys.stderr)
                    continue
                wanted = [each for each in deeds if level == "sandbox" or each not in HELD_ONLY]
                rows += [commit(deed, level, user, folder, around) for deed in wanted]
    return rows


def as_ordinary_user(arguments: list[str], module: str = "benchmarks.abuse") -> list[Row] | str:
    """Run a program of this kind as an ordinary user; return its rows, or why that cannot be."""
    program = python_of_everybody()
    if program is None:
        return "no Python that other users may run has the packages that are needed"
    with ordinary_user() as (uid, home):
        paths = [str(HERE.parent), *(path for path in sys.path if path.endswith("-packages"))]
        done = subprocess.run(
            [program, "-m", module, "--inner", *arguments],
            cwd=HERE.parent, user=uid, group=uid, extra_groups=[], capture_output=True, text=True,
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
    print(f"{len(rows)} abuses, {sum(row.left for row in rows)} processes left, {len(wrong)} wrong")


def main() -> int:
    """Try everything; exit 1 if anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--isolation", choices=(*LEVELS, "both"), default="both")
    parser.add_argument("--only", action="append", choices=sorted(mischief.DEEDS))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--inner", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    levels = list(LEVELS) if options.isolation == "both" else [options.isolation]
    deeds = options.only or list(mischief.DEEDS)
    root = os.geteuid() == 0
    rows = try_all(levels, deeds, "root" if root else "ordinary")
    if options.inner:
        print(json.dumps([asdict(row) for row in rows]))
        return 0
    if root:
        only = (f"--only={name}" for name in options.only or ())
        found = as_ordinary_user(["--isolation", options.isolation, *only])
        if isinstance(found, str):
            print(f"an ordinary user is skipped: {found}", file=sys.stderr)
        else:
            rows += found
    if options.json:
        print(json.dumps([{**asdict(row), "problem": row.problem} for row in rows], indent=1))
    else:
        show(rows)
    return int(any(row.problem for row in rows))


if __name__ == "__main__":
    sys.exit(main())
