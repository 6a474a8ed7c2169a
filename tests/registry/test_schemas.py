"""The schemas themselves: strict, offline, and asked for by name."""

from __future__ import annotations

import json
import socket
from typing import Any

import pytest

from braino_registry.errors import HostError, UsageError
from braino_registry.registry import schemas
from braino_registry.registry.jsonpath import path_text, walk
from tests.registry.support import REPOSITORY, example

FILES = sorted((REPOSITORY / "schemas").glob("*.json"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_schema_is_one(file: Any) -> None:
    from jsonschema import Draft202012Validator

    schema = json.loads(file.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    kind, number = file.stem.rsplit("-", 1)
    assert schema["$id"] == f"urn:braino:schema:{kind}:{number}"
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    # All references are resolved from the folder, and all formats can be checked.
    for _, value in walk(schema):
        if isinstance(value, dict) and isinstance(value.get("$ref"), str):
            target = value["$ref"] if ":" in value["$ref"] else schema["$id"] + value["$ref"]
            list(schemas.compiled({"$ref": target}).iter_errors(0))
    schemas.validator(file.stem)


@pytest.mark.parametrize("name", ["task-1", "suite-1", "release-1"])
def test_objects_are_closed(name: str) -> None:
    schema = schemas.document(name)
    open_objects = [
        path_text(steps)
        for steps, value in walk(schema)
        if isinstance(value, dict)
        and value.get("type") == "object"
        and "properties" in value
        and "additionalProperties" not in value
    ]
    # What stands in a check beside its common part is closed by the schema of its kind.
    assert open_objects == (["$['$defs'].check"] if name == "task-1" else [])


def test_an_unknown_schema_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="no schema 'tusk-1'") as caught:
        schemas.validator("tusk-1")
    assert "Did you mean 'task-1'?" in caught.value.hint


def test_validation_opens_no_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    assert schemas.check(example("suite", "every-field"), "suite-1") == []
    from referencing.exceptions import Unresolvable

    elsewhere = schemas.compiled({"$ref": "https://example.org/schema.json"})
    with pytest.raises(Exception, match=r"example\.org") as caught:
        list(elsewhere.iter_errors({}))
    assert isinstance(caught.value, Unresolvable)


def test_a_format_that_cannot_be_checked_is_not_passed_over() -> None:
    with pytest.raises(HostError, match="the format 'moon-phase' cannot be checked"):
        schemas.compiled({"properties": {"a": {"format": "moon-phase"}}})
    # A property that is called format is no format.
    schemas.compiled({"properties": {"format": {"type": "string"}}, "default": {"format": "x"}})


EXPLAINED = [
    ({"anyOf": [{"type": "number"}, {"type": "string"}]}, [], "fits none", ("a number", "a text")),
    (
        {
            "anyOf": [
                {"type": "number"},
                {"type": "object", "properties": {"a": {"enum": ["left", "right"]}}},
            ]
        },
        {"a": "lfet"},
        "not one of the allowed",
        ("left", "right"),
    ),
    (
        {"oneOf": [{"type": "number"}, {"minimum": 3, "title": "at least 3"}]},
        5,
        "more than one of the forms",
        ("a number", "at least 3"),
    ),
    (
        {
            "type": "object",
            "oneOf": [{"required": ["truth"]}, {"required": ["label"]}],
        },
        153,
        "153 is not an object",
        ('{"truth": …}', '{"label": …}'),
    ),
    (
        {"type": "object", "properties": {"abs": {}, "rel": {}}},
        0,
        "0 is not an object",
        ("an object with abs, rel",),
    ),
    ({"not": {"const": 3}}, 3, "not allowed here", ()),
    ({"contains": {"const": 3}}, [1], "lacks an item", ()),
    ({"const": "a"}, "b", "has to be a", ("a",)),
    ({"type": ["integer", "null"]}, "x", "is not a whole number or null", ()),
    ({"maxItems": 1}, [1, 2], "has more than 1 items", ()),
    ({"minItems": 1}, [], "is empty", ()),
    ({"unevaluatedProperties": False, "properties": {"abc": {}}}, {"abd": 1}, "'abd'", ("abc",)),
    ({"properties": {"a": False}}, {"a": 1}, "not allowed here", ()),
    ({"additionalProperties": False}, {"a": 1}, "none is allowed here", ()),
    (
        {"patternProperties": {"^x": {}}, "properties": {"a": {}}, "additionalProperties": False},
        {"x1": 1, "b": 1},
        "unknown property 'b'",
        ("a",),
    ),
]


@pytest.mark.parametrize(("schema", "value", "message", "allowed"), EXPLAINED)
def test_problems_are_told_in_words(
    schema: dict[str, Any], value: Any, message: str, allowed: tuple[str, ...]
) -> None:
    (problem,) = schemas.explained(schemas.compiled(schema).iter_errors(value))
    assert message in problem.message
    assert problem.allowed == allowed


def test_paths_are_written_for_people() -> None:
    assert path_text(("checks", 2, "kind")) == "$.checks[2].kind"
    assert path_text(("a b", "$", 0)) == "$['a b']['$'][0]"
    assert path_text(()) == "$"


def test_walk_reaches_everything_in_order() -> None:
    value = {"a": [1, {"b": 2}], "c": 3}
    assert [path_text(steps) for steps, _ in walk(value)] == [
        "$",
        "$.a",
        "$.a[0]",
        "$.a[1]",
        "$.a[1].b",
        "$.c",
    ]
