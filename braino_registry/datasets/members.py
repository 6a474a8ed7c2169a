"""Pinned members of zip archives: found by size and content, whatever the archive is called."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

from braino_registry.datasets.archives import members, open_zip, unpack
from braino_registry.datasets.content import Judgement, compare, hash_stream, judge
from braino_registry.datasets.pins import Pin
from braino_registry.errors import BrainoError


class Taker(Protocol):
    """What takes verified files over."""

    def put(self, file: Path, judged: Judgement, pin: Pin) -> object:
        """Take a verified file over."""


def store_members(archive: Path, wanted: Sequence[Pin], keep: Taker, work: Path) -> list[str]:
    """Take pinned members out of an archive into the content store.

    Parameters
    ----------
    archive : Path
        The archive, verified.
    wanted : sequence of Pin
        Members of it.
    keep : Taker
        The content store, or what brings files there.
    work : Path
        A folder in the same filesystem.

    Returns
    -------
    list of str
        What is not there or is another content, in words; empty if all is well.
    """
    wrong = []
    with open_zip(archive) as opened:
        found = members(opened, archive)
        for number, pin in enumerate(wanted):
            info = found.get(pin.member or "")
            if info is None:
                wrong.append(f"{pin.member!r}")
                continue
            target = work / f"{archive.name}-{number}"
            unpack(opened, info, target)
            judged = judge(target, pin.variants)
            if judged.variant is None:
                wrong.append(f"the pinned {pin.member!r}: {judged.reason}")
                target.unlink()
            else:
                keep.put(target, judged, pin)
    return wrong


def located(archives: Iterable[Path], wanted: Sequence[Pin]) -> dict[str, tuple[Path, str]]:
    """Return in which archive, under which name, pinned files lie.

    Parameters
    ----------
    archives : iterable of Path
        Archives of unknown content; what is no archive, or one to be refused, is passed over.
    wanted : sequence of Pin
        Files to look for; those without a known size are looked for by their base name.

    Returns
    -------
    dict
        Archive and member by logical path; every one was read and compared.
    """
    left = {pin.path: pin for pin in wanted}
    found: dict[str, tuple[Path, str]] = {}
    for path in archives:
        if not left:
            break
        try:
            with open_zip(path) as archive:
                for logical, name in _matches(archive, path, left):
                    found[logical] = (path, name)
                    left.pop(logical, None)
        except (
            BrainoError,
            OSError,
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
        ):  # somebody's broken archive is no fault of this dataset
            continue
    return found


def _matches(
    archive: zipfile.ZipFile, path: Path, wanted: dict[str, Pin]
) -> Iterable[tuple[str, str]]:
    by_size: dict[int, list[Pin]] = {}
    by_base: dict[str, list[Pin]] = {}
    for pin in wanted.values():
        if (sizes := pin.sizes) is None:
            by_base.setdefault(_base(pin), []).append(pin)
        for size in sizes or ():
            by_size.setdefault(size, []).append(pin)
    taken: set[str] = set()
    for name, info in members(archive, path).items():
        base = name.rpartition("/")[2]
        candidates = [*by_size.get(info.file_size, ()), *by_base.get(base, ())]
        candidates = [pin for pin in candidates if pin.path not in taken]
        if not candidates:
            continue
        hashes = _hashes(archive, info, candidates)
        for pin in candidates:
            if _judged(info.file_size, hashes, pin).variant is not None:
                taken.add(pin.path)
                yield pin.path, name


def _hashes(archive: zipfile.ZipFile, info: zipfile.ZipInfo, pins: Sequence[Pin]) -> dict[str, str]:
    kinds = {kind for pin in pins for variant in pin.variants for kind in variant.hashes}
    with archive.open(info) as stream:
        return hash_stream(stream, info.file_size, sorted(kinds | {"sha256"}))


def _judged(size: int, hashes: dict[str, str], pin: Pin) -> Judgement:
    return compare(size, hashes, pin.variants)


def _base(pin: Pin) -> str:
    return (pin.member or pin.path).rpartition("/")[2]
