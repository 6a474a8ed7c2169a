"""The copy of the data that tools read and decisions change, of which an agent is not told.

The agent has a copy of its own. What a decision changed is repeated there, and whatever else
becomes of that copy changes no result: no tool ever opens a file that was put there.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from braino_registry.registry import documents

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
_State = frozenset[tuple[str, int, int, int, int, int]]


class HeldData:
    """The tools' copy, and what the agent is shown of it.

    Parameters
    ----------
    root : Path
        The tools' copy.
    shown : Path | None
        The agent's copy; the tools' own where the agent sees that one read-only; None where it may
        have the very same one and write to it.
    told : Path | None
        Where the agent finds its copy, if it sees other paths than this process does.
    """

    def __init__(self, root: Path, shown: Path | None = None, told: Path | None = None) -> None:
        self.root = root
        self._shown = shown
        self._told = str(told or shown or root)
        self._state = _state(root)

    def untouched(self) -> bool:
        """Tell whether nobody but decisions has changed the tools' copy.

        Where an agent runs as the same user as this process, it can find the copy and write to
        it, but not without a trace: a file's change time cannot be set.
        """
        return self._shown is None or self._state == _state(self.root)

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Let a decision change the copy; a change that was there before stays noticed."""
        before = self.untouched()
        try:
            yield
        finally:
            if before:
                self._state = _state(self.root)

    def publish(self, names: Iterable[str]) -> list[str]:
        """Repeat in the agent's copy what a decision has written; return what could not be.

        Parameters
        ----------
        names : iterable of str
            Files, relative to the root.
        """
        problems: list[str] = []
        if self._shown is None or self._shown == self.root:
            return problems
        for name in names:
            try:
                write_beneath(
                    self._shown,
                    name,
                    documents.read_bytes(self.root / name, documents.LARGEST_RECORD),
                )
            except OSError as error:
                problems.append(f"{name}: {error.strerror}")
        return problems

    def veiled(self, text: str) -> str:
        """Return a text for the agent: a path in the tools' copy is told as one in its own."""
        return text.replace(str(self.root), self._told)


def write_beneath(root: Path, name: str, content: bytes) -> None:
    """Write a file whole or not at all, in a tree in which nothing can be trusted.

    No link is followed, neither at the end of the path nor on the way, so that nothing is
    written elsewhere; what stands in the file's place is replaced and never opened.

    Parameters
    ----------
    root : Path
        The tree.
    name : str
        The file, relative to it; missing folders are made, read-only ones opened for a while.
    content : bytes
        What it is to hold.

    Raises
    ------
    OSError
        If a folder on the way is a link or no folder, or the disk takes no more.
    """
    *folders, last = PurePosixPath(name).parts
    handle = os.open(root, _FOLDER)
    try:
        for part in folders:
            with _writable(handle), suppress(FileExistsError):
                os.mkdir(part, dir_fd=handle)
            inner = os.open(part, _FOLDER, dir_fd=handle)
            os.close(handle)
            handle = inner
        with _writable(handle):
            _replace(handle, last, content)
    finally:
        os.close(handle)


def _replace(folder: int, name: str, content: bytes) -> None:
    draft = f".{secrets.token_hex(8)}.part"
    try:
        with os.fdopen(os.open(draft, _NEW, 0o644, dir_fd=folder), "wb") as stream:
            stream.write(content)
        os.replace(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        with suppress(OSError):
            os.unlink(draft, dir_fd=folder)
        raise


@contextmanager
def _writable(folder: int) -> Iterator[None]:
    mode = stat.S_IMODE(os.fstat(folder).st_mode)
    os.fchmod(folder, mode | stat.S_IRWXU)
    try:
        yield
    finally:
        os.fchmod(folder, mode)


def _state(root: Path) -> _State:
    """Return what shows that anything in a tree was written, added, removed or replaced."""
    found = set()
    for folder, _, names in os.walk(root):
        for path in (folder, *(os.path.join(folder, name) for name in names)):
            try:
                info = os.lstat(path)
            except OSError:
                continue  # gone between listing and looking, which shows in its folder
            what = (info.st_mode, info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns)
            found.add((path, *what))
    return frozenset(found)
