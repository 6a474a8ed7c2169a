"""Reports and trials in the formats of others, as far as their fields mean the same."""

from __future__ import annotations

from braino_registry.reports.exchange.atif import trajectory
from braino_registry.reports.exchange.every_eval import aggregate, instance_rows

__all__ = ["aggregate", "instance_rows", "trajectory"]
