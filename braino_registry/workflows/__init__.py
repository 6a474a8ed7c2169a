"""Named, versioned analyses that a JSON pipeline cannot say; one module per family of tasks.

A workflow is a function ``f(tree, *, recording, **args)`` of a BIDS root and a recording id (or
None), which returns a JSON value. A task names it as ``{"workflow": "name@1.0.0", "args": {…}}``.
A new version is a new registration; the old one stays, because results refer to it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from braino_registry.registry.plugins import PluginGroup

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Workflow:
    """A registered workflow.

    Parameters
    ----------
    name : str
        Its name, for example ``"sleep.architecture"``.
    version : str
        Semantic version of its definition.
    function : callable
        ``function(tree, *, recording, **args)``.
    """

    name: str
    version: str
    function: Callable[..., Any]


workflows: PluginGroup[Workflow] = PluginGroup(
    "braino_registry.workflows", "workflow", entry_points="braino.workflows"
)


def workflow(name: str, *, version: str) -> Callable[[Function], Function]:
    """Register a function as ``name@version``; the function itself stays as it is.

    Parameters
    ----------
    name : str
        Name of the workflow.
    version : str
        Semantic version of its definition.
    """

    def keep(function: Function) -> Function:
        ref = f"{name}@{version}"
        workflows.add(ref, Workflow(name, version, function), function.__module__)
        return function

    return keep
