"""Values that an answer gives as data, brought to the form of their field."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from braino_registry.numbers import convert, convertible, read_numbers
from braino_registry.scoring.answers.denials import stated
from braino_registry.scoring.answers.pairs import PairVocabulary, as_written
from braino_registry.scoring.answers.prose import Vocabulary

MAX_ITEMS = 10_000
MAX_LABEL = 10**15  # a number beyond it is nobody's name


def find(data: Mapping[str, Any] | None, name: str) -> Any:
    """Return the value of a field in an answer's data, or None.

    Parameters
    ----------
    data : mapping | None
        The data; names may differ in case, and in hyphens or blanks for underscores.
    name : str
        Name of the field.
    """
    if not data:
        return None
    if name in data:
        return data[name]
    for key, value in data.items():
        if isinstance(key, str) and key.strip().lower().replace("-", "_").replace(" ", "_") == name:
            return value
    return None


def typed(value: Any, spec: Mapping[str, Any], vocabulary: Vocabulary) -> tuple[Any, str]:
    """Return a value of data in the form of its field, or None and why it has none.

    Parameters
    ----------
    value : JSON value
        As the agent gave it.
    spec : mapping
        The field.
    vocabulary : Vocabulary
        Names that a label, set or sequence may hold. An unknown name in a set or sequence is kept
        as it is, so that it counts as wrong.

    Returns
    -------
    value : frozenset, tuple, float, str, list or None
        By the field's type: set, sequence, number, label/text/file, events/hypnogram.
    reason : str
        Empty if there is a value.
    """
    kind = spec.get("type")
    if isinstance(vocabulary, PairVocabulary):
        many = kind in ("set", "sequence") and isinstance(value, list | tuple)
        value = [as_written(each) for each in value] if many else as_written(value)
    if kind == "number":
        return _number(value, spec.get("unit"))
    if kind in ("set", "sequence"):
        return _names(value, kind, vocabulary)
    if kind == "label":
        return _label(value, vocabulary)
    if kind in ("events", "hypnogram"):
        return (value, "") if isinstance(value, list) else (None, "the data is not a list")
    if isinstance(value, str) and value.strip():
        return value.strip(), ""
    return None, "the data is not a text"


def _number(value: Any, unit: str | None) -> tuple[float | None, str]:
    if isinstance(value, bool) or value is None:
        return None, "the data is not a number"
    if isinstance(value, int | float):
        return _finite(float(value) if abs(value) < 1e300 else math.nan)
    if isinstance(value, str) and len(value) <= 60:
        found = [n for n in read_numbers(value) if n.claimed]
        if len(found) == 1 and not found[0].role and stated(value, *found[0].span):
            one = found[0]
            if one.unit is None:
                return _finite(one.value)
            if unit is not None and convertible(one.unit, unit):
                return _finite(convert(one.value, one.unit, unit))
    return None, "the data is not a number" + (f" in {unit}" if unit else "")


def _finite(value: float) -> tuple[float | None, str]:
    return (value, "") if math.isfinite(value) else (None, "the data is not a finite number")


def _names(value: Any, kind: str, vocabulary: Vocabulary) -> tuple[Any, str]:
    if isinstance(value, str):
        value = [v for v in value.replace(";", ",").split(",") if v.strip()]
    if not isinstance(value, list | tuple):
        return None, "the data is not a list"
    if len(value) > MAX_ITEMS:
        return None, f"the data lists {len(value)} names"
    names = []
    for item in value:
        if isinstance(item, bool) or not isinstance(item, str | int):
            return None, "the data lists something that is no name"
        if isinstance(item, int) and abs(item) >= MAX_LABEL:
            return None, "the data lists something that is no name"
        spelled = str(item).strip()[:200]
        names.append(vocabulary.canonical(spelled) or spelled)
    return (frozenset(names) if kind == "set" else tuple(names)), ""


def _label(value: Any, vocabulary: Vocabulary) -> tuple[str | None, str]:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None, "the data is not a label"
    if isinstance(value, int | float) and not abs(value) < MAX_LABEL:
        return None, "the data is not a label"
    spelled = f"{value:g}" if isinstance(value, int | float) else value.strip()
    known = vocabulary.canonical(spelled[:200])
    if known is not None:
        return known, ""
    if not vocabulary.names:
        return (spelled, "") if spelled else (None, "the data is empty")
    return None, f"{spelled[:40]!r} is none of the labels"
