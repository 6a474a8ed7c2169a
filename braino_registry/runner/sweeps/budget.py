"""What a sweep may use, and what it has used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

#: Names of what a budget may bound.
KINDS = ("cost", "tokens", "seconds", "trials")


@dataclass
class Budget:
    """A budget and what has been taken from it.

    Parameters
    ----------
    bounds : mapping
        By kind; what is left out has no bound.
    """

    bounds: Mapping[str, float]
    used: dict[str, float] = field(default_factory=lambda: dict.fromkeys(KINDS, 0.0))
    unknown: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))

    def take(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Count trials that have been run; what one of them does not tell is counted apart."""
        for record in records:
            if record["outcome"] == "not_planned":
                continue
            for kind, value in _used(record).items():
                if value is None:
                    self.unknown[kind] += 1
                else:
                    self.used[kind] += value

    def spent(self) -> str | None:
        """Return which bound has been reached and by how much, None if none."""
        for kind, most in self.bounds.items():
            if self.used[kind] >= most:
                return f"{self.used[kind]:.6g} of {most:g} {kind} are used"
        return None

    def blind(self) -> str | None:
        """Return which bound could not be held, because trials did not tell what they used."""
        for kind in self.bounds:
            if self.unknown[kind]:
                return f"{self.unknown[kind]} trials did not tell their {kind}"
        return None

    def document(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            kind: {
                "used": self.used[kind],
                "of": self.bounds.get(kind),
                "unknown": self.unknown[kind],
            }
            for kind in KINDS
        }


def _used(record: Mapping[str, Any]) -> dict[str, float | None]:
    usage = record.get("usage") or {}
    read, written = usage.get("input_tokens"), usage.get("output_tokens")
    return {
        "cost": usage.get("cost"),
        "tokens": None if read is None or written is None else read + written,
        "seconds": record.get("seconds"),
        "trials": 1,
    }
