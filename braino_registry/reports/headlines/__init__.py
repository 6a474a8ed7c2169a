"""How a suite's headline is made of the scores of its trials: one function per rule.

A function gets the trials that were run or left out and returns members of the report's
``summary``; ``score`` (0–1, or None) is among them. A rule without one has the mean over tasks of
the mean over their scored trials.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from braino_registry.registry.plugins import PluginGroup

#: (trials of the report, profile) -> members of the summary
Headline = Callable[[Sequence[dict[str, Any]], str], dict[str, Any]]

headlines: PluginGroup[Headline] = PluginGroup("braino_registry.reports.headlines", "headline")
