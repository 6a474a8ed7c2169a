"""Invented numbers and the share of them that a ledger accepts; used by other test folders too."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import dataclass
from functools import cache

from braino_registry.numbers import Ledger, Number, read_numbers

UNITS = ("Hz", "ms", "s", "µV", "µV²", "%", "dB")


@dataclass(frozen=True)
class Rate:
    """Share of invented numbers that were accepted, overall and by significant digits."""

    overall: float
    by_digits: dict[int, float]
    with_unit: float
    accepted: tuple[str, ...]


def invented(count: int = 10_000, seed: int = 1) -> list[tuple[str, int]]:
    """Return printed numbers (log-uniform in 0.01–10,000, 2–5 digits, half with a unit)."""
    draw = random.Random(seed)
    texts = []
    for i in range(count):
        digits = draw.randint(2, 5)
        value = 10 ** draw.uniform(-2, 4)
        decimals = digits - 1 - math.floor(math.log10(value))
        text = f"{round(value, decimals):.{max(0, decimals)}f}"
        texts.append((f"{text} {draw.choice(UNITS)}" if i % 2 else text, digits))
    return texts


@cache
def _read(text: str) -> tuple[Number, ...]:
    return tuple(read_numbers(text))


def grounding_rate(ledger: Ledger, count: int = 10_000, seed: int = 1) -> Rate:
    """Return how many invented numbers ``ledger`` accepts, exempt ones counted as accepted."""
    hits: Counter[int] = Counter()
    tried: Counter[int] = Counter()
    with_unit, accepted = 0, []
    for text, digits in invented(count, seed):
        tried[digits] += 1
        (number,) = _read(text)
        if number.exempt_reason is not None or ledger.grounds(number) is not None:
            hits[digits] += 1
            with_unit += " " in text
            accepted.append(text)
    return Rate(
        overall=sum(hits.values()) / count,
        by_digits={d: hits[d] / tried[d] for d in sorted(tried)},
        with_unit=with_unit / (count // 2),
        accepted=tuple(accepted),
    )
