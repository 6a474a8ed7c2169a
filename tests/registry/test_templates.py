"""Templates and expressions are strict and can reach nothing but their context."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braino_registry.registry.templates import (
    TemplateProblem,
    fill,
    lookup,
    names_in,
    render,
    roots,
)
from tests.registry.test_jsonfile import JSON

CONTEXT: dict[str, Any] = {
    "bids_subject": "02",
    "found": {"channels": ["T8", "Fp1"], "n": 2, "none": None},
}


def test_a_template_is_filled_in() -> None:
    text = "Marked {{ found.channels | join(', ') }} in <{{ bids_subject }}> & done.\n"
    assert render(text, CONTEXT) == "Marked T8, Fp1 in <02> & done.\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{{ subject }}", "'subject' is undefined"),
        ("{{ found.chanels }}", "has no attribute 'chanels'"),
        ("{{ found.channels | join(', ' }}", "this is not a template"),
        ("{% if x %}", "this is not a template"),
        ("{{ found.channels + 1 }}", "fails with TypeError"),
        ("{{ 1 / 0 }}", "fails with ZeroDivisionError"),
        ("{{ ''.__class__.__mro__ }}", "unsafe"),
        ("{{ found.channels.append('x') }}", "unsafe|not safely callable"),
        ("{{ range(10000000) | list }}", "fails with OverflowError"),
        ("{% include 'x' %}", "fails with TypeError"),
    ],
)
def test_what_cannot_be_filled_in_is_an_error(text: str, problem: str) -> None:
    with pytest.raises(TemplateProblem, match=problem) as caught:
        render(text, CONTEXT)
    assert caught.value.where
    assert caught.value.hint
    assert CONTEXT["found"]["channels"] == ["T8", "Fp1"]


def test_names_that_a_template_needs() -> None:
    text = "{% for c in found.channels %}{{ c }}{{ range(3) }}{% endfor %}{{ bids_subject }}"
    assert names_in(text) == {"found", "bids_subject"}
    with pytest.raises(TemplateProblem):
        names_in("{{")
    with pytest.raises(TemplateProblem, match="nested too deeply"):
        names_in("{{" + "(" * 50_000 + "1" + ")" * 50_000 + "}}")


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("found", {"found"}),
        ("found.channels[0]", {"found"}),
        ("found.rows[?kind == 'x'].name | [0]", {"found"}),
        ("length(found.channels) > other.n && !third", {"found", "other", "third"}),
        ("[a, b.c]", {"a", "b"}),
        ("{x: a, y: b}", {"a", "b"}),
        ("sort_by(rows, &onset)[0].latency", {"rows"}),
        ("max(map(&amplitude, peaks[*]))", {"peaks"}),
        ("'text'", set()),
        ("`1`", set()),
        ("join('_', ['sub', bids_subject])", {"bids_subject"}),
        ("found.*.x | keys(@)", {"found"}),
        ("a[].b[1:2]", {"a"}),
    ],
)
def test_names_from_which_an_expression_starts(expression: str, names: set[str]) -> None:
    assert roots(expression) == names


def test_an_expression_is_looked_up() -> None:
    assert lookup("found.channels[1]", CONTEXT) == "Fp1"
    assert lookup("join('_', ['sub', bids_subject])", CONTEXT) == "sub_02"
    assert lookup("found.deeper.still", CONTEXT) is None
    assert lookup("[0]", [3]) == 3


@pytest.mark.parametrize(
    ("expression", "problem", "hint"),
    [
        ("fuond.channels", "unknown name 'fuond'", "Did you mean 'found'?"),
        ("found.", "not a JMESPath expression", "Example"),
        ("", "not a JMESPath expression", "Example"),
        ("length(found.n)", "the expression fails", "types"),
        ("nothing(found)", "the expression fails", "types"),
        ("(" * 5000, "not a JMESPath expression", "Example"),
    ],
)
def test_what_cannot_be_looked_up_is_an_error(expression: str, problem: str, hint: str) -> None:
    with pytest.raises(TemplateProblem, match=problem) as caught:
        lookup(expression, CONTEXT)
    assert hint in caught.value.hint
    assert "\n" not in caught.value.problem


def test_values_are_filled_in_wherever_they_stand() -> None:
    value = {"view": {"$": "found.channels[0]"}, "deep": [{"$": "found.n"}, "$"], "$": 3, "n": None}
    assert fill(value, CONTEXT) == {"view": "T8", "deep": [2, "$"], "$": 3, "n": None}
    assert value["view"] == {"$": "found.channels[0]"}


@given(JSON.filter(lambda value: "$" not in str(value)))
def test_a_value_without_expressions_stays_as_it_is(value: object) -> None:
    assert fill(value, {}) == value


@given(st.text(max_size=40))
def test_any_text_is_looked_up_or_refused(text: str) -> None:
    for use in (lookup, render):
        # Anything but this error would go through and fail the test.
        with contextlib.suppress(TemplateProblem):
            use(text, CONTEXT)


def test_importing_templates_imports_neither_library() -> None:
    code = (
        "import sys, braino_registry.registry.templates;"
        "print({'jinja2', 'jmespath'} & set(sys.modules))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "set()"
