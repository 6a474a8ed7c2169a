"""Analyses that a JSON pipeline may call by name.

A function that takes ``data``, ``sfreq``, ``ch_names`` or ``times`` gets them from the view that
a pipeline step names; everything else it takes comes from the step's ``args``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from braino_registry.registry.plugins import PluginGroup

SIGNAL = frozenset({"data", "sfreq", "ch_names", "times"})

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Operation:
    """A registered analysis.

    Parameters
    ----------
    name : str
        Its name in pipelines, for example ``"spectra.band_power"``.
    version : str
        Version of its definition.
    function : callable
        Takes keywords and returns a JSON object with units in its names.
    signal : frozenset of str
        Which of ``data``, ``sfreq``, ``ch_names``, ``times`` it takes from a view.
    parameters : tuple of str
        What a step's ``args`` may hold.
    """

    name: str
    version: str
    function: Callable[..., Any]
    signal: frozenset[str]
    parameters: tuple[str, ...]


OPERATIONS: PluginGroup[Operation] = PluginGroup(
    "braino_registry.analysis", "operation", "braino.operations"
)


def operation(name: str, *, version: str) -> Callable[[Function], Function]:
    """Register a function as an operation of pipelines; the function itself stays as it is."""

    def keep(function: Function) -> Function:
        names = tuple(inspect.signature(function).parameters)
        made = Operation(
            name=name,
            version=version,
            function=function,
            signal=frozenset(names) & SIGNAL,
            parameters=tuple(n for n in names if n not in SIGNAL),
        )
        OPERATIONS.add(name, made, function.__module__)
        return function

    return keep
