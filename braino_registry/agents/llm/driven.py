"""What all agents that a model drives have in common: settings, a preflight, a client per trial."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import closing
from typing import Any

from braino.agent import AgentAnswer, Session
from braino_registry.agents.llm.client import Client
from braino_registry.agents.llm.settings import Settings


class ModelDriven(ABC):
    """An agent that a model drives.

    Parameters
    ----------
    settings : Settings
        Which model, and how it is asked.
    **told
        What reports are to tell beside these settings.
    """

    name: str

    def __init__(self, settings: Settings, **told: Any) -> None:
        self._settings = settings
        self.model = settings.model
        self.settings = {**settings.document(), **told}

    def preflight(self) -> None:
        """Make sure that the model can be asked; raises AgentUnusable if not."""
        with closing(Client(self._settings)) as client:
            client.preflight()

    def solve(self, request: str, session: Session) -> AgentAnswer:
        """Let the model work on the request."""
        with closing(Client(self._settings)) as client:
            return self.work(client, request, session)

    @abstractmethod
    def work(self, client: Client, request: str, session: Session) -> AgentAnswer:
        """Return what comes of a trial.

        Parameters
        ----------
        client : Client
            The model.
        request : str
            What the researcher asks.
        session : Session
            The trial's session.
        """
