"""A registry of EEG-analysis tasks and a thin runner that measures agents on them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

__version__ = "0.1.0"
__all__ = ["__version__", "fetch"]


def fetch(
    dataset: str,
    version: str | None = None,
    *,
    bids_subjects: Iterable[str] = (),
    bids_sessions: Iterable[str] = (),
    bids_tasks: Iterable[str] = (),
    bids_runs: Iterable[str] = (),
    registry: Iterable[Path] = (),
    cache: Path | None = None,
) -> Path:
    """Return the BIDS root of a dataset: fetched, verified, converted, or found in the cache.

    Parameters
    ----------
    dataset : str
        Identifier, for example ``"erp-core-p3"``; see ``braino data list``.
    version : str, optional
        Version of the entry; the highest by default.
    bids_subjects, bids_sessions, bids_tasks, bids_runs : iterable of str
        Labels that are wanted, without their keys; all of them by default. A string is one label.
    registry : iterable of Path
        Further folders of entries; a path is one folder.
    cache : Path, optional
        Where datasets are kept; by default ``BRAINO_DATA``, ``MNE_DATA``/braino or the platform's
        folder.

    Returns
    -------
    Path
        The BIDS root, which MNE-BIDS opens. It is shared and read-only: copy what you want to
        change.

    Raises
    ------
    UsageError
        If there is no such dataset, version or label; the message names the nearest ones.
    HostError
        If files cannot be had, or the disk is full.

    Examples
    --------
    >>> root = fetch("two-subject-rest", version="1.0.0")
    >>> sorted(path.name for path in root.glob("sub-*"))
    ['sub-01', 'sub-02']
    """
    # By name, because nothing below may depend on what is above it, and everything is below this.
    from importlib import import_module

    access = import_module("braino_registry.datasets.access")
    root: Path = access.fetch(
        dataset,
        version,
        {
            "bids_subject": bids_subjects,
            "bids_session": bids_sessions,
            "bids_task": bids_tasks,
            "bids_run": bids_runs,
        },
        registry,
        cache,
    )
    return root
