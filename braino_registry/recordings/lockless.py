"""Calling mne-bids without the lock files that it leaves beside the sidecars it opens.

Where the package ``filelock`` is installed, mne-bids writes a ``.lock`` file next to every sidecar
that it reads or writes. A dataset in the cache is read by many processes and must not change under
them, and an agent's copy must hold nothing that its dataset does not. Datasets here are never
written in place, and a copy belongs to one trial, so there is nothing to lock.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_NAME = "filelock"
_ONE_AT_A_TIME = threading.RLock()


@contextmanager
def without_lock_files() -> Iterator[None]:
    """Within the block mne-bids does not find ``filelock``, and goes on without it."""
    with _ONE_AT_A_TIME:
        absent = _NAME not in sys.modules
        before = sys.modules.get(_NAME)
        sys.modules[_NAME] = None  # type: ignore[assignment]  # how Python says "cannot be imported"
        try:
            yield
        finally:
            if absent:
                del sys.modules[_NAME]
            else:
                sys.modules[_NAME] = before  # type: ignore[assignment]
