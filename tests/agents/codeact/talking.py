"""A model that says what it is told to, and a session that runs code in this process."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from braino.agent import Decision, DecisionSpec, Execution

PLACE = {
    "inputs": "/input", "workspace": "/workspace", "seconds": 150, "case_seconds": 720,
    "output_chars": 8000, "packages": {"numpy": "2.0"},
}  # fmt: skip
Line = str | Callable[[list[dict[str, Any]]], str]


@dataclass
class Said:
    text: str
    finish: str | None = "stop"


class Scripted:
    """A model that replies with one line after the other; a callable one sees the conversation."""

    def __init__(self, lines: Iterable[Line], finish: str = "stop") -> None:
        self.lines = iter(lines)
        self.finish = finish
        self.seen: list[list[dict[str, Any]]] = []

    def ask(self, session: Any, messages: list[dict[str, Any]]) -> Said:
        self.seen.append([dict(message) for message in messages])
        line = next(self.lines)
        text = line if isinstance(line, str) else line(messages)
        session.report_usage(input_tokens=10, output_tokens=len(text), turns=1)
        return Said(text, self.finish)


def observation(messages: list[dict[str, Any]]) -> str:
    """Return what the model was shown last."""
    return str(messages[-1]["content"]).partition("Observation:\n")[2]


@dataclass
class Desk:
    """A session without a trusted side: code runs here, the user approves everything."""

    workspace: Path
    paradigm: str = "code"
    seed: int = 3
    limits: dict[str, float] = field(default_factory=dict)
    fields: dict[str, Any] | None = None
    code: dict[str, Any] | None = field(default_factory=lambda: dict(PLACE))
    done: list[tuple[str, Any]] = field(default_factory=list)
    space: dict[str, Any] = field(default_factory=dict)

    def execute(self, code: str) -> Execution:
        self.done.append(("execute", code))
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed):
                exec(code, self.space)
        except Exception as error:
            return Execution(False, printed.getvalue(), f"{type(error).__name__}: {error}")
        return Execution(True, printed.getvalue())

    def ask(self, question: str, options: Any = None) -> str:
        self.done.append(("ask", question))
        return "50 Hz."

    def decisions(self) -> list[DecisionSpec]:
        return [DecisionSpec("mark-bad-channels", "Marks channels.", {"type": "object"})]

    def decide(self, kind: str, proposal: dict[str, Any], why: str = "") -> Decision:
        self.done.append(("decide", (kind, proposal, why)))
        return Decision("approved", proposal, say="Go on.")

    def report_usage(self, **usage: Any) -> None:
        self.done.append(("usage", usage))

    def of(self, sort: str) -> list[Any]:
        return [what for name, what in self.done if name == sort]
