"""What an agent must have left alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from braino_registry.scoring.events import decisions
from braino_registry.scoring.kinds import check
from braino_registry.scoring.model import Evidence, Verdict
from braino_registry.scoring.parts import NAME


@check(
    "not_decided",
    version="1.0.0",
    parameters={
        "properties": {"decision": {**NAME, "description": "kind of decision"}},
        "required": ["decision"],
    },
)
def not_decided(spec: Mapping[str, Any], evidence: Evidence) -> Verdict:
    """Require that a decision was not even asked for, whatever the user would have said."""
    made = decisions(evidence.events, spec["decision"])
    if made:
        return Verdict(False, f"{spec['decision']} was requested {len(made)} times")
    return Verdict(True, f"{spec['decision']} was never requested")
