"""The released case files of BrainBench, as tasks that run here."""

from __future__ import annotations

from braino_registry.imports.brainbench.cases import SUBSETS, Case, Unusable, read_cases
from braino_registry.imports.brainbench.writing import Imported, import_cases

__all__ = ["SUBSETS", "Case", "Imported", "Unusable", "import_cases", "read_cases"]
