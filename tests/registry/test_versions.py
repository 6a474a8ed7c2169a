"""Version numbers say what changed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braino_registry.registry.versions import (
    against_lock,
    bump,
    due,
    parse,
    sort_key,
    version_change,
)

OLD = {"work": "sha256:w", "scoring": "sha256:s"}
SCORED = {**OLD, "scoring": "sha256:t"}
WORKED = {**OLD, "work": "sha256:x"}


@pytest.mark.parametrize(
    ("new", "change"),
    [
        (OLD, "none"),
        (SCORED, "minor"),
        (WORKED, "major"),
        ({**WORKED, **SCORED, "work": "y"}, "major"),
    ],
)
def test_digests_say_what_a_change_means(new: dict[str, str], change: str) -> None:
    assert version_change(OLD, new) == change


@given(st.tuples(*[st.integers(0, 99)] * 3), st.sampled_from(["none", "patch", "minor", "major"]))
def test_the_version_that_is_due_is_the_bump(version: tuple[int, ...], change: Any) -> None:
    text = ".".join(map(str, version))
    assert bump(text, due(text, change)) == change
    assert parse(due(text, change)) >= version
    assert sort_key("") < sort_key(text) <= sort_key(due(text, change))


def test_a_version_cannot_go_down() -> None:
    with pytest.raises(ValueError, match="went down"):
        bump("1.10.0", "1.9.9")


def _found(old: str, new: str, digests: dict[str, str]) -> list[str]:
    lock = {"id": "2026.1", "tasks": [{"id": "a", "version": old, "digests": OLD}]}
    rows = [
        {"id": "a", "version": new, "digests": digests},
        {"id": "new", "version": "0.1.0", "digests": WORKED},
    ]
    return [f"{error.problem} | {error.hint}" for error in against_lock(rows, lock)]


@pytest.mark.parametrize(
    ("new", "digests"),
    [
        ("1.2.3", OLD),
        ("1.2.4", OLD),
        ("1.3.0", SCORED),
        ("2.0.0", SCORED),
        ("2.0.0", WORKED),
        ("3.1.0", WORKED),
    ],
)
def test_a_version_that_rose_enough_is_right(new: str, digests: dict[str, str]) -> None:
    assert _found("1.2.3", new, digests) == []


@pytest.mark.parametrize(
    ("new", "digests", "problem", "version"),
    [
        ("1.2.3", SCORED, "the scoring of 'a' changed, and its version is still 1.2.3", "1.3.0"),
        ("1.2.3", WORKED, "the work of 'a' changed, and its version is still 1.2.3", "2.0.0"),
        ("1.2.4", SCORED, "rose from 1.2.3 to 1.2.4, which is too little", "1.3.0"),
        ("1.3.0", WORKED, "rose from 1.2.3 to 1.3.0, which is too little", "2.0.0"),
        ("1.2.2", OLD, "went down from 1.2.3 to 1.2.2", "1.2.3"),
    ],
)
def test_a_version_that_rose_too_little_is_an_error(
    new: str, digests: dict[str, str], problem: str, version: str
) -> None:
    (told,) = _found("1.2.3", new, digests)
    assert problem in told
    assert f"The version that is due is {version}." in told


def test_a_released_task_cannot_go_away() -> None:
    lock = {"id": "2026.1", "tasks": [{"id": "gone", "version": "1.0.0", "digests": OLD}]}
    (error,) = against_lock([], lock)
    assert "'gone' is no longer there" in error.problem
    assert error.where == "release 2026.1, task gone"
