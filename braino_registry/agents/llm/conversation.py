"""The conversation with a model, kept within its window.

Nothing is cut silently. When the next prompt would not fit, the results of the oldest turns are
replaced by a line that names them and says how they are shown again; then the oldest turns become
lines of a list of earlier steps. If even that is too long, the conversation has overflowed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from braino_registry.agents.llm.client import ContextOverflow, ToolUse

Message = dict[str, Any]
#: Tokens per character before a server has told how many a prompt had.
FIRST_RATIO = 0.4
#: Once a prompt does not fit it is made smaller than need be, so that the next ones fit too.
_ROOM = 0.75
#: Share of the room that the list of earlier steps may take.
_LISTED = 0.25
_LINE = 160
_WORDS = 400
_LEAST, _MOST = 0.15, 1.2


@dataclass
class Turn:
    """A reply of the model, and what came of its calls.

    Parameters
    ----------
    text : str
        The model's words.
    calls : sequence of ToolUse
        What it called.
    results : list of str
        What the model is shown of each call's result, in order.
    names : list of str
        What each result is called among the pages.
    note : str
        What is said to the model afterwards.
    short : bool
        Whether results and long texts are left out by now.
    """

    text: str
    calls: Sequence[ToolUse] = ()
    results: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    note: str = ""
    short: bool = False

    def words(self) -> str:
        """Return the model's words as they are repeated to it."""
        if not self.short or len(self.text) <= _WORDS:
            return self.text
        return f"{self.text[:_WORDS]} [{len(self.text) - _WORDS} more characters are not repeated]"

    def arguments(self, number: int) -> str:
        """Return a call's arguments as they are repeated to the model: a JSON object."""
        given = self.calls[number].arguments
        try:
            whole = isinstance(json.loads(given or "{}"), dict)
        except (ValueError, RecursionError):
            whole = False
        if whole and not (self.short and len(given) > _WORDS):
            return given or "{}"
        why = "arguments" if whole else "no JSON object"
        return json.dumps({"left_out": f"{len(given)} characters, {why}"})

    def result(self, number: int) -> str:
        """Return a result as the model is shown it."""
        text = self.results[number]
        if not self.short or len(text) <= _WORDS:
            return text
        name = self.names[number]
        return f"[{name}: {len(text)} characters, left out to save room; read_page shows them]"

    def lines(self) -> list[str]:
        """Return the turn as lines of the list of earlier steps."""
        found = [f"said: {_one_line(self.text)}"] if self.text.strip() else []
        for number, call in enumerate(self.calls):
            done = "refused" if self.results[number].startswith('{"error"') else "done"
            head = f"{call.name} {_one_line(call.arguments)}"[: _LINE - 30]
            found.append(f"{head} → {done}, {self.names[number]}")
        return found


Render = Callable[[Turn], list[Message]]


class Conversation:
    """System prompt, request and turns, as messages that fit.

    Parameters
    ----------
    system, request : str
        What stands at the head; always whole.
    render : callable
        Makes messages of a turn.
    window : int
        Tokens for prompt and reply.
    reply : int
        Tokens of the longest reply.
    beside : int
        Characters that are sent beside the messages: the tools' schemas.
    """

    def __init__(
        self, system: str, request: str, render: Render, *, window: int, reply: int, beside: int = 0
    ) -> None:
        self.system, self.request = system, request
        self._render = render
        self._room = window - min(reply, window // 2)
        self._window = window
        self._beside = beside
        self._ratio = FIRST_RATIO
        self._sent = 0
        self.turns: list[Turn] = []
        self.earlier: list[str] = []
        self.dropped = 0

    def add(self, turn: Turn) -> None:
        """Add a turn."""
        self.turns.append(turn)

    def learn(self, tokens: int | None) -> None:
        """Take note of how many tokens the last prompt had."""
        if tokens and self._sent:
            self._ratio = min(max(tokens / self._sent, _LEAST), _MOST)

    def messages(self) -> list[Message]:
        """Return the messages to send, made to fit.

        Raises
        ------
        ContextOverflow
            If they cannot be made to fit.
        """
        found = self._messages()
        if self._tokens(found) > self._room:
            found = self._fitted(self._room)
            if (needed := self._tokens(found)) > self._room:
                raise ContextOverflow(
                    f"the conversation needs about {needed:.0f} tokens, and the model's window of "
                    f"{self._window} leaves {self._room} for it; give a larger --agent-option "
                    "context_tokens, a smaller result_chars, or a model with a larger window"
                )
        self._sent = _size(found) + self._beside
        return found

    def shrink(self) -> None:
        """Make the conversation smaller because the server says that it is too long.

        Raises
        ------
        ContextOverflow
            If it cannot be made smaller.
        """
        before = _size(self._messages())
        self._fitted((before * _ROOM + self._beside) * self._ratio)
        if _size(self._messages()) >= before:
            raise ContextOverflow("the conversation is too long, and cannot be made shorter")

    def _fitted(self, room: float) -> list[Message]:
        """Return messages that fit into that many tokens, or the shortest that can be made.

        Once they have to be made shorter at all, some room is left for the next turns.
        """
        goal = (room - self._beside * self._ratio) * _ROOM + self._beside * self._ratio
        for turn in self.turns[:-1]:
            turn.short = True
            if self._tokens(found := self._messages()) <= goal:
                return found
        while len(self.turns) > 1:
            self.earlier += self.turns.pop(0).lines()
            self._forget(room * _LISTED)
            if self._tokens(found := self._messages()) <= goal:
                return found
        for turn in self.turns:
            turn.short = True
        if self._tokens(self._messages()) > room:
            self._forget(0.0)
        return self._messages()

    def _forget(self, room: float) -> None:
        """Drop the oldest lines of the list of earlier steps, and count them, until it fits."""
        while self.earlier and sum(map(len, self.earlier)) * self._ratio > room:
            left = -(-len(self.earlier) // 2)
            self.dropped += left
            del self.earlier[:left]

    def _messages(self) -> list[Message]:
        head = self.request
        if self.earlier or self.dropped:
            steps = "\n".join(f"- {line}" for line in self.earlier)
            more = f"- {self.dropped} steps before these\n" if self.dropped else ""
            head = f"{head}\n\nEarlier steps, shortened to save room:\n{more}{steps}"
        found: list[Message] = [
            {"role": "system", "content": self.system},
            {"role": "user", "content": head},
        ]
        for turn in self.turns:
            found += self._render(turn)
        return found

    def _tokens(self, messages: Sequence[Mapping[str, Any]]) -> float:
        return (_size(messages) + self._beside) * self._ratio


def _size(messages: Sequence[Mapping[str, Any]]) -> int:
    """Return how many characters messages have, calls included."""
    total = 0
    for message in messages:
        total += len(message.get("content") or "") + 16
        for call in message.get("tool_calls", ()):
            total += len(call["function"]["name"]) + len(call["function"]["arguments"]) + 16
    return total


def _one_line(text: str) -> str:
    whole = " ".join(text[: 4 * _LINE].split())
    return whole if len(whole) <= _LINE else f"{whole[:_LINE]}…"
