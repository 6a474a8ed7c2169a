"""Semantic and artifact validation (equations 9 and 10): what a judge, or field checks, said."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from braino_registry.scoring.units.canonical import Profile

_YES, _NO = ("true", "yes", "passed", "pass", "1"), ("false", "no", "failed", "fail", "0", "")
_KEYS = ("score", "status", "passed")


def score_semantic(judgement: Any, profile: Profile = "strict") -> float:
    """Return what a judge gave, between 0 and 1.

    Parameters
    ----------
    judgement : JSON value
        A number, a truth value, or an object with ``score``, else ``status``, else ``passed``.
        Anything else scores 0.
    profile : {"strict", "published"}
        ``strict`` passes over a key without a value and reads the words of a text;
        ``published`` takes the first key that is there, and any text for true.
    """
    if isinstance(judgement, Mapping):
        there = [
            judgement[key]
            for key in _KEYS
            if key in judgement and (judgement[key] is not None or profile == "published")
        ]
        return _clipped(there[0], profile) if there else 0.0
    return _clipped(judgement, profile)


def _clipped(value: Any, profile: Profile) -> float:
    if isinstance(value, str):
        text = value.strip().casefold()
        if profile == "published":
            return float(bool(value))
        if text in _YES or text in _NO:
            return float(text in _YES)
        return 0.0
    if not isinstance(value, bool | int | float) or not math.isfinite(value):
        return 0.0
    return min(1.0, max(0.0, float(value)))


def score_artifact(
    *,
    path_ok: bool,
    exists: bool,
    name_ok: bool,
    size: int,
    checks: Sequence[tuple[float, bool]] = (),
) -> float:
    """Return the weighted share of a file's checks that passed.

    Parameters
    ----------
    path_ok : bool
        Its path lies in the workspace, with no link on the way.
    exists : bool
        It is there.
    name_ok : bool
        It has the required name.
    size : int
        Bytes.
    checks : sequence of (float, bool)
        Weight and result of each check of its content; those without weight do not count. With
        none that counts, a file that is not empty scores 1.

    Returns
    -------
    float
        From 0 to 1.
    """
    if not (path_ok and exists and name_ok) or size <= 0:
        return 0.0
    total = math.fsum(weight for weight, _ in checks if weight > 0)
    if total == 0:
        return 1.0
    return math.fsum(weight for weight, passed in checks if weight > 0 and passed) / total
