"""Computed and planted values as plain, finite JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from braino_registry.errors import EntryError


def finite(value: Any, where: str) -> Any:
    """Return a value as plain JSON.

    Parameters
    ----------
    value : any
        Numbers and arrays of numpy become plain.
    where : str
        Which entry it belongs to.

    Raises
    ------
    EntryError
        If something in it is not finite, or is no JSON value.
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | float):
        if not math.isfinite(value):
            raise EntryError(
                f"an expected value is {value}",
                where=where,
                hint="An expected value has to be finite: check the truth or the computation.",
            )
        return value
    if isinstance(value, Mapping):
        return {str(key): finite(item, where) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        items = sorted(value) if isinstance(value, set | frozenset) else value
        return [finite(item, where) for item in items]
    raise EntryError(
        f"an expected value is a {type(value).__name__}, which is no JSON value",
        where=where,
        hint="Select a number, a text or a list of them with the pipeline's value.",
    )
