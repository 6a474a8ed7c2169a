"""Find, read, check and digest entries: tasks, suites, datasets, releases.

`Registry.open` gives all entries of all folders; each is a value or an error that says where.
Importing this package and listing tasks from a fresh index loads nothing heavy.
"""

from __future__ import annotations

from braino_registry.registry.catalog import Registry, Survey
from braino_registry.registry.entries import (
    Entry,
    Instance,
    PublicDataset,
    Recipe,
    Release,
    Suite,
    Task,
)
from braino_registry.registry.salt import Salt

__all__ = [
    "Entry",
    "Instance",
    "PublicDataset",
    "Recipe",
    "Registry",
    "Release",
    "Salt",
    "Suite",
    "Survey",
    "Task",
]
