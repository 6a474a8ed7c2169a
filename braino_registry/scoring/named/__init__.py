"""Scores by name: every validation unit, aggregate and corpus metric, from JSON to JSON.

What `braino score` offers. A score says by a schema what it takes, so that whoever asks is told
what is missing before anything is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from braino_registry.errors import UsageError
from braino_registry.registry.plugins import PluginGroup
from braino_registry.scoring.units.canonical import Profile

Function = Callable[[Mapping[str, Any], Profile], Any]

#: What stands for any JSON value.
ANY: dict[str, Any] = {}
NUMBER: dict[str, Any] = {"type": "number"}


@dataclass(frozen=True)
class NamedScore:
    """A score that can be asked for by its name.

    Parameters
    ----------
    name : str
        For example ``"numerical"``.
    parameters : mapping
        JSON Schema of its input, an object.
    run : callable
        ``run(inputs, profile)`` returns JSON values.
    """

    name: str
    parameters: Mapping[str, Any]
    run: Function

    @property
    def summary(self) -> str:
        """First line of its description."""
        return (self.run.__doc__ or "").strip().split("\n")[0]


scores: PluginGroup[NamedScore] = PluginGroup("braino_registry.scoring.named", "score")


def named(
    name: str, *, required: tuple[str, ...], **properties: Any
) -> Callable[[Function], Function]:
    """Return a decorator that registers a function as a score.

    Parameters
    ----------
    name : str
        By which it is asked for.
    required : tuple of str
        What its input has to hold.
    properties : schemas
        What its input may hold.
    """
    parameters = {
        "type": "object",
        "additionalProperties": False,
        "required": list(required),
        "properties": properties,
    }

    def keep(function: Function) -> Function:
        scores.add(name, NamedScore(name, parameters, function), function.__module__)
        return function

    return keep


def compute(name: str, inputs: Any, profile: Profile = "strict") -> Any:
    """Return a score.

    Parameters
    ----------
    name : str
        Which one.
    inputs : JSON value
        What it takes.
    profile : {"strict", "published"}
        Whose rules; see `scoring.units` and `scoring.corpus`.

    Raises
    ------
    UsageError
        If there is no such score, or the inputs are not what it takes.
    """
    from braino_registry.registry import schemas

    score = scores.get(name)
    checker = schemas.compiled(dict(score.parameters))
    problems = schemas.explained(checker.iter_errors(inputs))
    if problems:
        first = problems[0]
        raise UsageError(
            first.message, where=f"standard input: {first.path}", hint=first.hint or _takes(score)
        )
    return score.run(inputs, profile)


def _takes(score: NamedScore) -> str:
    needed = score.parameters["required"]
    known = ", ".join(n if n in needed else f"[{n}]" for n in score.parameters["properties"])
    return f"{score.name!r} takes {known}."
