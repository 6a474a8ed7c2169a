"""The metrics of BrainBench's released case files, for cases that were imported.

A case says which key of a report's structured content a metric reads, and what it compares it
with. The content is what the agent gives as data, a JSON object in its report, or a line
``key: value``; what is nowhere is missing, and never guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from braino_registry.scoring.events import describe
from braino_registry.scoring.kinds import CheckFunction, check
from braino_registry.scoring.model import Evidence, Verdict
from braino_registry.scoring.parts import NAME
from braino_registry.scoring.released import MISSING, extract, score_file
from braino_registry.scoring.units import (
    score_categorical,
    score_numerical,
    score_semantic,
    score_sequence,
    score_set,
)

_PARAMETERS: dict[str, Any] = {
    "properties": {
        "target": {**NAME, "description": "the key that is read"},
        "params": {"type": "object", "description": "as the case has them"},
    },
    "required": ["target", "params"],
}
_Score = Callable[[Any, Mapping[str, Any], Evidence], float]


def _case(name: str, unit: str) -> Callable[[_Score], CheckFunction]:
    """Return a decorator that makes a check kind of a metric of the released scorer."""

    def keep(score: _Score) -> CheckFunction:
        @check(name, version="1.0.0", unit=unit, parameters=_PARAMETERS)
        def run(spec: Mapping[str, Any], evidence: Evidence) -> Verdict:
            params = spec["params"]
            said = extract(spec["target"], evidence)
            if said is MISSING and name != "case_file":
                return Verdict(False, f"{spec['target']}: the report does not give it", 0.0)
            value = score(None if said is MISSING else said, params, evidence)
            shown = "nothing" if said is MISSING else describe(said)
            wanted = describe(params.get("gt_value", "what was asked for"))
            return Verdict(value == 1, f"{spec['target']}: {shown}, expected {wanted}", value)

        run.__doc__ = score.__doc__
        return run

    return keep


@_case("case_numeric", "numerical")
def numeric(said: Any, params: Mapping[str, Any], evidence: Evidence) -> float:
    """Require a number within its tolerance, as a released case has it."""
    return score_numerical(
        said, params["gt_value"], params.get("tolerance", 0), evidence.profile
    )  # fmt: skip


@_case("case_label", "categorical")
def label(said: Any, params: Mapping[str, Any], evidence: Evidence) -> float:
    """Require a label, as a released case has it."""
    return score_categorical(said, params["gt_value"], evidence.profile)


@_case("case_set", "set")
def set_(said: Any, params: Mapping[str, Any], evidence: Evidence) -> float:
    """Require a collection in any order, as a released case has it."""
    partial = params.get("match_mode", "exact") == "per_hit_fraction"
    return score_set(
        said, params["gt_value"], "partial" if partial else "exact",
        top_k=params.get("top_k"), per_match=params.get("score_per_hit"),
        profile=evidence.profile,
    )  # fmt: skip


@_case("case_sequence", "sequence")
def sequence(said: Any, params: Mapping[str, Any], evidence: Evidence) -> float:
    """Require a collection in its order, as a released case has it."""
    mode = params.get("match_mode", "weighted_partial_order")
    return score_sequence(
        said, params["gt_value"],
        {"exact_order": "exact", "per_hit_fraction_order": "position"}.get(mode, "weighted"),  # type: ignore[arg-type]
        top_k=params.get("top_k"), slip=params.get("allow_order_slip", 0),
        min_overlap=params.get("min_overlap", 1), weights=params.get("position_weights"),
        profile=evidence.profile,
    )  # fmt: skip


@_case("case_judged", "semantic")
def judged(said: Any, params: Mapping[str, Any], evidence: Evidence) -> float:
    """Require what a judge found good; without a judge it scores 0, as it does upstream."""
    return score_semantic(params.get("judgement", 0.0), evidence.profile)


@_case("case_file", "artifact")
def file(said: Any, params: Mapping[str, Any], evidence: Evidence) -> float:
    """Require a file with the fields that a released case asks for."""
    return score_file(said, params, evidence)
