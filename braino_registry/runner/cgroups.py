"""Control groups (version 2): limits that the kernel holds for a whole process tree.

Where this process may make groups, each agent gets one. Elsewhere limits per process and a watcher
have to do; which of the two it was stands in the report. A process enters its group before the
agent's program begins, so that nothing it starts can stay outside.

The files are those of the kernel's documentation, ``admin-guide/cgroup-v2``.
"""

from __future__ import annotations

import os
import secrets
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from os import rmdir
from pathlib import Path

from braino_registry.runner.tiers import Tier

ROOT = Path("/sys/fs/cgroup")
OWN = Path("/proc/self/cgroup")
_NEEDED = {"memory", "pids"}
_EMPTY_SECONDS = 2.0
#: Enters a group as this very process, and becomes the program.
_ENTER = 'echo 0 > "$0" && exec "$@"'


@dataclass(frozen=True)
class Group:
    """The group of one agent.

    Parameters
    ----------
    path : Path
        Its folder.
    memory_bytes : int | None
        What it may use.
    """

    path: Path
    memory_bytes: int | None

    def entering(self, command: list[str]) -> list[str]:
        """Return a command that runs another one in this group, with all that it starts."""
        return ["/bin/sh", "-c", _ENTER, str(self.path / "cgroup.procs"), *command]

    def peak_bytes(self) -> int | None:
        """Return the highest memory of the group; None where the kernel does not tell."""
        text = _read(self.path / "memory.peak").strip()
        return int(text) if text.isdigit() else None

    def passed(self) -> str | None:
        """Return which limit the kernel had to hold, if any."""
        if _counted(self.path / "memory.events", "oom_kill"):
            return f"used more memory than the tier's {self.memory_bytes} bytes"
        return None

    def close(self) -> None:
        """Kill whatever is in the group, and remove it."""
        with suppress(OSError):
            (self.path / "cgroup.kill").write_text("1")
        until = time.monotonic() + _EMPTY_SECONDS
        while True:
            try:
                rmdir(self.path)
            except FileNotFoundError:
                return
            except OSError:  # a killed process takes a moment to go
                if time.monotonic() > until:
                    return
                time.sleep(0.005)
            else:
                return


def make(tier: Tier) -> Group | None:
    """Return a new group with a tier's limits; None where this process may make none."""
    home = place()
    return None if home is None else _make(home, tier)


@cache
def place() -> Path | None:
    """Return the group below which this process may make groups, found out by making one."""
    for home in _candidates():
        if _NEEDED <= set(_read(home / "cgroup.subtree_control").split()) and _works(home):
            return home
    return None


def _candidates() -> list[Path]:
    """Return the group beside and below whose processes a new one may be made."""
    line = next((line for line in _read(OWN).splitlines() if line.startswith("0::")), None)
    if line is None or not (ROOT / "cgroup.controllers").is_file():
        return []
    own = ROOT / line.removeprefix("0::").strip().lstrip("/")
    # A group with processes in it hands no limits on, so a new one stands beside it.
    return [own] if own == ROOT else [own.parent, own]


def _works(home: Path) -> bool:
    """Tell whether a group can be made here, limited, and entered."""
    if not os.access(home, os.W_OK) or not os.access(home / "cgroup.procs", os.W_OK):
        return False
    import subprocess

    trial = Tier("probe", "", 1 << 28, False, 16, 0, 0, 0)
    group = _make(home, trial)
    if group is None:
        return False
    try:
        done = subprocess.run(
            group.entering(["/bin/sh", "-c", ":"]), capture_output=True, timeout=10
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    finally:
        group.close()
    return done.returncode == 0


def _make(home: Path, tier: Tier) -> Group | None:
    path = home / f"braino-{secrets.token_hex(8)}"
    try:
        path.mkdir()
    except OSError:
        return None
    group = Group(path, tier.memory_bytes)
    try:
        (path / "pids.max").write_text(str(tier.processes))
        if tier.memory_bytes is not None:
            (path / "memory.max").write_text(str(tier.memory_bytes))
            (path / "memory.oom.group").write_text("1")
    except OSError:
        group.close()
        return None
    with suppress(OSError):  # a kernel without swap accounting has no such file
        (path / "memory.swap.max").write_text("0")
    return group


def _counted(path: Path, name: str) -> int:
    for line in _read(path).splitlines():
        word, _, count = line.partition(" ")
        if word == name and count.strip().isdigit():
            return int(count)
    return 0


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
