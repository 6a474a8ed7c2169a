"""Bytes of files and trees: hashes, the content digest, neutral file times.

The content digest of a tree says what is in it and nothing else: the SHA-256 over one line per
file, sorted by path, of path, size and SHA-256. Times, owners and modes do not enter.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from braino_registry.datasets.pins import Variant
from braino_registry.registry.documents import open_regular

NEUTRAL_SECONDS = 946_684_800
"""Modification time of every built file, 2000-01-01T00:00:00Z, so that none tells when it arose."""
NEUTRAL_NS = NEUTRAL_SECONDS * 1_000_000_000

PIECE = 1 << 20
"""Bytes that are read at a time."""


class Readable(Protocol):
    """What bytes can be read from."""

    def read(self, size: int, /) -> bytes:
        """Return at most ``size`` bytes; none at the end."""


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

    Raises
    ------
    UnfitFileError
        If it is no regular file: a pipe would be waited for without end.
    OSError
        If it cannot be opened or read.
    """
    with open(open_regular(path), "rb", buffering=0) as file:
        return hash_stream(file, os.fstat(file.fileno()).st_size, algorithms)


def hash_stream(stream: Readable, size: int, algorithms: Iterable[str]) -> dict[str, str]:
    """Return the hashes of what a stream of ``size`` bytes gives, as `hash_file` does."""
    hasher = Hasher(size, algorithms)
    while piece := stream.read(PIECE):
        hasher.update(piece)
    return hasher.hashes()


class Hasher:
    """Hashes of bytes that pass by.

    Parameters
    ----------
    size : int
        How many they will be; only ``git-blob`` depends on it.
    algorithms : iterable of str
        As for `hash_file`.
    """

    def __init__(self, size: int, algorithms: Iterable[str]) -> None:
        self.size = 0
        self._running = {}
        for name in algorithms:
            if name == "git-blob":
                running = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
            else:
                running = hashlib.new(name, usedforsecurity=False)
            self._running[name] = running

    def update(self, piece: bytes) -> None:
        """Take the next bytes."""
        self.size += len(piece)
        for running in self._running.values():
            running.update(piece)

    def hashes(self) -> dict[str, str]:
        """Return the hashes of what has passed so far."""
        return {name: running.hexdigest() for name, running in self._running.items()}


@dataclass(frozen=True)
class Judgement:
    """Whether a file is one of the contents that are accepted.

    Parameters
    ----------
    variant : Variant | None
        The content that it is; None if it is another one.
    reason : str
        How it differs from what is accepted; empty if it does not.
    size : int
        Its length in bytes.
    hashes : Mapping
        What was computed, always with ``sha256`` where the size was right.
    """

    variant: Variant | None
    reason: str
    size: int
    hashes: Mapping[str, str]


def judge(path: Path, variants: Sequence[Variant]) -> Judgement:
    """Return which of the accepted contents a file is.

    The size is compared first: it costs nothing and catches most wrong files.
    """
    found = path.stat()
    size = found.st_size
    if not stat.S_ISREG(found.st_mode):
        return Judgement(None, "no regular file", size, {})
    fitting = _of_size(variants, size)
    if not fitting:
        return _of_another_size(variants, size)
    return compare(size, hash_file(path, asked_kinds(fitting)), fitting)


def judge_passed(passed: Hasher, variants: Sequence[Variant]) -> Judgement:
    """Return which of the accepted contents has passed by; it was hashed by `asked_kinds`."""
    fitting = _of_size(variants, passed.size)
    if not fitting:
        return _of_another_size(variants, passed.size)
    return compare(passed.size, passed.hashes(), fitting)


def asked_kinds(variants: Iterable[Variant]) -> list[str]:
    """Return the kinds of hashes by which contents are told, sorted; always with ``sha256``."""
    return sorted({"sha256"}.union(*(variant.hashes for variant in variants)))


def _of_size(variants: Sequence[Variant], size: int) -> list[Variant]:
    return [variant for variant in variants if variant.size in (None, size)]


def _of_another_size(variants: Sequence[Variant], size: int) -> Judgement:
    sizes = " or ".join(str(variant.size) for variant in variants)
    return Judgement(None, f"{size} bytes instead of {sizes}", size, {})


def compare(size: int, hashes: Mapping[str, str], variants: Sequence[Variant]) -> Judgement:
    """Return which of the accepted contents has these hashes: everything listed must match."""
    reasons = []
    for variant in variants:
        wrong = [kind for kind, digest in variant.hashes.items() if hashes[kind] != digest]
        if not wrong and variant.size in (None, size):
            return Judgement(variant, "", size, hashes)
        reasons += [f"{kind} {hashes[kind]} instead of {variant.hashes[kind]}" for kind in wrong]
    return Judgement(None, reasons[0] if reasons else "another size", size, hashes)


def is_lock_file(name: str) -> bool:
    """Tell whether a file is one that readers leave in a tree and is no part of any dataset.

    A person who opens a cached dataset with mne-bids leaves a ``.lock`` file beside each sidecar
    (and another process sees it come and go).
    """
    return name.endswith(".lock")


def walk_files(root: Path) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Yield ``(relative path, directory entry)`` of every file below ``root``, unordered.

    Lock files of other programs are passed over. Whatever is no folder is yielded, a pipe and a
    link to a folder as well: who reads a tree has to see that they are there (``entry.is_file()``
    tells them from files, and `hash_file` refuses them).
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


def hash_many(paths: Sequence[Path]) -> Iterator[str]:
    """Yield the SHA-256 of each file, in order; several are read at once.

    Hashing leaves the interpreter free, so threads use all cores; each holds one piece in memory.
    """
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        yield from pool.map(_sha256, paths)


def _sha256(path: Path) -> str:
    return hash_file(path)["sha256"]


def tree_records(root: Path) -> tuple[FileRecord, ...]:
    """Return one record per file of a tree, sorted by path; every file is read."""
    found = sorted(walk_files(root), key=lambda item: item[0])
    hashes = hash_many([Path(entry.path) for _, entry in found])
    return tuple(
        FileRecord(name, entry.stat().st_size, sha256)
        for (name, entry), sha256 in zip(found, hashes, strict=True)
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
