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
        ("{{ found.chanels }}", "there is no 'chanels'"),
        ("{{ found.channels | join(', ' }}", "this is not a template"),
        ("{% if x %}", "this is not a template"),
        ("{{ found.channels + 1 }}", "fails with TypeError"),
        ("{{ 1 / 0 }}", "fails with ZeroDivisionError"),
        ("{{ ''.__class__.__mro__ }}", "unsafe"),
        ("{{ found.channels.append('x') }}", "unsafe|not safely callable"),
        ("{{ range(10000000) | list }}", "fails with OverflowError"),
        ("{% include 'x' %}", "include is not used in entries"),
        ("{% macro f() %}{{ f() }}{{ f() }}{% endmacro %}{{ f() }}", "macro is not used"),
        ("{{ __budget.left }}", "the name __budget is taken"),
        ("{{ found.channels * 3 }}", "for numbers"),
        ("{{ '%9d' % 1 }}", "filter format"),
        ("{{ lipsum() }}", "'lipsum' is undefined"),
    ],
)
def test_what_cannot_be_filled_in_is_an_error(text: str, problem: str) -> None:
    with pytest.raises(TemplateProblem, match=problem) as caught:
        render(text, CONTEXT)
    assert caught.value.where
    assert caught.value.hint
    assert CONTEXT["found"]["channels"] == ["T8", "Fp1"]


SLOW = [
    "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
    "{% set x = 'aaaaaaaa' %}" + "{% set x = x ~ x %}" * 60,
    "{% set x = [1, 2] %}" + "{% set x = x + x %}" * 60,
    "{% set x = [1, 2] %}" + "{% set x = [x, x, x, x] %}" * 60 + "{{ x }}",
    "{% set x = {'a': 1} %}" + "{% set x = {'a': x, 'b': x} %}" * 60 + "{{ x }}",
    "{% set x = 3 %}" + "{% set x = x * x %}" * 60,
    "{{ 9 ** 99999999 }}",
    "{{ 2 ** 64 ** 64 ** 64 }}",
    "{{ '%999999999d' | format(1) }}",
    "{{ '%*d' | format(999999999, 1) }}",
    "{{ 'x' | replace('', 'yyyyyyyy' | replace('', 'zzzzzzzz' | replace('', 'wwwwwwww' "
    "| replace('', 'vvvvvvvv' | replace('', 'uuuuuuuu'))))) }}",
    "{{ range(99999) | select('in', range(99999) | list) | list }}",
    "{{ range(99999) | map('string') | join('-' ~ '--------' ~ '--------') }}",
    "{% set x = range(9999) | list %}{% for i in x %}{% if i in x %}{% endif %}{% endfor %}",
    "{% set x = range(9999) | list %}{% for i in x %}{% if i is in(x) %}{% endif %}{% endfor %}",
    "{% set x = range(9999) | list %}{% for i in x %}{% set y = x.index(9998) %}{% endfor %}",
    "{% set x = range(9999) | list %}{% for i in x %}{% if x == x %}{% endif %}{% endfor %}",
    "{% for i in range(9999) %}{% set y = range(99999) | sum %}{% endfor %}",
]


@pytest.mark.parametrize("text", SLOW)
def test_no_template_goes_on_for_ever_or_grows_without_bound(text: str) -> None:
    # without the bound each of these goes on for minutes at least
    with pytest.raises(TemplateProblem, match="does too much") as caught:
        render(text, CONTEXT)
    assert "loop" in caught.value.hint


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("{% for n, c in [(1, 'a'), (2, 'b')] if n > 1 %}{{ c ~ n }}{% endfor %}", "b2"),
        ("{% set s = namespace(n=0) %}{% for c in 'abc' %}{% set s.n = s.n + 1 %}{% endfor %}"
         "{{ s.n }}", "3"),
        ("{{ found.channels | reject('in', ['T8']) | map('upper') | join }}", "FP1"),
        ("{{ 'no' if 'T8' not in found.channels else '%.2f' | format(1.005 * 2) }}", "2.01"),
        ("{{ [[1], [2]] | sum(start=[]) }} {{ {'a': 1}['a'] }} {{ 2 ** 10 % 7 }}", "[1, 2] 1 2"),
        ("{{ x is defined }} {{ x | default('-') }} {{ found.none is none }}", "False - True"),
        ("{{ found.channels.index('Fp1') }} {{ found.get('n') }} {{ range(3) | max }}", "1 2 2"),
        ("{{ 'a-b' | replace('-', '+') }}{{ (1, 2) }}", "a+b(1, 2)"),
    ],
)  # fmt: skip
def test_what_entries_need_works_within_the_bounds(text: str, filled: str) -> None:
    assert render(text, CONTEXT) == filled


def test_names_that_a_template_needs() -> None:
    text = "{% for c in found.channels %}{{ c }}{{ range(3) }}{% endfor %}{{ bids_subject }}"
    assert names_in(text) == {"found", "bids_subject"}
    with pytest.raises(TemplateProblem):
        names_in("{{")
    with pytest.raises(TemplateProblem, match="macro is not used"):
        names_in("{% macro f() %}{% endmacro %}")
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


def test_a_part_that_is_not_there_is_told_with_the_one_that_was_meant() -> None:
    context = {"power": {"absolute_uv2": 1.0, "relative": 0.5}, "bids_subject": "01"}
    with pytest.raises(TemplateProblem) as caught:
        render("{{ power.absolute_uv }}", context)
    assert "there is no 'absolute_uv'; did you mean 'absolute_uv2'?" in caught.value.problem
    with pytest.raises(TemplateProblem, match=r"there is no 'zzz'\n"):
        render("{{ power.zzz }}", context)
    with pytest.raises(TemplateProblem) as caught:
        render("{{ powr.relative }}", context)
    assert caught.value.hint.startswith("Did you mean 'power'? Names that may be used: bids_subj")
    with pytest.raises(TemplateProblem, match="not there"):
        render("{{ bids_subject.x }} {{ power[3] }}", context)
