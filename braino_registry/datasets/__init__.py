"""From an entry to a BIDS tree on disk: cache, fetch, verify, convert, a fresh copy for a trial.

Everything exported here is light: neither numpy nor MNE is imported before something is built.
"""

from __future__ import annotations

from braino_registry.datasets.commands import (
    build,
    fetch,
    info,
    listing,
    path,
    status,
    verify,
)
from braino_registry.datasets.copies import discard_copy, fresh_copy
from braino_registry.datasets.store import Store
from braino_registry.datasets.values import Realised, Status, Verification

__all__ = [
    "Realised",
    "Status",
    "Store",
    "Verification",
    "build",
    "discard_copy",
    "fetch",
    "fresh_copy",
    "info",
    "listing",
    "path",
    "status",
    "verify",
]
