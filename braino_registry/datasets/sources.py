"""Find the upstream files of a dataset on this machine, by what is in them.

A file is the right one when its size and hashes are the pinned ones; its name and folder do not
matter. Looked at are the cache's own sources and the folders of ``BRAINO_MIRRORS``.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from braino_registry.datasets.content import mismatch
from braino_registry.datasets.entries import Pin
from braino_registry.datasets.layout import source_path
from braino_registry.errors import HostError


@dataclass(frozen=True)
class Found:
    """Where the pinned files were found.

    Parameters
    ----------
    paths : Mapping
        File on this machine by logical path.
    missing : tuple of Pin
        What was found nowhere, in the order of the entry.
    """

    paths: Mapping[str, Path]
    missing: tuple[Pin, ...]

    @property
    def bytes_missing(self) -> int:
        """Bytes of the missing files."""
        return sum(pin.size for pin in self.missing)


class SourceFinder:
    """Looks files up by content, and remembers what it has hashed.

    Parameters
    ----------
    root : Path
        The cache folder.
    mirrors : iterable of Path
        Folders to search, with everything below them. A folder that is absent holds nothing.
    """

    def __init__(self, root: Path, mirrors: Iterable[Path] = ()) -> None:
        self.root = root
        self.mirrors = tuple(mirrors)
        self._judged: dict[tuple[str, int, int, str], bool] = {}

    def find(self, pins: Iterable[Pin]) -> Found:
        """Return where each pinned file is; every returned file has been verified."""
        pins = tuple(pins)
        paths: dict[str, Path] = {}
        for pin in pins:
            cached = source_path(self.root, pin.hashes["sha256"])
            if cached.is_file() and self._is(cached, pin):
                paths[pin.path] = cached
        wanted = [pin for pin in pins if pin.path not in paths]
        by_size = self._of_size({pin.size for pin in wanted}) if wanted else {}
        for pin in wanted:
            for candidate in by_size.get(pin.size, ()):
                if self._is(candidate, pin):
                    paths[pin.path] = candidate
                    break
        return Found(paths, tuple(pin for pin in pins if pin.path not in paths))

    def absent_mirrors(self) -> tuple[Path, ...]:
        """Return the mirror folders that do not exist, which is usually a misspelt path."""
        return tuple(folder for folder in self.mirrors if not folder.is_dir())

    def _is(self, path: Path, pin: Pin) -> bool:
        stat = path.stat()
        key = (str(path), stat.st_size, stat.st_mtime_ns, pin.hashes["sha256"])
        if key not in self._judged:
            self._judged[key] = mismatch(path, pin.size, pin.hashes) is None
        return self._judged[key]

    def _of_size(self, sizes: set[int]) -> dict[int, list[Path]]:
        """Return the readable mirror files that have one of ``sizes``, sorted by path."""
        found: dict[int, list[Path]] = {}
        for mirror in self.mirrors:
            for folder, folders, files in os.walk(mirror):
                folders.sort()
                for name in sorted(files):
                    path = Path(folder, name)
                    if not os.access(path, os.R_OK):
                        continue  # a dangling link or a foreign file: not ours to judge
                    size = path.stat().st_size
                    if size in sizes:
                        found.setdefault(size, []).append(path)
        return found


def stage(found: Found, folder: Path) -> dict[str, Path]:
    """Put the found files under their logical paths, for readers that need companions by name.

    Parameters
    ----------
    found : Found
        Nothing may be missing.
    folder : Path
        An empty folder; it gets links where the system allows them and copies elsewhere.

    Returns
    -------
    dict
        Staged path by logical path.
    """
    if found.missing:
        raise HostError(
            f"{len(found.missing)} source files are missing",
            where=", ".join(pin.path for pin in found.missing),
            hint="Fetch the dataset first.",
        )
    staged = {}
    for logical, real in found.paths.items():
        target = folder / logical
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            target.symlink_to(real.resolve())
        except OSError:  # a filesystem or a platform without links: a copy does the same
            shutil.copyfile(real, target)
        staged[logical] = target
    return staged
