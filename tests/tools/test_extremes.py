"""Every tool, every argument, every extreme: an answer or a refusal, in bounded memory.

The tools are walked by their schemas: a tool that is added has to be given one good call here.
"""

from __future__ import annotations

import json
import math
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure

from braino_registry.tools import drawing
from braino_registry.tools.catalog import catalog
from braino_registry.tools.errors import ToolError
from braino_registry.tools.state import ToolState
from tests.tools.calls import GOOD, ID, run

MAX_BYTES = 200 * 2**20
OPTIONAL_LEFT_OUT = {
    "spectrum.features": {"band"}, "export.data": {"result", "path"},
    "export.figure": {"result", "path"},
    "spectrum.band_power": {"band"}, "spectrum.by_recording": {"band"},
    "detect_transients": {"max_events_per_channel"},  # another name of an argument
}  # fmt: skip

NUMBERS: tuple[Any, ...] = (
    0, -1, 1e-300, 5e-324, -1e-9, 1e-9, 1e5, 1e15, 1e300, -1e300, math.nan, math.inf, 10**400,
)  # fmt: skip
INTEGERS: tuple[Any, ...] = (0, -1, 2**31, 2**53, 2**63, 10**400, 999, 1.5)
PAIRS: tuple[Any, ...] = (
    [0, 0], [-1e300, 1e300], [1e300, -1e300], [1e-300, 2e-300], [3.0, 1.0], [math.nan, 1.0], [1.0],
    [0.0, 1e9], [-0.2, -0.2], [2.0, 2.0001],
)  # fmt: skip
TEXTS: tuple[Any, ...] = (
    "", " ", "\x00", "../..", "x" * 5000, "view-99", "result-99", "view-1", "view-2", "result-1",
    "result-3", ID, "sub-03_task-look", "ECG", "average", "²", "Pz.Pz", "uv",
)  # fmt: skip
WRONG: tuple[Any, ...] = (None, True, [], {}, [None], {"a": None}, "text", 7)


def extremes(schema: dict[str, Any], good: Any) -> Iterator[Any]:
    """Yield values that an argument might be given by somebody who tries everything."""
    if "anyOf" in schema:
        for option in schema["anyOf"]:
            yield from extremes(option, good)
        return
    kinds = schema.get("type", [])
    for kind in [kinds] if isinstance(kinds, str) else kinds:
        if kind in ("number", "integer"):
            yield from NUMBERS if kind == "number" else INTEGERS
        elif kind == "string":
            yield from TEXTS
        elif kind == "array" and schema.get("maxItems") == 2:
            yield from PAIRS
        elif kind == "array":
            items = list(good) if isinstance(good, list) else ["Pz"]
            yield from ([], items[:1], items * 2, items * 4000, items * 500_000, [items] * 3)
            for item in extremes(schema.get("items") or {}, items[0]):
                yield [item]
                yield [*items, item]
        elif kind == "object":
            yield from ({}, {"": 31.0}, {"x" * 5000: 31.0}, {"a": []}, {"a": [], "b": []})
            yield {f"k{k}": 31.0 for k in range(9000)}
            yield {f"k{k}": [31.0] for k in range(900)}
            yield {"x": [31.0] * 9000, "y": [31.0], "a": [31.0] * 9000, "b": [42.0]}
            yield {"x": 1e300, "y": [1e300] * 50}
    yield from WRONG


def test_every_tool_and_argument_is_walked(opened):
    tools = {key.partition("@")[0]: tool for key, tool in catalog()}
    assert set(GOOD) == set(tools)
    for name, tool in tools.items():
        known = set(tool.spec.arguments.get("properties", {}))
        left_out = OPTIONAL_LEFT_OUT.get(name, set())
        assert set(GOOD[name]) | left_out >= known, name


@pytest.mark.parametrize("name", sorted(GOOD))
def test_the_good_call_is_good(opened, name):
    assert run(opened, name, GOOD[name])


def answered(state: ToolState, name: str, args: dict[str, Any]) -> tuple[str, ToolError | None]:
    """Return a result as JSON, or an empty text and the refusal."""
    try:
        return json.dumps(run(state, name, args), allow_nan=False), None
    except ToolError as error:
        return "", error


def composed(path: Path, draw: Callable[[Any, Any], None], **_: Any) -> None:
    """Put everything on a figure, as `drawing.save` does, but do not turn it into pixels."""
    figure = Figure()
    draw(figure, figure.add_subplot())
    path.write_bytes(b"\x89PNG")


def walk(state: ToolState, name: str) -> None:
    """Give a tool every extreme of every argument."""
    for argument, sub in catalog().get(name).spec.arguments.get("properties", {}).items():
        for value in extremes(sub, GOOD[name].get(argument)):
            shown, problem = answered(state, name, {**GOOD[name], argument: value})
            assert len(shown) < 200_000, argument
            assert problem is None or problem.instead, argument
            assert len(str(problem)) < 5000, argument


@pytest.mark.parametrize("name", sorted(GOOD))
def test_extreme_arguments_give_an_answer_or_a_refusal(opened, name, monkeypatch):
    # pixels take a second each time while memory is traced; the slow test below has them
    monkeypatch.setattr(drawing, "save", composed)
    tracemalloc.start()
    try:
        walk(opened, name)
        assert tracemalloc.get_traced_memory()[1] < MAX_BYTES
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_extreme_figures_are_drawn_or_refused(opened):
    walk(opened, "export.figure")
