"""Upstream datasets that are one zip archive of a BIDS tree: unpacked as it is, or in part."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import Any

from braino_registry.datasets.archives import opened, unpack_all
from braino_registry.datasets.conversions import Work, conversion
from braino_registry.datasets.conversions.bids import recordings_among
from braino_registry.datasets.selection import Selection, needed
from braino_registry.datasets.values import SourceRecording
from braino_registry.errors import EntryError

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {"archive": {"type": "string", "description": "Logical path of the archive."}},
    "required": ["archive"],
    "additionalProperties": False,
}

_ROOT = "dataset_description.json"


def recordings(doc: Mapping[str, Any], paths: Sequence[str]) -> list[SourceRecording]:
    """Return nothing: what is in the archive is known when it is there."""
    return []


@conversion(
    "bids-zip", version="1.0.0", parameters=PARAMETERS, recordings=recordings, known_later=True
)
def bids_zip(work: Work) -> None:
    """Unpack the folder of the archive that holds ``dataset_description.json``.

    The hash of the archive vouches for its members. Derivatives below it stay where they are. Of
    a selection only the members that belong to it are unpacked, with the sidecars they inherit
    and the files at the root.
    """
    archive = work.sources[work.parameters["archive"]]
    below = bids_folder(archive)
    wanted = _wanted(archive, below, work.selection, work.doc) if work.selection else None
    unpack_all(archive, work.out, below, wanted)


def _wanted(
    archive: Path, below: str, selection: Selection, doc: Mapping[str, Any]
) -> Container[str]:
    """Return the members of a selection, as paths below the BIDS root.

    Raises
    ------
    UsageError
        If the archive has nothing like it, with the nearest labels.
    """
    prefix = f"{below}/" if below else ""
    with opened(archive) as members:
        paths = [name.removeprefix(prefix) for name in members if name.startswith(prefix)]
    rows = recordings_among(paths)
    chosen = selection.resolved(rows, f"{doc['id']}@{doc['version']}")
    return needed(paths, rows, chosen)[1]


def bids_folder(archive: Path) -> str:
    """Return the folder of an archive that is a BIDS root; empty for the archive itself.

    Raises
    ------
    EntryError
        If there is none, or several beside each other.
    """
    with opened(archive) as members:
        folders = [name.removesuffix(_ROOT).rstrip("/") for name in members
                   if name == _ROOT or name.endswith(f"/{_ROOT}")]  # fmt: skip
    depth = min((name.count("/") + bool(name) for name in folders), default=0)
    outer = [name for name in folders if name.count("/") + bool(name) == depth]
    if len(outer) != 1:
        raise EntryError(
            f"the archive holds {len(outer)} BIDS roots where one is needed",
            where=archive.name,
            hint=f"A BIDS root is a folder with a {_ROOT}.",
        )
    return outer[0]
