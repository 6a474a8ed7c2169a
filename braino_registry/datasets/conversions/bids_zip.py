"""Upstream datasets that are one zip archive of a BIDS tree: unpacked as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from braino_registry.datasets.archives import opened, unpack_all
from braino_registry.datasets.conversions import Work, conversion
from braino_registry.datasets.entries import SourceRecording
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


@conversion("bids-zip", version="1.0.0", parameters=PARAMETERS, recordings=recordings)
def bids_zip(work: Work) -> None:
    """Unpack the folder of the archive that holds ``dataset_description.json``.

    The hash of the archive vouches for its members. Derivatives below it stay where they are.
    """
    archive = work.sources[work.parameters["archive"]]
    unpack_all(archive, work.out, bids_folder(archive))


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
