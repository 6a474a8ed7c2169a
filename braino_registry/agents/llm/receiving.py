"""Putting a reply together from what a server sends, streamed or whole; it may send anything."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

#: Packages that raise the errors of a broken connection.
_TRANSPORTS = ("httpx", "httpx2", "httpcore", "httpcore2", "h11")
#: The longest reply that is read, in characters; what is longer is no reply.
MOST = 32_000_000
_THOUGHTS, _END = re.compile(r"\s*<think>"), "</think>"


class BrokenOff(Exception):
    """A reply began and did not end, or is none: it may have to be paid, and is not complete."""


@dataclass
class Call:
    """A tool call while it arrives."""

    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass
class Received:
    """A reply as it came.

    Parameters
    ----------
    text : str
        Its words.
    calls : list of Call
        Its tool calls, in order.
    finish : str | None
        Why it ended.
    usage : dict
        ``read``, ``written``, ``cached``, ``reasoning`` tokens and ``cost``, where told.
    retries : int
        How many requests failed before it.
    overdue : int
        How many of them may have been answered, too late.
    """

    text: str = ""
    calls: list[Call] = field(default_factory=list)
    finish: str | None = None
    usage: dict[str, float] = field(default_factory=dict)
    retries: int = 0
    overdue: int = 0


def receive(raw: Any, streamed: bool) -> Received:
    """Return the reply that a raw response of ``openai`` carries.

    Parameters
    ----------
    raw : openai.APIResponse
        The response; its body need not have arrived.
    streamed : bool
        Whether a stream was asked for. A server that answers at once is understood, too.

    Raises
    ------
    BrokenOff
        If the body ends early, is no JSON, or holds no reply.
    """
    kind = raw.headers.get("content-type", "")
    try:
        if streamed and "json" not in kind:
            found = _assemble(raw.parse())
        else:
            found = _whole(_body(raw) if streamed else raw.parse())
    except BrokenOff:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BrokenOff(f"it cannot be read: {type(error).__name__}: {error}") from None
    except Exception as error:
        if _is_transport(error):
            raise BrokenOff(f"{type(error).__name__}: {error}") from None
        raise
    found.retries = raw.retries_taken
    return found


def _body(raw: Any) -> Any:
    """Return the JSON of a reply that came at once though a stream was asked for."""
    raw.http_response.read()
    return raw.http_response.json()


def _is_transport(error: Exception) -> bool:
    """Tell whether an error is one of a connection, or one that a stream carried."""
    origin = type(error).__module__.partition(".")[0]
    return origin in _TRANSPORTS or (origin == "openai" and not hasattr(error, "status_code"))


def _assemble(chunks: Iterable[Any]) -> Received:
    """Return the reply whose pieces a stream brings."""
    found = Received()
    words: list[str] = []
    pieces: dict[int, list[str]] = {}
    calls: dict[int, Call] = {}
    size = 0
    for chunk in chunks:
        if (usage := _get(chunk, "usage")) is not None:
            found.usage = usage_of(usage)
        for choice in _get(chunk, "choices") or ():
            if (finish := _get(choice, "finish_reason")) is not None:
                found.finish = str(finish)
            delta = _get(choice, "delta")
            words.append(text := _words(delta))
            size += len(text)
            for order, piece in enumerate(_get(delta, "tool_calls") or ()):
                index = _get(piece, "index")
                place = index if isinstance(index, int) else order
                call = calls.setdefault(place, Call())
                call.id = call.id or str(_get(piece, "id") or "")
                function = _get(piece, "function")
                call.name += _text(_get(function, "name"))
                part = _arguments(_get(function, "arguments"))
                pieces.setdefault(place, []).append(part)
                size += len(part)
        if size > MOST:
            raise BrokenOff(f"it is longer than {MOST} characters")
    if found.finish is None:
        raise BrokenOff("the stream ended before the reply did")
    for place, call in calls.items():
        call.arguments = "".join(pieces[place])
    found.text = without_thoughts("".join(words))
    found.calls = _named([calls[place] for place in sorted(calls)])
    return found


def _whole(given: Any) -> Received:
    """Return the reply that came at once."""
    choices = _get(given, "choices")
    if not isinstance(choices, list) or not choices:
        raise BrokenOff("it has no choices")
    message = _get(choices[0], "message")
    if message is None:
        raise BrokenOff("it has no message")
    found = Received(without_thoughts(_words(message)))
    finish = _get(choices[0], "finish_reason")
    found.finish = None if finish is None else str(finish)
    for piece in _get(message, "tool_calls") or ():
        function = _get(piece, "function")
        found.calls.append(
            Call(
                str(_get(piece, "id") or ""),
                _text(_get(function, "name")),
                _arguments(_get(function, "arguments")),
            )
        )
    found.calls = _named(found.calls)
    if (usage := _get(given, "usage")) is not None:
        found.usage = usage_of(usage)
    return found


def _named(calls: list[Call]) -> list[Call]:
    """Return the calls, each with an id of its own."""
    seen: set[str] = set()
    for number, call in enumerate(calls, 1):
        if not call.id or call.id in seen:
            call.id = f"call_{number}"
        seen.add(call.id)
    return calls


def usage_of(usage: Any) -> dict[str, float]:
    """Return the counts that a server tells; what is no count is left out."""
    prompt = _get(usage, "prompt_tokens_details")
    written = _get(usage, "completion_tokens_details")
    told = {
        "read": _get(usage, "prompt_tokens"),
        "written": _get(usage, "completion_tokens"),
        "cached": _get(prompt, "cached_tokens"),
        "reasoning": _get(written, "reasoning_tokens"),
        "cost": _get(usage, "cost"),
    }
    return {
        name: value
        for name, value in told.items()
        if isinstance(value, (int, float))
        and not isinstance(value, bool)
        and math.isfinite(value)
        and 0 <= value < 1e12
    }


def without_thoughts(text: str) -> str:
    """Return a reply without the reasoning that some models write in front of it."""
    if not (found := _THOUGHTS.match(text)):
        return text
    end = text.find(_END, found.end())
    return "" if end < 0 else text[end + len(_END) :].lstrip()


def _words(message: Any) -> str:
    """Return the words of a message: its content, whole or in parts, or its refusal."""
    content = _get(message, "content")
    if isinstance(content, list):
        content = "".join(_text(_get(part, "text")) for part in content)
    return _text(content) or _text(_get(message, "refusal"))


def _arguments(value: Any) -> str:
    """Return arguments as a text; some servers send them as an object."""
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    return _text(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _get(holder: Any, name: str) -> Any:
    """Return a member of an object or a mapping, None if there is none."""
    return holder.get(name) if isinstance(holder, dict) else getattr(holder, name, None)
