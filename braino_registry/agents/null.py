"""``null``: does nothing. Checks that it passes say nothing about an agent."""

from __future__ import annotations

from braino.agent import AgentAnswer, Session


class Null:
    """The agent that does nothing."""

    name = "null"
    model = None

    def solve(self, request: str, session: Session) -> AgentAnswer:
        """Return an empty answer."""
        return AgentAnswer("")


def make() -> Null:
    """Return an agent that does nothing."""
    return Null()
