"""Expected values: from truth, labels and computed values to plain checks.

Everything is computed on the pristine data by the evaluator, never by what an agent left behind.
"""

from braino_registry.expected.memory import refusal
from braino_registry.expected.resolving import Expected, resolve
from braino_registry.expected.scopes import scope, substitute

__all__ = ["Expected", "refusal", "resolve", "scope", "substitute"]
