from __future__ import annotations

import hashlib
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from braino_registry.synthesis.streams import Stream


def _words(key: str, n: int) -> list[int]:
    state = int.from_bytes(hashlib.sha256(key.encode()).digest()[:16], "big")
    return [int(word) for word in np.random.PCG64(state).random_raw(n)]


def test_gaussian_is_the_stated_sum_of_sixteen_bit_lanes() -> None:
    n = 40000  # more than one chunk
    made = Stream("layer", 7, b"\x01\x02", "x").gaussian(n)
    words = _words("layer|7|0102|x", 2 * n)
    for index in (0, 1, 32767, 32768, n - 1):
        start = index - index % 32768
        count = min(32768, n - start)
        pair = (words[2 * start + index % 32768], words[2 * start + count + index % 32768])
        total = sum((word >> shift) & 0xFFFF for word in pair for shift in (0, 16, 32, 48))
        expected = (total - 8 * 32767.5) / math.sqrt(8 * (65536**2 - 1) / 12)
        assert made[index] == expected


def test_gaussian_is_white_with_variance_one() -> None:
    x = Stream("a", 1, b"", "b").gaussian(400_000)
    assert abs(x.mean()) < 0.01
    assert abs(x.var() - 1) < 0.01
    assert abs(np.corrcoef(x[:-1], x[1:])[0, 1]) < 0.01
    assert abs((x**4).mean() / x.var() ** 2 - 3 + 0.15) < 0.05


@pytest.mark.parametrize(
    "other",
    [
        Stream("b", 1, b"s", "p"),
        Stream("a", 2, b"s", "p"),
        Stream("a", 1, b"t", "p"),
        Stream("a", 1, b"s", "q"),
        Stream("a", 1, b"s", "p").child("c"),
    ],
)
def test_every_part_of_the_key_gives_another_stream(other: Stream) -> None:
    x = Stream("a", 1, b"s", "p").gaussian(4000)
    assert abs(np.corrcoef(x, other.gaussian(4000))[0, 1]) < 0.06


@given(st.integers(-50, 50), st.integers(0, 90), st.integers(0, 2**32))
def test_integers_stay_within_their_limits(low: int, width: int, seed: int) -> None:
    stream = Stream("t", seed, b"", "")
    assert all(low <= stream.integer(low, low + width) <= low + width for _ in range(20))


@given(st.lists(st.integers()), st.integers(0, 2**32))
def test_shuffling_keeps_every_item(items: list[int], seed: int) -> None:
    shuffled = Stream("t", seed, b"", "").shuffled(items)
    assert sorted(shuffled) == sorted(items)


def test_shuffling_puts_every_item_everywhere() -> None:
    stream = Stream("t", 1, b"", "")
    counts = np.zeros((4, 4))
    for _ in range(4000):
        for place, item in enumerate(stream.shuffled(range(4))):
            counts[place, item] += 1
    assert counts.min() > 900
    assert counts.max() < 1100
