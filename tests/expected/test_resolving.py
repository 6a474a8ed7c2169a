"""Every source of an expected value, and what is refused."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from braino_registry.errors import EntryError
from braino_registry.expected.plain import finite
from tests.expected.conftest import Resolve, instance


@pytest.mark.parametrize(
    ("doc", "value"),
    [
        ({"literal": ["T8"]}, ["T8"]),
        ({"literal": []}, []),
        ({"truth": "noisy_channels"}, ["T8"]),
        ({"truth": "noisy_channels[0]"}, "T8"),
        ({"truth": "dataset.effect_band"}, "alpha"),
        ({"truth": "[dataset.effect_band]"}, ["alpha"]),
        ({"label": "n_square"}, 80),
        ({"label": "dataset.year"}, 1999),
        ({"$": "recording"}, "sub-01_task-oddball"),
        (["T8", "Fp1"], ["T8", "Fp1"]),
        (0.5, 0.5),
    ],
)
def test_sources(filled: Resolve, doc: Any, value: Any) -> None:
    found = filled(doc)
    assert found.checks[0]["expected"] == value
    noted = {"expected": value} if isinstance(doc, dict) else {}
    assert found.values == {"it": noted}
    json.dumps(found.values)


def test_without_a_recording_the_dataset_is_meant(filled: Resolve) -> None:
    assert filled({"truth": "effect_band"}, instance(None)).checks[0]["expected"] == "alpha"


def test_what_does_not_apply_is_not_computed(filled: Resolve) -> None:
    nowhere = {"truth": "no.such.path"}
    finding = {"when": {"literal": False}, "among": {"a": []}, "is": nowhere}
    found = filled({"kind": "semantic", "findings": [finding, {"says": "x", "is": True}]})
    assert found.checks[0]["findings"] == [
        {"when": False, "among": {"a": []}},
        {"says": "x", "is": True},
    ]
    with pytest.raises(EntryError):
        filled({"kind": "semantic", "findings": [{**finding, "when": {"literal": True}}]})


def test_values_stand_anywhere_in_a_check(filled: Resolve) -> None:
    check = {
        "kind": "decided",
        "decision": "x",
        "where": {"channels": {"truth": "noisy_channels"}, "n": {"min": {"truth": "dataset.n"}}},
        "times": {"max": 1},
    }
    found = filled(check)
    assert found.checks[0] == {
        "id": "it",
        "kind": "decided",
        "decision": "x",
        "where": {"channels": ["T8"], "n": {"min": 2}},
        "times": {"max": 1},
    }
    assert found.values["it"] == {"where.channels": ["T8"], "where.n.min": 2}
    assert check["where"]["channels"] == {"truth": "noisy_channels"}  # type: ignore[index]


def test_of_the_instance(filled: Resolve) -> None:
    at = instance(expected={"n": {"literal": 3}, "noisy": {"truth": "noisy_channels"}})
    assert filled({"instance": "n"}, at).checks[0]["expected"] == 3
    assert filled({"instance": "noisy"}, at).checks[0]["expected"] == ["T8"]
    with pytest.raises(EntryError, match="no expected value 'm'"):
        filled({"instance": "m"}, at)
    circle = instance(expected={"n": {"instance": "n"}})
    with pytest.raises(EntryError, match="no expected value 'n'"):
        filled({"instance": "n"}, circle)


def test_labels_stand_for_truth_where_nothing_was_planted(filled: Resolve) -> None:
    nothing: dict[str, Any] = {"recordings": {}, "dataset": {}}
    for truth in (None, nothing):
        assert filled({"truth": "n_square"}, truth=truth).checks[0]["expected"] == 80
    with pytest.raises(EntryError, match="n_square"):
        filled({"truth": "n_square"})


@pytest.mark.parametrize("doc", [{"truth": "nosy"}, {"label": "nosy"}, {"$": "nosy"}])
def test_a_path_to_nothing_is_an_error(filled: Resolve, doc: dict[str, str]) -> None:
    with pytest.raises(EntryError, match="nosy"):
        filled(doc)


def test_the_error_says_where(filled: Resolve) -> None:
    with pytest.raises(EntryError) as caught:
        filled({"truth": "nosy"})
    for part in ("some-task.json", "'it'", "'one'"):
        assert part in caught.value.where


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_values_that_are_not_finite_are_refused(filled: Resolve, value: float) -> None:
    truth = {"recordings": {}, "dataset": {"x": [1.0, {"y": value}]}}
    with pytest.raises(EntryError, match="an expected value is"):
        filled({"truth": "dataset.x"}, truth=truth)
    with pytest.raises(EntryError, match="an expected value is"):
        filled({"literal": value})


def test_plain() -> None:
    value = {"a": np.float64(0.5), "b": np.arange(3), "c": {"T8"}, 1: (True, None)}
    assert finite(value, "here") == {"a": 0.5, "b": [0, 1, 2], "c": ["T8"], "1": [True, None]}
    with pytest.raises(EntryError, match="nan"):
        finite(np.array([0.0, np.nan]), "here")
    with pytest.raises(EntryError, match="object"):
        finite(object(), "here")
