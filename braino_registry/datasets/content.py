"""Bytes of files and trees: hashes, the content digest, neutral file times.

The content digest of a tree says what is in it and nothing else: the SHA-256 over one line per
file, sorted by path, of path, size and SHA-256. Times, owners and modes do not enter.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

NEUTRAL_SECONDS = 946_684_800
"""Modification time of every built file, 2000-01-01T00:00:00Z, so that none tells when it arose."""
NEUTRAL_NS = NEUTRAL_SECONDS * 1_000_000_000

_PIECE = 1 << 20
ALGORITHMS = ("sha256", "sha1", "md5", "git-blob")


@dataclass(frozen=True)
class FileRecord:
    """One file of a tree.

    Parameters
    ----------
    path : str
        Path below the root, with forward slashes.
    size : int
        Length in bytes.
    sha256 : str
        Lower-case hexadecimal digest.
    """

    path: str
    size: int
    sha256: str


def hash_file(path: Path, algorithms: Iterable[str] = ("sha256",)) -> dict[str, str]:
    """Return the hashes of a file, read once and in pieces.

    Parameters
    ----------
    path : Path
        The file.
    algorithms : iterable of str
        Any of ``sha256``, ``sha1``, ``md5`` and ``git-blob`` (the SHA-1 under which git stores it).

    Returns
    -------
    dict
        Lower-case hexadecimal digest by algorithm.
    """
    hashers = {}
    for name in algorithms:
        if name == "git-blob":
            header = b"blob %d\0" % path.stat().st_size
            hashers[name] = hashlib.sha1(header, usedforsecurity=False)
        else:
            hashers[name] = hashlib.new(name, usedforsecurity=False)
    with path.open("rb", buffering=0) as file:
        while piece := file.read(_PIECE):
            for hasher in hashers.values():
                hasher.update(piece)
    return {name: hasher.hexdigest() for name, hasher in hashers.items()}


def mismatch(path: Path, size: int, hashes: Mapping[str, str]) -> str | None:
    """Return how a file differs from what is declared, or None when all of it agrees.

    The size is compared first: it costs nothing and catches most wrong files.
    """
    found = path.stat().st_size
    if found != size:
        return f"{found} bytes instead of {size}"
    for name, digest in hash_file(path, hashes).items():
        if digest != hashes[name].lower():
            return f"{name} {digest} instead of {hashes[name]}"
    return None


def is_lock_file(name: str) -> bool:
    """Tell whether a file is one that readers leave in a tree and is no part of any dataset.

    A person who opens a cached dataset with mne-bids leaves a ``.lock`` file beside each sidecar
    (and another process sees it come and go).
    """
    return name.endswith(".lock")


def walk_files(root: Path) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Yield ``(relative path, directory entry)`` of every file below ``root``, unordered.

    Lock files of other programs are passed over.
    """
    stack = [("", str(root))]
    while stack:
        prefix, folder = stack.pop()
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    stack.append((f"{prefix}{entry.name}/", entry.path))
                elif not is_lock_file(entry.name):
                    yield prefix + entry.name, entry


def tree_records(root: Path) -> tuple[FileRecord, ...]:
    """Return one record per file of a tree, sorted by path; every file is read."""
    return tuple(
        FileRecord(name, entry.stat().st_size, hash_file(Path(entry.path))["sha256"])
        for name, entry in sorted(walk_files(root), key=lambda item: item[0])
    )


def content_digest(records: Iterable[FileRecord]) -> str:
    """Return ``sha256:<hex>`` over the paths, sizes and contents of a tree."""
    total = hashlib.sha256()
    for record in sorted(records, key=lambda item: item.path):
        total.update(f"{record.path}\0{record.size}\0{record.sha256}\n".encode())
    return f"sha256:{total.hexdigest()}"


def settle_tree(root: Path) -> None:
    """Give every file and folder below ``root`` the neutral time, and make files read-only."""
    for folder, _, files in os.walk(root, topdown=False):
        for name in files:
            path = os.path.join(folder, name)
            os.chmod(path, 0o444)
            os.utime(path, ns=(NEUTRAL_NS, NEUTRAL_NS))
        os.utime(folder, ns=(NEUTRAL_NS, NEUTRAL_NS))
