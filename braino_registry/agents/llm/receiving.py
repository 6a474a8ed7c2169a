"""Putting a reply together from what a server sends, streamed or whole; it may send anything."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from braino_registry.agents.texts import sound

#: Packages that raise the errors of a broken connection.
_TRANSPORTS = ("httpx", "httpx2", "httpcore", "httpcore2", "h11")
#: The longest reply that is read, in characters; what is longer is no reply.
MOST = 32_000_000
#: What is read of a response, in bytes, unpacked where it was sent packed; and of an error.
MOST_BYTES, MOST_ERROR = 128_000_000, 1_000_000
#: Providers' names of calls have some 30 characters; what is longer is not repeated to them.
_LONGEST_ID = 200
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


def bound(response: Any) -> None:
    """Let no more of a response be read than a reply may have, also where it was sent packed.

    Parameters
    ----------
    response : httpx.Response
        Whose body has not been read; it is what ``httpx`` calls its hooks with.
    """
    whole = response.iter_bytes

    def pieces(chunk_size: int | None = None) -> Iterator[bytes]:
        left = MOST_BYTES if response.is_success else MOST_ERROR
        for piece in whole(chunk_size):
            left -= len(piece)
            if left < 0 and not response.is_success:
                return  # the beginning of an error says enough
            if left < 0:
                raise BrokenOff(f"it is longer than {MOST_BYTES} bytes")
            yield piece

    response.iter_bytes = pieces


def receive(raw: Any, streamed: bool) -> Received:
    """Return the reply that a response of ``openai`` carries.

    Parameters
    ----------
    raw : openai.APIResponse
        The response, whose body has not been read.
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
    return _tidied(found)


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
    calls = _Arriving()
    size = 0
    for chunk in chunks:
        if (usage := _get(chunk, "usage")) is not None:
            found.usage = usage_of(usage)
        for choice in _get(chunk, "choices") or ():
            if _get(choice, "index") not in (None, 0):
                continue  # one reply was asked for; further ones are no part of it
            if (finish := _get(choice, "finish_reason")) is not None:
                found.finish = str(finish)
            delta = _get(choice, "delta")
            words.append(text := _words(delta))
            size += len(text)
            for order, piece in enumerate(_get(delta, "tool_calls") or ()):
                size += calls.take(piece, order)
        if size > MOST:
            raise BrokenOff(f"it is longer than {MOST} characters")
    if found.finish is None:
        raise BrokenOff("the stream ended before the reply did")
    found.text = without_thoughts("".join(words))
    found.calls = calls.whole()
    return found


class _Arriving:
    """The calls of a reply whose pieces arrive one after the other."""

    def __init__(self) -> None:
        self._open: dict[int, tuple[Call, list[str]]] = {}
        self._begun: list[tuple[int, Call, list[str]]] = []

    def take(self, piece: Any, order: int) -> int:
        """Take a piece and return how many characters it has.

        Parameters
        ----------
        piece : object
            As the server sends it.
        order : int
            Its place among those that came with it; some servers tell no index.
        """
        index, function = _get(piece, "index"), _get(piece, "function")
        place = index if isinstance(index, int) else order
        name, own = _text(_get(function, "name")), str(_get(piece, "id") or "")
        # Some servers tell the same index for each of several calls.
        another = name and own and place in self._open and self._open[place][0].id not in ("", own)
        if place not in self._open or another:
            self._open[place] = (Call(), [])
            self._begun.append((place, *self._open[place]))
        call, parts = self._open[place]
        call.id = call.id or own
        if not (own and name == call.name):  # as some servers repeat id and name
            call.name += name
        parts.append(part := _arguments(_get(function, "arguments")))
        return len(name) + len(part)

    def whole(self) -> list[Call]:
        """Return the calls in their order."""
        for _, call, parts in self._begun:
            call.arguments = "".join(parts)
        return [call for _, call, _ in sorted(self._begun, key=lambda each: each[0])]


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
    if (usage := _get(given, "usage")) is not None:
        found.usage = usage_of(usage)
    return found


def _tidied(found: Received) -> Received:
    """Return a reply that can be sent on: sound texts, and an id of its own for each call."""
    found.text = sound(found.text)
    for call in found.calls:
        call.id, call.name, call.arguments = map(sound, (call.id, call.name, call.arguments))
    given = {call.id for call in found.calls}
    fresh = (name for number in count(1) if (name := f"call_{number}") not in given)
    seen: set[str] = set()
    for call in found.calls:
        if not call.id or call.id in seen or len(call.id) > _LONGEST_ID:
            call.id = next(fresh)
        seen.add(call.id)
    return found


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
        if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1e12
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
    """Return arguments as a text; some servers send them as JSON values."""
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _get(holder: Any, name: str) -> Any:
    """Return a member of an object or a mapping, None if there is none."""
    return holder.get(name) if isinstance(holder, dict) else getattr(holder, name, None)
