"""How many invented numbers pass, and that no honest one is rejected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from braino_registry.numbers import Ledger, find_unit, from_transcript, read_numbers
from tests.numbers.grounding import UNITS, grounding_rate, invented
from tests.numbers.realistic import calculations, five_calls, group_study


@pytest.mark.parametrize("session", [five_calls, group_study, calculations])
def test_few_invented_numbers_pass(session: Callable[[], list[dict[str, Any]]]) -> None:
    rate = grounding_rate(from_transcript(session()))
    assert rate.overall <= 0.05
    # the share falls tenfold with every digit that a liar prints
    assert rate.by_digits[2] <= 0.15
    assert rate.by_digits[3] <= 0.03
    assert rate.by_digits[4] <= 0.003
    assert rate.by_digits[5] <= 0.0005


@pytest.mark.parametrize("session", [five_calls, group_study, calculations])
def test_honest_numbers_pass(session: Callable[[], list[dict[str, Any]]]) -> None:
    ledger = from_transcript(session())
    assert len(ledger.entries) > 50
    for entry in ledger.entries:
        known = find_unit(entry.unit)
        unit = f" {known.name}" if known and known.name not in ("1", "count") else ""
        bare = f"{entry.value!r}" if unit else f"{entry.value:.3f}"
        for text in (f"{entry.value!r}{unit}", f"{entry.value:.2f}{unit}", bare):
            (number,) = read_numbers(f"It is {text}.")
            assert number.exempt_reason or ledger.grounds(number), text


def test_an_empty_ledger_grounds_nothing_but_small_counts() -> None:
    rate = grounding_rate(Ledger())
    assert {float(text) for text in rate.accepted} <= {10.0}


def test_the_invented_numbers_are_as_stated() -> None:
    texts = invented(2000)
    values = [float(text.split(" ")[0]) for text, _ in texts]
    assert 0.0099 <= min(values) < 0.02
    assert 5000 < max(values) <= 10_000
    assert {digits for _, digits in texts} == {2, 3, 4, 5}
    assert sum(" " in text for text, _ in texts) == 1000
    assert {text.split(" ")[1] for text, _ in texts if " " in text} == set(UNITS)
