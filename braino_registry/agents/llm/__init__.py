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
from braino_registry.agents.llm.driven import ModelDriven
from braino_registry.agents.llm.settings import Settings
from braino_registry.agents.llm.solving import Solver


class ToolCaller(ModelDriven):
    """A model that calls tools.

    Parameters
    ----------
    settings : Settings
        Which model, and how it is asked.
    """

    name = "llm"

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings, prompt=prompts.identity())

    def work(self, client: Client, request: str, session: Session) -> AgentAnswer:
        """Offer the session's tools to the model until it answers."""
        return Solver(client, session, request).solve()


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
