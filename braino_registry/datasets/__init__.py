"""From an entry to a BIDS tree on disk: cache, fetch, verify, convert, a fresh copy for a trial.

Everything exported here is light: neither numpy nor MNE is imported before something is built.
"""

from __future__ import annotations

from braino_registry.datasets.commands import (
    build,
    check_copy,
    fetch,
    info,
    listing,
    path,
    plan,
    status,
    verify,
)
from braino_registry.datasets.copies import discard_copy, fresh_copy
from braino_registry.datasets.selection import ALL, Selection
from braino_registry.datasets.store import Store
from braino_registry.datasets.values import Need, Realised, Status, Verification

__all__ = [
    "ALL",
    "Need",
    "Realised",
    "Selection",
    "Status",
    "Store",
    "Verification",
    "build",
    "check_copy",
    "discard_copy",
    "fetch",
    "fresh_copy",
    "info",
    "listing",
    "path",
    "plan",
    "status",
    "verify",
]
