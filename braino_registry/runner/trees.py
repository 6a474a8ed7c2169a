"""Removing temporary trees and stopping process trees, completely."""

from __future__ import annotations

import ctypes
import os
import secrets
import signal
import stat
import sys
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36
_ROUNDS = 100
_DYING_SECONDS = 5.0
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


def remove_tree(path: Path) -> bool:
    """Remove a folder with everything below it, read-only folders and links included.

    A link is removed, never followed. A folder that is not there is fine. However deep a tree is,
    neither the stack nor any path grows with it: inner folders are moved to the top before they
    are emptied, one after the other.

    Returns
    -------
    bool
        Whether nothing is left. What the system refuses to remove stays, and raises nothing.
    """
    with suppress(OSError):
        if stat.S_ISDIR(os.lstat(path).st_mode):
            os.chmod(path, stat.S_IRWXU)
            _clear(path)
            os.rmdir(path)
        else:
            os.unlink(path)
    return not os.path.lexists(path)


def _clear(path: Path) -> None:
    """Empty a folder as far as possible."""
    mark, count = secrets.token_hex(8), 0
    top = os.open(path, _FOLDER)
    try:
        waiting = _unlink_all(top)
        while waiting:
            name = waiting.pop()
            try:
                folder = os.open(name, _FOLDER, dir_fd=top)
            except OSError:
                continue
            try:
                for inner in _unlink_all(folder):
                    count += 1
                    with suppress(OSError):  # a mount point, say: it stays, and what holds it too
                        moved = f"{mark}-{count}"
                        os.rename(inner, moved, src_dir_fd=folder, dst_dir_fd=top)
                        waiting.append(moved)
            finally:
                os.close(folder)
            with suppress(OSError):
                os.rmdir(name, dir_fd=top)
    finally:
        os.close(top)


def _unlink_all(folder: int) -> list[str]:
    """Unlink whatever is no folder; return the names of the folders, which are now open to us."""
    folders = []
    with os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.name)
                    os.chmod(entry.name, stat.S_IRWXU, dir_fd=folder)
                else:
                    os.unlink(entry.name, dir_fd=folder)
    return folders


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


def descendants(pid: int) -> list[int]:
    """Return the process and all below it that are alive now, parents before their children."""
    if not _tells_children():
        return _by_parents(pid)
    found, waiting = [], [pid]
    while waiting:
        each = waiting.pop()
        with suppress(FileNotFoundError, ProcessLookupError):  # gone meanwhile
            below = _children(each)
            found.append(each)
            waiting += below
    return found


def _tells_children() -> bool:
    """Tell whether this kernel lists the children of a process."""
    return os.path.exists(f"/proc/self/task/{os.getpid()}/children")


def _children(pid: int) -> list[int]:
    """Return the children of a process, without a look at every process of the computer.

    Raises
    ------
    FileNotFoundError
        If there is no such process.
    """
    tasks = f"/proc/{pid}/task"
    found = []
    for task in os.listdir(tasks):
        # A thread may end before it is asked; its children are then another thread's.
        with (
            suppress(FileNotFoundError, ProcessLookupError),
            open(f"{tasks}/{task}/children", "rb") as children,
        ):
            found += [int(child) for child in children.read().split()]
    return found


def _by_parents(pid: int) -> list[int]:
    """Return the process and all below it, from the parent of every process there is."""
    import psutil

    try:
        root = psutil.Process(pid)
        return [pid, *(child.pid for child in root.children(recursive=True))]
    except psutil.NoSuchProcess:
        return []


def strangers(keep: Collection[int] = ()) -> list[int]:
    """Return the children that are in a session of their own, except what is in ``keep``."""
    return [pid for pid in children() if pid not in keep and _foreign(pid)]


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
    given_up: set[int] = set()
    for _ in range(_ROUNDS):
        found = [pid for pid in strangers(keep) if pid not in given_up]
        if not found:
            break
        for pid in found:
            killed |= _kill_branch(pid)
            if not _reap(pid):
                given_up.add(pid)
    return len(killed)


def _foreign(pid: int) -> bool:
    try:
        return os.getsid(pid) != os.getsid(0)
    except ProcessLookupError:
        return False


def _kill_branch(pid: int) -> set[int]:
    import psutil

    killed = set()
    for each in descendants(pid):
        # One that runs as another user, as setuid programs do, cannot be killed by us.
        with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            process = psutil.Process(each)
            if process.status() != psutil.STATUS_ZOMBIE:
                process.send_signal(signal.SIGKILL)
                killed.add(process.pid)
    return killed


def _reap(pid: int) -> bool:
    """Wait for a killed child, so that it does not linger; tell whether it is gone."""
    import psutil

    try:
        psutil.Process(pid).wait(_DYING_SECONDS)
    except psutil.TimeoutExpired:
        return False
    except psutil.NoSuchProcess:
        return True
    return True
