"""Making an agent once before anything is run: can it be made, and what is it called."""

from __future__ import annotations

import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from braino_registry.errors import UsageError
from braino_registry.runner import wire
from braino_registry.runner.inprocess import NoIsolation
from braino_registry.runner.isolation import Isolation, Measured, Start
from braino_registry.runner.place import Place
from braino_registry.runner.process import ProcessIsolation
from braino_registry.runner.tiers import Tier
from braino_registry.session.channel import Channel
from braino_registry.session.limits import AgentFault, LimitReached, Limits

_SECONDS = 120.0
_ENDING = 1.0  # seconds for a process that has said what it had to say
_PRINTS = 10 * 2**20  # bytes that a module may print while it is imported


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
    spec: str,
    model: str | None,
    tier: Tier,
    level: Isolation,
    *,
    path: tuple[str, ...] | None = None,
    endpoints: tuple[str, ...] = (),
    passed: tuple[str, ...] = (),
    seconds: float = _SECONDS,
) -> AgentChoice:
    """Make the agent once as a trial would, with the same isolation.

    With less of it, what the agent's module does when it is imported could prepare every trial.

    Parameters
    ----------
    spec : str
        A built-in agent's name or ``module:factory``; for the latter the current directory is
        importable.
    model : str | None
        Handed to the factory.
    tier : Tier
        What it may use while it is made.
    level : Isolation
        Where it is made. An agent that is to run in this very process is made in another one.
    path : tuple of str | None
        Folders importable for it, where that is not to be the current directory.
    endpoints, passed : tuple of str
        See `RunSettings`.
    seconds : float
        How long that may take.

    Raises
    ------
    UsageError
        If it cannot be imported or made, has no ``solve``, or cannot be given the model.
    """
    from braino_registry import agents

    found = agents.resolve(spec)
    if path is None:
        path = (os.getcwd(),) if found.local else ()
    where = ProcessIsolation() if isinstance(level, NoIsolation) else level
    with Place(Path(tempfile.gettempdir())) as place:
        start = Start(
            place.inputs, place.workspace, place.scratch, tier, _PRINTS, found.factory, path,
            endpoints=endpoints, passed=passed,
        )  # fmt: skip
        hello = _ask(start, model, where, seconds)
    return AgentChoice(
        name=hello["name"],
        model=hello["model"],
        factory=found.factory,
        asked_model=model,
        path=path,
        reference=found.reference,
    )


def _ask(start: Start, model: str | None, level: Isolation, seconds: float) -> dict[str, str]:
    """Return the hello of an agent; whatever its module does meanwhile is bounded and undone."""
    agent = level.start(start)
    message = {
        "type": "check",
        "protocol": "session/1",
        "agent": {"factory": start.factory, "model": model, "path": list(agent.seen.path)},
    }
    channel = Channel(
        agent.reader,
        agent.writer,
        deadline=time.monotonic() + seconds,
        limits=Limits(message_bytes=_PRINTS, output_bytes=_PRINTS),
        alive=agent.alive,
    )
    reply: dict[str, str] = {}
    late = False
    try:
        channel.send(wire.encode(message))
        reply = _parse(channel.receive())
    except LimitReached as reached:
        late = reached.limit == "seconds"
    except AgentFault:
        pass  # it has ended without a word; what is known of that follows
    finally:
        measured = agent.stop(grace=0.0 if late else _ENDING)
    if reply.get("type") == "hello":
        return reply
    raise _refusal(start.factory, reply, measured, seconds if late else None)


def _refusal(
    factory: str, reply: dict[str, str], measured: Measured, waited: float | None
) -> UsageError:
    """Return the error that says why there is no agent."""
    where = f"--agent {factory}"
    said = measured.log.decode(errors="replace").strip()[-300:]
    if reply.get("type") == "error":
        return UsageError(
            str(reply["message"]),
            where="; ".join(part for part in (where, reply.get("where")) if part),
            hint=str(reply.get("hint") or "Run again with --debug, or import it in Python."),
        )
    if measured.stopped_for is not None:
        return UsageError(
            f"the agent was stopped before it could be made, for it {measured.stopped_for}",
            where=where,
            hint=said or "See what its module does when it is imported.",
        )
    if waited is not None:
        return UsageError(
            f"the agent's factory did not return within {waited:.0f} seconds",
            where=where,
            hint="Load models in solve, or make the factory faster.",
        )
    code = measured.exit_code
    how = "said something else than it has to" if code is None else f"ended with code {code}"
    return UsageError(
        f"the agent's process {how} before it could be made",
        where=where,
        hint=said or "It printed nothing. Look for os._exit, or for what crashes on import.",
    )


def _parse(line: bytes) -> dict[str, str]:
    import json

    try:
        reply = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return reply if isinstance(reply, dict) else {}
