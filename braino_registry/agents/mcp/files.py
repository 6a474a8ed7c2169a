"""The folders of a session for clients that see no file system: small pieces, nothing outside."""

from __future__ import annotations

import base64
import binascii
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from braino_registry.agents.texts import is_sound

#: Bytes that one reading returns, and names that one listing returns.
PIECE = 32_768
MOST_NAMES = 500
#: Links are not followed, and a pipe is not waited for.
_CAREFUL = os.O_NOFOLLOW | os.O_NONBLOCK


class FileRefused(Exception):
    """A file that cannot be listed, read or written; the text says what to do instead."""


class Folders:
    """The data and the workspace of a session.

    Parameters
    ----------
    inputs, workspace : Path
        What may be read, and what may be written as well.
    most : int
        Bytes of the largest file that is written.
    """

    def __init__(self, inputs: Path, workspace: Path, most: int) -> None:
        self._roots = {"inputs": Path(inputs), "workspace": Path(workspace)}
        self._most = most

    def list(self, folder: str) -> dict[str, Any]:
        """Return names and sizes of the files in a folder and below it."""
        root = self._root(folder)
        found = []
        for place, below, names in os.walk(root):
            below.sort()
            for name in sorted(names):
                path = Path(place, name)
                if path.is_file() and not path.is_symlink():
                    found.append((path.relative_to(root).as_posix(), path.stat().st_size))
        readable = [each for each in found if is_sound(each[0])]
        shown = [{"path": name, "bytes": size} for name, size in readable[:MOST_NAMES]]
        return {"files": shown, "not_shown": len(found) - len(shown)}

    def read(self, folder: str, path: str, offset: int) -> dict[str, Any]:
        """Return a piece of a file: as text if it is UTF-8, else in base64."""
        file = self._file(folder, path)
        try:
            handle = os.open(file, os.O_RDONLY | _CAREFUL)
        except OSError as error:
            raise FileRefused(f"{path!r} cannot be read: {error.strerror}") from None
        with os.fdopen(handle, "rb") as stream:
            about = os.fstat(stream.fileno())
            if not stat.S_ISREG(about.st_mode):
                raise FileRefused(f"{path!r} is no file")
            stream.seek(min(max(offset, 0), about.st_size))
            piece = stream.read(PIECE)
        end = min(max(offset, 0), about.st_size) + len(piece)
        told = {"bytes": about.st_size, "next_offset": end if end < about.st_size else None}
        try:
            return {"text": piece.decode(), **told}
        except UnicodeDecodeError:
            return {"base64": base64.b64encode(piece).decode(), **told}

    def write(self, path: str, content: Mapping[str, Any]) -> dict[str, Any]:
        """Write a file of the workspace from ``text`` or ``base64``."""
        file = self._file("workspace", path)
        data = _bytes(content)
        if len(data) > self._most:
            raise FileRefused(f"a file has at most {self._most} bytes, this one {len(data)}")
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _CAREFUL, 0o644)
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
        except OSError as error:
            raise FileRefused(f"{path!r} cannot be written: {error.strerror}") from None
        return {"path": path, "bytes": len(data)}

    def _root(self, folder: str) -> Path:
        if folder not in self._roots:
            raise FileRefused("the folder is inputs or workspace")
        return self._roots[folder].resolve()

    def _file(self, folder: str, path: str) -> Path:
        """Return the place of a file, which lies below its folder whatever links say."""
        root = self._root(folder)
        if "\0" in path or not is_sound(path):
            raise FileRefused("a path holds letters that no path has")
        try:
            place = (root / path).parent.resolve() / Path(path).name
        except (OSError, ValueError, RuntimeError):
            place = Path()
        if not Path(path).name or Path(path).name == ".." or not place.is_relative_to(root):
            raise FileRefused(f"{path[:200]!r} does not lie in the folder {folder}")
        return place


def _bytes(content: Mapping[str, Any]) -> bytes:
    text, coded = content.get("text"), content.get("base64")
    if isinstance(text, str) and coded is None:
        return text.encode("utf-8", "replace")
    if isinstance(coded, str) and text is None:
        try:
            return base64.b64decode(coded, validate=True)
        except (binascii.Error, ValueError):
            raise FileRefused("what stands in base64 is none") from None
    raise FileRefused("pass either text or base64")
