"""The validation units of BrainBench, and what is made of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from braino_registry.errors import UsageError
from braino_registry.scoring import units
from braino_registry.scoring.kinds import WEIGHT
from braino_registry.scoring.named import ANY, named
from braino_registry.scoring.units.canonical import Profile

_COUNT = {"type": ["integer", "null"], "minimum": 0}
#: Of a unit, a place or a field; as much as a task may give.
_WEIGHT = {"type": "number", "minimum": 0, "maximum": WEIGHT["maximum"]}
#: The weights of an instance together.
_MOST = 100_000
_SCORES = {"type": "array", "items": {"type": "number", "minimum": 0, "maximum": 100}}


@named("numerical", required=("reported", "reference"), reported=ANY, reference=ANY, tolerance=ANY)
def numerical(inputs: Mapping[str, Any], profile: Profile) -> float:
    """Return 1 if a number is within an absolute tolerance of its reference, else 0."""
    return units.score_numerical(
        inputs["reported"], inputs["reference"], inputs.get("tolerance", 0), profile
    )


@named("categorical", required=("reported", "reference"), reported=ANY, reference=ANY)
def categorical(inputs: Mapping[str, Any], profile: Profile) -> float:
    """Return 1 if two labels have the same canonical form, else 0."""
    return units.score_categorical(inputs["reported"], inputs["reference"], profile)


@named(
    "set",
    required=("reported", "reference"),
    reported=ANY,
    reference=ANY,
    mode={"enum": ["exact", "partial", "f1"]},
    top_k=_COUNT,
    per_match={"type": ["number", "null"]},
)
def set_(inputs: Mapping[str, Any], profile: Profile) -> float:
    """Return how far two collections agree, whatever their order."""
    return units.score_set(
        inputs["reported"], inputs["reference"], inputs.get("mode", "exact"),
        top_k=inputs.get("top_k"), per_match=inputs.get("per_match"), profile=profile,
    )  # fmt: skip


@named(
    "sequence",
    required=("reported", "reference"),
    reported=ANY,
    reference=ANY,
    mode={"enum": ["position", "exact", "weighted"]},
    top_k=_COUNT,
    slip={"type": "integer", "minimum": 0},
    min_overlap={"type": "integer", "minimum": 0},
    weights={"type": ["array", "null"], "items": _WEIGHT},
)
def sequence(inputs: Mapping[str, Any], profile: Profile) -> float:
    """Return how far two ordered collections agree."""
    return units.score_sequence(
        inputs["reported"], inputs["reference"], inputs.get("mode", "weighted"),
        top_k=inputs.get("top_k"), slip=inputs.get("slip", 0),
        min_overlap=inputs.get("min_overlap", 1), weights=inputs.get("weights"), profile=profile,
    )  # fmt: skip


@named("semantic", required=("judgement",), judgement=ANY)
def semantic(inputs: Mapping[str, Any], profile: Profile) -> float:
    """Return what a judge gave, between 0 and 1."""
    return units.score_semantic(inputs["judgement"], profile)


@named(
    "artifact",
    required=("path_ok", "exists", "name_ok", "size"),
    path_ok={"type": "boolean"},
    exists={"type": "boolean"},
    name_ok={"type": "boolean"},
    size={"type": "integer"},
    checks={
        "type": "array",
        "items": {
            "type": "object",
            "additionalProperties": False,
            "required": ["weight", "passed"],
            "properties": {"weight": _WEIGHT, "passed": {"type": "boolean"}},
        },
    },
)
def artifact(inputs: Mapping[str, Any], profile: Profile) -> float:
    """Return the weighted share of a file's checks that passed."""
    checks = [(each["weight"], each["passed"]) for each in inputs.get("checks", ())]
    known = {name: inputs[name] for name in ("path_ok", "exists", "name_ok", "size")}
    return units.score_artifact(**known, checks=checks)


@named(
    "instance",
    required=("units",),
    units={
        "type": "array",
        "items": {
            "type": "object",
            "additionalProperties": False,
            "required": ["weight", "score"],
            "properties": {
                "weight": _WEIGHT,
                "score": {"type": "number", "minimum": 0, "maximum": 1},
            },
        },
    },
)
def instance(inputs: Mapping[str, Any], profile: Profile) -> float | None:
    """Return the weighted mean of an instance's units, 0 to 100."""
    return units.instance_score([(each["weight"], each["score"]) for each in inputs["units"]])


@named(
    "subset",
    required=("instances",),
    instances={
        "type": "array",
        "items": {
            "type": "object",
            "additionalProperties": False,
            "required": ["difficulty", "score"],
            "properties": {
                "difficulty": {"enum": [1.0, 1.5, 2.0]},
                "score": {"type": "number", "minimum": 0, "maximum": _MOST},
                "weights": {"type": "number", "exclusiveMinimum": 0, "maximum": _MOST},
            },
        },
    },
)
def subset(inputs: Mapping[str, Any], profile: Profile) -> float | None:
    """Return the score of a subset, weighted by difficulty.

    ``weights`` is the largest score that an instance can have.
    """
    rows = [(r["difficulty"], r["score"], r.get("weights", 100.0)) for r in inputs["instances"]]
    for place, (_, score, largest) in enumerate(rows):
        if score > largest:
            raise UsageError(
                f"the score {score:g} is above the largest one, {largest:g}",
                where=f"$.instances[{place}].score",
                hint="Give the weights of the instance, or its score from 0 to 100.",
            )
    return units.subset_score(rows, profile)


@named(
    "overall",
    required=("subsets",),
    subsets={"type": "array", "items": {"type": ["number", "null"], "minimum": 0, "maximum": 100}},
)
def overall(inputs: Mapping[str, Any], profile: Profile) -> float | None:
    """Return the mean of the subsets' scores; null unless every subset has one."""
    return units.overall_score(inputs["subsets"])


@named("mpad", required=("scores",), scores=_SCORES)
def mpad(inputs: Mapping[str, Any], profile: Profile) -> dict[str, float | None]:
    """Return the mean absolute difference over all pairs of a task's instance scores."""
    found, largest = units.mpad(inputs["scores"]), units.largest_mpad(len(inputs["scores"]))
    bounded = None if found is None or not largest else found / largest
    return {"mpad": found, "largest": largest, "bounded_adjusted": bounded}
