"""Results under stable identifiers, and pages of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from braino_registry.recordings.errors import RecordingError, unknown

MAX_PAGE = 50


@dataclass(frozen=True)
class Stored:
    """A kept result.

    Parameters
    ----------
    id : str
        ``result-1``, ``result-2`` …, in the order of keeping.
    kind : str
        What it is, for example ``"erp"``.
    value : any
        JSON lists and objects that :meth:`ResultStore.page` can walk; may hold arrays.
    note : str
        What a reader of its pages has to know.
    hidden : any
        What belongs to it and is not shown.
    """

    id: str
    kind: str
    value: Any
    note: str = ""
    hidden: Any = None


@dataclass(frozen=True)
class Page:
    """A part of a list or object.

    Parameters
    ----------
    items : list or dict
        The part.
    total : int
        How many there are.
    next_offset : int | None
        Where the next page begins, None after the last.
    """

    items: Any
    total: int
    next_offset: int | None


class ResultStore:
    """Results of one session."""

    def __init__(self) -> None:
        self._stored: dict[str, Stored] = {}

    def put(self, kind: str, value: Any, *, note: str = "", hidden: Any = None) -> str:
        """Keep a result and return its id; see :class:`Stored` for the parameters."""
        identifier = f"result-{len(self._stored) + 1}"
        self._stored[identifier] = Stored(identifier, kind, value, note, hidden)
        return identifier

    def get(self, identifier: str, kind: str | None = None) -> Stored:
        """Return a result.

        Raises
        ------
        RecordingError
            If there is none of this id, or it is of another kind.
        """
        found = self._stored.get(identifier)
        if found is None:
            raise unknown("result", identifier, list(self._stored))
        if kind is not None and found.kind != kind:
            same = [s.id for s in self._stored.values() if s.kind == kind]
            raise RecordingError(
                f"{identifier} is of kind {found.kind}, not {kind}",
                hint=f"The last results of kind {kind}: {', '.join(same[-20:]) or 'none yet'}.",
            )
        return found

    def page(self, identifier: str, path: str = "", offset: int = 0, limit: int = 20) -> Page:
        """Return a part of a result.

        Parameters
        ----------
        identifier : str
            Id of the result.
        path : str
            Keys and positions joined by dots, for example ``measures`` or ``uv.Pz``.
        offset, limit : int
            First item and how many, at most 50.

        Raises
        ------
        RecordingError
            If there is nothing at the path, or nothing to page there.
        """
        value: Any = self.get(identifier).value
        where = identifier
        for key in [part for part in path.split(".") if part]:
            value = _step(value, key, where)
            where = f"{where}.{key}"
        if isinstance(value, Mapping):
            names = list(value)[offset : offset + limit]
            items: Any = {name: _shown(value[name]) for name in names}
        elif _is_list(value):
            items = [_shown(item) for item in value[offset : offset + limit]]
        else:
            items, offset = [value], 0
            return Page(items, 1, None)
        total = len(value)
        following = offset + limit
        return Page(items, total, following if following < total else None)


def _is_list(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Sequence) and not isinstance(value, str)


def _step(value: Any, key: str, where: str) -> Any:
    if isinstance(value, Mapping):
        if key not in value:
            raise unknown("part", key, [str(name) for name in value], where=where)
        return value[key]
    if _is_list(value) and key.isdecimal() and len(key) < 10 and int(key) < len(value):
        return value[int(key)]
    length = f"positions 0 to {len(value) - 1}" if _is_list(value) and len(value) else "nothing"
    raise RecordingError(f"there is no part {key!r}", where=where, hint=f"It holds {length}.")


def _shown(value: Any) -> Any:
    """Return a scalar or flat object as it is, and only the kind of anything deeper."""
    if isinstance(value, Mapping):
        return {
            name: "(object)" if isinstance(item, Mapping) else _flat(item)
            for name, item in value.items()
        }
    return _flat(value)


def _flat(value: Any) -> Any:
    if _is_list(value):
        return "(list)"
    return value.item() if hasattr(value, "item") else value
