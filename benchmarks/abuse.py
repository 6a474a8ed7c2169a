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

import contextlib
import hashlib
import json
import os
import re
import resource
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import psutil

from benchmarks import mischief
from benchmarks.abuse_table import Row, arguments, tell

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
#: Deeds that would hurt this computer where nothing holds them.
HELD_ONLY = frozenset({"memory_in_files", "memory_in_segments", "memory_in_names"})


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
    return tried(
        Trial(deed, isolation, user, folder / f"run-{deed}-{isolation}", around),
        agent=f"mischief:make.{deed}", isolation=isolation, model=json.dumps(around[2]),
    )  # fmt: skip


@dataclass(frozen=True)
class Trial:
    """One deed, where it is done, and by whom.

    Parameters
    ----------
    deed, isolation, user : str
        As in `Row`.
    keep : Path
        The folder for what the trial leaves.
    around : tuple
        What `surroundings` gives.
    """

    deed: str
    isolation: str
    user: str
    keep: Path
    around: Any


def tried(trial: Trial, **options: Any) -> Row:
    """Run a trial, with these options of `try_task`; return what came of it, and keep nothing."""
    from braino_registry.runner import try_task

    registry, store, places = trial.around
    before, memory, began = state(Path(places["cache"])), highest_memory(), time.monotonic()
    record = try_task(
        "probe-rate", tier="abuse", registry=registry, store=store, keep=trial.keep, **options
    )
    row = Row(
        deed=trial.deed,
        isolation=trial.isolation,
        user=trial.user,
        outcome=record["outcome"],
        reason=" ".join((record["reason"] or "").split())[:200],
        said=answer_of(trial.keep),
        seconds=round(time.monotonic() - began, 2),
        kept_bytes=sum(path.lstat().st_blocks * 512 for path in trial.keep.rglob("*")),
        grown_bytes=highest_memory() - memory,
        kept="; ".join(traces(trial.keep.parent, trial.keep, places, before)),
        left=len(leftovers()),
    )
    shutil.rmtree(trial.keep)
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


def main() -> int:
    """Try everything; exit 1 if anything is wrong."""
    parser = arguments(__doc__)
    parser.add_argument("--isolation", choices=(*LEVELS, "both"), default="both")
    options = parser.parse_args()
    levels = list(LEVELS) if options.isolation == "both" else [options.isolation]
    again = ["--isolation", options.isolation]
    return tell(options, "benchmarks.abuse", partial(try_all, levels), again)


if __name__ == "__main__":
    sys.exit(main())
