"""What deeds have in common: their list, and how each says what came of it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from braino.agent import AgentAnswer, Session

Places = dict[str, str]
Deed = Callable[[Session, Places], "AgentAnswer | str"]
DEEDS: dict[str, Deed] = {}


def deed(function: Deed) -> Deed:
    """Make a function one of the deeds."""
    DEEDS[function.__name__] = function
    return function


def tried(action: Callable[[], object]) -> str:
    """Return what came of an attempt."""
    try:
        found = action()
    except (OSError, MemoryError, ImportError, subprocess.SubprocessError) as error:
        return f"refused: {getattr(error, 'strerror', None) or type(error).__name__}"
    return f"DONE: {str(found)[:60]}"


def read(path: str) -> str:
    """Try to read a file or to list a folder."""
    return tried(lambda: f"{len(os.listdir(path))} names" if os.path.isdir(path)
                 else f"{len(Path(path).read_bytes())} bytes")  # fmt: skip


def run(command: str) -> str:
    """Run a command; say whether it worked."""
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    said = (done.stderr.strip().splitlines() or [""])[-1][:60]
    return "DONE" if done.returncode == 0 else f"refused: {said or done.returncode}"
