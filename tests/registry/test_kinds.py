"""Parameters are checked by the schema of what takes them, whatever stands for a value."""

from __future__ import annotations

from typing import Any

import pytest

from braino_registry.registry import plugins
from braino_registry.registry.kinds import (
    Groups,
    check_versions,
    expected_values,
    is_deferred,
    is_drawn,
    is_expected,
    operation_versions,
    parameter_problems,
    tool_problems,
)
from tests.registry.support import SAMPLE

NUMBER = {"type": "object", "properties": {"expected": {"type": "number"}, "x": {}}}


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        ({"literal": None}, True),
        ({"truth": "a"}, True),
        ({"workflow": "a@1.0.0"}, True),
        ({"workflow": "a@1.0.0", "args": {}}, True),
        ({"truth": "a", "args": {}}, False),
        ({"args": {}}, False),
        ({}, False),
        ("truth", False),
    ],
)
def test_an_expected_value_is_told_by_its_properties(value: Any, answer: bool) -> None:
    assert is_expected(value) is answer


def test_a_drawn_value_is_told_by_its_properties() -> None:
    assert is_drawn({"draw": {}})
    assert is_drawn({"drawn": "a", "at": 0})
    assert not is_drawn({"draw": {}, "drawn": "a"})
    assert not is_drawn({"channel": "T8"})


def test_expected_values_are_found_with_their_places() -> None:
    value = {"a": {"truth": "x"}, "b": [1, {"low": {"literal": {"truth": "y"}}}]}
    assert list(expected_values(value, ("checks", 0))) == [
        (("checks", 0, "a"), {"truth": "x"}),
        (("checks", 0, "b", 1, "low"), {"literal": {"truth": "y"}}),
    ]


@pytest.mark.parametrize(
    ("parameters", "paths"),
    [
        ({"expected": 3}, []),
        ({"expected": "3"}, ["$.checks[0].expected"]),
        ({"expected": {"truth": "a"}}, []),
        ({"expected": {"$": "band"}}, []),
        ({"expected": {"truht": "a"}}, ["$.checks[0].expected"]),
        ({"expectde": 3}, ["$.checks[0].expectde"]),
    ],
)
def test_a_schema_is_not_held_against_what_stands_for_a_value(
    parameters: dict[str, Any], paths: list[str]
) -> None:
    problems = parameter_problems(NUMBER, parameters, ("checks", 0), is_deferred)
    assert [problem.path for problem in problems] == paths


def test_a_schema_may_allow_more_properties() -> None:
    assert (
        parameter_problems({**NUMBER, "additionalProperties": True}, {"y": 1}, (), is_drawn) == []
    )


def test_versions_come_from_what_is_registered() -> None:
    found = check_versions(SAMPLE)
    assert found["grounded"] == "2.0.0"
    assert found["set"] == "1.1.0"


def test_packages_of_the_product_register_their_groups() -> None:
    groups = Groups()
    for package in (groups.checks, groups.layers, groups.conversions):
        found = plugins.find(package)
        assert found.package == package
        assert found.names()


def test_operations_of_pipelines_have_versions() -> None:
    assert all(version.count(".") == 2 for version in operation_versions(Groups()).values())


def test_every_tool_of_a_list_has_to_be_in_the_toolset() -> None:
    check = {"id": "x", "kind": "called", "tool": ["spectrum.*", "ica.*"], "failing": "physio.*"}
    problems = tool_problems({"checks": [check]}, "small", ["spectrum.peak@1.0.0"], Groups())
    assert [problem.path for problem in problems] == ["$.checks[0].tool", "$.checks[0].failing"]
    assert "ica.*" in problems[0].message
