from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braino_registry.errors import EntryError
from braino_registry.synthesis.draws import Scope, Values, draw_one
from braino_registry.synthesis.streams import Stream

HERE = Scope(
    recording="sub-01_task-rest",
    subject="01",
    entities={"bids_subject": "01", "bids_task": "rest"},
    columns={"group": "a"},
)
OTHER = Scope(
    recording="sub-02_task-rest",
    subject="02",
    entities={"bids_task": "rest"},
    columns={"group": "a"},
)


def _values(seed: int = 1, salt: bytes = b"", **named: Any) -> Values:
    values = Values("r", seed, salt, named)
    values.participants.update({"01": {"group": "a"}, "02": {"group": "a"}, "03": {"group": "b"}})
    return values


@given(st.integers(0, 2**40))
def test_each_distribution_stays_where_it_says(seed: int) -> None:
    stream = Stream("t", seed, b"", "")
    assert draw_one({"choice": ["a", "b"]}, stream) in ("a", "b")
    assert draw_one({"integer": [3, 5]}, stream) in (3, 4, 5)
    assert 8 <= draw_one({"uniform": [8, 9]}, stream) <= 9
    stepped = draw_one({"uniform": [9, 11], "step": 0.1}, stream)
    assert 9 <= stepped <= 11
    assert round(stepped * 10) / 10 == stepped
    assert draw_one({"lognormal": [10, 0.2]}, stream) > 0
    sample = draw_one({"sample": {"from": ["a", "b", "c"], "count": 2}}, stream)
    assert len(set(sample)) == 2
    assert set(sample) < {"a", "b", "c"}


def test_a_step_reaches_both_ends() -> None:
    drawn = {
        draw_one({"uniform": [0, 0.3], "step": 0.1}, Stream("t", seed, b"", ""))
        for seed in range(60)
    }
    assert drawn == {0, 0.1, 0.2, 0.3}


def test_draws_depend_on_place_recording_seed_and_salt_only() -> None:
    draw = {"draw": {"uniform": [0, 1]}}
    one = _values().resolve(draw, "$.x", HERE)
    assert one == _values().resolve(draw, "$.x", HERE)
    others = [
        _values().resolve(draw, "$.y", HERE),
        _values().resolve(draw, "$.x", OTHER),
        _values(seed=2).resolve(draw, "$.x", HERE),
        _values(salt=b"s").resolve(draw, "$.x", HERE),
    ]
    assert len({one, *others}) == 5


def test_named_draws_are_shared_within_their_scope() -> None:
    draw = {"uniform": [0, 1]}
    values = _values(
        all={"per": "dataset", "draw": draw},
        each={"per": "subject", "draw": draw},
        every={"per": "recording", "draw": draw},
    )
    second = Scope(recording="sub-01_task-go", subject="01")

    def get(name: str, scope: Scope) -> Any:
        return values.resolve({"drawn": name}, f"$.{scope.recording}", scope)

    assert get("all", HERE) == get("all", OTHER) == get("all", Scope())
    assert get("each", HERE) == get("each", second) != get("each", OTHER)
    assert get("every", HERE) != get("every", second)


def test_parts_of_a_named_sample_do_not_overlap() -> None:
    sample = {"per": "recording", "draw": {"sample": {"from": list("abcdef"), "count": 4}}}
    values = _values(odd=sample)
    whole = values.resolve({"drawn": "odd"}, "$", HERE)
    assert values.resolve({"drawn": "odd", "at": 1}, "$", HERE) == whole[1]
    assert values.resolve({"drawn": "odd", "from": 1, "to": 4}, "$", HERE) == whole[1:4]
    assert values.resolve({"drawn": "odd", "to": 2}, "$", HERE) == whole[:2]


def test_cards_are_dealt_once_within_each_group() -> None:
    labels = [f"{n:02d}" for n in range(16)]
    values = Values(
        "r", 1, b"", {"gain": {"per": "subject", "within": "group", "draw": {"deal": [*range(8)]}}}
    )
    values.participants.update({label: {} for label in labels})
    deck = {"draw": {"deal": ["a"] * 8 + ["b"] * 8}}
    for label in labels:
        group = values.resolve(deck, "$.g", Scope(subject=label))
        values.participants[label]["group"] = group
    assert Counter(row["group"] for row in values.participants.values()) == {"a": 8, "b": 8}
    for group in "ab":
        cards = [
            values.resolve({"drawn": "gain"}, "$", Scope(subject=label, columns=row))
            for label, row in values.participants.items()
            if row["group"] == group
        ]
        assert sorted(cards) == [*range(8)]
        assert cards != [*range(8)]


def test_cards_are_dealt_to_recordings() -> None:
    ids = tuple(f"sub-{n:02d}_task-{task}" for n in range(4) for task in ("rest", "go"))
    side = {"per": "recording", "draw": {"deal": ["left"] * 4 + ["right"] * 4}}
    dealt = {}
    for salt in (b"", b"one"):
        values = Values("r", 1, salt, {"side": side})
        values.recordings = ids
        here = [Scope(recording=name, subject=name[4:6]) for name in ids]
        dealt[salt] = [values.resolve({"drawn": "side"}, "$", scope) for scope in here]
        assert Counter(dealt[salt]) == {"left": 4, "right": 4}
    assert dealt[b""] != dealt[b"one"]
    values.recordings = ids[:3]
    with pytest.raises(EntryError, match="8 cards cannot be dealt to 3 recordings"):
        values.resolve({"drawn": "side"}, "$", Scope(recording=ids[0], subject="00"))
    values = Values("r", 1, b"", {"side": {**side, "within": "group"}})
    with pytest.raises(EntryError, match="not within a group"):
        values.resolve({"drawn": "side"}, "$", Scope(recording=ids[0], subject="00"))


def test_cases_entities_and_columns() -> None:
    values = _values()
    task = {"entity": "bids_task"}
    assert values.resolve(task, "$", HERE) == "rest"
    assert values.resolve({"column": "group"}, "$", HERE) == "a"
    case = {"case": {"of": task, "when": {"rest": [{"column": "group"}]}, "otherwise": 0}}
    assert values.resolve(case, "$", HERE) == ["a"]
    assert values.resolve({"case": {"of": task, "when": {"go": 1}, "otherwise": 0}}, "$", HERE) == 0


def test_numbers_choose_a_case_by_how_they_are_written() -> None:
    values = _values(mains={"per": "dataset", "draw": {"choice": [50.0]}})
    case = {"case": {"of": {"drawn": "mains"}, "when": {"50": 60}}}
    assert values.resolve(case, "$", Scope()) == 60
