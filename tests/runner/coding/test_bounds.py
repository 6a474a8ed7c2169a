"""Bounds of a code worker: its limits, what it may print, which packages it is told of."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from braino_registry.runner import tiers
from braino_registry.runner.coding.limits import standard
from braino_registry.runner.coding.packages import NAMES
from braino_registry.runner.coding.printed import Output

REPO = Path(__file__).resolve().parents[3]


def test_limits_hold_the_smaller_of_two() -> None:
    tier = standard().within(tiers.get("minimum"))
    assert tier.memory_bytes == standard().memory_bytes
    small = replace(tiers.get("minimum"), memory_bytes=5, processes=2)
    assert standard().within(small).memory_bytes == 5
    assert standard().within(small).processes == 2
    assert standard().within(tiers.get("server")).memory_bytes == standard().memory_bytes


@given(st.binary(max_size=300), st.binary(max_size=50), st.integers(1, 40), st.integers(1, 64))
def test_prints_are_bounded_and_their_mark_is_found(
    before: bytes, after: bytes, most: int, size: int
) -> None:
    mark = b"\0mark\0"
    output = Output(most)
    output.begin(mark)
    whole = before.replace(mark, b"") + mark + after
    for at in range(0, len(whole), size):
        output.take(whole[at : at + size])
    assert output.complete
    assert output.count == len(whole)
    text = output.text()
    assert "\0" not in text
    assert len(text) <= most + 60


def test_the_packages_that_are_told_of_are_those_of_the_extra() -> None:
    project = tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extra = {re.split("[<>=]", line)[0] for line in project["optional-dependencies"]["code"]}
    assert extra <= set(NAMES)
