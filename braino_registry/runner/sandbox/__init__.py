"""Isolation ``sandbox``: an agent sees its task and nothing else, or the run does not start."""

from __future__ import annotations

from braino_registry.runner.sandbox.choosing import choose, engines
from braino_registry.runner.sandbox.isolation import SandboxIsolation

__all__ = ["SandboxIsolation", "choose", "engines"]
