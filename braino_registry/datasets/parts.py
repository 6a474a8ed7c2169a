"""Downloads that were broken off, kept so that a later one goes on where they ended.

A part is bound to the bytes it is the beginning of: to the address and the strong ETag that the
server gave, or to an address that names a version. It lies in the work folder of the process that
writes it. Parts of dead processes are moved to ``<root>/parts``, where any process can claim one
by a rename, so that no two ever write to the same part.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from braino_registry.datasets.content import Hasher

OLDEST_SECONDS = 14 * 24 * 3600
"""Parts that nobody has gone on with for so long are removed."""

_DATA, _NOTE = ".part", ".part.json"


@dataclass
class Part:
    """The beginning of a file.

    Parameters
    ----------
    url : str
        Where it comes from.
    etag : str | None
        The strong ETag under which it was served; None without one.
    data : Path
        The bytes so far.
    begun : bool
        Whether anything of it may lie on the disk; thousands of small files never ask it in vain.
    passed : Hasher | None
        The hashes of all its bytes if they came in one go, so that they need not be read again.
    """

    url: str
    etag: str | None
    data: Path
    begun: bool = False
    passed: Hasher | None = None

    @property
    def size(self) -> int:
        """Bytes so far."""
        if not self.begun:
            return 0
        try:
            return os.stat(self.data).st_size
        except FileNotFoundError:
            return 0

    @property
    def resumable(self) -> bool:
        """Whether a server can be asked for the rest of the very same bytes."""
        return self.size > 0 and (self.etag is not None or names_version(self.url))

    def restart(self) -> None:
        """Forget the bytes so far."""
        self.etag = self.passed = None
        if self.begun:
            self.data.unlink(missing_ok=True)
            _note_of(self.data).unlink(missing_ok=True)
            self.begun = False

    def begin(self, etag: str | None) -> None:
        """Forget the bytes so far, and say what the next ones are the beginning of."""
        self.restart()
        self.etag = etag
        self.begun = True

    def note(self) -> None:
        """Write down what the bytes are the beginning of, for whoever goes on with them."""
        document = {"url": self.url, "etag": self.etag}
        _note_of(self.data).write_text(json.dumps(document), encoding="utf-8")


def names_version(url: str) -> bool:
    """Tell whether an address stands for one version of an object for ever."""
    return bool({"versionId", "version"} & parse_qs(urlsplit(url).query).keys())


def claim(root: Path, work: Path, url: str, path: str) -> Part:
    """Return the part to go on with: one that was left behind, or a new one.

    Two files may have one address; each has a part of its own.

    Parameters
    ----------
    root : Path
        The cache folder.
    work : Path
        This process's work folder; the part lies there.
    url : str
        The address.
    path : str
        Logical path of the file.
    """
    key = _key(url, path)
    target = work / f"{key}{_DATA}"
    if os.path.exists(target):
        return _read(target, url)
    if not os.path.isdir(f"{root}/parts"):
        return Part(url, None, target)
    # The note is claimed first: whoever renames it away has the part.
    for note in sorted((root / "parts").glob(f"{key}-*{_NOTE}")):
        data = note.with_name(note.name.removesuffix(_NOTE) + _DATA)
        try:
            os.rename(note, _note_of(target))
            os.rename(data, target)
        except FileNotFoundError:
            continue
        return _read(target, url)
    return Part(url, None, target)


def salvage(folder: Path, root: Path) -> None:
    """Move the parts in a work folder that nobody uses any more to where they are found."""
    area = root / "parts"
    for note in folder.glob(f"*{_NOTE}"):
        data = note.with_name(note.name.removesuffix(_NOTE) + _DATA)
        name = f"{data.name.removesuffix(_DATA)}-{os.urandom(6).hex()}"
        with suppress(FileNotFoundError):  # another process salvages as well
            url, etag = _noted(note)
            if not Part(url, etag, data, begun=True).resumable:
                continue
            area.mkdir(parents=True, exist_ok=True)
            os.rename(data, area / f"{name}{_DATA}")
            os.rename(note, area / f"{name}{_NOTE}")
    _thin_out(area)


def _read(data: Path, url: str) -> Part:
    noted, etag = _noted(_note_of(data))
    part = Part(url, etag, data, begun=True)
    if noted != url or not part.resumable:
        part.restart()
    return part


def _noted(note: Path) -> tuple[str, str | None]:
    """Return address and ETag of a note; an empty address if it cannot be read."""
    try:
        document = json.loads(note.read_text(encoding="utf-8"))
        url, etag = document["url"], document["etag"]
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return "", None
    return str(url), etag if isinstance(etag, str) else None


def _thin_out(area: Path) -> None:
    for path in _old(area):
        path.unlink(missing_ok=True)


def _old(area: Path) -> Iterator[Path]:
    limit = time.time() - OLDEST_SECONDS
    for path in area.glob("*"):
        with suppress(FileNotFoundError):
            if path.stat().st_mtime < limit:
                yield path


def _key(url: str, path: str) -> str:
    return hashlib.sha256(f"{url}\n{path}".encode()).hexdigest()[:32]


def _note_of(data: Path) -> Path:
    return data.with_name(data.name.removesuffix(_DATA) + _NOTE)
