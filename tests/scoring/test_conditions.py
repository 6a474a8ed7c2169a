from __future__ import annotations

from typing import Any

import pytest

from braino_registry.scoring.events import satisfies


@pytest.mark.parametrize(
    ("value", "condition", "met"),
    [
        (["T8", "F7"], {"contains": "T8"}, True),
        (["F7"], {"contains": "T8"}, False),
        (["T8", "F7"], {"contains": "T8", "max_items": 2}, True),
        (["T8", "F7", "C3"], {"contains": "T8", "max_items": 2}, False),
        (["F7"], {"contains": "T8", "max_items": 2}, False),
        (["F7", "C3", "Cz"], {"max_items": 2}, False),
        ([], {"contains": "T8", "max_items": 2}, False),
        ("T8", {"contains": "T8", "max_items": 1}, True),
        ([{"epoch": 3, "onset": 1.5}], {"contains": {"epoch": 3}}, True),
        ([{"epoch": 3, "onset": 1.5}], {"contains": [{"epoch": 3}, {"epoch": 4}]}, False),
        ([{"epoch": 3, "onset": 1.5}], {"contains": {"epoch": 4}}, False),
        ([{"epoch": 3}], {"contains": {"epoch": 3, "onset": 1.5}}, False),
        ([{"epoch": 3}], {"contains": {"epoch": {"min": 2, "max": 3}}}, True),
    ],
)
def test_lists_have_to_hold_a_name_and_be_short(value: Any, condition: Any, met: bool) -> None:
    assert satisfies(value, condition) is met
