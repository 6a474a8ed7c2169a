"""Find the upstream files of a dataset on this machine, by what is in them.

A file is the right one when its size and hashes are the pinned ones; its name and folder do not
matter, and it may lie in a zip archive. Looked at are the content store of the cache, those of
shared caches, and the folders of ``BRAINO_MIRRORS``. Only a file whose size is not known is looked
for by its name.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from braino_registry.datasets.archives import members, open_zip, unpack
from braino_registry.datasets.clones import clone
from braino_registry.datasets.content import Judgement, judge
from braino_registry.datasets.keeping import Keep
from braino_registry.datasets.members import located
from braino_registry.datasets.pins import Pin
from braino_registry.errors import HostError

FRESH_SECONDS = 5.0
"""For so long what was seen in the mirror folders is taken for what is there."""


@dataclass(frozen=True)
class Found:
    """Where the wanted files were found.

    Parameters
    ----------
    paths : Mapping
        File on this machine by logical path.
    zipped : Mapping
        Archive on this machine and member of it, by logical path.
    missing : tuple of Pin
        What has to be fetched: files found nowhere, and archives of which a member was.
    """

    paths: Mapping[str, Path]
    missing: tuple[Pin, ...]
    zipped: Mapping[str, tuple[Path, str]] = field(default_factory=dict)

    @property
    def bytes_missing(self) -> int:
        """Bytes of the missing files as far as their sizes are known."""
        return sum(pin.size or 0 for pin in self.missing)


class SourceFinder:
    """Looks files up by content, and remembers what it has hashed.

    Parameters
    ----------
    keep : Keep
        The content store.
    mirrors : iterable of Path
        Folders to search, with everything below them. A folder that is absent holds nothing.
    """

    def __init__(self, keep: Keep, mirrors: Iterable[Path] = ()) -> None:
        self.keep = keep
        self.mirrors = tuple(mirrors)
        self._judged: dict[tuple[str, int, int, tuple[object, ...]], Judgement] = {}
        self._seen: tuple[float, list[tuple[Path, int]]] | None = None

    def find(self, pins: Sequence[Pin], wanted: Iterable[str] | None = None) -> Found:
        """Return where the wanted files are; every returned file has been verified.

        Parameters
        ----------
        pins : sequence of Pin
            All pins of a dataset.
        wanted : iterable of str, optional
            Logical paths; all of them by default. An archive whose members are pinned is a
            wrapping: it is not wanted itself.
        """
        chosen = None if wanted is None else frozenset(wanted)
        wrappings = {pin.archive for pin in pins}
        asked = [
            pin
            for pin in pins
            if pin.path not in wrappings and (chosen is None or pin.path in chosen)
        ]
        kept = zip(asked, self.keep.find_all(asked), strict=True)
        paths = {pin.path: file for pin, file in kept if file is not None}
        left = [pin for pin in asked if pin.path not in paths]
        zipped: dict[str, tuple[Path, str]] = {}
        if left and self.mirrors:
            paths |= self._in_mirrors(left)
            left = [pin for pin in left if pin.path not in paths]
            zipped = located(self._archives(), left) if left else {}
            left = [pin for pin in left if pin.path not in zipped]
        return Found(paths, _to_fetch(left, pins), zipped)

    def holders(self, found: Found) -> dict[str, int]:
        """Return how many of the found files lie in each cache or folder of ``BRAINO_MIRRORS``."""
        folders = [*self.keep.shared, self.keep.root, *self.mirrors]
        count: dict[str, int] = {}
        for path in (*found.paths.values(), *(archive for archive, _ in found.zipped.values())):
            holding = next(str(folder) for folder in folders if path.is_relative_to(folder))
            count[holding] = count.get(holding, 0) + 1
        return count

    def absent_mirrors(self) -> tuple[Path, ...]:
        """Return the mirror folders that do not exist, which is usually a misspelt path."""
        return tuple(folder for folder in self.mirrors if not folder.is_dir())

    def _in_mirrors(self, pins: Sequence[Pin]) -> dict[str, Path]:
        by_size: dict[int, list[Path]] = {}
        by_name: dict[str, list[Path]] = {}
        for path, size in self._files():
            by_size.setdefault(size, []).append(path)
            by_name.setdefault(path.name, []).append(path)
        found = {}
        for pin in pins:
            if pin.sizes is None:
                candidates = by_name.get(pin.path.rpartition("/")[2], [])
            else:
                candidates = [path for size in pin.sizes for path in by_size.get(size, ())]
            for candidate in candidates:
                if self._is(candidate, pin):
                    found[pin.path] = candidate
                    break
        return found

    def _is(self, path: Path, pin: Pin) -> bool:
        try:
            stat = path.stat()
            key = (str(path), stat.st_size, stat.st_mtime_ns, _asked(pin))
            if key not in self._judged:
                self._judged[key] = judge(path, pin.variants)
        except OSError:  # gone or closed meanwhile: then it is not here
            return False
        return self._judged[key].variant is not None

    def _archives(self) -> list[Path]:
        return [path for path, _ in self._files() if path.suffix.lower() == ".zip"]

    def _files(self) -> list[tuple[Path, int]]:
        """Return the readable files of the mirrors with their sizes, sorted by path."""
        now = time.monotonic()
        if self._seen is None or now - self._seen[0] > FRESH_SECONDS:
            self._seen = (now, [item for mirror in self.mirrors for item in _readable(mirror)])
        return self._seen[1]


def _readable(mirror: Path) -> Iterable[tuple[Path, int]]:
    for folder, folders, files in os.walk(mirror):
        folders.sort()
        for name in sorted(files):
            path = Path(folder, name)
            # A dangling link or a foreign file is not ours to judge.
            if os.access(path, os.R_OK) and path.is_file():
                yield path, path.stat().st_size


def _asked(pin: Pin) -> tuple[object, ...]:
    """Return what a file is judged by, so that it is hashed once however often it is looked for."""
    return tuple((variant.size, *sorted(variant.hashes.items())) for variant in pin.variants)


def _to_fetch(left: Sequence[Pin], pins: Sequence[Pin]) -> tuple[Pin, ...]:
    wanted = {pin.archive or pin.path for pin in left}
    return tuple(pin for pin in pins if pin.path in wanted and pin.archive is None)


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
        target = _place(folder, logical)
        try:
            target.symlink_to(real.resolve())
        except OSError:  # a filesystem or a platform without links: a copy does the same
            clone(real, target)
        staged[logical] = target
    for path in sorted({path for path, _ in found.zipped.values()}):
        with open_zip(path) as archive:
            infos = members(archive, path)
            for logical, (holder, name) in found.zipped.items():
                if holder == path:
                    staged[logical] = _place(folder, logical)
                    unpack(archive, infos[name], staged[logical])
    return staged


def _place(folder: Path, logical: str) -> Path:
    target = folder / logical
    target.parent.mkdir(parents=True, exist_ok=True)
    return target
