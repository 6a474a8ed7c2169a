"""Agents that do nothing, or nothing but tool calls; their module imports as little as it can."""

from __future__ import annotations

from braino.agent import AgentAnswer, Session

FEW, TEN, MANY = 1, 10, 11
"""Calls of a trial; what one more costs is the difference through their number."""


class Caller:
    """Does nothing, or nothing but tool calls."""

    model = None

    def __init__(self, calls: int) -> None:
        self.name = f"calls-{calls}"
        self._calls = calls

    def solve(self, request: str, session: Session) -> AgentAnswer:
        """Add two numbers so many times."""
        for _ in range(self._calls):
            session.call("bench.add", {"x": 20, "y": 22})
        return AgentAnswer(text="")


class Busy:
    """Has a tool compute for a while, once."""

    name, model = "busy", None

    def solve(self, request: str, session: Session) -> AgentAnswer:
        """Call it."""
        session.call("bench.work", {})
        return AgentAnswer(text="")


def busy() -> Busy:
    """Make an agent whose tool computes."""
    return Busy()


def nothing() -> Caller:
    """Make an agent that does nothing."""
    return Caller(0)


def few() -> Caller:
    """Make an agent that calls a tool."""
    return Caller(FEW)


def ten() -> Caller:
    """Make an agent that calls it ten times."""
    return Caller(TEN)


def many() -> Caller:
    """Make an agent that calls it ten times more."""
    return Caller(MANY)
