"""Numerical and categorical validation (equations 3 and 4)."""

from __future__ import annotations

from typing import Any

from braino_registry.scoring.units.canonical import Profile, label, number


def score_numerical(
    reported: Any, reference: Any, tolerance: Any = 0.0, profile: Profile = "strict"
) -> float:
    """Return 1 if a number is within an absolute tolerance of its reference, else 0.

    Parameters
    ----------
    reported, reference : JSON value
        Numbers, or texts that are numbers; anything else scores 0.
    tolerance : JSON value
        Largest absolute difference, in the unit of both; 0 asks for equality. A negative one
        scores 0.
    profile : {"strict", "published"}
        How texts are read as numbers.
    """
    found, truth, allowed = (number(v, profile) for v in (reported, reference, tolerance))
    if found is None or truth is None or allowed is None or allowed < 0:
        return 0.0
    return float(found == truth if allowed == 0 else abs(found - truth) <= allowed)


def score_categorical(reported: Any, reference: Any, profile: Profile = "strict") -> float:
    """Return 1 if two labels have the same canonical form, else 0.

    Nothing matches nothing: a missing answer is not right because the reference is missing too.
    """
    found, truth = label(reported, profile), label(reference, profile)
    return float(found is not None and found == truth)
