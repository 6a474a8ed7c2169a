"""What keeps an answer from being read, told before it is given; never whether it is right."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from braino_registry.recordings.tree import BidsTree

EPOCH_S = 30
MOST_PROBLEMS = 10


class Reviewer:
    """Looks at the form of an answer, as often as the suite allows.

    Parameters
    ----------
    fields : mapping
        The fields of the answer, by name.
    repairs : int
        How often problems are told; after that any answer is as good as it is.
    tree : BidsTree
        The data.
    recording_id : str | None
        The recording whose epochs a hypnogram has to cover.
    """

    def __init__(
        self, fields: Mapping[str, Any], repairs: int, tree: BidsTree, recording_id: str | None
    ) -> None:
        self._fields, self._left = fields, repairs
        self._tree, self._recording_id = tree, recording_id

    def review(self, data: Mapping[str, Any] | None) -> dict[str, Any]:
        """Return the problems of an answer's data, and how many more reviews will tell any.

        Parameters
        ----------
        data : mapping | None
            Values by the name of the answer's fields.
        """
        found = self._problems(data or {}) if self._left > 0 else []
        self._left -= bool(found)
        return {"problems": found[:MOST_PROBLEMS], "left": self._left}

    def _problems(self, data: Mapping[str, Any]) -> list[str]:
        if not self._fields:
            return []
        problems = [f"there is no field {name!r}" for name in data if name not in self._fields]
        for name, spec in self._fields.items():
            if name not in data:
                problems.append(f"the field {name!r} is missing")
                continue
            value, kind = data[name], spec.get("type")
            if kind == "label":
                problems += _label(name, value, spec.get("labels", ()))
            elif kind == "events":
                problems += _events(name, value)
            elif kind == "hypnogram":
                problems += self._hypnogram(value)
        return problems

    def _hypnogram(self, value: Any) -> list[str]:
        from braino_registry.scoring.corpus import cover_problems

        if self._recording_id is None:
            return []
        whole = int((self._tree.open(self._recording_id).duration + 1e-6) // EPOCH_S)
        return cover_problems(value, whole, MOST_PROBLEMS)


def _label(name: str, value: Any, labels: Sequence[str]) -> list[str]:
    if not labels or value in labels:
        return []
    return [f"{name} is none of {', '.join(labels)}"]


def _events(name: str, value: Any) -> list[str]:
    if not isinstance(value, list):
        return [f"{name} must be a list"]
    problems = []
    for place, event in enumerate(value):
        bounds: list[Any] = (
            [event.get("onset_sec"), event.get("offset_sec")] if isinstance(event, dict) else []
        )
        if not bounds or not all(_finite(bound) for bound in bounds):
            problems.append(f"{name}[{place}] needs the numbers onset_sec and offset_sec")
        elif not 0 <= bounds[0] < bounds[1]:
            problems.append(f"{name}[{place}] must begin at 0 or later, and before it ends")
    return problems


def _finite(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
