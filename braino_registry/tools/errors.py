"""A call that the agent can mend."""

from __future__ import annotations

from braino_registry.errors import BrainoError


class ToolError(BrainoError):
    """A tool that cannot do what it was asked, and what to pass instead.

    Parameters
    ----------
    problem : str
        What is wrong.
    instead : str
        What to pass instead; never empty.
    """

    def __init__(self, problem: str, instead: str) -> None:
        super().__init__(problem, hint=instead)
        self.instead = instead
