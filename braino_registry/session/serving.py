"""Serving one agent from its first message to its last: the one path for every agent."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import msgspec

from braino_registry.errors import HostError
from braino_registry.session import messages
from braino_registry.session.channel import Channel, HasFileno
from braino_registry.session.limits import AgentFault, Ending, LimitReached
from braino_registry.session.trial import TrialSession

_PARTING = 0.5  # seconds to tell an agent that a limit has ended its trial


def serve(
    reader: HasFileno,
    writer: HasFileno,
    session: TrialSession,
    start: Mapping[str, Any],
    *,
    deadline: float,
    latest: float | None = None,
    max_line: int | None = None,
    alive: Callable[[], bool] | None = None,
) -> Ending:
    """Serve an agent until it answers, fails, or reaches a limit.

    Parameters
    ----------
    reader, writer : object with a fileno
        Ends of the agent's pipes, or one socket twice. They become non-blocking and stay open.
    session : TrialSession
        What the agent's requests go to; its transcript holds everything from start to end.
    start : Mapping
        The start message, see :meth:`TrialSession.start_message`.
    deadline : float
        ``time.monotonic()`` at which the trial ends if the agent never has to wait.
    latest : float | None
        When it ends in any case. Until then the time in which the agent's requests are carried
        out does not count, for it is spent by the tools; without it, all time counts.
    max_line : int | None
        Longest line in bytes, instead of the session's ``message_bytes``.
    alive : callable | None
        Tells whether the agent's process still runs. Without it, a process that dies while a
        child of it keeps the pipe open is noticed at the deadline only.

    Returns
    -------
    ending : Ending
        Whatever the agent does.

    Raises
    ------
    HostError
        If the transcript cannot be written.
    """
    limits = session.limits if max_line is None else replace(session.limits, message_bytes=max_line)
    channel = Channel(reader, writer, deadline=deadline, limits=limits, alive=alive)
    session.begin(start)
    last = _Last()
    try:
        channel.send(_encode(start))
        ending = _converse(channel, session, last, deadline if latest is None else latest)
    except LimitReached as reached:
        ending = Ending("limit", str(reached))
        _tell(channel, last.id, reached)
    except AgentFault as fault:
        ending = Ending("agent_error", str(fault))
    except HostError:
        raise
    except Exception as caught:
        # Only what the agent has sent can have brought this about. A trial that ends unscored
        # would be a way out for one that fails; the note shows that the fault is ours to mend.
        ending = Ending(
            "agent_error", session.fault("reading what the agent sent", caught)["problem"]
        )
    return session.finish(ending)


class _Last:
    """Id of the request that is being handled."""

    id = 0


def _converse(channel: Channel, session: TrialSession, last: _Last, latest: float) -> Ending:
    """Handle messages until the last one."""
    greeted = False
    while True:
        message = messages.read_line(channel.receive(), last.id)
        if message["type"] in messages.REQUESTS:
            if not greeted:
                raise AgentFault(f"sent a {message['type']} before its hello")
            last.id = message["id"]
            began = time.monotonic()
            reply = _encode(session.handle(message))
            channel.grant(time.monotonic() - began, latest)
            channel.send(reply)
            continue
        body = messages.as_message(message)
        if isinstance(body, messages.ErrorMessage):
            session.log("agent", f"{body.kind}: {body.message}", **_details(body))
            raise AgentFault(f"{body.kind}: {body.message}")
        if isinstance(body, messages.Hello):
            if greeted:
                raise AgentFault("sent a second hello")
            greeted = True
            session.log("agent", "hello", name=body.name, model=body.model)
            continue
        if not greeted:
            raise AgentFault("sent an answer before its hello")
        answer = session.accept(body)
        if channel.unread:
            session.log("harness", f"{channel.unread} bytes after the answer were not read")
        return Ending("finished", "", answer)


def _tell(channel: Channel, number: int, reached: LimitReached) -> None:
    """Tell the agent which limit has ended its trial, if it listens."""
    farewell = {
        "type": "limit",
        "id": number,
        "limit": reached.limit,
        "message": reached.message,
    }
    channel.extend(time.monotonic() + _PARTING)
    try:
        channel.send(_encode(farewell))
    except LimitReached:
        return  # it does not read, which changes nothing


def _details(error: messages.ErrorMessage) -> dict[str, str]:
    parts = {"traceback": error.traceback, "where": error.where, "hint": error.hint}
    return {key: text for key, text in parts.items() if text}


def _encode(message: Mapping[str, Any]) -> bytes:
    return msgspec.json.encode(message) + b"\n"
