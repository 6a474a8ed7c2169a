"""For whoever writes tasks: a skeleton, a check in stages, one trial to look at."""

from __future__ import annotations

from braino_registry.runner.contributing.checking import check_task, open_task
from braino_registry.runner.contributing.desk import Desk
from braino_registry.runner.contributing.findings import Finding, in_order, stage

__all__ = ["Desk", "Finding", "check_task", "in_order", "open_task", "stage"]
