"""What a trial used: a sum of which a part is unknown is unknown, never the rest."""

from __future__ import annotations

from typing import Any

from braino_registry.runner.records import usage


def of(*reports: dict[str, Any]) -> dict[str, Any]:
    used = usage([{"type": "usage", "usage": report} for report in reports])
    return {name: used[name] for name in ("input_tokens", "output_tokens", "cost")}


def test_nothing_reported_is_unknown() -> None:
    assert of() == {"input_tokens": None, "output_tokens": None, "cost": None}


def test_reports_add_up() -> None:
    found = of({"input_tokens": 3, "cost": 0.5}, {"input_tokens": 4, "turns": 1}, {"cost": 0.25})
    assert found == {"input_tokens": 7, "output_tokens": None, "cost": 0.75}


def test_an_unknown_part_makes_the_sum_unknown_whenever_it_comes() -> None:
    known, unknown = {"input_tokens": 5, "cost": 0.1}, {"input_tokens": None, "cost": 0.1}
    for order in ((known, unknown), (unknown, known), (known, unknown, known)):
        assert of(*order)["input_tokens"] is None
        assert of(*order)["cost"] is not None
