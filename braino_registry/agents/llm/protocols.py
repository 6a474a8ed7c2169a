"""Two ways to offer tools to a model: function calling, and calls in words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from braino_registry.agents import wire
from braino_registry.agents.llm.client import Reply, ToolUse
from braino_registry.agents.llm.conversation import Message, Turn
from braino_registry.agents.llm.offer import Offered

#: Calls in words: our form, and those in which models have been trained to write them.
_BLOCK = re.compile(r"<(call|tool_call)>(.*?)(?:</\1>|\Z)", re.DOTALL)
_FENCE = re.compile(r"\A\s*```[a-z]*\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)
_RESULT = "<result"
#: The most calls that are taken from one reply in words.
_MOST = 32


class Style(Protocol):
    """How tools are offered and calls are read."""

    name: str

    def tools(self, offered: Sequence[Offered]) -> list[dict[str, Any]] | None:
        """Return what a request lists as tools, None if nothing."""

    def described(self, offered: Sequence[Offered]) -> str:
        """Return what the system prompt says of them."""

    def calls(self, reply: Reply, known: Mapping[str, str]) -> tuple[ToolUse, ...]:
        """Return what a reply calls.

        Parameters
        ----------
        reply : Reply
            The reply.
        known : mapping
            Names on offer, as on the wire and here.
        """

    def render(self, turn: Turn) -> list[Message]:
        """Return the messages of a turn."""


class Native:
    """Function calling."""

    name = "native"

    def tools(self, offered: Sequence[Offered]) -> list[dict[str, Any]] | None:
        """Return the tools as functions."""
        return [
            {
                "type": "function",
                "function": {
                    "name": wire.to_wire(each.name),
                    "description": each.description,
                    "parameters": dict(each.arguments),
                },
            }
            for each in offered
        ]

    def described(self, offered: Sequence[Offered]) -> str:
        """Return nothing: the request lists them."""
        return ""

    def calls(self, reply: Reply, known: Mapping[str, str]) -> tuple[ToolUse, ...]:
        """Return the reply's calls, or those that it writes in words if they name tools."""
        if reply.calls:
            return reply.calls
        written = read_calls(reply.text)
        names = {*known, *known.values()}
        return written if written and all(call.name in names for call in written) else ()

    def render(self, turn: Turn) -> list[Message]:
        """Return the reply with its calls, and one message for each result."""
        words = turn.words() or ("" if turn.calls else "(nothing)")
        said: Message = {"role": "assistant", "content": words}
        if turn.calls:
            said["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": _wired(call.name), "arguments": turn.arguments(number)},
                }
                for number, call in enumerate(turn.calls)
            ]
        results: list[Message] = [
            {"role": "tool", "tool_call_id": call.id, "content": turn.result(number)}
            for number, call in enumerate(turn.calls)
        ]
        note: list[Message] = [{"role": "user", "content": turn.note}] if turn.note else []
        return [said, *results, *note]


class Textual:
    """Calls and results in words."""

    name = "text"

    def tools(self, offered: Sequence[Offered]) -> list[dict[str, Any]] | None:
        """Return nothing: the prompt lists them."""
        return None

    def described(self, offered: Sequence[Offered]) -> str:
        """Return each tool with its description and the schema of its arguments."""
        return "\n\n".join(
            f"{each.name}: {' '.join(each.description.split())}\n"
            f"arguments: {json.dumps(each.arguments, ensure_ascii=False, separators=(',', ':'))}"
            for each in offered
        )

    def calls(self, reply: Reply, known: Mapping[str, str]) -> tuple[ToolUse, ...]:
        """Return the calls that the reply writes, whatever they name."""
        return reply.calls or read_calls(reply.text)

    def render(self, turn: Turn) -> list[Message]:
        """Return the reply, and one message with all results."""
        results = [
            f'{_RESULT} of="{call.name}">\n{turn.result(number)}\n</result>'
            for number, call in enumerate(turn.calls)
        ]
        said = turn.words() or "(nothing)"
        back = "\n".join([*results, *([turn.note] if turn.note else [])])
        return [
            {"role": "assistant", "content": said},
            {"role": "user", "content": back or "Go on."},
        ]


STYLES: Mapping[str, Style] = {"native": Native(), "text": Textual()}


def read_calls(text: str) -> tuple[ToolUse, ...]:
    """Return the calls that a text writes.

    A call is a JSON object with ``tool`` (or ``name``) and ``arguments``, between ``<call>`` and
    ``</call>``, between ``<tool_call>`` and ``</tool_call>``, or as the whole text, fenced or not.
    What follows a result that the model has made up is not read. A block that is no such object is
    a call without a name, so that its writer is told.

    Parameters
    ----------
    text : str
        Anything.
    """
    head = text
    first = _BLOCK.search(text)
    if first is not None and (made_up := text.find(_RESULT, first.start())) >= 0:
        head = text[:made_up]
    blocks = [match[2] for match in _BLOCK.finditer(head)][:_MOST]
    if blocks:
        return tuple(_call(block, number) for number, block in enumerate(blocks, 1))
    fenced = _FENCE.match(text[:1_000_000])
    whole = _object(fenced[1] if fenced else text)
    if whole is not None and _name(whole):
        return (_call(fenced[1] if fenced else text, 1),)
    return ()


def _call(block: str, number: int) -> ToolUse:
    found = _object(block)
    if found is None or not _name(found):
        return ToolUse(f"call_{number}", "", block.strip()[:2_000])
    arguments = found.get("arguments", found.get("args", found.get("parameters", {})))
    given = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return ToolUse(f"call_{number}", _name(found), given)


def _object(text: str) -> dict[str, Any] | None:
    """Return the JSON object with which a text begins, None if there is none."""
    body = text.strip()
    if fenced := _FENCE.match(body[:1_000_000]):
        body = fenced[1].strip()
    if not body.startswith("{"):
        return None
    try:
        found, _ = json.JSONDecoder().raw_decode(body)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _name(found: Mapping[str, Any]) -> str:
    name = found.get("tool", found.get("name"))
    return name.strip() if isinstance(name, str) else ""


def _wired(name: str) -> str:
    """Return a name as providers take it, whatever a model has called."""
    try:
        return wire.to_wire(name)
    except ValueError:
        return re.sub(r"[^A-Za-z0-9_-]", "_", name)[: wire.MOST] or "unknown"
