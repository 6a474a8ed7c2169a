"""The places of a cache of datasets: what is kept where, where else is looked, what to type."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from shlex import quote

from braino_registry.datasets import layout
from braino_registry.datasets.keeping import Keep
from braino_registry.datasets.selection import ALL, Selection
from braino_registry.datasets.sources import SourceFinder
from braino_registry.registry.entries import Entry


class Places:
    """Where datasets are kept and looked for.

    Parameters
    ----------
    root : Path | None
        The cache folder; None takes ``BRAINO_DATA``, ``MNE_DATA``/braino or the platform's user
        cache.
    environ : Mapping | None
        Environment variables; None takes those of the process. ``BRAINO_MIRRORS`` names folders
        to search for upstream files, ``BRAINO_SHARED_DATA`` caches of others that are read and
        never written to, ``BRAINO_OFFLINE=1`` forbids the network.
    """

    def __init__(
        self, root: Path | None = None, *, environ: Mapping[str, str] | None = None
    ) -> None:
        self.environ = os.environ if environ is None else environ
        self._chosen = root
        self.root = (root or layout.cache_root(self.environ)).absolute()
        shared = layout.listed_folders(self.environ, "BRAINO_SHARED_DATA")
        self.keep = Keep(self.root, shared)
        self.finder = SourceFinder(self.keep, layout.listed_folders(self.environ, "BRAINO_MIRRORS"))

    @property
    def is_offline(self) -> bool:
        """Whether ``BRAINO_OFFLINE`` forbids the network."""
        return self.environ.get("BRAINO_OFFLINE", "").strip() not in ("", "0")

    def command(self, action: str, entry: Entry, selection: Selection = ALL) -> str:
        """Return what to type for a dataset, with the cache folder if somebody has named it."""
        where = "" if self._chosen is None else f" --cache {quote(str(self._chosen))}"
        return f"braino data {action} {entry.id}{selection.options()}{where}"
