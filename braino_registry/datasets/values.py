"""Values of the store: a recording, a dataset on disk, its status, what a verification found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol


class SaltLike(Protocol):
    """What is used of a salt."""

    @property
    def material(self) -> bytes:
        """The secret; empty for the public draws."""

    @property
    def hash(self) -> str | None:
        """``sha256:`` of the secret; None without one."""


@dataclass(frozen=True)
class SourceRecording:
    """One recording of a public dataset and the upstream files it is made from.

    Parameters
    ----------
    id : str
        BIDS entities joined, for example ``sub-01_task-rest``.
    entities : Mapping
        ``bids_subject``, ``bids_task`` and so on.
    files : tuple of str
        Logical paths; the first is the one a reader opens, the others are its companions.
    """

    id: str
    entities: Mapping[str, str]
    files: tuple[str, ...]


@dataclass(frozen=True)
class Realised:
    """A dataset on disk.

    Parameters
    ----------
    entry_ref : str
        ``id@version``.
    bids : Path
        The BIDS root, shared by all trials: read it, and give agents a `fresh_copy`.
    truth : Mapping
        What was planted: ``{"recordings": {id: …}, "dataset": …}``; both empty for public data.
    labels : Mapping
        What came with public data, in the same form; both empty for synthetic data.
    digest : str
        Content digest of the tree.
    verified : bool
        False when the entry records no digest for this build, or another one. A salted build has
        no recorded digest and counts as verified.
    bytes : int
        Size of the tree.
    """

    entry_ref: str
    bids: Path
    truth: Mapping[str, Any]
    labels: Mapping[str, Any]
    digest: str
    verified: bool
    bytes: int


@dataclass(frozen=True)
class Status:
    """Whether a dataset can be used now, without the network.

    Parameters
    ----------
    present : bool
        It is built, or everything it is built from is on this machine.
    missing : tuple of str
        Logical paths that have to be fetched.
    bytes_to_get : int
        Their size, as far as it is known.
    command : str
        What fetches them, or checks a copy of one's own where nobody can; empty when nothing is
        missing.
    reason : str
        Why it is, or is not, present.
    built : bool
        Whether the BIDS tree exists already.
    sizes_unknown : int
        Of how many missing files the size is not known.
    """

    present: bool
    missing: tuple[str, ...]
    bytes_to_get: int
    command: str
    reason: str
    built: bool
    sizes_unknown: int = 0


@dataclass(frozen=True)
class Need:
    """What fetching and building a dataset would take.

    Parameters
    ----------
    files : tuple of str
        Logical paths that have to be fetched.
    bytes : int
        Their size, as far as it is known.
    sizes_unknown : int
        Of how many the size is not known.
    disk_needed : int
        Bytes that the cache grows by at most: what is fetched, what is unpacked from it, and the
        BIDS tree.
    disk_free : int
        Bytes that are free where the cache lies.
    command : str
        What fetches it.
    """

    files: tuple[str, ...]
    bytes: int
    sizes_unknown: int
    disk_needed: int
    disk_free: int
    command: str


@dataclass(frozen=True)
class Verification:
    """What `Store.verify` found.

    Parameters
    ----------
    ok : bool
        Nothing is wrong.
    problems : tuple of str
        What is wrong, file by file and invariant by invariant.
    files, bytes : int
        What was looked at.
    deep : bool
        Whether every file was read and hashed.
    digest : str
        Content digest of the tree when it was built.
    recorded : str | None
        Content digest that the entry records.
    repaired : tuple of str
        What was wrong and has been mended.
    """

    ok: bool
    problems: tuple[str, ...]
    files: int
    bytes: int
    deep: bool
    digest: str
    recorded: str | None
    repaired: tuple[str, ...] = ()
