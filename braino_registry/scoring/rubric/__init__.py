"""A deterministic rubric over a report: which findings it states, denies, or states both ways."""

from __future__ import annotations

from braino_registry.scoring.rubric.findings import Holding, Outcome, chosen, judge
from braino_registry.scoring.rubric.statements import Report, affirmed

__all__ = ["Holding", "Outcome", "Report", "affirmed", "chosen", "judge"]
