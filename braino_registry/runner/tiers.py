"""Hardware tiers: what an agent's process tree may use. The numbers stand in ``tiers.json``."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from braino_registry.errors import UsageError, close_matches


@dataclass(frozen=True)
class Tier:
    """What one agent may use on a computer of this class.

    Parameters
    ----------
    name, title : str
        Its id, and what it stands for.
    memory_bytes : int | None
        Resident memory of the whole process tree.
    gpu : bool
        Whether graphics processors may be seen.
    processes : int
        Processes of the tree at one time.
    file_bytes : int
        Largest file that may be written.
    disk_bytes, files : int
        What may lie in the trial's folder beside the data.
    """

    name: str
    title: str
    memory_bytes: int | None
    gpu: bool
    processes: int
    file_bytes: int
    disk_bytes: int
    files: int

    def limits(self) -> dict[str, Any]:
        """Return the limits as the report names them."""
        return {
            "memory_bytes": self.memory_bytes,
            "gpu": self.gpu,
            "processes": self.processes,
            "file_bytes": self.file_bytes,
            "disk_bytes": self.disk_bytes,
            "files": self.files,
        }


def names() -> list[str]:
    """Return the names of all tiers, the smallest first."""
    return list(_table())


def get(name: str) -> Tier:
    """Return the tier called ``name``.

    Raises
    ------
    UsageError
        If there is none.
    """
    table = _table()
    if name not in table:
        raise UsageError(
            f"there is no tier called {name!r}",
            where="--tier",
            hint=close_matches(name, list(table)),
        )
    return Tier(name=name, **table[name])


@cache
def _table() -> dict[str, Any]:
    text = files("braino_registry.runner").joinpath("tiers.json").read_text(encoding="utf-8")
    return dict(json.loads(text))
