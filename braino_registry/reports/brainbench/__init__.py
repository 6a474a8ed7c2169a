"""The analyses of the BrainBench paper (arXiv:2608.04156), as data computed from reports.

Each function takes systems – an agent with a model under one paradigm – and returns JSON values.
The paradigms are never pooled: what compares them pairs the same model and the same tasks, and
shows both sides.
"""

from __future__ import annotations

from braino_registry.reports.brainbench.analyses import analyse
from braino_registry.reports.brainbench.systems import System, systems_of

__all__ = ["System", "analyse", "systems_of"]
