"""What the journal of a run may tell: only of trials that the run has planned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from braino_registry.errors import ReportError
from braino_registry.runner import journal, shards
from braino_registry.runner.folder import RunFolder


def progress_of(place: RunFolder, document: Mapping[str, Any]) -> journal.Progress:
    """Read the journal of a run.

    Parameters
    ----------
    place : RunFolder
        The folder of the run.
    document : mapping
        Its ``run.json``.

    Raises
    ------
    ReportError
        If it is damaged, or tells of a trial that the run, or its shard, never planned.
    """
    progress = journal.read(place.journal)
    planned = set(shards.planned_keys(document["plan"]))
    for key in progress.started.keys() | progress.finished.keys():
        if key not in planned:
            line = progress.lines.get(key)
            raise ReportError(
                f"the journal tells of a trial that was not planned: {'/'.join(map(str, key))}",
                where=f"{place.journal}: line {line}" if line else str(place.journal),
                hint="Restore the file, or start a new run.",
            )
    return progress
