"""Wrong answers made of right ones: all of them are wrong, and the usual mistakes are there."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braino_registry.runner.contributing.mutants import mutants

CHANNELS = ["Fz", "Cz", "Pz", "Oz"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def values(field: dict[str, Any], right: Any) -> dict[str, Any]:
    return {each.how: each.value for each in mutants(field, right, CHANNELS)}


def test_a_number_is_moved_scaled_turned_and_read_in_another_unit() -> None:
    found = values({"type": "number"}, 10.0)
    wanted = [-10.0, 1e-5, 0.01, 5.0, 15.0, 20.0, 1000.0, 10_000.0]
    assert sorted(found.values()) == pytest.approx(wanted)


def test_nothing_at_all_is_still_moved() -> None:
    assert set(values({"type": "number"}, 0).values()) == {0.5, -0.5}


def test_a_share_is_moved_by_half_of_its_range() -> None:
    share = {"type": "number", "unit": "1"}
    assert sorted(values(share, 0.02).values()) == pytest.approx([-0.48, 0.52, 2, 20])
    assert -0.8 in values(share, 0.8).values()
    assert 0.01 in values({"type": "number", "unit": "V"}, 0.02).values()


def test_a_set_is_one_channel_off_and_its_order_says_nothing() -> None:
    found = values({"type": "set"}, ["Fz", "Cz"])
    assert list(found.values()) == [["Fz", "Pz"], ["Fz", "Cz", "Oz"], ["Cz"]]
    twice = values({"type": "set"}, ["Fz", "Fz", "Cz"])
    assert list(twice.values()) == list(found.values())
    turned = values({"type": "sequence"}, ["Fz", "Cz"])
    assert ["Cz", "Fz"] in turned.values()


def test_of_nothing_there_is_one_too_many() -> None:
    assert list(values({"type": "set"}, []).values()) == [["Fz"]]


def test_every_other_label_is_tried() -> None:
    field = {"type": "label", "labels": ["theta", "alpha", "beta"]}
    assert set(values(field, "alpha").values()) == {"theta", "beta"}


def test_events_are_moved() -> None:
    found = values({"type": "events"}, [{"onset": 3.0, "duration": 2.0}])
    assert found["shifted by 600 s"] == [{"onset": 603.0, "duration": 2.0}]
    assert found["the first one left out"] == []


def test_stages_are_permuted_and_times_are_moved() -> None:
    runs = [{"start_epoch": 0, "end_epoch": 9, "stage": "W"}]
    field = {"type": "hypnogram", "labels": ["W", "N1", "REM"]}
    assert list(values(field, runs).values()) == [[{**runs[0], "stage": "N1"}]]
    found = values({"type": "events"}, [{"onset_sec": 2.0, "offset_sec": 5.0}])
    assert found["milliseconds for seconds"] == [{"onset_sec": 2000.0, "offset_sec": 5000.0}]
    assert list(values({"type": "events"}, [])) == ["one that is not there"]


@pytest.mark.parametrize("right", [None, True, [], {}, [None], [[1.0]]])
def test_what_has_no_mutants_has_none(right: Any) -> None:
    assert values({}, right) == {}


@given(JSON, st.sampled_from(["number", "set", "sequence", "label", "events", "text"]))
def test_no_mutant_is_the_right_answer(right: Any, kind: str) -> None:
    for each in mutants({"type": kind}, right, CHANNELS):
        assert each.value != right, each.how
        if kind == "set" and isinstance(right, list):
            assert set(map(str, each.value)) != set(map(str, right))
        json.dumps(each.value)
