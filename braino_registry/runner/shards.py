"""Shards: the trials of one plan, dealt out to runs that know nothing of each other.

The trials are dealt like cards, one after the other: neighbours in a plan cost about the same, so
every shard gets its share of the long ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from braino_registry.errors import UsageError
from braino_registry.runner.journal import Key

Item = TypeVar("Item")

#: More are a slip of the keyboard.
MOST_SHARDS = 10_000
_FORM = re.compile(r"([0-9]{1,6})/([0-9]{1,6})", re.ASCII)


@dataclass(frozen=True, order=True)
class Shard:
    """One of the equal parts of a plan.

    Parameters
    ----------
    index, of : int
        Which part, counted from 1, and how many there are.
    """

    index: int
    of: int

    def __str__(self) -> str:
        return f"{self.index}/{self.of}"

    def share(self, items: Sequence[Item]) -> list[Item]:
        """Return this shard's part of what is in the order of the plan."""
        return list(items[self.index - 1 :: self.of])


def parse(text: str) -> Shard:
    """Return the shard that ``I/N`` names.

    Raises
    ------
    UsageError
        If it names none.
    """
    match = _FORM.fullmatch(text)
    if match is not None:
        shard = Shard(int(match[1]), int(match[2]))
        if 1 <= shard.index <= shard.of <= MOST_SHARDS:
            return shard
    raise UsageError(
        f"{text!r} is not allowed here",
        where="--shard",
        hint=f"Give I/N with I from 1 to N and N from 1 to {MOST_SHARDS}: 1/3, 2/3 and 3/3.",
    )


def share(items: Sequence[Item], shard: str | None) -> list[Item]:
    """Return what falls to a shard, or everything where there is none."""
    return list(items) if shard is None else parse(shard).share(items)


def refuse_empty(shard: str | None, trials: int) -> None:
    """Refuse a shard that no trial of a plan falls to.

    Raises
    ------
    UsageError
        With the number of shards that would do.
    """
    if shard is not None and trials and parse(shard).index > trials:
        many = "is only one trial" if trials == 1 else f"are only {trials} trials"
        raise UsageError(
            f"there {many} to be run, and none of them is for shard {shard}",
            where="--shard",
            hint=f"Part the run into at most {trials} shards.",
        )


def planned_keys(plan: Mapping[str, Any]) -> list[Key]:
    """Return the trials of a run in their order: all of its plan, or those of its shard.

    Parameters
    ----------
    plan : mapping
        The plan in a ``run.json``.
    """
    return share(every_key(plan["planned"], plan["repeats"]), plan.get("shard"))


def every_key(rows: Iterable[Mapping[str, Any]], repeats: int) -> list[Key]:
    """Return all trials of a plan in their order."""
    return [(row["task"], row["instance"], k) for row in rows for k in range(1, repeats + 1)]
