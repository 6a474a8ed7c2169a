"""Upstream datasets that are BIDS already: laid out as they are, not a byte is changed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from braino_registry.datasets.clones import clone
from braino_registry.datasets.conversions import Work, conversion
from braino_registry.datasets.patterns import matches
from braino_registry.datasets.values import SourceRecording
from braino_registry.registry.entries import ENTITIES, recording_id

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "leave_out": {
            "type": "array",
            "uniqueItems": True,
            "items": {"type": "string", "minLength": 1},
            "description": "Patterns of pinned paths that are not part of the tree; ** spans "
            "folders, for example derivatives/**.",
        }
    },
    "required": ["leave_out"],
    "additionalProperties": False,
}

#: What a reader opens, by data type.
_OPENED = {
    "eeg": (".set", ".vhdr", ".edf", ".bdf"),
    "ieeg": (".vhdr", ".edf", ".set", ".nwb", ".mefd"),
    "meg": (".fif",),
}
_RECORDING = re.compile(
    r"(?:sub-[A-Za-z0-9]+/)(?:ses-[A-Za-z0-9]+/)?(?P<kind>eeg|ieeg|meg)/"
    r"(?P<stem>sub-[A-Za-z0-9_-]+)_(?P=kind)(?P<extension>\.[A-Za-z]+)"
)
_BY_KEY = {key: name for name, key in ENTITIES.items()}


def recordings(doc: Mapping[str, Any], paths: Sequence[str]) -> list[SourceRecording]:
    """Return the recordings of a BIDS tree, told from its paths.

    The files of a recording are its data file and every other file that belongs to its subject,
    session, task and run and to no other recording; sidecars that several share are common.
    """
    return recordings_among([path for path in paths if not left_out(doc, path)])


def recordings_among(paths: Sequence[str]) -> list[SourceRecording]:
    """Return the recordings that files of a BIDS tree make; see `recordings`."""
    found = dict(_data_files(paths))
    others = _companions(paths, found)
    return [
        SourceRecording(str(recording_id(entities)), entities, (path, *others.get(path, ())))
        for path, entities in found.items()
    ]


def left_out(doc: Mapping[str, Any], path: str) -> bool:
    """Tell whether an entry leaves a pinned path out of the tree."""
    patterns = doc["conversion"]["parameters"]["leave_out"]
    return any(matches(path, pattern) for pattern in patterns)


@conversion(
    "bids", version="1.0.0", parameters=PARAMETERS, recordings=recordings, leaves_out=left_out,
    by_name=False,
)  # fmt: skip
def bids(work: Work) -> None:
    """Lay the pinned files out under their paths."""
    for path, source in work.sources.items():
        target = work.out / path
        if not os.path.isdir(target.parent):
            target.parent.mkdir(parents=True)
        clone(Path(source), target)


def _data_files(paths: Sequence[str]) -> Iterator[tuple[str, dict[str, str]]]:
    for path in paths:
        match = _RECORDING.fullmatch(path)
        if match is None or match["extension"] not in _OPENED[match["kind"]]:
            continue
        entities = _entities(match["stem"])
        if recording_id(entities) is not None:
            yield path, entities


def _entities(stem: str) -> dict[str, str]:
    pairs = (part.partition("-") for part in stem.split("_"))
    return {_BY_KEY[key]: value for key, _, value in pairs if key in _BY_KEY}


def _companions(
    paths: Sequence[str], found: Mapping[str, Mapping[str, str]]
) -> dict[str, tuple[str, ...]]:
    """Return what else belongs to exactly one data file: the same stem, in the same folder."""
    by_stem = {path.rpartition("_")[0]: path for path in found}
    owned: dict[str, list[str]] = {}
    for path in paths:
        owner = by_stem.get(path.rpartition("_")[0])
        if owner is not None and path != owner:
            owned.setdefault(owner, []).append(path)
    return {owner: tuple(names) for owner, names in owned.items()}
