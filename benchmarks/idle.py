"""Agents that do nothing, or nothing but tool calls; their module imports as little as it can."""

from __future__ import annotations

from braino.agent import AgentAnswer, Session

CALLS = 15


class Caller:
    """Does nothing, or nothing but tool calls."""

    model = None

    def __init__(self, calls: int) -> None:
        self.name = f"calls-{calls}"
        self._calls = calls

    def solve(self, request: str, session: Session) -> AgentAnswer:
        """Call the calculator so many times."""
        for _ in range(self._calls):
            session.call("calc", {"expression": "20 + 22"})
        return AgentAnswer(text="")


def nothing() -> Caller:
    """Make an agent that does nothing."""
    return Caller(0)


def calls() -> Caller:
    """Make an agent that calls a tool."""
    return Caller(CALLS)
