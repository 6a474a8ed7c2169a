"""Making an agent once before anything is run: can it be made, and what is it called."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass

from braino_registry.errors import UsageError
from braino_registry.runner import wire
from braino_registry.runner.process import COMMAND

_SECONDS = 120.0


@dataclass(frozen=True)
class AgentChoice:
    """The agent of a run, as every trial starts it.

    Parameters
    ----------
    name : str
        What it calls itself.
    model : str | None
        The model behind it, as it says.
    factory : str
        ``module:factory``.
    asked_model : str | None
        What ``--model`` said; handed to the factory again in every trial.
    path : tuple of str
        Folders that are importable for it.
    reference : bool
        Whether it is given the reference solution; the runner's choice, never the agent's.
    """

    name: str
    model: str | None
    factory: str
    asked_model: str | None
    path: tuple[str, ...]
    reference: bool

    def document(self) -> dict[str, object]:
        """Return the choice as JSON values."""
        return {
            "name": self.name,
            "model": self.model,
            "factory": self.factory,
            "asked_model": self.asked_model,
            "path": list(self.path),
            "reference": self.reference,
        }


def choose_agent(
    spec: str, model: str | None, *, path: tuple[str, ...] | None = None
) -> AgentChoice:
    """Make the agent once in a process of its own, as a trial would.

    Parameters
    ----------
    spec : str
        A built-in agent's name or ``module:factory``; for the latter the current directory is
        importable.
    model : str | None
        Handed to the factory.
    path : tuple of str | None
        Folders importable for it, where that is not to be the current directory.

    Raises
    ------
    UsageError
        If it cannot be imported or made, has no ``solve``, or cannot be given the model.
    """
    from braino_registry import agents

    found = agents.resolve(spec)
    if path is None:
        path = (os.getcwd(),) if found.local else ()
    hello = _ask(found.factory, model, path)
    return AgentChoice(
        name=hello["name"],
        model=hello["model"],
        factory=found.factory,
        asked_model=model,
        path=path,
        reference=found.reference,
    )


def _ask(factory: str, model: str | None, path: tuple[str, ...]) -> dict[str, str]:
    message = {
        "type": "check",
        "protocol": "session/1",
        "agent": {"factory": factory, "model": model, "path": list(path)},
    }
    try:
        # Its prints are of no use here, and must not end up between the lines of a report.
        done = subprocess.run(
            [sys.executable, *COMMAND],
            input=wire.encode(message),
            capture_output=True,
            timeout=_SECONDS,
            start_new_session=True,
        )
    except subprocess.TimeoutExpired as error:
        raise UsageError(
            f"the agent's factory did not return within {_SECONDS:.0f} seconds",
            where=f"--agent {factory}",
            hint="Load models in solve, or make the factory faster.",
        ) from error
    line, _, _ = done.stdout.partition(b"\n")
    reply = _parse(line)
    if reply.get("type") == "hello":
        return reply
    if reply.get("type") == "error":
        raise UsageError(
            str(reply["message"]),
            where="; ".join(part for part in (f"--agent {factory}", reply.get("where")) if part),
            hint=str(reply.get("hint") or "Run again with --debug, or import it in Python."),
        )
    raise UsageError(
        f"the agent's process ended with code {done.returncode} before it could be made",
        where=f"--agent {factory}",
        hint=done.stderr.decode(errors="replace").strip()[-300:],
    )


def _parse(line: bytes) -> dict[str, str]:
    import json

    try:
        reply = json.loads(line)
    except ValueError:
        return {}
    return reply if isinstance(reply, dict) else {}
