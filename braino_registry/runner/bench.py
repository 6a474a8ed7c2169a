"""What every trial of a worker shares: entries, data, salt, and a folder for temporary files."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from braino_registry.datasets import Realised, Store
    from braino_registry.expected import Expected
    from braino_registry.registry import Registry, Salt
    from braino_registry.runner.work import Work


@dataclass(frozen=True)
class Bench:
    """The trusted side's tools of the trade.

    Parameters
    ----------
    registry : Registry
        The entries.
    store : Store
        The datasets on disk.
    salt : Salt
        What changes every draw.
    scratch : Path
        Folder for temporary files; removed by whoever made it.
    """

    registry: Registry
    store: Store
    salt: Salt
    scratch: Path
    _known: dict[tuple[str, str | None], dict[str, Any]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _found: dict[Any, Realised | None] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _expected: dict[tuple[str, str, str], Expected] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def expected(self, work: Work, realised: Realised | None) -> Expected:
        """Return the checks of an instance with their expected values, found out once.

        They rest on the entry and the pristine data alone. A question without data may be drawn
        anew in each trial, so its checks are never kept.
        """
        from braino_registry.expected import resolve

        if realised is None:
            return resolve(work.task, work.instance, tree=None, cache=self._values)
        key = (work.task.id, work.instance.id, realised.digest)
        if key not in self._expected:
            self._expected[key] = resolve(
                work.task,
                work.instance,
                tree=realised.bids,
                truth=realised.truth,
                labels=realised.labels,
                cache=self._values,
                dataset_digest=realised.digest,
            )
        return self._expected[key]

    @property
    def _values(self) -> Path:
        return self.store.root / "expected"

    def found(self, work: Work, realise: Callable[[Work, Bench], Realised | None]) -> Any:
        """Return the dataset of an instance, looked at once: where nothing runs in between."""
        key = (work.instance.dataset, json.dumps(work.instance.select, sort_keys=True))
        if key not in self._found:
            self._found[key] = realise(work, self)
        return self._found[key]

    def vocabulary(self, work: Work, realised: Realised | None) -> dict[str, Any]:
        """Return the names by which an answer's words are read, from the pristine data."""
        if realised is None:
            return {}
        key = (realised.digest, work.instance.recording_id)
        if key not in self._known:
            self._known[key] = _vocabulary(realised.bids, work.instance.recording_id)
        return self._known[key]


def _vocabulary(bids: Path, recording_id: str | None) -> dict[str, Any]:
    from braino_registry.recordings.tree import BidsTree

    tree = BidsTree(bids)
    names = tree.recordings()
    chosen = recording_id or (names[0] if names else None)
    recording = None if chosen is None else tree.open(chosen)
    events = () if recording is None else recording.events
    return {
        "recording": recording_id,
        "recordings": list(names),
        "subjects": list(tree.subjects()),
        "ch_names": [] if recording is None else list(recording.ch_names),
        "events": sorted({str(e["trial_type"]) for e in events if e.get("trial_type")}),
    }
