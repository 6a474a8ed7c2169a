"""Names of tools on the wire map one-to-one."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from braino_registry.agents.wire import MOST, from_wire, to_wire
from braino_registry.tools.catalog import TOOLS

NAMES = st.from_regex(r"[A-Za-z0-9-]{1,6}([._][A-Za-z0-9-]{1,6}){0,5}", fullmatch=True)


def test_every_tool_of_ours_comes_back_from_the_wire() -> None:
    names = {name.partition("@")[0] for name in TOOLS.names()}
    wires = {to_wire(name) for name in names}
    assert len(wires) == len(names) > 50
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", wire) for wire in wires)
    assert {from_wire(wire) for wire in wires} == names


@settings(deadline=None)
@given(NAMES, NAMES)
def test_no_two_names_share_a_wire(one: str, other: str) -> None:
    assert from_wire(to_wire(one)) == one
    assert (to_wire(one) == to_wire(other)) == (one == other)


@pytest.mark.parametrize(
    "name", ["", "a__b", "a..b", "a_.b", ".a", "a.", "_a", "a b", "ä.b", "a\n", "a" * (MOST + 1)]
)
def test_a_name_that_could_be_mistaken_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"tool|characters"):
        to_wire(name)


@settings(deadline=None)
@given(st.text(max_size=80))
def test_whatever_a_model_calls_is_a_name_or_refused(text: str) -> None:
    try:
        name = from_wire(text)
    except ValueError:
        return
    assert to_wire(name) == text
