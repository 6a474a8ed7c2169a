"""Every given case of the validation units, in both profiles."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests import vectors

FILE = Path(__file__).parents[2] / "data" / "vectors" / "validation_units.json"
CASES = json.loads(FILE.read_text(encoding="utf-8"))["vectors"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
@pytest.mark.parametrize(("profile", "column"), [("strict", "expected"), ("published", "released")])
def test_a_given_case(case: dict[str, Any], profile: Any, column: str) -> None:
    found = vectors.unit(case, profile)
    if case[column] is None:
        assert found is None
    else:
        assert found == pytest.approx(case[column], abs=1e-9), case.get("note")


@pytest.mark.parametrize("case", [c for c in CASES if c["unit"] == "mpad"], ids=lambda c: c["id"])
def test_the_bounded_form(case: dict[str, Any]) -> None:
    from braino_registry.scoring.units import largest_mpad

    most = largest_mpad(len(case["inputs"]["scores"]))
    assert most == (case["max_for_n"] and pytest.approx(case["max_for_n"]))
    if most is not None:
        assert case["expected"] / most == pytest.approx(case["bounded_adjusted"], abs=1e-6)
