"""Numbers of things in words."""

from __future__ import annotations


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return a number and what is counted: ``1 run``, ``2 runs``, ``2 processes``."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"
