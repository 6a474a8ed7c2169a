"""From an entry to a BIDS tree on disk: found in the cache, or built there once.

Nothing here needs the network except `Store.fetch`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from braino_registry.datasets import layout
from braino_registry.datasets.content import content_digest, settle_tree, tree_records
from braino_registry.datasets.entries import (
    Pin,
    is_synthetic,
    labels_of,
    pins_of,
    problems_of,
    recorded_digest,
)
from braino_registry.datasets.hosts import host_errors
from braino_registry.datasets.marker import Marker, look, read_marker, read_through
from braino_registry.datasets.sources import Found, SourceFinder, stage
from braino_registry.datasets.values import Realised, SaltLike, Status, Verification
from braino_registry.errors import EntryError, HostError
from braino_registry.registry.digests import dataset_identity, digest
from braino_registry.registry.entries import Entry

if TYPE_CHECKING:
    from braino_registry.datasets.fetching import Fetched, Progress


class Store:
    """The cache of datasets.

    Parameters
    ----------
    root : Path | None
        The cache folder; None takes ``BRAINO_CACHE`` or the platform's user cache.
    environ : Mapping | None
        Environment variables; None takes those of the process. ``BRAINO_MIRRORS`` names folders
        to search for upstream files, ``BRAINO_OFFLINE=1`` forbids the network.
    """

    def __init__(
        self, root: Path | None = None, *, environ: Mapping[str, str] | None = None
    ) -> None:
        self.environ = os.environ if environ is None else environ
        self._chosen = root
        self.root = (root or layout.cache_root(self.environ)).absolute()
        self._finder = SourceFinder(self.root, layout.mirror_folders(self.environ))

    def location(self, entry: Entry, salt: SaltLike | None = None) -> Path:
        """Return the cache folder of a build, existing or not.

        The name holds a digest of the entry, so that an edited entry is another build.
        """
        identity = digest({"identity": dataset_identity(entry), "entry": entry.doc})
        parts = (entry.id, entry.version, _short(identity), _short(self._salt_hash(entry, salt)))
        return self.root / "built" / "-".join(parts)

    def command(self, action: str, entry: Entry) -> str:
        """Return what to type for a dataset, with the cache folder if somebody has named it."""
        where = "" if self._chosen is None else f" --cache {quote(str(self._chosen))}"
        return f"braino data {action} {entry.id}{where}"

    def build_or_find(self, entry: Entry, salt: SaltLike | None = None) -> Realised:
        """Return the dataset, from the cache when it is there and whole, else built.

        Parameters
        ----------
        entry : Recipe or PublicDataset
            What to realise.
        salt : Salt | None
            Changes the draws of a recipe; public data have none.

        Raises
        ------
        EntryError
            If the entry contradicts itself or its invariants do not hold.
        HostError
            If source files are missing, or the cache cannot be written.
        """
        found = self._find(entry, salt)
        if found is not None:
            return found
        with host_errors(f"building {entry.ref}", self.root):
            return self._build(entry, salt)

    def status(self, entry: Entry, salt: SaltLike | None = None) -> Status:
        """Return whether the dataset can be used without the network. Builds nothing."""
        if read_marker(self.location(entry, salt)) is not None:
            return Status(True, (), 0, "", "built in the cache", True)
        if is_synthetic(entry):
            return Status(True, (), 0, "", "synthetic: built when it is needed", False)
        found = self._finder.find(pins_of(entry.doc))
        if not found.missing:
            return Status(True, (), 0, "", "its files are on this machine", False)
        missing = tuple(pin.path for pin in found.missing)
        command = self.command("fetch", entry)
        return Status(
            False, missing, found.bytes_missing, command, self._why_missing(entry, found), False
        )

    def fetch(self, entry: Entry, progress: Progress | None = None) -> tuple[Fetched, ...]:
        """Fetch the files of a public dataset that are not on this machine.

        Parameters
        ----------
        entry : PublicDataset
            A recipe has nothing to fetch.
        progress : callable, optional
            Called with logical path, bytes so far and bytes in all.

        Returns
        -------
        tuple of Fetched
            What was fetched; empty when everything was there.

        Raises
        ------
        HostError
            If ``BRAINO_OFFLINE`` is set and something is missing, or a file cannot be had; what
            was fetched before stays.
        """
        if is_synthetic(entry):
            return ()
        missing = self._finder.find(pins_of(entry.doc)).missing
        if not missing:
            return ()
        if self.environ.get("BRAINO_OFFLINE", "").strip() not in ("", "0"):
            raise _offline(entry, missing, self.command("fetch", entry))
        from braino_registry.datasets.fetching import fetch_files

        with (
            host_errors(f"fetching {entry.ref}", self.root),
            layout.work_folder(self.root) as work,
        ):
            return fetch_files(missing, self.root, work, progress)

    def verify(
        self, entry: Entry, salt: SaltLike | None = None, *, deep: bool = False
    ) -> Verification:
        """Check a built dataset against what was built and what the entry states.

        Parameters
        ----------
        entry : Recipe or PublicDataset
            The dataset.
        salt : Salt | None
            As for the build.
        deep : bool
            Read and hash every file, instead of comparing names, sizes and times.

        Raises
        ------
        HostError
            If it is not built.
        """
        folder = self.location(entry, salt)
        marker = read_marker(folder)
        if marker is None:
            raise self.not_built(entry, folder)
        tree = folder / "bids"
        problems = read_through(tree, marker) if deep else look(tree, marker)
        problems += self._invariants(entry, tree)
        recorded = None if marker.salt else recorded_digest(entry.doc)
        if recorded not in (None, marker.digest):
            problems.append(f"content digest {marker.digest} instead of the recorded {recorded}")
        return Verification(
            not problems, tuple(problems), len(marker.files), marker.bytes, deep,
            marker.digest, recorded,
        )  # fmt: skip

    def _find(self, entry: Entry, salt: SaltLike | None) -> Realised | None:
        """Return the cached build if it is whole; a changed file is judged by its content."""
        folder = self.location(entry, salt)
        marker = read_marker(folder)
        if marker is None:
            return None
        if look(folder / "bids", marker):
            problems = read_through(folder / "bids", marker)
            if problems:
                with host_errors(f"replacing the damaged {entry.ref}", folder):
                    self._drop(folder)
                return None
        return self._realised(entry, folder, marker)

    def _build(self, entry: Entry, salt: SaltLike | None) -> Realised:
        name = self.location(entry, salt)
        with layout.work_folder(self.root) as work:
            folder = work / "build"
            folder.mkdir()
            if is_synthetic(entry):
                self._synthesise(entry, salt, folder)
            else:
                self._convert(entry, folder, work / "sources")
            settle_tree(folder / "bids")
            records = tree_records(folder / "bids")
            salt_hash = self._salt_hash(entry, salt)
            Marker(
                entry.ref, dataset_identity(entry), salt_hash, content_digest(records), records
            ).write(folder)
            layout.sync_tree(folder)
            if name.exists() and read_marker(name) is None:
                layout.set_aside(name, work)
            layout.publish(folder, name)
        found = self._find(entry, salt)
        if found is None:
            raise HostError(
                f"{entry.ref} was built but is not whole",
                where=str(name),
                hint="Another process may be emptying the cache; try again.",
            )
        return found

    def _synthesise(self, entry: Entry, salt: SaltLike | None, folder: Path) -> None:
        from braino_registry.synthesis import build

        build(entry.doc, b"" if salt is None else salt.material, folder)

    def _convert(self, entry: Entry, folder: Path, staging: Path) -> None:
        from braino_registry.datasets.conversions import convert

        for problem in problems_of(entry.doc):
            raise problem
        found = self._finder.find(pins_of(entry.doc))
        if found.missing:
            raise HostError(
                f"{entry.ref} is not on this machine: {_listed(found.missing)}",
                where=self._why_missing(entry, found),
                hint=f"Fetch it with: {self.command('fetch', entry)}",
            )
        tree = folder / "bids"
        tree.mkdir()
        convert(entry.doc, stage(found, staging), tree)
        for text in self._invariants(entry, tree):
            raise EntryError(
                f"the converted {entry.ref} breaks an invariant: {text}",
                where="$.invariants",
                hint="The conversion lost something, or the invariant is wrong.",
            )

    def _invariants(self, entry: Entry, tree: Path) -> list[str]:
        from braino_registry.datasets.invariants import broken_invariants

        return broken_invariants(tree, list(entry.doc.get("invariants", ())))

    def _realised(self, entry: Entry, folder: Path, marker: Marker) -> Realised:
        truth: Mapping[str, Any] = {"recordings": {}, "dataset": {}}
        labels: Mapping[str, Any] = {"recordings": {}, "dataset": {}}
        if is_synthetic(entry):
            truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
        else:
            labels = labels_of(entry.doc)
        verified = bool(marker.salt) or recorded_digest(entry.doc) == marker.digest
        return Realised(
            entry.ref, folder / "bids", truth, labels, marker.digest, verified, marker.bytes
        )

    def not_built(self, entry: Entry, folder: Path) -> HostError:
        """Return the error for a dataset that has to be built first."""
        hint = f"Run: {self.command('build', entry)}"
        return HostError(f"{entry.ref} is not built", where=str(folder), hint=hint)

    def _drop(self, folder: Path) -> None:
        with layout.work_folder(self.root) as work:
            layout.set_aside(folder, work)

    def _salt_hash(self, entry: Entry, salt: SaltLike | None) -> str | None:
        return salt.hash if salt is not None and is_synthetic(entry) else None

    def _why_missing(self, entry: Entry, found: Found) -> str:
        text = (
            f"{len(found.missing)} of {len(entry.doc['files'])} files are neither in the cache "
            f"({self.root}) nor in a folder of BRAINO_MIRRORS"
        )
        absent = self._finder.absent_mirrors()
        if absent:
            text += f"; these folders of BRAINO_MIRRORS do not exist: {', '.join(map(str, absent))}"
        return text


def _offline(entry: Entry, missing: tuple[Pin, ...], command: str) -> HostError:
    commands = "; ".join(f"curl -LO {pin.urls[0]}" for pin in missing if pin.urls)
    return HostError(
        f"BRAINO_OFFLINE is set, and {entry.ref} needs {_listed(missing)}",
        where=f"With network: {commands}",
        hint="Then set BRAINO_MIRRORS to the folder with these files, or unset BRAINO_OFFLINE "
        f"and run: {command}",
    )


def _listed(pins: tuple[Pin, ...]) -> str:
    return ", ".join(f"{pin.path} ({pin.size} bytes)" for pin in pins)


def _short(value: str | None) -> str:
    return "plain" if value is None else value.removeprefix("sha256:")[:16]
