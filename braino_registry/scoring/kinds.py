"""How a check kind announces itself, and the group that finds them all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from braino_registry.registry.plugins import PluginGroup
from braino_registry.scoring.model import Evidence, Verdict

#: What a validation unit counts under the rule ``brainbench``; only the ratios matter.
WEIGHT: Mapping[str, Any] = {
    "type": "number",
    "exclusiveMinimum": 0,
    "maximum": 1000,
    "description": "share in the score of an instance, under the rule brainbench",
}

CheckFunction = Callable[[Mapping[str, Any], Evidence], Verdict]


@dataclass(frozen=True)
class CheckKind:
    """A kind of check.

    Parameters
    ----------
    name : str
        What a task writes as ``kind``.
    version : str
        Semantic version; it changes whenever a verdict can change, and is part of the scoring
        digest of every task that uses the kind.
    parameters : mapping
        JSON Schema of what the kind takes beside ``id``, ``kind`` and ``required``.
    run : callable
        ``run(spec, evidence) -> Verdict``: pure, total, with resolved expected values in ``spec``.
    unit : str | None
        The validation unit that it is, for example ``"numerical"``; None for a check of how an
        agent worked, which a rule with weights shows beside the score.
    about_calls : bool
        Whether it speaks of nothing but calls of tools; where a session has no tools it is not
        asked.
    """

    name: str
    version: str
    parameters: Mapping[str, Any]
    run: CheckFunction
    unit: str | None = None
    about_calls: bool = False

    @property
    def summary(self) -> str:
        """First line of the kind's description."""
        return (self.run.__doc__ or "").strip().split("\n")[0]

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of a whole check of this kind."""
        return {
            **self.parameters,
            "properties": {
                "id": {"type": "string", "minLength": 1},
                "kind": {"const": self.name},
                "required": {"type": "boolean", "default": False},
                **self.parameters.get("properties", {}),
            },
            "required": ["id", "kind", *self.parameters.get("required", [])],
        }


check_kinds: PluginGroup[CheckKind] = PluginGroup(
    "braino_registry.scoring.checks", "check kind", entry_points="braino.checks"
)


def check(
    name: str,
    *,
    version: str,
    parameters: Mapping[str, Any],
    unit: str | None = None,
    about_calls: bool = False,
) -> Callable[[CheckFunction], CheckFunction]:
    """Return a decorator that registers a function as a check kind.

    Parameters
    ----------
    name : str
        The ``kind`` that tasks write.
    version : str
        Semantic version of the kind.
    parameters : mapping
        JSON Schema (an object schema) of the kind's own parameters. It must refuse a check that
        could not fail: one without criteria.
    unit : str | None
        See `CheckKind`; a validation unit takes a ``weight`` as well.
    about_calls : bool
        See `CheckKind`.
    """
    strict = {"type": "object", "additionalProperties": False, **parameters}
    if unit is not None:
        strict["properties"] = {**parameters.get("properties", {}), "weight": WEIGHT}

    def keep(function: CheckFunction) -> CheckFunction:
        kind = CheckKind(name, version, strict, function, unit, about_calls)
        check_kinds.add(name, kind, function.__module__)
        return function

    return keep


def kind_versions() -> dict[str, str]:
    """Return the version of every check kind, by name."""
    return {name: kind.version for name, kind in check_kinds}
