"""Where things lie in the cache, and how a file or folder comes to be there whole or not at all.

::

    <root>/built/<id>-<version>-<digest>-<salt>/   bids/  truth.json  realised.json
    <root>/sources/<ab>/<sha256>                   fetched upstream files, named by content
    <root>/strengthened/  <root>/aside/            see `keeping`
    <root>/parts/                                  downloads that were broken off; see `parts`
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
from contextlib import contextmanager, suppress
from pathlib import Path

from braino_registry.datasets.content import NEUTRAL_NS

SYNCED_AT_ONCE = 16
"""Files that are flushed at once: a disk takes many of them in little more time than one."""


def cache_root(environ: Mapping[str, str]) -> Path:
    """Return the cache folder.

    ``BRAINO_DATA``, else the folder ``braino`` in ``MNE_DATA``, else the platform's user cache.
    """
    given = environ.get("BRAINO_DATA", "").strip()
    if given:
        return Path(given).expanduser()
    beside = environ.get("MNE_DATA", "").strip()
    if beside:
        return Path(beside).expanduser() / "braino"
    from platformdirs import user_cache_path

    return user_cache_path("braino", appauthor=False)


def listed_folders(environ: Mapping[str, str], variable: str) -> tuple[Path, ...]:
    """Return the folders of a variable (separated as in PATH), existing or not."""
    given = environ.get(variable, "")
    return tuple(Path(part).expanduser() for part in given.split(os.pathsep) if part.strip())


def source_path(root: Path, sha256: str) -> Path:
    """Return where the fetched file with this content lies."""
    return Path(f"{root}/sources/{sha256[:2]}/{sha256}")


def free_bytes(folder: Path) -> int:
    """Return how many bytes a folder that need not exist yet could take."""
    while not folder.is_dir() and folder != folder.parent:
        folder = folder.parent
    return shutil.disk_usage(folder).free


@contextmanager
def work_folder(root: Path) -> Iterator[Path]:
    """Give a new empty folder in the cache's filesystem; it is gone when the block ends.

    What the block wants to keep it renames out of the folder.
    """
    area = root / "work"
    area.mkdir(parents=True, exist_ok=True)
    _sweep(root)
    folder = Path(tempfile.mkdtemp(prefix=_prefix(), dir=area))
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
    """Give a finished and verified file its real name, atomically; equal content may be there.

    It becomes read-only and gets the neutral time, which marks it as verified.
    """
    os.chmod(file, 0o444)
    os.utime(file, ns=(NEUTRAL_NS, NEUTRAL_NS))
    sync_file(file)
    try:
        os.replace(file, name)
    except FileNotFoundError:  # the first file in its folder
        name.parent.mkdir(parents=True, exist_ok=True)
        os.replace(file, name)


def write_whole(root: Path, path: Path, content: bytes) -> None:
    """Write a small file below a cache's root so that its name never stands for half of it."""
    area = root / "work"
    for folder in (area, path.parent):
        folder.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=_prefix(), dir=area)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(name)
        raise


def set_aside(folder: Path, work: Path) -> None:
    """Take a damaged folder out of the way, so that nobody finds it under its real name."""
    with suppress(FileNotFoundError):  # another process was quicker
        os.rename(folder, work / "damaged")


def sync_file(path: Path) -> None:
    """Flush a file to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_tree(root: Path) -> None:
    """Flush every file below ``root`` to the disk, so that a power cut leaves no hollow file."""
    from concurrent.futures import ThreadPoolExecutor

    files = (Path(folder, name) for folder, _, names in os.walk(root) for name in names)
    with ThreadPoolExecutor(SYNCED_AT_ONCE, thread_name_prefix="sync") as pool:
        for _ in pool.map(sync_file, files):
            pass


def _prefix() -> str:
    """Return how the names of this process's temporary files begin."""
    return f"{_host()}-{os.getpid()}-"


def _host() -> str:
    """Name the space in which a process number means something: host and PID namespace."""
    name = "".join(c for c in socket.gethostname() if c.isalnum()) or "host"
    namespace = Path("/proc/self/ns/pid")
    if namespace.is_symlink():
        name += "".join(c for c in os.readlink(namespace) if c.isdigit())
    return name


def _sweep(root: Path) -> None:
    """Remove what killed processes of this machine left behind, but for broken-off downloads."""
    from braino_registry.datasets.parts import salvage

    prefix = f"{_host()}-"
    for folder in (root / "work").iterdir():
        parts = folder.name.removeprefix(prefix).split("-")
        if not folder.name.startswith(prefix) or not parts[0].isdecimal():
            continue
        if _alive(int(parts[0])):
            continue
        if folder.is_dir():
            salvage(folder, root)
            shutil.rmtree(folder, ignore_errors=True)
        else:
            folder.unlink(missing_ok=True)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
