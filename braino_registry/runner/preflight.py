"""Making an agent once before anything is run: can it be made, and what is it called."""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from braino_registry.errors import BrainoError, HostError, UsageError
from braino_registry.runner import integrity, wire
from braino_registry.runner.endpoints import read_endpoint
from braino_registry.runner.inprocess import NoIsolation
from braino_registry.runner.isolation import Isolation, Measured, Start
from braino_registry.runner.place import Place
from braino_registry.runner.process import ProcessIsolation
from braino_registry.runner.tiers import Tier
from braino_registry.session.channel import Channel
from braino_registry.session.limits import AgentFault, LimitReached, Limits

_SECONDS = 120.0
_SAID = 20_000  # bytes of what an agent says of how it works
#: How an agent's interpreter says that it finds a module nowhere.
_MISSING = re.compile(
    r"needs the module ([\w.]+),|no module called '([\w.]+)'|No module named '([\w.]+)'"
)
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
    options : mapping
        Named arguments of the factory; handed to it again in every trial.
    settings : mapping
        What it says of how it works; for reports only.
    """

    name: str
    model: str | None
    factory: str
    asked_model: str | None
    path: tuple[str, ...]
    reference: bool
    options: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)

    def document(self) -> dict[str, object]:
        """Return the choice as JSON values."""
        return {
            "name": self.name,
            "model": self.model,
            "factory": self.factory,
            "asked_model": self.asked_model,
            "path": list(self.path),
            "reference": self.reference,
            **({"options": dict(self.options)} if self.options else {}),
            **({"settings": dict(self.settings)} if self.settings else {}),
        }

    @property
    def server(self) -> str | None:
        """Address of its model, as asked for; of our own agents also as they say."""
        own = self.factory.startswith("braino_registry.agents.")
        told = self.settings.get("base_url") if own else None
        address = self.options.get("base_url", told)
        try:
            read_endpoint(str(address))
        except UsageError:
            return None
        return str(address)

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> AgentChoice:
        """Return the choice that `document` wrote."""
        return cls(**{**document, "path": tuple(document["path"])})


def choose_agent(
    spec: str,
    model: str | None,
    tier: Tier,
    level: Isolation,
    *,
    path: tuple[str, ...] | None = None,
    endpoints: tuple[str, ...] = (),
    passed: tuple[str, ...] = (),
    options: Mapping[str, Any] | None = None,
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
    options : mapping | None
        Named arguments of the factory.
    seconds : float
        How long that may take.

    Raises
    ------
    UsageError
        If it cannot be imported or made, has no ``solve``, or cannot be given the model or an
        option.
    HostError
        If it says of itself that it cannot work here: no key, no answer from its model's server.
    """
    from braino_registry import agents

    found = agents.resolve(spec)
    if path is None:
        path = (os.getcwd(),) if found.local else found.path
    options = {**found.options, **(options or {})}
    where = ProcessIsolation() if isinstance(level, NoIsolation) else level
    with Place(Path(tempfile.gettempdir())) as place:
        start = Start(
            place.inputs, place.workspace, place.scratch, tier, _PRINTS, found.factory, path,
            endpoints=endpoints, passed=passed,
        )  # fmt: skip
        try:
            hello = _ask(spec, start, model, options, where, seconds)
        except UsageError as error:
            raise _told_what_is_hidden(error, level, found.factory, path) from error
    return AgentChoice(
        name=hello["name"],
        model=hello["model"],
        factory=found.factory,
        asked_model=model,
        path=path,
        reference=found.reference,
        options=options,
        settings=_settings(hello),
    )


def _settings(hello: Mapping[str, Any]) -> dict[str, Any]:
    """Return what an agent says of how it works, if a report can hold it."""
    said = hello.get("settings")
    try:
        size = len(json.dumps(said, allow_nan=False, ensure_ascii=False).encode())
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) and size <= _SAID else {}


def _told_what_is_hidden(
    error: UsageError, level: Isolation, factory: str, path: tuple[str, ...]
) -> UsageError:
    """Return an error that says why a module which is on this computer is not in the sandbox."""
    missing = _MISSING.search(error.problem)
    if level.name != "sandbox" or missing is None:
        return error
    name = next(filter(None, missing.groups()))
    place = whereabouts(name, path)
    if place is None:
        return error
    top = factory.partition(":")[0].partition(".")[0]
    return UsageError(
        f"the module {name} lies in {place}, which is not shown in a sandbox",
        where=f"--agent {factory}",
        hint=f"In a sandbox an agent finds the packages installed in {sys.prefix}, and of the "
        f"current directory {top} and the Python files beside it. Install {name} "
        f"(`pip install {place}`, not -e)"
        + (
            f", or start from {place}."
            if name.partition(".")[0] == top
            else f", or put it into {top}."
        ),
    )


def whereabouts(module: str, path: Iterable[str]) -> str | None:
    """Return the folder in which this process would find a module, None if nowhere.

    Parameters
    ----------
    module : str
        Its dotted name; only the top-level part is looked for, and nothing is imported.
    path : iterable of str
        Folders that are looked into before those of this process.
    """
    from importlib.machinery import PathFinder

    top = module.partition(".")[0]
    found = PathFinder.find_spec(top, [*path, *sys.path])
    if found is None:
        found = find_spec(top)  # an editable installation announces itself by a finder of its own
    if found is None:
        return None
    places = list(found.submodule_search_locations or ())
    file = places[0] if places else found.origin
    return None if file is None else str(Path(file).parent)


def _ask(
    spec: str,
    start: Start,
    model: str | None,
    options: Mapping[str, Any],
    level: Isolation,
    seconds: float,
) -> dict[str, str]:
    """Return the hello of an agent; whatever its module does meanwhile is bounded and undone."""
    agent = level.start(start)
    made_of: dict[str, Any] = {
        "factory": start.factory,
        "model": model,
        "path": list(agent.seen.path),
    }
    if options:
        made_of["options"] = dict(options)
    message = {"type": "check", "protocol": "session/1", "agent": made_of}
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
    raise _refusal(spec, reply, measured, seconds if late else None)


def _refusal(
    spec: str, reply: dict[str, str], measured: Measured, waited: float | None
) -> BrainoError:
    """Return the error that says why there is no agent."""
    where = f"--agent {spec}"
    said = integrity.reviewed(measured, (), ()).log.decode(errors="replace").strip()[-300:]
    if reply.get("type") == "error":
        kind = HostError if reply.get("kind") == "unready" else UsageError
        refused = kind(
            str(reply["message"]),
            where="; ".join(part for part in (where, reply.get("where")) if part),
            hint=str(reply.get("hint") or "Run again with --debug to see where in its code."),
        )
        if reply.get("traceback"):
            refused.add_note(f"The agent's own traceback:\n{reply['traceback']}")
        return refused
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
    try:
        reply = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return reply if isinstance(reply, dict) else {}
