"""The views of one session: each is found by its id, and further ones are derived from it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from braino_registry.recordings.errors import unknown
from braino_registry.recordings.signal import Rows, Signal
from braino_registry.recordings.transforms import TRANSFORMS
from braino_registry.recordings.tree import BidsTree
from braino_registry.recordings.views import View


class ViewStore:
    """The views of one session.

    Parameters
    ----------
    tree : BidsTree
        The dataset.
    limit : int
        Bytes of processed samples to keep.
    """

    def __init__(self, tree: BidsTree, limit: int = 128 * 2**20) -> None:
        self.tree = tree
        self.rows = Rows(limit)
        self._views: dict[str, View] = {}
        self._derived: dict[tuple[str, str, str], str] = {}

    def ids(self) -> list[str]:
        """Return all ids that :meth:`get` accepts."""
        return [*self._views, *self.tree.recordings()]

    def get(self, identifier: str) -> View:
        """Return a view.

        Raises
        ------
        RecordingError
            If there is neither a view nor a recording of this id; with those there are.
        """
        found = self._views.get(identifier)
        if found is not None:
            return found
        if identifier not in self.tree.recordings():
            raise unknown("view or recording", identifier, self.ids())
        return View(identifier, Signal.raw(self.tree.open(identifier)), self.rows)

    def derive(self, parent: View, op: str, params: Mapping[str, Any]) -> View:
        """Return the view that a step makes of another; the same step gives the same view.

        Parameters
        ----------
        parent : View
            What to start from.
        op : str
            ``pick``, ``window``, ``filter``, ``notch``, ``resample``, ``reference``, ``epochs``,
            ``drop``, ``subtract``.
        params : mapping
            Of the step, see :mod:`braino_registry.recordings.transforms`.

        Raises
        ------
        RecordingError, SignalError
            If the step does not exist or its parameters do not suit the view.
        """
        transform = TRANSFORMS.get(op)
        if transform is None:
            raise unknown("step", op, list(TRANSFORMS))
        key = (parent.id, op, json.dumps(dict(params), sort_keys=True))
        if key in self._derived and op != "reference":
            return self._views[self._derived[key]]
        changes = transform(parent, dict(params))
        view = View(
            id=f"view-{len(self._views) + 1}",
            signal=changes.signal,
            rows=self.rows,
            window=changes.window,
            epochs=changes.epochs,
            history=(*parent.history, {"op": op, **changes.params}),
        )
        self._views[view.id] = view
        self._derived[key] = view.id
        return view
