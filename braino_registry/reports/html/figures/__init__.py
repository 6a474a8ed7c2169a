"""The figures of the published benchmarks, one module for the rule of each suite.

A function gets reports of suites with that rule and returns pictures. What they show is computed by
the analyses of that benchmark, which `braino eval analyse` prints.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from braino_registry.registry.plugins import PluginGroup
from braino_registry.reports.html.pictures import Picture

Figures = Callable[[Sequence[Mapping[str, Any]]], list[Picture]]

figures: PluginGroup[Figures] = PluginGroup(
    "braino_registry.reports.html.figures", "set of figures"
)
