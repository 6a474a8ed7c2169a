"""The report document: writing, reading, summarising, comparing and printing it."""

from __future__ import annotations

from braino_registry.reports.comparison import Comparison, compare
from braino_registry.reports.document import SCHEMA, parse, read, seal, write
from braino_registry.reports.summary import SCALES, SCORED, cover, summarise

__all__ = [
    "SCALES",
    "SCHEMA",
    "SCORED",
    "Comparison",
    "compare",
    "cover",
    "parse",
    "read",
    "seal",
    "summarise",
    "write",
]
