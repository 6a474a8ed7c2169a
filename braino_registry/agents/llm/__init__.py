"""``llm``: a model that is offered a session's tools, over any OpenAI-compatible server.

It knows no task. `client` (one reply for one list of messages), `offer` (what can be called in a
session), `conversation` (kept within the model's window) and `protocols` (function calling, or
calls in words) are shared with other agents that are driven by models.
"""

from __future__ import annotations

from typing import Any

from braino.agent import AgentAnswer, Session
from braino_registry.agents.llm import prompts
from braino_registry.agents.llm.client import Client
from braino_registry.agents.llm.settings import Settings
from braino_registry.agents.llm.solving import Solver


class ToolCaller:
    """A model that calls tools.

    Parameters
    ----------
    settings : Settings
        Which model, and how it is asked.
    """

    name = "llm"

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.model = settings.model
        self.settings = {**settings.document(), "prompt": prompts.identity()}

    def preflight(self) -> None:
        """Make sure that the model can be asked; raises AgentUnusable if not."""
        client = Client(self._settings)
        try:
            client.preflight()
        finally:
            client.close()

    def solve(self, request: str, session: Session) -> AgentAnswer:
        """Let the model work on the request."""
        client = Client(self._settings)
        try:
            return Solver(client, session, request).solve()
        finally:
            client.close()


def make(model: str | None = None, **options: Any) -> ToolCaller:
    """Return the agent.

    Parameters
    ----------
    model : str | None
        The model's name on its server.
    **options
        See `Settings`.

    Raises
    ------
    AgentUnusable
        If there is no model, or an option cannot be used.
    """
    return ToolCaller(Settings.read(model, **options))
