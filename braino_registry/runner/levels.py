"""The levels of isolation by name."""

from __future__ import annotations

from braino_registry.errors import UsageError, close_matches
from braino_registry.runner.inprocess import NoIsolation
from braino_registry.runner.isolation import Isolation
from braino_registry.runner.process import ProcessIsolation
from braino_registry.runner.settings import ISOLATIONS


def get(name: str) -> Isolation:
    """Return the level of isolation called ``name``.

    Raises
    ------
    UsageError
        If there is no such level.
    HostError
        If this installation cannot enforce it.
    """
    if name == "process":
        return ProcessIsolation()
    if name == "none":
        return NoIsolation()
    if name == "sandbox":
        from braino_registry.runner.sandbox import SandboxIsolation

        return SandboxIsolation()
    raise UsageError(
        f"there is no isolation called {name!r}",
        where="--isolation",
        hint=close_matches(name, list(ISOLATIONS)),
    )
