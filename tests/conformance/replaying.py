"""Agents that replay what the reference did, with one thing left out or changed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from braino.agent import AgentAnswer, Session

Event = Mapping[str, Any]
Attempt = Callable[..., dict[str, Any]]


@dataclass(frozen=True)
class Played:
    """What an agent did in one session.

    Parameters
    ----------
    acts : sequence of mapping
        Calls, questions and decisions, as the transcript holds them.
    text : str
        The answer.
    data : mapping | None
        The answer by field.
    """

    acts: Sequence[Event]
    text: str
    data: Mapping[str, Any] | None = None

    @classmethod
    def read(cls, folder: Path) -> Played:
        """Return what stands in the only transcript of a run folder."""
        (path,) = folder.rglob("events.jsonl")
        events = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        acts = [event for event in events if event["type"] in ("call", "ask", "decide")]
        (answer,) = (event for event in events if event["type"] == "answer")
        return cls(acts, answer["text"], answer.get("data"))

    def of(self, *types: str) -> list[Event]:
        """Return the acts of some types, in order."""
        return [event for event in self.acts if event["type"] in types]


@dataclass
class Replay:
    """An agent that does what it is told and says what it is told.

    Parameters
    ----------
    acts : sequence of mapping
        ``type`` with ``tool`` and ``args``, ``question`` and ``options``, or ``kind`` and
        ``proposal``. Arguments and proposals may be functions of the results so far.
    answer : str or callable
        The text, or a function of the results so far.
    """

    acts: Sequence[Event]
    answer: str | Callable[[list[Any]], str]
    data: Mapping[str, Any] | None = None
    name: str = "replay"
    model: str | None = None
    results: list[Any] = field(default_factory=list)

    def solve(self, request: str, session: Session) -> AgentAnswer:
        """Replay; a call that fails is passed over, as a cheat would."""
        for act in self.acts:
            self.results.append(self._do(act, session))
        text = self.answer if isinstance(self.answer, str) else self.answer(self.results)
        return AgentAnswer(text, dict(self.data) if self.data else None)

    def _do(self, act: Event, session: Session) -> Any:
        if act["type"] == "ask":
            return session.ask(act["question"], act.get("options"))
        if act["type"] == "decide":
            return session.decide(act["kind"], self._filled(act["proposal"]), act.get("why", ""))
        return session.call(act["tool"], self._filled(act["args"])).result

    def _filled(self, value: Any) -> Any:
        return value(self.results) if callable(value) else dict(value)


def call(tool: str, args: Any = None, **more: Any) -> dict[str, Any]:
    """Return a call to replay."""
    return {
        "type": "call",
        "tool": tool,
        "args": args if callable(args) else {**(args or {}), **more},
    }


def decide(kind: str, proposal: Any) -> dict[str, Any]:
    """Return a decision to replay."""
    return {"type": "decide", "kind": kind, "proposal": proposal}


def exchanged(value: Any, old: str, new: str) -> Any:
    """Return a JSON value with one text replaced by another everywhere."""
    if isinstance(value, str):
        return new if value == old else value
    if isinstance(value, Mapping):
        return {key: exchanged(item, old, new) for key, item in value.items()}
    if isinstance(value, list):
        return [exchanged(item, old, new) for item in value]
    return value
