"""``cmd:COMMAND``: any program as an agent; it is told an address and a request, nothing else."""

from __future__ import annotations

from braino_registry.agents.command.agent import CommandAgent, make
from braino_registry.agents.command.program import prepare

__all__ = ["CommandAgent", "make", "prepare"]
