"""The messages of protocol ``session/1``, and the reading of what an agent sends.

Everything here treats its input as hostile: it returns a message or raises
:class:`~braino_registry.session.limits.AgentFault`, whatever the bytes are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec

from braino_registry.session.limits import AgentFault

PROTOCOL = "session/1"
MAX_DEPTH = 64
REQUESTS = ("call", "ask", "decide", "execute", "review", "usage")
TYPES = ("hello", *REQUESTS, "answer", "error")

Id = Annotated[int, msgspec.Meta(ge=1, le=2**53)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Short = Annotated[str, msgspec.Meta(max_length=10_000)]
#: Tokens, or cost in whatever unit: no model call comes near it, and no sum of them overflows.
MAX_USAGE = 1e12
Count = Annotated[float, msgspec.Meta(ge=0, le=MAX_USAGE)]
UsageName = Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9_]{0,39}$(?!\n)")]


class _Strict(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    type: str


class Hello(_Strict):
    """Who the agent is; its first message."""

    protocol: Literal["session/1"]
    name: Name
    model: Annotated[str, msgspec.Meta(max_length=200)] | None
    settings: dict[str, Any] = msgspec.field(default_factory=dict)


class CallRequest(_Strict):
    """Run a tool."""

    id: Id
    tool: Name
    args: dict[str, Any] = msgspec.field(default_factory=dict)


class AskRequest(_Strict):
    """Ask the user."""

    id: Id
    question: Annotated[str, msgspec.Meta(min_length=1, max_length=10_000)]
    options: Annotated[list[Short], msgspec.Meta(max_length=100)] | None = None


class DecideRequest(_Strict):
    """Ask the user to decide."""

    id: Id
    kind: Name
    proposal: dict[str, Any]
    why: Short = ""


class ExecuteRequest(_Strict):
    """Run code."""

    id: Id
    code: Annotated[str, msgspec.Meta(max_length=1_000_000)]


class ReviewRequest(_Strict):
    """Ask whether an answer can be read."""

    id: Id
    data: dict[str, Any] | None = None


class UsageRequest(_Strict):
    """Report what a model call took; None where unknown."""

    id: Id
    usage: Annotated[dict[UsageName, Count | None], msgspec.Meta(min_length=1, max_length=20)]


class AnswerMessage(_Strict):
    """The answer; the last message."""

    text: str
    data: dict[str, Any] | None = None
    artifacts: Annotated[
        list[Annotated[str, msgspec.Meta(max_length=1_000)]], msgspec.Meta(max_length=1_000)
    ] = msgspec.field(default_factory=list)


class ErrorMessage(_Strict):
    """The agent's report of its own failure; the last message."""

    kind: Literal["import", "factory", "unready", "solve", "answer"]
    message: Short
    traceback: Annotated[str, msgspec.Meta(max_length=100_000)] = ""
    where: Short = ""
    hint: Short = ""


Request = CallRequest | AskRequest | DecideRequest | ExecuteRequest | ReviewRequest | UsageRequest
REQUEST_TYPES: Mapping[str, type[Request]] = {
    "call": CallRequest,
    "ask": AskRequest,
    "decide": DecideRequest,
    "execute": ExecuteRequest,
    "review": ReviewRequest,
    "usage": UsageRequest,
}
OTHER_TYPES: Mapping[str, type[Hello | AnswerMessage | ErrorMessage]] = {
    "hello": Hello,
    "answer": AnswerMessage,
    "error": ErrorMessage,
}


def read_line(line: bytes, last_id: int) -> dict[str, Any]:
    """Read one line of an agent.

    Parameters
    ----------
    line : bytes
        The line, without its end.
    last_id : int
        The largest request id so far.

    Returns
    -------
    message : dict
        A JSON object with a known ``type`` and, for requests, an ``id`` above `last_id`.
        Its other fields are not checked yet.

    Raises
    ------
    AgentFault
        For anything else.
    """
    try:
        message = msgspec.json.decode(line)
        msgspec.json.encode(message)  # what the transcript could not hold is refused here
    except (msgspec.MsgspecError, UnicodeError, RecursionError, OverflowError) as error:
        raise AgentFault(f"sent a line that is not JSON ({error}): {line[:80]!r}") from None
    if line.count(b"{") + line.count(b"[") > MAX_DEPTH and not _is_shallow(message):
        raise AgentFault(f"sent a message nested more than {MAX_DEPTH} deep")
    if not isinstance(message, dict):
        raise AgentFault(f"sent a {type(message).__name__} where a JSON object belongs")
    kind = message.get("type")
    if not isinstance(kind, str) or kind not in TYPES:
        allowed = ", ".join(TYPES)
        raise AgentFault(f"sent a message of the type {_shown(kind)}; an agent sends {allowed}")
    if kind in REQUESTS:
        number = message.get("id")
        if type(number) is not int or not last_id < number <= 2**53:
            raise AgentFault(
                f"sent a {kind} with the id {_shown(number)}; ids are whole numbers that grow "
                f"(the last was {last_id})"
            )
    return message


def as_message(message: Mapping[str, Any]) -> Hello | AnswerMessage | ErrorMessage:
    """Check the body of a message that is not a request.

    Raises
    ------
    AgentFault
        If a field is missing, unknown or of a wrong type.
    """
    try:
        return msgspec.convert(message, OTHER_TYPES[message["type"]])
    except msgspec.ValidationError as error:
        raise AgentFault(f"sent a malformed {message['type']}: {error}") from None


def as_request(message: Mapping[str, Any]) -> Request:
    """Check the body of a request; raises msgspec.ValidationError with what is wrong."""
    return msgspec.convert(message, REQUEST_TYPES[message["type"]])


def _shown(value: object) -> str:
    """Return a JSON value as JSON, shortened."""
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= 80 else text[:77] + "..."


def _is_shallow(value: object) -> bool:
    """Tell whether a JSON value is nested at most ``MAX_DEPTH`` deep, without recursion."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return True
    return False


def succeeded(number: int, result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the reply to a request that was done."""
    return {"type": "reply", "id": number, "ok": True, "result": result}


def refused(number: int, problem: str, instead: str) -> dict[str, Any]:
    """Return the reply to a request that could not be done: what is wrong, what to pass."""
    return {
        "type": "reply",
        "id": number,
        "ok": False,
        "error": {"problem": problem, "instead": instead},
    }
