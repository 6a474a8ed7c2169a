"""A hint names what was probably meant: whatever the case, and never for its version alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braino_registry.errors import close_matches, likely, nearest
from braino_registry.registry.problems import Problem

TOOLS = ["calc@1.0.0", "dataset.inspect@1.0.0", "recording.info@2.0.0", "recording.info@1.0.0"]


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("calk", "calc@1.0.0"),
        ("CALC@1.0.0", "calc@1.0.0"),
        ("recording.inf", "recording.info@2.0.0"),
        ("recording.info@1.0.1", "recording.info@1.0.0"),
        ("zzzz@1.0.0", None),
        ("nothing@1.0.0", None),
        ("", None),
        (3, None),
    ],
)
def test_a_version_makes_no_two_names_alike(given: object, meant: str | None) -> None:
    assert likely(given, TOOLS) == meant


def test_a_hint_names_the_likely_one_first_and_lists_all() -> None:
    listed = f"Allowed: {', '.join(TOOLS)}."
    assert close_matches("calk", TOOLS) == f"Did you mean 'calc@1.0.0'? {listed}"
    assert close_matches("zzzz@1.0.0", TOOLS) == listed
    assert close_matches("x", []) == "Allowed: nothing."
    assert close_matches("fp1", ["Fp1", "T8"]).startswith("Did you mean 'Fp1'?")


@given(st.text(), st.lists(st.text(), max_size=5))
def test_what_is_meant_is_one_of_the_allowed(name: str, known: list[str]) -> None:
    found = likely(name, known)
    assert found is None or found in known
    if name in known and name.partition("@")[0]:
        assert found is not None


def test_of_many_names_a_hint_lists_the_near_ones() -> None:
    many = [f"other.tool_{number}@1.0.0" for number in range(30)] + ["spectrum.peak@1.0.0"]
    listed = "Did you mean 'spectrum.peak@1.0.0'? Allowed: spectrum.peak@1.0.0, and 30 more."
    assert nearest("spectrum.peek", many) == listed
    assert nearest("peak", many) == "Allowed: spectrum.peak@1.0.0, and 30 more."
    assert nearest("§", many) == f"Allowed: {', '.join(many[:12])}, and 19 more."
    assert nearest("", many).startswith("Allowed: other.tool_0@1.0.0, ")
    twice = [*many, "spectrum.peak@1.1.0"]
    meant = "Did you mean 'spectrum.peak@1.0.0'? Allowed: spectrum.peak@1.0.0, "
    assert nearest("spectrum.peak@1.0.0", twice).startswith(meant)
    problem = Problem("$.tool", "no such tool", tuple(many), "spectrum.peak@1.0.0")
    assert problem.hint == listed
    assert nearest("calk", TOOLS) == close_matches("calk", TOOLS)
