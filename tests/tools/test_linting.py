"""A tool that some provider would refuse is found before a model is offered it."""

from __future__ import annotations

import json
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta

from braino_registry.agents.wire import from_wire, to_wire
from braino_registry.tools import decorator, linting
from braino_registry.tools.catalog import catalog
from braino_registry.tools.decorator import Result, Tool, ToolGroup, tool
from braino_registry.tools.state import ToolState


class Nothing(Result, frozen=True, kw_only=True):
    """Nothing."""


def plain(state: ToolState, *, name: Annotated[str, Meta(description="A name.")] = "") -> Nothing:
    """Do nothing at all.

    Example: {"name": "Pz"}
    """
    return Nothing()


def made(function: Any, name: str = "odd.tool", doc: str | None = None) -> Tool:
    """Return a function as a tool that the catalogue does not know."""
    group = ToolGroup("braino_registry.tools", "tool")
    was, text = decorator.TOOLS, function.__doc__
    decorator.TOOLS = group
    function.__doc__ = text if doc is None else doc
    try:
        tool(name, version="1.0.0")(function)
    finally:
        decorator.TOOLS, function.__doc__ = was, text
    (found,) = group._items.values()
    return found


def with_schema(argument: dict[str, Any]) -> Tool:
    """Return a tool whose one argument has a schema of the test's choosing."""
    found = made(plain)
    found.spec.arguments["properties"] = {"name": {"description": "A name.", **argument}}
    return found


def test_what_is_right_has_no_problems():
    assert linting.lint([made(plain)]) == []


@pytest.mark.parametrize(
    ("doc", "problem"),
    [
        ("Do nothing.", "has no Example paragraph"),
        ("Do nothing.\n\nExample: {name}", "its example is no JSON ("),
        ("Do nothing.\n\nExample: []", "its example is no JSON object"),
        ('Do nothing.\n\nExample: {"nme": "x"}', "has no argument 'nme'"),
        ('Do nothing.\n\nExample: {"name": 3}', "would be refused"),
        ("Example: {}", "has no description"),
        ("Do nothing. " * 90 + "\n\nExample: {}", "characters; providers take 1024"),
    ],
)
def test_words_that_mislead_are_found(doc, problem):
    assert problem in "\n".join(linting.lint([made(plain, doc=doc)]))


@pytest.mark.parametrize("name", ["a b", "a..b", "a__b", "größe", ".a", "a.", "x" * 65, "a/b"])
def test_names_that_do_not_map_one_to_one_are_found(name):
    assert "its name is not made of" in "\n".join(linting.lint([made(plain, name=name)]))
    with pytest.raises(ValueError, match=r"offered|at most"):
        to_wire(name)


@pytest.mark.parametrize(
    ("argument", "problem"),
    [
        ({"type": "array"}, "name is a list that does not say what it holds"),
        ({"type": "array", "items": False}, "name is a list that does not say what it holds"),
        ({"type": "array", "prefixItems": [{}], "items": {"type": "null"}}, "holds prefixItems"),
        ({}, "name names no type"),
        ({"type": "array", "items": {}}, "name[] names no type"),
        ({"type": "tuple"}, "name names the type tuple"),
        ({"oneOf": [{"type": "null"}, {"type": "string"}]}, "name holds oneOf"),
        ({"anyOf": [{"type": "string"}]}, "has an anyOf of less than two"),
        ({"type": "string", "format": "date"}, "name holds format"),
        ({"type": "string", "if": {}}, "name holds if"),
        ({"enum": [str(k) for k in range(101)]}, "has more than 100 choices"),
        (
            {"type": "object", "properties": {"a b": {"type": "null"}}},
            "has a property called 'a b'",
        ),
        ({"type": "object", "additionalProperties": {"$ref": "#"}}, "name.* holds $ref"),
    ],
)
def test_schemas_that_a_provider_refuses_are_found(argument, problem):
    assert problem in "\n".join(linting.lint([with_schema(argument)]))


def test_schemas_that_lie_too_deep_are_found():
    schema: dict[str, Any] = {"type": "null"}
    for _ in range(6):
        schema = {"type": "array", "items": schema}
    assert "lies more than 5 deep" in "\n".join(linting.lint([with_schema(schema)]))


@given(
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.text(), st.integers()),
        lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(), inner)),
    )
)
def test_any_example_is_judged_and_none_breaks_the_lint(value):
    text = json.dumps(value)
    found = linting.lint([made(plain, doc=f"Do nothing.\n\nExample: {text}")])
    fits = isinstance(value, dict) and set(value) <= {"name"}
    fits = fits and all(isinstance(each, str) for each in value.values())
    assert fits or found


def test_where_callers_choose_names_is_told():
    assert linting.open_maps(catalog().get("calc").spec.arguments) == ["values"]
    assert linting.open_maps(catalog().get("preprocess.filter").spec.arguments) == []


def test_every_tool_has_a_name_on_the_wire():
    for _, each in catalog():
        assert from_wire(to_wire(each.name)) == each.name
