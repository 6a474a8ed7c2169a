"""Checking a copy that somebody has: against the pins, and what else it looks like."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from braino_registry.datasets.content import judge, walk_files
from braino_registry.datasets.entries import is_synthetic, pins_of
from braino_registry.datasets.invariants import broken_invariants
from braino_registry.datasets.patterns import matches
from braino_registry.datasets.pins import Pin
from braino_registry.errors import BrainoError, UsageError
from braino_registry.registry.entries import Entry

LIKE = 0.5
"""A copy looks like another dataset if at least this share of its pinned files is there."""


@dataclass(frozen=True)
class LocalCopy:
    """What was found in a folder that somebody takes for a dataset.

    Parameters
    ----------
    dataset : str
        ``id@version``.
    path : str
        The folder.
    ok : bool
        Everything is there and right.
    right : int
        Files with the right content, under the path that is pinned or any other.
    wrong, missing : tuple of str
        Pinned paths with another content, and those that are not there.
    problems : tuple of str
        Invariants that do not hold, expected files that are absent.
    looks_like : str | None
        Another dataset, or another version, that the folder fits better.
    """

    dataset: str
    path: str
    ok: bool
    right: int
    wrong: tuple[str, ...]
    missing: tuple[str, ...]
    problems: tuple[str, ...]
    looks_like: str | None


def check_copy(entry: Entry, folder: Path, others: Iterable[Entry]) -> LocalCopy:
    """Check a folder against a dataset entry.

    Parameters
    ----------
    entry : PublicDataset
        What it is taken for.
    folder : Path
        The copy; only read.
    others : iterable of Entry
        What else it may be.

    Raises
    ------
    UsageError
        If there is no such folder, or the dataset is synthetic.
    """
    if is_synthetic(entry):
        raise UsageError(f"{entry.ref} is synthetic; there are no copies of others", hint="")
    if not folder.is_dir():
        raise UsageError(
            "the copy is not a folder", where=str(folder), hint="Name the folder of the dataset."
        )
    here = {name: Path(found.path) for name, found in walk_files(folder)}
    pins = [pin for pin in pins_of(entry) if pin.archive is None]
    wrong = tuple(pin.path for pin in pins if pin.path in here and not _is(here[pin.path], pin))
    missing = tuple(pin.path for pin in pins if pin.path not in here)
    problems = tuple(_problems(entry, folder, here))
    ok = not wrong and not missing and not problems
    like = None if ok else _best(entry, here, others)
    right = len(pins) - len(wrong) - len(missing)
    return LocalCopy(entry.ref, str(folder), ok, right, wrong, missing, problems, like)


def _problems(entry: Entry, folder: Path, here: dict[str, Path]) -> Iterable[str]:
    local: dict[str, Any] = entry.doc.get("local") or {}
    for pattern in local.get("layout", ()):
        if not any(matches(name, pattern) for name in here):
            yield f"there is no file like {pattern}"
    yield from broken_invariants(folder, list(local.get("checks", ())))


def _is(path: Path, pin: Pin) -> bool:
    return judge(path, pin.variants).variant is not None


def _best(entry: Entry, here: dict[str, Path], others: Iterable[Entry]) -> str | None:
    """Return the other dataset that most of the files fit, if it is more than fit this one."""
    own = _share(entry, here)
    found = [(_share(other, here), other.ref) for other in others if other.ref != entry.ref]
    share, ref = max(found, default=(0.0, ""))
    return ref if share >= LIKE and share > own else None


def _share(entry: Entry, here: dict[str, Path]) -> float:
    """Return which share of the pinned files is there with the right content.

    Of large ones only the size is compared, so that telling versions apart takes seconds.
    """
    if is_synthetic(entry):
        return 0.0
    try:
        pins = [pin for pin in pins_of(entry) if pin.archive is None]
    except BrainoError:  # a broken entry is nothing that a copy could look like
        return 0.0
    fitting = sum(pin.path in here and _seems(here[pin.path], pin) for pin in pins)
    return fitting / len(pins) if pins else 0.0


def _seems(path: Path, pin: Pin) -> bool:
    size = path.stat().st_size
    if pin.sizes is not None and size not in pin.sizes:
        return False
    return size > 1 << 20 or _is(path, pin)
