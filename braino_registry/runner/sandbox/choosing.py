"""Which engine holds the agents of this computer: the first that works, found by running it."""

from __future__ import annotations

import os
from functools import cache

from braino_registry.errors import HostError, UsageError, close_matches
from braino_registry.runner.sandbox.apptainer import Apptainer
from braino_registry.runner.sandbox.bubblewrap import Bubblewrap
from braino_registry.runner.sandbox.containers import Container
from braino_registry.runner.sandbox.engine import Engine, Probe
from braino_registry.runner.sandbox.seatbelt import Seatbelt

VARIABLE = "BRAINO_SANDBOX"


def engines() -> tuple[Engine, ...]:
    """Return all engines, the preferred one first."""
    return (Bubblewrap(), Seatbelt(), Container("podman"), Container("docker"), Apptainer())


def choose(name: str | None = None) -> Engine:
    """Return the engine called ``name``, or the first that works.

    Parameters
    ----------
    name : str | None
        By default what the environment's ``BRAINO_SANDBOX`` says, if anything.

    Raises
    ------
    UsageError
        If there is no such engine.
    HostError
        If it, or none of them, works here: the run must not start with less isolation than was
        asked for. The hint says what mends the preferred one.
    """
    wanted = name or os.environ.get(VARIABLE, "").strip() or None
    known = {engine.name: engine for engine in engines()}
    if wanted is not None and wanted not in known:
        raise UsageError(
            f"there is no sandbox called {wanted!r}",
            where=VARIABLE,
            hint=close_matches(wanted, list(known)),
        )
    candidates = [known[wanted]] if wanted is not None else list(known.values())
    probes = []
    for engine in candidates:
        result = probe(engine.name)
        if result.works:
            return engine
        probes.append(result)
    raise HostError(
        "isolation 'sandbox' cannot be enforced on this computer: "
        + "; ".join(f"{result.engine}: {result.detail}" for result in probes),
        where="--isolation",
        hint=next((result.fix for result in probes if result.fix), "")
        + " Or use --isolation process, whose results are not ranked.",
    )


@cache
def probe(name: str) -> Probe:
    """Return the probe of an engine, made once in this process."""
    return next(engine for engine in engines() if engine.name == name).probe()
