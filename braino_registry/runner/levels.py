"""The levels of isolation by name."""

from __future__ import annotations

from braino_registry.errors import HostError, UsageError, close_matches
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
        raise HostError(
            "isolation 'sandbox' is not yet available on this installation",
            where="--isolation",
            hint="Use --isolation process; its results are good for work, not for ranking.",
        )
    raise UsageError(
        f"there is no isolation called {name!r}",
        where="--isolation",
        hint=close_matches(name, list(ISOLATIONS)),
    )
