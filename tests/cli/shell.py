"""The command line for tests: in this process, or apart where a process of its own is at stake."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

ENTRIES = Path(__file__).parents[1] / "runner" / "entries"
ZOO = ENTRIES.parent


@dataclass(frozen=True)
class Done:
    """What a command left."""

    returncode: int
    stdout: str
    stderr: str


class Inside(Protocol):
    """The command line in this process, in a folder and with changes of the environment."""

    def __call__(self, *arguments: str, cwd: Path | None = None, **environ: str) -> Done: ...


def apart(*arguments: str, cwd: Path = ZOO, **environ: str) -> Done:
    """Run the command line in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "braino_registry.cli", *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, **environ},
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def assert_error(done: Done, code: int, *words: str) -> None:
    """Check an error: its exit code, three lines at most, and words that have to be in it."""
    assert done.returncode == code, done.stderr + done.stdout
    assert len(done.stderr.strip().splitlines()) <= 3, done.stderr
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr
