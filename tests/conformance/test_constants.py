"""One answer for all instances does not do: the best constant in hindsight stays near a guess.

The table is measured by ``python -m benchmarks.constants --record``, which needs every recording;
here it is held to its bounds, and to the entries that it was measured on. What one task reaches is
measured anew in every run, the rest in the long one. In the suite braino what was done is checked
beside every answer, so that a constant passes nothing: see test_cheats.py.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from benchmarks import constants
from braino_registry.datasets import Store
from braino_registry.registry import Task
from braino_registry.scoring import Evidence
from tests.conformance import cases

#: Measured anew in every run: its recordings are short.
QUICK = "fa-07-placement-system"
AGAIN = "Run: python -m benchmarks.constants --record"

FIELDS = {
    "hz": {"type": "number", "unit": "Hz", "said_as": ["peak"]},
    "side": {"type": "label", "labels": ["left", "right"], "said_as": ["side"]},
}


def test_no_constant_reaches_much_more_than_a_guess() -> None:
    bad = [one.row() for one in constants.recorded().values() if one.too_much]
    assert bad == [], "\n".join([constants.HEADER, *bad])


def test_the_table_is_of_the_entries_that_are_here() -> None:
    table = constants.recorded()
    stale = [
        task.id
        for task in constants.kept(cases.REGISTRY)
        if task.id not in table or table[task.id].digest != constants.work_of(task, cases.REGISTRY)
    ]
    assert stale == [], f"{AGAIN} {' '.join(stale)}"


@pytest.mark.parametrize(
    "task",
    [
        pytest.param(task, marks=() if task.id == QUICK else (pytest.mark.slow,), id=task.id)
        for task in constants.kept(cases.REGISTRY)
    ],
)
def test_what_a_constant_reaches_is_as_recorded(task: Task, store: Store) -> None:
    (found,) = constants.measured([task], cases.REGISTRY, store)
    recorded = constants.recorded()[task.id]
    assert found.too_much == "", found.row()
    if found.n == recorded.n:  # recordings of people are not at hand everywhere
        assert found == recorded, AGAIN


# -- the measurement itself ------------------------------------------------------------------------


def known(name: str, **expected: Any) -> constants.Known:
    """Return an instance of which a frequency, a side or a finding is expected."""
    checks: dict[str, dict[str, Any]] = {
        "hz": {"kind": "number", "field": "hz", "weight": 50, "tolerance": {"abs": 0.3}},
        "side": {"kind": "label", "field": "side", "weight": 50},
    }
    found = {
        key: {"id": key, **checks[key], "expected": value}
        for key, value in expected.items()
        if key in checks
    }
    if "missing" in expected:
        finding = {"lacks": [expected["missing"]]}
        found["told"] = {"id": "told", "kind": "semantic", "weight": 50, "findings": [finding]}
    given = {".name": name, ".channel": expected.get("missing", "Cz")}
    evidence = Evidence("?", (), None, fields=FIELDS, dataset="some@1.0.0")
    return constants.Known(name, 0.0, given, evidence, found)


def measured(*instances: constants.Known) -> constants.Constant:
    """Return what the best constant reaches over instances."""
    return constants.measure(cases.entry("fa-01-relative-alpha"), instances, cases.REGISTRY)


def test_answers_that_do_not_vary_are_found() -> None:
    found = measured(*(known(f"r{n}", hz=10.0, side="left") for n in range(5)))
    assert (found.n, found.passes, found.scores, found.mixes) == (5, 1, 1, 1)
    assert "passes" in found.too_much
    assert "scores" in found.too_much


def test_answers_that_vary_are_not() -> None:
    sides = ("left", "right")
    found = measured(*(known(f"r{n}", hz=8.0 + n, side=sides[n % 2]) for n in range(6)))
    assert (found.passes, found.floor) == (0, 0.25)
    # the side is right in two of the other five
    assert found.scores == pytest.approx(0.5 * 0.4)
    assert found.too_much == ""


def test_a_number_between_two_is_tried() -> None:
    """Each right number is right for itself alone, one between two is right for both."""
    pairs = (8.0, 8.5, 10.0, 10.5, 12.0, 12.5)
    found = measured(*(known(f"r{n}", hz=hz, side="left") for n, hz in enumerate(pairs)))
    assert found.passes == 0
    assert found.mixes == pytest.approx(0.5 * 0.2 + 0.5)


def test_a_form_that_is_filled_in_is_tried() -> None:
    """That the channel of the request is missing is one answer, whatever the channel is."""
    found = measured(*(known(f"r{n}", missing=f"P{n}") for n in range(5)))
    assert (found.passes, found.floor) == (1, 0.5)
    other = [known(f"r{n}", side=("left", "right")[n % 2]) for n in range(4)]
    assert measured(*other).passes == pytest.approx(1 / 3, abs=1e-3)


def test_the_values_of_a_field_are_its_floor() -> None:
    lopsided = [known(f"r{n}", hz=8.0 + n, side="left" if n else "right") for n in range(6)]
    found = measured(*lopsided)
    assert found.mixes == pytest.approx(0.5 * 0.8)
    assert found.too_much == ""
    assert "scores" in replace(found, mixes=found.floor + constants.SCORE_MARGIN + 0.01).too_much


def test_that_two_recordings_agree_is_no_fault() -> None:
    values = ((8.0, "left"), (8.0, "left"), (10.0, "right"), (12.0, "left"))
    found = measured(*(known(f"r{n}", hz=hz, side=side) for n, (hz, side) in enumerate(values)))
    assert found.passes == pytest.approx(1 / 3, abs=1e-3)
    assert "passes" not in found.too_much


@pytest.mark.parametrize(
    ("spec", "floor"),
    [
        ({"kind": "label", "field": "side"}, 0.5),
        ({"kind": "label", "field": "hz"}, 0.0),
        ({"kind": "number", "field": "hz"}, 0.0),
        ({"kind": "semantic", "findings": [{"among": {"a": [], "b": [], "c": []}}]}, 1 / 3),
        ({"kind": "semantic", "findings": [{"verdict": True}, {"direction": "up"}]}, 0.25),
        ({"kind": "semantic", "findings": [{"lacks": [], "when": False}, {"says": ["x"]}]}, 0.5),
    ],
)
def test_what_naming_any_value_is_worth(spec: dict[str, Any], floor: float) -> None:
    assert constants._one_of(spec, FIELDS) == pytest.approx(floor)
