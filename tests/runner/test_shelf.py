from __future__ import annotations

from braino_registry.runner.shelf import Shelf
from tests.reports.samples import trial


def test_what_is_put_is_taken_once_and_the_last_of_a_trial_counts() -> None:
    key, other = ("a", "x", 1), ("b", "x", 1)
    shelf = Shelf({key: trial("a", outcome="failed")})
    shelf.put(other, trial("b"))
    shelf.put(key, trial("a", seconds=0.1, score=1e-300))
    assert len(shelf) == 2
    assert list(shelf.take()) == [trial("a", seconds=0.1, score=1e-300), trial("b")]
    assert len(shelf) == 0


def test_records_share_their_keys_when_they_are_taken() -> None:
    shelf = Shelf({(f"t{i}", "x", 1): trial(f"t{i}") for i in range(2)})
    first, second = shelf.take()
    pairs = zip(first, second, strict=True)
    assert all(mine is theirs for mine, theirs in pairs)
