"""What holds of the units for every input: total, bounded, and fair where they claim to be."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braino_registry.scoring import units

json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
profiles = st.sampled_from(units.PROFILES)


@given(json_values, json_values, json_values, profiles)
def test_scalars_score_zero_or_one(a: Any, b: Any, c: Any, profile: units.Profile) -> None:
    assert units.score_numerical(a, b, c, profile) in (0.0, 1.0)
    assert units.score_categorical(a, b, profile) in (0.0, 1.0)


@given(json_values, json_values, profiles, st.integers(-1, 6), st.integers(0, 3))
def test_collections_and_judgements_stay_in_range(
    a: Any, b: Any, profile: units.Profile, k: int, slip: int
) -> None:
    found = [units.score_semantic(a, profile)]
    found += [
        units.score_set(a, b, m, top_k=k, profile=profile) for m in ("exact", "partial", "f1")
    ]
    found += [
        units.score_sequence(a, b, m, top_k=k, slip=slip, profile=profile)
        for m in ("position", "exact", "weighted")
    ]
    assert all(0.0 <= score <= 1.0 for score in found)


@given(st.lists(st.sampled_from("ABCDEFGH"), min_size=1, max_size=6, unique=True))
def test_the_reference_itself_is_right(truth: list[str]) -> None:
    for mode in ("exact", "partial", "f1"):
        assert units.score_set(truth, truth, mode) == pytest.approx(1.0)
    for mode in ("position", "exact", "weighted"):
        assert units.score_sequence(truth, truth, mode) == pytest.approx(1.0)


def test_naming_everything_pays_in_partial_and_not_in_f1() -> None:
    truth, everything = ["T8"], [f"E{n}" for n in range(31)] + ["T8"]
    assert units.score_set(everything, truth, "partial") == 1.0
    assert units.score_set(everything, truth, "f1") == pytest.approx(2 / 33)


@given(st.lists(st.floats(0, 100), min_size=2, max_size=12))
def test_mpad_is_the_mean_over_all_pairs(scores: list[float]) -> None:
    pairs = [abs(a - b) for a, b in itertools.combinations(scores, 2)]
    assert units.mpad(scores) == pytest.approx(math.fsum(pairs) / len(pairs), abs=1e-9)
    most = units.largest_mpad(len(scores))
    assert most is not None
    assert units.mpad(scores) <= most + 1e-9


def test_the_whole_needs_every_subset() -> None:
    assert units.overall_score([40.0, 60.0]) == 50.0
    assert units.overall_score([40.0, None]) is None
    assert units.overall_score([]) is None


@pytest.mark.parametrize("digits", ["9" * 5000, "1" * 401, "1e99999"])
def test_absurd_numbers_are_none(digits: str) -> None:
    assert units.score_numerical(digits, 1.0, 1e300) == 0.0


@pytest.mark.parametrize("profile", ["strict", "published"])
def test_a_count_that_json_writes_with_a_point_is_a_count(profile: units.Profile) -> None:
    for k in (2, 2.0, 1e300):
        for mode in ("exact", "partial", "f1"):
            assert units.score_set(["a", "b"], ["a", "b"], mode, top_k=k, profile=profile) == 1
        for mode in ("exact", "weighted"):
            assert units.score_sequence(["a", "b"], ["a", "b"], mode, top_k=k, profile=profile) == 1
    assert units.score_set(["a", "b"], ["a", "b"], "exact", top_k=1.0, profile=profile) == 0
