"""Agents that try what the runner is to stand; each says in its answer what came of it.

Where to look for what is hidden is told to them in their model, as JSON: a sandbox has to hold
against those who know. There is a module for each kind of deed, with relative imports, because in a
sandbox this package is called ``mischief`` and here ``benchmarks.mischief``.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from braino.agent import AgentAnswer, Session

from . import handing_in, leaving, nameless, reaching, resources, rights
from .deeds import DEEDS
from .resources import SLEEPER

__all__ = [
    "DEEDS",
    "SLEEPER",
    "Mischief",
    "handing_in",
    "leaving",
    "make",
    "nameless",
    "reaching",
    "resources",
    "rights",
]


class Mischief:
    """An agent that does one thing."""

    def __init__(self, name: str, model: str) -> None:
        self.name, self.model = name, model

    def solve(self, request: str, session: Session) -> AgentAnswer:
        """Do it."""
        done = DEEDS[self.name](session, json.loads(self.model))
        return done if isinstance(done, AgentAnswer) else AgentAnswer(done)


class _Maker:
    """Has a factory for each deed, by its name."""

    def __getattr__(self, name: str) -> Callable[..., Mischief]:
        if name not in DEEDS:
            raise AttributeError(name)
        if name == "answers_before_its_hello":
            handing_in.before_the_hello()
        return lambda model="{}": Mischief(name, model)


make = _Maker()
