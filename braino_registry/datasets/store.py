"""From an entry to a BIDS tree on disk: found in the cache, or built there once.

Nothing here needs the network except `Store.fetch`, and `Store.repair` where a file has to be
fetched again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from braino_registry.datasets import layout
from braino_registry.datasets.building import Portion, broken, convert, synthesise
from braino_registry.datasets.content import content_digest, settle_tree, tree_records
from braino_registry.datasets.entries import (
    is_synthetic,
    is_verbatim,
    labels_of,
    recorded_digest,
)
from braino_registry.datasets.hosts import host_errors
from braino_registry.datasets.marker import Marker, look, read_marker, read_through
from braino_registry.datasets.missing import (
    fetchable,
    not_built,
    not_here,
    offline,
    too_large,
    unfetchable_status,
    why_missing,
)
from braino_registry.datasets.naming import BuildNames, salt_hash
from braino_registry.datasets.places import Places
from braino_registry.datasets.selection import ALL, Selection
from braino_registry.datasets.values import Need, Realised, SaltLike, Status, Verification
from braino_registry.errors import HostError
from braino_registry.registry import documents
from braino_registry.registry.digests import dataset_identity
from braino_registry.registry.entries import Entry

if TYPE_CHECKING:
    from braino_registry.datasets.fetching import Fetched, Progress
    from braino_registry.datasets.lines import Patience


class Store(Places):
    """The cache of datasets.

    Parameters
    ----------
    root : Path | None
    environ : Mapping | None
        See `Places`.
    """

    def __init__(
        self, root: Path | None = None, *, environ: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(root, environ=environ)
        self._names = BuildNames()

    def location(
        self, entry: Entry, salt: SaltLike | None = None, selection: Selection = ALL
    ) -> Path:
        """Return the cache folder of a build, existing or not.

        The name holds a digest of the entry, so that an edited entry is another build.
        """
        chosen = Portion.of(entry, selection).selection if selection else ALL
        return self.root / "built" / self._names.name(entry, salt, chosen)

    def build_or_find(
        self, entry: Entry, salt: SaltLike | None = None, selection: Selection = ALL
    ) -> Realised:
        """Return the dataset, from the cache when it is there and whole, else built.

        Parameters
        ----------
        entry : Recipe or PublicDataset
            What to realise.
        salt : Salt | None
            Changes the draws of a recipe; public data have none.
        selection : Selection
            Which part of a public dataset; all of it by default.

        Raises
        ------
        EntryError
            If the entry contradicts itself or its invariants do not hold.
        HostError
            If source files are missing, or the cache cannot be written.
        UsageError
            If the dataset has nothing like the selection.
        """
        found = self._find(entry, salt, selection)
        if found is not None:
            return found
        with host_errors(f"building {entry.ref}", self.root):
            return self._build(Portion.of(entry, selection), salt)

    def status(
        self, entry: Entry, salt: SaltLike | None = None, selection: Selection = ALL
    ) -> Status:
        """Return whether the dataset can be used without the network. Builds nothing."""
        if self._built(entry, salt, selection) is not None:
            return Status(True, (), 0, "", "built in the cache", True)
        if is_synthetic(entry):
            return Status(True, (), 0, "", "synthetic: built when it is needed", False)
        if entry.doc.get("pins") is None:
            return unfetchable_status(entry)
        portion = Portion.of(entry, selection)
        found = portion.found(self.finder)
        if not found.missing:
            return Status(True, (), 0, "", "its files are on this machine", False)
        return Status(
            present=False,
            missing=tuple(pin.path for pin in found.missing),
            bytes_to_get=found.bytes_missing,
            command=self.command("fetch", entry, portion.selection),
            reason=why_missing(self, portion, found),
            built=False,
            sizes_unknown=sum(pin.size is None for pin in found.missing),
        )

    def need(self, entry: Entry, selection: Selection = ALL) -> Need:
        """Return what fetching and building a dataset would take. Fetches nothing.

        Raises
        ------
        HostError
            If nobody can fetch it, as `fetch` does.
        UsageError
            If the dataset has nothing like the selection.
        """
        portion = fetchable(entry, selection)
        missing = portion.found(self.finder).missing
        wrapped = portion.members()
        unpacked = sum(member.size or 0 for pin in missing for member in wrapped.get(pin.path, ()))
        size = sum(pin.size or 0 for pin in missing)
        built = self._built(entry, None, portion.selection) is not None
        return Need(
            files=tuple(pin.path for pin in missing),
            bytes=size,
            sizes_unknown=sum(pin.size is None for pin in missing),
            disk_needed=size + unpacked + (0 if built else portion.bytes),
            disk_free=layout.free_bytes(self.root),
            command=self.command("fetch", entry, portion.selection),
        )

    def fetch(
        self,
        entry: Entry,
        progress: Progress | None = None,
        *,
        selection: Selection = ALL,
        patience: Patience | None = None,
    ) -> tuple[Fetched, ...]:
        """Fetch the files of a public dataset that are not on this machine.

        Parameters
        ----------
        entry : PublicDataset
            A recipe has nothing to fetch.
        progress : callable, optional
            Called with logical path, bytes so far and bytes in all.
        selection : Selection
            Which part of the dataset; all of it by default.
        patience : Patience, optional
            How long to wait for servers.

        Returns
        -------
        tuple of Fetched
            What was fetched; empty when everything was there.

        Raises
        ------
        HostError
            If ``BRAINO_OFFLINE`` is set and something is missing, if there is not enough room,
            or if a file cannot be had; what was fetched before stays.
        UsageError
            If the dataset has nothing like the selection.
        """
        if is_synthetic(entry):
            return ()
        portion = fetchable(entry, selection)
        missing = portion.found(self.finder).missing
        if not missing:
            return ()
        if self.is_offline:
            raise offline(self, portion, missing)
        need = self.need(entry, portion.selection)
        if need.bytes > need.disk_free:
            raise too_large(self, entry, need)
        from braino_registry.datasets.fetching import fetch_files
        from braino_registry.datasets.parts import salvage

        with (
            host_errors(f"fetching {entry.ref}", self.root),
            layout.work_folder(self.root) as work,
        ):
            try:
                return fetch_files(
                    missing, self.keep, work, members=portion.members(), progress=progress,
                    patience=patience,
                )  # fmt: skip
            finally:
                salvage(work, self.root)

    def verify(
        self,
        entry: Entry,
        salt: SaltLike | None = None,
        *,
        deep: bool = False,
        selection: Selection = ALL,
    ) -> Verification:
        """Check a built dataset against what was built and what the entry states.

        Parameters
        ----------
        entry : Recipe or PublicDataset
            The dataset.
        salt : Salt | None
            As for the build.
        deep : bool
            Read and hash every file, the fetched ones too, instead of comparing names, sizes and
            times.
        selection : Selection
            As for the build.

        Raises
        ------
        HostError
            If it is not built.
        """
        portion = Portion.of(entry, selection)
        found = self._built(entry, salt, portion.selection)
        if found is None:
            raise not_built(self, portion, self.location(entry, salt, selection))
        folder, marker = found
        tree = folder / "bids"
        if deep:
            problems = [f"{name}: {what}" for name, what in read_through(tree, marker).items()]
            problems += [f"fetched {path}: {why}" for path, _, why in self.damaged(portion)]
        else:
            problems = look(tree, marker)
        problems += broken(portion, tree)
        recorded = None if marker.salt or portion.selection else recorded_digest(entry.doc)
        if recorded not in (None, marker.digest):
            problems.append(f"content digest {marker.digest} instead of the recorded {recorded}")
        return Verification(
            not problems, tuple(problems), len(marker.files), marker.bytes, deep,
            marker.digest, recorded,
        )  # fmt: skip

    def damaged(self, portion: Portion) -> list[tuple[str, Path, str]]:
        """Return the kept files of a dataset that are no longer what they were.

        Returns
        -------
        list of tuple
            Logical path, file and what is wrong; every kept file was read.
        """
        found = []
        for pin in portion.pins:
            wrong = self.keep.damaged(pin) if pin.path in portion.wanted else None
            if wrong is not None:
                found.append((pin.path, *wrong))
        return found

    def built(
        self, entry: Entry, salt: SaltLike | None = None, selection: Selection = ALL
    ) -> Path | None:
        """Return the folder of a build if it is there, without looking at its files."""
        found = self._built(entry, salt, selection)
        return None if found is None else found[0]

    def _built(
        self, entry: Entry, salt: SaltLike | None, selection: Selection
    ) -> tuple[Path, Marker] | None:
        chosen = Portion.of(entry, selection).selection if selection else ALL
        name = self._names.name(entry, salt, chosen)
        for root in (*self.keep.shared, self.root):
            folder = root / "built" / name
            try:
                marker = read_marker(folder)
            except HostError:
                if root == self.root:
                    raise
                continue  # a shared cache that is closed to us is as good as none
            if marker is not None and (root == self.root or not look(folder / "bids", marker)):
                return folder, marker
        return None

    def _find(self, entry: Entry, salt: SaltLike | None, selection: Selection) -> Realised | None:
        """Return the cached build if it is whole; a changed file is judged by its content."""
        found = self._built(entry, salt, selection)
        if found is None:
            return None
        folder, marker = found
        if look(folder / "bids", marker) and read_through(folder / "bids", marker):
            with host_errors(f"replacing the damaged {entry.ref}", folder):
                self.drop(folder)
            return None
        return self._realised(entry, folder, marker, selection)

    def _build(self, portion: Portion, salt: SaltLike | None) -> Realised:
        entry = portion.entry
        name = self.root / "built" / self._names.name(entry, salt, portion.selection)
        with layout.work_folder(self.root) as work:
            folder = work / "build"
            folder.mkdir()
            if is_synthetic(entry):
                synthesise(entry, b"" if salt is None else salt.material, folder)
            else:
                found = portion.found(self.finder)
                if found.missing or not portion.pins:
                    raise not_here(self, portion, found.missing)
                convert(portion, found, folder, work / "sources")
            settle_tree(folder / "bids")
            records = tree_records(folder / "bids")
            salted = salt_hash(entry, salt)
            Marker(
                entry.ref, dataset_identity(entry), salted, content_digest(records), records
            ).write(folder)
            layout.sync_tree(folder)
            if name.exists() and read_marker(name) is None:
                layout.set_aside(name, work)
            layout.publish(folder, name)
        made = self._find(entry, salt, portion.selection)
        if made is None:
            raise HostError(
                f"{entry.ref} was built but is not whole",
                where=str(name),
                hint="Another process may be emptying the cache; try again.",
            )
        return made

    def _realised(
        self, entry: Entry, folder: Path, marker: Marker, selection: Selection
    ) -> Realised:
        truth: Mapping[str, Any] = {"recordings": {}, "dataset": {}}
        labels: Mapping[str, Any] = {"recordings": {}, "dataset": {}}
        if is_synthetic(entry):
            truth = json.loads(documents.read_text(folder / "truth.json", documents.LARGEST_RECORD))
        else:
            labels = labels_of(entry.doc)
        recorded = None if selection else recorded_digest(entry.doc)
        if recorded is None:
            # Where pinned files are laid out unchanged, the pins are the record.
            verified = bool(marker.salt) or is_verbatim(entry)
        else:
            verified = bool(marker.salt) or recorded == marker.digest
        return Realised(
            entry.ref, folder / "bids", truth, labels, marker.digest, verified, marker.bytes
        )

    def drop(self, folder: Path) -> None:
        """Remove a build, so that no one ever sees half of it."""
        with layout.work_folder(self.root) as work:
            layout.set_aside(folder, work)
