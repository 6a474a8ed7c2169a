"""The engine behind recipes: from a JSON recipe to a BIDS tree and the truth about it.

``build`` makes the data, ``plan`` resolves what is drawn without making anything. A recipe is a
list of layers; each layer is one function of a module in ``layers``.
"""

from __future__ import annotations

from braino_registry.synthesis.build import BuildResult, build, tree_digest
from braino_registry.synthesis.planning import Plan, plan

__all__ = ["BuildResult", "Plan", "build", "plan", "tree_digest"]
