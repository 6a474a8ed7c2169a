"""What paths start from, and what happens where they lead nowhere."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from braino_registry.errors import EntryError
from braino_registry.expected import scope, substitute
from tests.expected.conftest import TRUTH

KNOWN = scope(TRUTH, "sub-01_task-oddball")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


def test_scope_of_a_recording() -> None:
    assert KNOWN["noisy_channels"] == ["T8"]
    assert KNOWN["dataset"] == {"effect_band": "alpha", "n": 2}
    assert "effect_band" not in KNOWN


def test_scope_of_a_dataset() -> None:
    known = scope(TRUTH, None)
    assert known["effect_band"] == known["dataset"]["effect_band"] == "alpha"
    assert known["recordings"]["sub-02_task-oddball"] == {"noisy_channels": ["F3"]}


def test_scope_of_nothing() -> None:
    assert scope(None, "sub-01_task-oddball") == {"dataset": {}}
    assert scope({}, None) == {"dataset": {}, "recordings": {}}


def test_substitute() -> None:
    user = {
        "decisions": [{"kind": "x", "to": {"channels": {"truth": "noisy_channels"}}}],
        "answers": [{"say": {"truth": "dataset.effect_band"}}],
    }
    before = copy.deepcopy(user)
    filled = substitute(user, KNOWN)
    assert filled["decisions"][0]["to"] == {"channels": ["T8"]}
    assert filled["answers"] == [{"say": "alpha"}]
    assert user == before


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("nosy_channels", "noisy_channels"),
        ("alpha.power", "alpha.frequency_hz"),
        ("dataset.band", "dataset.effect_band"),
        ("none", "noisy_channels"),
        ("noisy_channels[3]", "noisy_channels"),
        ("noisy_channels[", "noisy_channels"),
    ],
)
def test_a_path_to_nothing_names_path_and_keys(path: str, hint: str) -> None:
    with pytest.raises(EntryError) as caught:
        substitute({"truth": path}, KNOWN)
    assert path in caught.value.problem
    assert hint in caught.value.hint


@given(JSON)
def test_documents_without_references_stay(doc: Any) -> None:
    assume("truth" not in str(doc))
    assert substitute(doc, KNOWN) == doc
