"""Where things lie in the cache, and how a folder comes to be there whole or not at all.

::

    <root>/built/<id>-<version>-<digest>-<salt>/   bids/  truth.json  realised.json
    <root>/sources/<ab>/<sha256>                   fetched upstream files, named by content
    <root>/work/<host>-<pid>-…/                    being built or fetched; never read by others

A finished folder gets its name by one rename within the same filesystem, so a reader sees all of
it or nothing. Two processes that build the same dataset both finish: the second finds the name
taken and drops its own copy. No locks: they do not hold on network filesystems.
"""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path


def cache_root(environ: Mapping[str, str]) -> Path:
    """Return the cache folder: ``BRAINO_CACHE``, else the platform's user cache."""
    given = environ.get("BRAINO_CACHE", "").strip()
    if given:
        return Path(given).expanduser()
    from platformdirs import user_cache_path

    return user_cache_path("braino", appauthor=False)


def mirror_folders(environ: Mapping[str, str]) -> tuple[Path, ...]:
    """Return the folders of ``BRAINO_MIRRORS`` (separated as in PATH), existing or not."""
    given = environ.get("BRAINO_MIRRORS", "")
    return tuple(Path(part).expanduser() for part in given.split(os.pathsep) if part.strip())


def source_path(root: Path, sha256: str) -> Path:
    """Return where the fetched file with this content lies."""
    return root / "sources" / sha256[:2] / sha256


@contextmanager
def work_folder(root: Path) -> Iterator[Path]:
    """Give a new empty folder in the cache's filesystem; it is gone when the block ends.

    What the block wants to keep it renames out of the folder.
    """
    area = root / "work"
    area.mkdir(parents=True, exist_ok=True)
    _sweep(area)
    folder = Path(tempfile.mkdtemp(prefix=f"{_host()}-{os.getpid()}-", dir=area))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def publish(folder: Path, name: Path) -> bool:
    """Give a finished folder its real name, atomically.

    Returns
    -------
    bool
        False when another process has put a folder there first; ``folder`` is then untouched.
    """
    name.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.rename(folder, name)
    except OSError:
        if name.is_dir():
            return False
        raise
    return True


def publish_file(file: Path, name: Path) -> None:
    """Give a finished and verified file its real name, atomically; equal content may be there."""
    name.parent.mkdir(parents=True, exist_ok=True)
    with file.open("rb") as handle:
        os.fsync(handle.fileno())
    file.chmod(0o444)
    os.replace(file, name)


def set_aside(folder: Path, work: Path) -> None:
    """Take a damaged folder out of the way, so that nobody finds it under its real name."""
    os.rename(folder, work / "damaged")


def sync_tree(root: Path) -> None:
    """Flush every file below ``root`` to the disk, so that a power cut leaves no hollow file."""
    for folder, _, files in os.walk(root):
        for name in files:
            handle = os.open(os.path.join(folder, name), os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


def _host() -> str:
    """Name the space in which a process number means something: host and PID namespace."""
    name = "".join(c for c in socket.gethostname() if c.isalnum()) or "host"
    namespace = Path("/proc/self/ns/pid")
    if namespace.is_symlink():
        name += "".join(c for c in os.readlink(namespace) if c.isdigit())
    return name


def _sweep(area: Path) -> None:
    """Remove what killed processes of this machine left behind."""
    prefix = f"{_host()}-"
    for folder in area.iterdir():
        parts = folder.name.removeprefix(prefix).split("-")
        if not folder.name.startswith(prefix) or not parts[0].isdecimal():
            continue
        if not _alive(int(parts[0])):
            shutil.rmtree(folder, ignore_errors=True)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
