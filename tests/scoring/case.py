"""One row of the tables of check kinds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from braino_registry.scoring import Evidence


@dataclass(frozen=True)
class Case:
    """One check on one piece of evidence."""

    name: str
    check: dict[str, Any]
    given: Evidence
    passes: bool
    says: str = ""

    @property
    def id(self) -> str:
        return f"{self.check['kind']}: {self.name}"


def cases(check: dict[str, Any], *rows: tuple[Any, ...]) -> list[Case]:
    """Return the cases of one check: name, whether it passes, evidence, what it says."""
    return [Case(name, check, given, passes, *more) for name, passes, given, *more in rows]
