"""``human``: a person at a terminal as an agent, with the same tools, questions and decisions."""

from __future__ import annotations

from braino_registry.agents.human.agent import Human, make, prepare

__all__ = ["Human", "make", "prepare"]
