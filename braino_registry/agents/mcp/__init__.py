"""The Model Context Protocol both ways: a session as a server, and clients as agents."""

from __future__ import annotations

from braino_registry.agents.mcp.agent import McpAgent, ServedAgent, make, prepare

__all__ = ["McpAgent", "ServedAgent", "make", "prepare"]
