"""A BIDS dataset on disk: which recordings it holds."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

from braino_registry.recordings import sidecars
from braino_registry.recordings.entities import parse_name
from braino_registry.recordings.errors import RecordingError, unknown
from braino_registry.recordings.recording import Recording
from braino_registry.recordings.tsv import Table, read_tsv

EXTENSIONS = (".vhdr", ".edf", ".bdf", ".set")
DATATYPES = ("eeg", "ieeg")


class BidsTree:
    """A dataset, walked once.

    Recordings are looked up among those that the walk found, so that no name can lead elsewhere;
    links that leave the dataset are not followed.

    Parameters
    ----------
    root : Path
        The folder that holds the subjects' folders.
    """

    def __init__(self, root: Path) -> None:
        if not root.is_dir():
            raise RecordingError(
                "there is no such dataset folder", where=str(root), hint="Pass an existing folder."
            )
        self.root = root

    @cached_property
    def _recordings(self) -> dict[str, Recording]:
        found: dict[str, Recording] = {}
        for folder in self._folders():
            for path in sorted(folder.iterdir()):
                name = parse_name(path.name)
                if name is None or name.extension.lower() not in EXTENSIONS:
                    continue
                if name.suffix == folder.name and "sub" in name.entities:
                    found.setdefault(name.recording_id, Recording(self.root, path, name))
        return dict(sorted(found.items()))

    def _folders(self) -> list[Path]:
        folders = []
        for subject in sorted(self.root.glob("sub-*")):
            for parent in (subject, *sorted(subject.glob("ses-*"))):
                folders += [parent / kind for kind in DATATYPES if (parent / kind).is_dir()]
        return folders

    def recordings(self) -> tuple[str, ...]:
        """Return the ids of all recordings, sorted."""
        return tuple(self._recordings)

    def open(self, recording: str) -> Recording:
        """Return a recording; its file is opened when something of it is asked for.

        Raises
        ------
        RecordingError
            If there is none of this id; with close matches.
        """
        found = self._recordings.get(recording)
        if found is None:
            raise unknown("recording", recording, self.recordings())
        return found

    def subjects(self) -> tuple[str, ...]:
        """Return subject labels, from folders and participants.tsv, sorted."""
        labels = {path.name[4:] for path in self.root.glob("sub-*") if path.is_dir()}
        table = self.participants()
        for row in table.rows if table is not None else ():
            label = row.get("participant_id")
            if label:
                labels.add(label.removeprefix("sub-"))
        return tuple(sorted(labels))

    def participants(self) -> Table | None:
        """Return participants.tsv, or None if there is none."""
        path = self.root / "participants.tsv"
        return read_tsv(path) if path.exists() and sidecars.inside(self.root, path) else None

    def description(self) -> dict[str, Any] | None:
        """Return dataset_description.json, or None if there is none."""
        path = self.root / "dataset_description.json"
        return (
            sidecars.read_json(path) if path.exists() and sidecars.inside(self.root, path) else None
        )

    @cached_property
    def layout(self) -> Any:
        """The dataset as :class:`bids.layout.BIDSLayout`, indexed in memory on first use."""
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # pybids warns of deprecations inside itself
            from bids.layout import BIDSLayout, BIDSLayoutIndexer

            # metadata are read by our own readers; indexing them takes most of the time
            indexer = BIDSLayoutIndexer(validate=False, index_metadata=False)
            return BIDSLayout(self.root, validate=False, indexer=indexer)
