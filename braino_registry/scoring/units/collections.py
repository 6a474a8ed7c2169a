"""Set and sequence validation (equations 5 to 8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from braino_registry.scoring.units.canonical import Profile, elements

SetMode = Literal["exact", "partial", "f1"]
SequenceMode = Literal["position", "exact", "weighted"]


def score_set(
    reported: Any,
    reference: Any,
    mode: SetMode = "exact",
    *,
    top_k: int | None = None,
    per_match: float | None = None,
    profile: Profile = "strict",
) -> float:
    """Return how far two collections agree, whatever their order.

    Parameters
    ----------
    reported, reference : JSON value
        Lists, or texts with commas.
    mode : {"exact", "partial", "f1"}
        ``exact``: 1 if equal (equation 5). ``partial``: a share for each element that is right,
        without a penalty for others (equation 6). ``f1``: harmonic mean of precision and recall,
        in which naming everything does not pay; it is an addition to the paper's modes.
    top_k : int | None
        Only so many of the first reported elements count; none or below 1 for all.
    per_match : float | None
        Score of each element that is right, in mode ``partial``; by default one over their number.
    profile : {"strict", "published"}
        How elements are read.

    Returns
    -------
    float
        From 0 to 1.
    """
    said, truth = elements(reported, profile), elements(reference, profile)
    if said is None or truth is None:
        return 0.0
    if top_k is not None and top_k > 0:
        said = said[: int(top_k)]  # JSON writes 2 as 2.0 as well
    if None in truth or (None in said and mode == "exact"):
        return 0.0
    found, right = {item for item in said if item is not None}, set(truth)
    hits = len(found & right)
    if mode == "exact":
        return float(found == right)
    if mode == "f1":
        return _f1(hits, len(set(said)), len(right))
    if not right:
        return float(not said)
    return min(1.0, max(0.0, hits * (1 / len(right) if per_match is None else per_match)))


def _f1(hits: int, n_reported: int, n_right: int) -> float:
    return 1.0 if n_reported + n_right == 0 else 2 * hits / (n_reported + n_right)


def score_sequence(
    reported: Any,
    reference: Any,
    mode: SequenceMode = "weighted",
    *,
    top_k: int | None = None,
    slip: int = 0,
    min_overlap: int = 1,
    weights: Sequence[float] | None = None,
    profile: Profile = "strict",
) -> float:
    """Return how far two ordered collections agree.

    Parameters
    ----------
    reported, reference : JSON value
        Lists, or texts with commas.
    mode : {"position", "exact", "weighted"}
        ``position``: share of the reference's places that hold the right element (equation 7).
        ``exact``: 1 if equal once repetitions are dropped. ``weighted``: equation 8, in which
        places weigh differently and an element may stand a little off its place.
    top_k : int | None
        Length to which both are cut; none or below 1 for all. ``published`` cuts what is reported
        to the reference's length where none is given.
    slip : int
        By how many places an element may be off before it is worth nothing.
    min_overlap : int
        Fewer common elements than this score 0.
    weights : sequence of float | None
        Weight of each place; by default 1, 1/2, 1/3 and so on.
    profile : {"strict", "published"}
        How elements are read, and see ``top_k``.

    Returns
    -------
    float
        From 0 to 1.
    """
    said, truth = elements(reported, profile), elements(reference, profile)
    if said is None or truth is None or None in truth:
        return 0.0
    if mode == "position":
        return _by_position(said, truth)
    said, truth = _first_of_each(said), _first_of_each(truth)
    if top_k is not None and top_k > 0:
        said, truth = said[: int(top_k)], truth[: int(top_k)]
    if not truth:
        return float(not said)
    if top_k is None and profile == "published":
        said = said[: len(truth)]
    if mode == "exact":
        return float(said == truth)
    return _weighted(said, truth, slip, min_overlap, weights)


def _by_position(said: Sequence[str | None], truth: Sequence[str | None]) -> float:
    if not truth:
        return float(not said)
    return sum(a == b for a, b in zip(said, truth, strict=False)) / len(truth)


def _first_of_each(items: Sequence[str | None]) -> list[str | None]:
    return list(dict.fromkeys(items))


def _weighted(
    said: Sequence[str | None],
    truth: Sequence[str | None],
    slip: int,
    min_overlap: int,
    weights: Sequence[float] | None,
) -> float:
    """Return equation 8 for sequences without repetitions; places beyond the weights weigh 0."""
    given = [1 / (place + 1) for place in range(len(truth))] if weights is None else weights
    worth = [*given, *[0.0] * len(truth)][: len(truth)]
    places = {item: place for place, item in enumerate(said) if item is not None}
    shared = [(place, places[item]) for place, item in enumerate(truth) if item in places]
    if len(shared) < min_overlap or sum(worth) <= 0:
        return 0.0
    near = sum(worth[p] * max(0.0, 1 - abs(p - q) / (slip + 1)) for p, q in shared)
    return len(shared) / len(truth) * near / sum(worth)
