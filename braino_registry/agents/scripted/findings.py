"""What the agent has found, and how it becomes an answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_SCALES: Mapping[str, tuple[str, float]] = {
    "s": ("time", 1.0),
    "ms": ("time", 1e-3),
    "V": ("voltage", 1.0),
    "µV": ("voltage", 1e-6),
    "count": ("count", 1.0),
    "bpm": ("rate", 1.0),
    "1/min": ("rate", 1.0),
}
_NOISE = frozenset("a an and are as at by for from in is it its of on or that the this to".split())


@dataclass(frozen=True)
class Finding:
    """One thing that a tool reported.

    Parameters
    ----------
    about : str
        Words for it; a field that uses more of these words is more likely meant.
    value : float, str or list of str
        A number, a label or names.
    unit : str
        Of a number: ``"s"``, ``"µV"``, ``"Hz"``, ``"1"``, ``"count"``, …
    """

    about: str
    value: float | str | list[str]
    unit: str = ""


def fill(fields: Mapping[str, Any] | None, findings: Sequence[Finding]) -> dict[str, Any]:
    """Return the value of each field for which something was found.

    Parameters
    ----------
    fields : mapping or None
        The answer's fields as the session tells them.
    findings : sequence of Finding
        Each is used for as many fields as it fits.
    """
    values = {}
    for name, field in (fields or {}).items():
        best = max(findings, key=lambda one: _fit(name, field, one), default=None)
        if best is not None and _fit(name, field, best) > 0:
            values[name] = _converted(best, field.get("unit"))
    return values


def words_for(fields: Mapping[str, Any] | None, values: Mapping[str, Any]) -> str:
    """Return one line per value, beginning with what the field says it is."""
    lines = []
    for name, value in values.items():
        field = (fields or {}).get(name, {})
        unit = field.get("unit") or ""
        shown = ", ".join(value) if isinstance(value, list) else str(value)
        unit = "" if unit in ("", "1", "count") else f" {unit}"
        lines.append(f"{field.get('description', name)}: {shown or 'none'}{unit}.")
    return "\n".join(lines)


def _fit(name: str, field: Mapping[str, Any], finding: Finding) -> int:
    """Return how many words of a finding name a field, 0 if its kind of value is another."""
    if not _possible(field, finding):
        return 0
    said = [name.replace("_", " "), str(field.get("description", "")), *field.get("said_as", ())]
    return len(_stems(" ".join(said)) & _stems(finding.about))


def _possible(field: Mapping[str, Any], finding: Finding) -> bool:
    kind, value = field.get("type"), finding.value
    if kind == "number":
        return isinstance(value, int | float) and _same_kind(finding.unit, field.get("unit"))
    if kind == "label":
        return isinstance(value, str) and value in (field.get("labels") or [value])
    if kind == "set":
        labels = field.get("labels")
        return isinstance(value, list) and (not labels or set(value) <= set(labels))
    return False


def _same_kind(unit: str, wanted: str | None) -> bool:
    if wanted is None:
        return unit in ("count", "years")
    return _kind(unit) == _kind(wanted)


def _kind(unit: str) -> str:
    return _SCALES[unit][0] if unit in _SCALES else unit


def _converted(finding: Finding, unit: str | None) -> Any:
    value = finding.value
    if isinstance(value, str | list):
        return value
    if unit is not None and unit in _SCALES and finding.unit in _SCALES:
        value = value * _SCALES[finding.unit][1] / _SCALES[unit][1]
    shown = float(f"{value:.4g}")
    return int(shown) if shown.is_integer() else shown


def _stems(text: str) -> set[str]:
    """Return the words of a text without endings that come and go."""
    words = re.findall(r"[a-z0-9]+", text.lower())
    return {re.sub(r"(?:ing|ed|es|s)$", "", word) or word for word in words if word not in _NOISE}
