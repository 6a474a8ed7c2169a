"""``codeact``: a language model that works by writing code, as in BrainBench's second paradigm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from braino_registry.agents.codeact.controls import split

if TYPE_CHECKING:
    from braino_registry.agents.codeact.agent import CodeAct


def make(model: str | None = None, **options: Any) -> CodeAct:
    """Return the agent.

    Parameters
    ----------
    model : str | None
        Name of the model at the endpoint.
    **options
        Controls by their names (`Controls`), and whatever the model's client takes: ``base_url``,
        ``temperature``, ``max_tokens``, ….
    """
    from braino_registry.agents.codeact.agent import CodeAct
    from braino_registry.agents.llm.settings import Settings

    controls, rest = split(options)
    return CodeAct(Settings.read(model, **rest), controls)
