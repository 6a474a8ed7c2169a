"""Zip archives of others: members that are what they say, and none that leaves its folder."""

from __future__ import annotations

import os
import stat
import zipfile
import zlib
from collections.abc import Container, Iterator
from contextlib import contextmanager
from pathlib import Path

from braino_registry.datasets.content import PIECE
from braino_registry.datasets.names import problem_of_path, same_name
from braino_registry.errors import EntryError, HostError

MOST_MEMBERS = 200_000
LARGEST_RATIO, SMALL = 200, 1 << 26
"""An archive may unpack to so many times its own size, or to `SMALL` bytes."""


def open_zip(path: Path) -> zipfile.ZipFile:
    """Open a zip archive for reading.

    Raises
    ------
    EntryError
        If it is none.
    """
    try:
        return zipfile.ZipFile(path)
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise _bad(path, f"it cannot be read ({error})") from error


@contextmanager
def opened(path: Path) -> Iterator[dict[str, zipfile.ZipInfo]]:
    """Give the files of the zip archive at ``path``; see `members`."""
    with open_zip(path) as archive:
        yield members(archive, path)


def members(archive: zipfile.ZipFile, path: Path) -> dict[str, zipfile.ZipInfo]:
    """Return the files of an archive by their paths; folders are left out.

    Raises
    ------
    EntryError
        If a member would leave the folder it is unpacked into, is a link or a device, names a
        device of some system, is encrypted or stands there twice; or if the archive claims to
        hold more than it possibly can, or unpacks to far more than its own size.
    """
    infos = archive.infolist()
    if len(infos) > MOST_MEMBERS:
        raise _bad(path, f"it has more than {MOST_MEMBERS} members")
    found: dict[str, zipfile.ZipInfo] = {}
    seen: set[str] = set()
    for info in infos:
        name = info.filename.rstrip("/") if info.is_dir() else info.filename
        problem = problem_of_path(name) or _problem_of_kind(info)
        if problem is not None:
            raise _bad(path, f"the member {info.filename!r} {problem}")
        if info.is_dir():
            continue
        if same_name(name) in seen:
            raise _bad(path, f"the member {name!r} stands there twice")
        seen.add(same_name(name))
        found[name] = info
    size = path.stat().st_size
    total = sum(info.file_size for info in found.values())
    if sum(info.compress_size for info in found.values()) > size:
        raise _bad(path, "its members overlap")
    if total > max(SMALL, LARGEST_RATIO * size):
        raise _bad(path, f"it has {size} bytes and would unpack to {total}")
    return found


def unpack(archive: zipfile.ZipFile, info: zipfile.ZipInfo, target: Path) -> None:
    """Write one member to the new file ``target``, in pieces.

    Raises
    ------
    EntryError
        If it is damaged or longer than the archive says.
    """
    done = 0
    try:
        with archive.open(info) as reading, target.open("xb") as writing:
            while piece := reading.read(PIECE):
                done += len(piece)
                if done > info.file_size:
                    raise _bad(
                        Path(str(archive.filename)), f"{info.filename!r} is longer than said"
                    )
                writing.write(piece)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        where = Path(str(archive.filename))
        raise _bad(where, f"{info.filename!r} cannot be unpacked: {error}") from error
    if done != info.file_size:
        raise _bad(Path(str(archive.filename)), f"{info.filename!r} is shorter than said")


def unpack_all(
    path: Path, out: Path, below: str = "", wanted: Container[str] | None = None
) -> list[str]:
    """Unpack an archive, or one of its folders, into an existing folder.

    Parameters
    ----------
    path : Path
        The archive.
    out : Path
        Where to; nothing that is there is overwritten.
    below : str
        The folder of the archive that becomes ``out``; empty for all of it.
    wanted : container of str, optional
        Paths below that folder; all of them by default.

    Returns
    -------
    list of str
        The paths that were written, sorted.

    Raises
    ------
    EntryError
        As for `members` and `unpack`.
    HostError
        If there is not enough room.
    """
    prefix = f"{below.strip('/')}/" if below else ""
    with open_zip(path) as archive:
        chosen = {
            name.removeprefix(prefix): info
            for name, info in members(archive, path).items()
            if name.startswith(prefix) and (wanted is None or name.removeprefix(prefix) in wanted)
        }
        _check_room(out, sum(info.file_size for info in chosen.values()))
        for name, info in chosen.items():
            target = out / name
            target.parent.mkdir(parents=True, exist_ok=True)
            unpack(archive, info, target)
    return sorted(chosen)


def _problem_of_kind(info: zipfile.ZipInfo) -> str | None:
    mode = info.external_attr >> 16
    kind = stat.S_IFMT(mode)
    if kind and not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        return "is a link, a device or something else that is no file"
    if info.flag_bits & 0x1:
        return "is encrypted"
    return None


def _check_room(out: Path, size: int) -> None:
    from braino_registry.datasets.layout import free_bytes

    free = free_bytes(out)
    if size > free:
        raise HostError(
            f"unpacking needs {size} bytes, and {free} are free",
            where=os.fspath(out),
            hint="Free some space, or set BRAINO_DATA to a folder on a larger disk.",
        )


def _bad(path: Path, problem: str) -> EntryError:
    return EntryError(
        f"the archive is refused: {problem}",
        where=os.fspath(path),
        hint="It is not what its publisher means to give; report it to them.",
    )
