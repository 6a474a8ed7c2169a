"""Rules from the checks of a trial to its score; a suite names one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from braino_registry.registry.plugins import PluginGroup
from braino_registry.scoring.model import CheckResult, Evidence, Ruling

# (results, checks as written, evidence) -> score 0–1, and whether the trial passed
Rule = Callable[[Sequence[CheckResult], Sequence[Mapping[str, Any]], Evidence], Ruling]

scoring_rules: PluginGroup[Rule] = PluginGroup("braino_registry.scoring.rules", "scoring rule")
