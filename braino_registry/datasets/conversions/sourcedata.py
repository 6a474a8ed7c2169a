"""Upstream files that are no BIDS tree and are not converted: kept as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from braino_registry.datasets.bids_root import FACTS_SCHEMA, write_root
from braino_registry.datasets.clones import clone
from braino_registry.datasets.conversions import Work, conversion
from braino_registry.datasets.values import SourceRecording

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {"bids": FACTS_SCHEMA},
    "required": ["bids"],
    "additionalProperties": False,
}


def recordings(doc: Mapping[str, Any], paths: Sequence[str]) -> list[SourceRecording]:
    """Return nothing: what is not converted has no recordings."""
    return []


@conversion("sourcedata", version="1.0.0", parameters=PARAMETERS, recordings=recordings)
def sourcedata(work: Work) -> None:
    """Lay the pinned files out under ``sourcedata/``, beside a description and a README.

    BIDS keeps that folder for data in their original form. There are no participants, so a tool
    that looks for recordings finds none instead of something that it would misread.
    """
    write_root(work.out, work.doc, work.parameters["bids"], [])
    for path, source in work.sources.items():
        target = work.out / "sourcedata" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        clone(Path(source), target)
