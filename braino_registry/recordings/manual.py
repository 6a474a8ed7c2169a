"""What a writer of pipelines reads of each operation: its definition and its arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from braino_registry.analysis.operation import OPERATIONS, Operation
from braino_registry.errors import UsageError, nearest
from braino_registry.recordings.operations import STEPS, steps, versions

Document = dict[str, Any]

_VIEW = "what a step recordings.* returned, or its id"
_CHANNELS = "names of channels; by default the EEG channels"


def page(name: str) -> Document:
    """Return what there is to know of one operation.

    Parameters
    ----------
    name : str
        For example ``spectra.band_power`` or ``recordings.open``.

    Returns
    -------
    dict
        ``name``, ``version``, ``description`` and ``arguments``: a list of objects with ``name``,
        ``required``, ``type``, and ``default`` where there is one.

    Raises
    ------
    UsageError
        If there is no such operation.
    """
    known = versions()
    if name not in known:
        raise UsageError(
            f"there is no operation called {name!r}", hint=nearest(name, sorted(known))
        )
    operation = None if name.startswith("recordings.") else OPERATIONS.get(name)
    function = steps()[name] if operation is None else operation.function
    rows = list(_parameters(function, None if operation is None else operation.parameters))
    return {
        "name": name,
        "version": known[name],
        "description": inspect.getdoc(function) or "",
        "arguments": rows if operation is None else [*_signal(operation), *rows],
    }


def pages() -> list[Document]:
    """Return the page of every operation, by name; steps on recordings come first."""
    own = [f"recordings.{name}" for name in STEPS]
    return [page(name) for name in (*own, *OPERATIONS.names())]


def _signal(operation: Operation) -> Iterator[Document]:
    """Yield the arguments that say which signal an analysis is of."""
    if operation.signal:
        names_only = operation.signal == {"ch_names"}
        yield {"name": "view", "required": not names_only, "type": _VIEW}
        yield {"name": "channels", "required": False, "type": _CHANNELS}
        if names_only:
            yield {"name": "ch_names", "required": False, "type": "names, instead of a view"}


def _parameters(
    function: Callable[..., Any], allowed: tuple[str, ...] | None
) -> Iterator[Document]:
    for name, parameter in inspect.signature(function).parameters.items():
        if allowed is not None and name not in allowed:
            continue
        known = parameter.default is not inspect.Parameter.empty
        shown = parameter.annotation
        kind = shown if isinstance(shown, str) else inspect.formatannotation(shown)
        if kind == "ViewLike":
            kind = _VIEW
        default = {"default": _plain(parameter.default)} if known else {}
        yield {"name": name, "required": not known, "type": kind, **default}


def _plain(value: Any) -> Any:
    """Return a default as JSON has it; what it has no word for, as Python prints it."""
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    return value if isinstance(value, str | int | float | bool | None) else repr(value)
