"""Removing temporary trees and stopping process trees, completely."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import stat
import sys
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36
_ROUNDS = 100


def remove_tree(path: Path) -> bool:
    """Remove a folder with everything below it, read-only folders and links included.

    A link is removed, never followed. A folder that is not there is fine.

    Returns
    -------
    bool
        Whether nothing is left.
    """
    if path.is_symlink() or path.is_file():
        path.unlink()
        return True
    if not path.exists():
        return True
    with suppress(OSError):
        path.chmod(stat.S_IRWXU)
    for folder, names, _ in os.walk(path, topdown=True):
        for name in names:
            inner = os.path.join(folder, name)
            if not os.path.islink(inner):
                with suppress(OSError):
                    os.chmod(inner, stat.S_IRWXU)
    shutil.rmtree(path, ignore_errors=True)
    return not path.exists()


def adopt_orphans() -> bool:
    """Make the kernel hand orphaned descendants to this process instead of to init.

    A daemonised grandchild then stays a descendant and can be found and stopped.

    Returns
    -------
    bool
        False where the system has no such thing.
    """
    if not sys.platform.startswith("linux"):
        return False
    library = ctypes.CDLL(None, use_errno=True)
    return int(library.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)) == 0


def children() -> list[int]:
    """Return the ids of this process's children, dead ones that nobody has waited for included."""
    task = Path("/proc/self/task")
    try:
        return [
            int(pid)
            for thread in task.iterdir()
            for pid in (thread / "children").read_text().split()
        ]
    except OSError:
        import psutil

        return [child.pid for child in psutil.Process().children()]


def stop_descendants(keep: Collection[int] = ()) -> int:
    """Kill every descendant in a session of its own, except what is in ``keep`` or hangs below it.

    Agents and workers are started as leaders of new sessions, and what they start cannot come
    back into this one; so a process that somebody else has started here is never touched.
    A tree that forks while it is being killed needs several rounds; a killed process forks no
    more, and with `adopt_orphans` no descendant gets away.

    Parameters
    ----------
    keep : collection of int
        Children that are not to be touched.

    Returns
    -------
    int
        How many processes were alive and were killed.
    """
    killed: set[int] = set()
    for _ in range(_ROUNDS):
        strangers = [pid for pid in children() if pid not in keep and _foreign(pid)]
        if not strangers:
            break
        for pid in strangers:
            killed |= _kill_branch(pid)
            _reap(pid)
    return len(killed)


def _foreign(pid: int) -> bool:
    try:
        return os.getsid(pid) != os.getsid(0)
    except ProcessLookupError:
        return False


def _kill_branch(pid: int) -> set[int]:
    import psutil

    try:
        root = psutil.Process(pid)
        branch = [root, *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        return set()
    killed = set()
    for process in branch:
        try:
            if process.status() != psutil.STATUS_ZOMBIE:
                process.send_signal(signal.SIGKILL)
                killed.add(process.pid)
        except psutil.NoSuchProcess:
            continue
    return killed


def _reap(pid: int) -> None:
    """Wait for a killed child, so that it does not linger as a zombie."""
    with suppress(ChildProcessError):
        os.waitpid(pid, 0)
