"""``brainagent``: a supervisor and specialists that plan in rounds over a shared state.

The structure is that of the multi-agent system with which BrainBench was measured (Appendix D.2
of its paper), in our words: the supervisor gives the whole objective to the specialist of a domain;
each round the specialist sees a compact view of the state, calls the tools of the longest stretch
of its plan that it can carry out, looks, and plans on; its report goes back to the supervisor, who
answers. A domain for which there are no tools is not offered.
"""

from __future__ import annotations

from typing import Any

from braino.agent import AgentAnswer, AgentUnusable, Session
from braino_registry.agents.brainagent.asking import Desk
from braino_registry.agents.brainagent.domains import table
from braino_registry.agents.brainagent.supervisor import Supervisor
from braino_registry.agents.llm import prompts
from braino_registry.agents.llm.client import Client
from braino_registry.agents.llm.driven import ModelDriven
from braino_registry.agents.llm.settings import Settings

#: Rounds that a specialist has for an objective, unless `rounds` says otherwise.
ROUNDS = 24


class BrainAgent(ModelDriven):
    """A supervisor with specialists, all played by one model.

    Parameters
    ----------
    settings : Settings
        Which model, and how it is asked.
    rounds : int
        Rounds that a specialist has for an objective.
    """

    name = "brainagent"

    def __init__(self, settings: Settings, rounds: int = ROUNDS) -> None:
        self._rounds = rounds
        prompt, version = prompts.identity(__package__), table()["version"]
        super().__init__(settings, rounds=rounds, prompt=prompt, domains=version)

    def work(self, client: Client, request: str, session: Session) -> AgentAnswer:
        """Let supervisor and specialists work on the request."""
        return Supervisor(Desk(client, session, request), self._rounds).solve()


def make(model: str | None = None, *, rounds: int = ROUNDS, **options: Any) -> BrainAgent:
    """Return the agent.

    Parameters
    ----------
    model : str | None
        The model's name on its server.
    rounds : int
        Rounds that a specialist has for an objective.
    **options
        See `braino_registry.agents.llm.settings.Settings`.

    Raises
    ------
    AgentUnusable
        If there is no model, or an option cannot be used.
    """
    if not isinstance(rounds, int) or isinstance(rounds, bool) or not 1 <= rounds <= 10_000:
        raise AgentUnusable(
            "factory", f"the option rounds cannot be {rounds!r}", "--agent-option",
            "It is a number of rounds, from 1.",
        )  # fmt: skip
    return BrainAgent(Settings.read(model, **options), rounds)
