"""What ends a conversation: the numbers of ``controls.json``, which are those of BrainBench."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any

from braino.agent import AgentUnusable


@dataclass(frozen=True)
class Controls:
    """The controls of one agent.

    Parameters
    ----------
    rounds : int
        Replies of the model; on the last one it has to answer.
    non_actions : int
        Replies without an action, after which it has to answer.
    repeated_failures : int
        Executions that fail one after the other with the same code or the same error, after which
        it has to answer.
    observation_chars : int
        Characters of an observation that the model is shown, half from either end.
    dialogue : bool
        Whether it may ask the user and request decisions; the agent of the paper may not.
    """

    rounds: int
    non_actions: int
    repeated_failures: int
    observation_chars: int
    dialogue: bool


def split(options: Mapping[str, Any]) -> tuple[Controls, dict[str, Any]]:
    """Return the controls, changed by options of their names, and the options of the model.

    Parameters
    ----------
    options : mapping
        Named arguments of the agent's factory.

    Raises
    ------
    AgentUnusable
        If a control has no value that it may have.
    """
    text = files("braino_registry.agents.codeact").joinpath("controls.json").read_text("utf-8")
    table = json.loads(text)
    known = Controls(**{name: table[name] for name in Controls.__dataclass_fields__})
    changed, left = {}, {"max_tokens": table["max_tokens"]}
    for name, value in options.items():
        if name not in Controls.__dataclass_fields__:
            left[name] = value
            continue
        _check(name, value)
        changed[name] = value
    return replace(known, **changed), left


def _check(name: str, value: Any) -> None:
    if name == "dialogue":
        fits, allowed = isinstance(value, bool), "true or false"
    else:
        fits = isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 1_000_000
        allowed = "a whole number from 1 on"
    if not fits:
        problem = f"codeact's {name} cannot be {value!r}"
        raise AgentUnusable("factory", problem, hint=f"Give {allowed}.")
