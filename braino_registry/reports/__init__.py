"""The report document: writing, reading, summarising, comparing and printing it."""

from __future__ import annotations

from braino_registry.reports.comparison import Comparison, compare
from braino_registry.reports.document import SCHEMA, file_of, parse, read, seal, suspected, write
from braino_registry.reports.outcomes import SCORED
from braino_registry.reports.summary import (
    HARNESS,
    SCALES,
    cover,
    failed_everywhere,
    harness_notes,
    summarise,
)

__all__ = [
    "HARNESS",
    "SCALES",
    "SCHEMA",
    "SCORED",
    "Comparison",
    "compare",
    "cover",
    "failed_everywhere",
    "file_of",
    "harness_notes",
    "parse",
    "read",
    "seal",
    "summarise",
    "suspected",
    "write",
]
