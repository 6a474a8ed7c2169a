from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from braino_registry.numbers import Ledger
from braino_registry.tools.arithmetic import FUNCTIONS
from braino_registry.tools.catalog import Toolset
from braino_registry.tools.errors import ToolError
from braino_registry.tools.state import ToolState

REPORTED = {"a": 31.2346, "b": -4.75123, "c": 0.146052, "d": 250.0}
TOOLS = Toolset(["calc@1.0.0"])


@pytest.fixture
def told(state: ToolState) -> ToolState:
    for name, value in REPORTED.items():
        state.ledger.add_value(value, None, "a tool", name=name)
    return state


def calc(state: ToolState, expression: str, **values: object) -> float:
    return TOOLS.run("calc", {"expression": expression, "values": values}, state)["value"]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("a - b", 35.98583),
        ("(a - b) / b * 100", -757.4004),
        ("a ** 2", 975.6002),
        ("-a", -31.2346),
        ("mean(a, b, d)", 92.161123),
        ("mean([a, b])", 13.241685),
        ("sum(a, b)", 26.48337),
        ("min(a, b)", -4.75123),
        ("max(a, b)", 31.2346),
        ("abs(b)", 4.75123),
        ("sqrt(a)", 5.588792),
        ("log10(d)", 2.39794),
        ("10 * log10(a / c)", 23.3013),
        ("round(a, 1)", 31.2),
        ("round(a)", 31.0),
        ("median([a, b, c])", 0.146052),
        ("sd(a, b)", 25.44583),
        ("1 - c", 0.853948),
        ("100 - a", 68.7654),
        ("(a / d - 1) * 100", -87.50616),
        ("2 * abs(b)", 9.50246),
        ("(a + b) / 2", 13.241685),
        ("20 * log10(a / c)", 46.6026),
        ("(a - b) / sqrt((a ** 2 + b ** 2) / 2)", 1.610810),
        ("(a - b) / (a + b)", 1.358821),
        ("60 / c", 410.8126),
        ("sqrt(a) - sqrt(c)", 5.206626),
        ("c * 100", 14.6052),
        ("a * 1000", 31234.6),
        ("a * 60", 1874.076),
        ("d / 3600", 0.06944444),
    ],
)
def test_arithmetic(told, expression, value):
    assert calc(told, expression, **REPORTED) == pytest.approx(value, rel=1e-5)


def test_lists_and_literals_that_were_reported(told):
    assert calc(told, "mean(xs)", xs=[31.2346, -4.75123]) == pytest.approx(13.241685, rel=1e-5)
    assert calc(told, "median(xs)", xs=[31.2346, -4.75123, 250.0]) == 31.2346
    assert calc(told, "31.2346 - 0.146052") == pytest.approx(31.088548, rel=1e-5)


@pytest.mark.parametrize(
    ("expression", "values", "named"),
    [
        ("x * 2", {"x": 93.726}, "x = 93.726"),
        ("mean(xs)", {"xs": [31.2346, 17.31]}, "xs[1] = 17.31"),
        ("a + 93.726", {"a": 31.2346}, "93.726"),
        ("a + 17", {"a": 31.2346}, "17"),
        ("x", {"x": -31.2346}, "x = -31.2346"),
        ("a * x", {"a": 31.2346, "x": 2}, "x = 2"),
        ("a * 3", {"a": 31.2346}, "3 in the expression"),
    ],
)
def test_operands_that_nobody_reported_are_named(told, expression, values, named):
    with pytest.raises(ToolError, match=r"not? reported|no tool reported") as error:
        calc(told, expression, **values)
    assert named in error.value.problem


@pytest.mark.parametrize(
    "expression",
    [
        "9 * 10 + 3", "a * 0 + 9 * 10", "a / a * 9 * 10", "a - a + 7", "a ** 0 * 7",
        "a + 9 * 10 + 3", "a * (9 + 8)", "7", "2", "a * 0 + 2", "a / a * 2 * 10", "sqrt(7) * a",
        "a + 1", "a + 100", "1 + a", "a - 10", "10 - a", "a - -1", "a - (2 - 1)", "a * 2 * 20",
        "a * 10 * 10 * 10", "1 - a - 1 - 1", "mean(a, 2)", "mean([a, 1])", "sum(a, 1)",
        "max(a, 100)", "2 ** 2 * a", "a * 10 ** 2", "a ** 3", "a ** b", "2 ** a", "round(2) * a",
        "sqrt(sqrt(a))", "log10(sqrt(a))", "a * a * a", "a + a + a", "a / (a + a + a)",
        "a + a - a - a - a", "mean(a, a, a, b)", "a * --2 * 60", "a - a", "a * +2 * -60",
    ],
)  # fmt: skip
def test_no_number_is_made_of_constants_or_by_counting(told, expression):
    with pytest.raises(ToolError) as error:
        calc(told, expression, **REPORTED)
    assert error.value.instead


@pytest.mark.parametrize(
    ("expression", "values"),
    [
        ("sum(xs)", {"xs": [31.2346] * 37}),
        ("sum(xs) / a", {"xs": [31.2346] * 37, "a": 31.2346}),
        ("mean(xs)", {"xs": [31.2346] * 36 + [250.0]}),
        ("sum(xs, ys, zs)", {"xs": [31.2346, 250.0], "ys": [31.2346], "zs": [31.2346]}),
        ("sd(xs)", {"xs": [31.2346] * 5 + [250.0] * 3}),
        ("mean(xs)", {"xs": [31.2346, 31.23, 31.2346]}),
        ("(p + q + r) / a", {"p": 31.2346, "q": 31.2346, "r": 31.2346, "a": 250.0}),
        ("sum(xs)", {"xs": [31.2346] * 9000}),
        ("sum(xs)", {f"x{k}": 31.2346 for k in range(21)}),
        ("mean(xs)", {"xs": []}),
    ],
)
def test_what_is_repeated_does_not_count(told, expression, values):
    with pytest.raises(ToolError) as error:
        calc(told, expression, **values)
    assert error.value.instead


def test_statistics_do_not_count_what_is_repeated(told):
    tools = Toolset(["stats.ttest@1.0.0", "stats.correct@1.0.0", "stats.anova@1.0.0"])
    for name, args in (
        ("stats.ttest", {"a": [31.2346] * 37, "b": [250.0, 0.146052]}),
        ("stats.correct", {"p_values": [0.146052] * 5, "method": "bonferroni"}),
        ("stats.anova", {"groups": {str(k): [31.2346, 250.0] for k in range(37)}}),
    ):
        with pytest.raises(ToolError, match="times in the lists"):
            tools.run(name, args, told)


def test_what_was_stated_several_times_may_be_listed_several_times(told):
    for _ in range(3):
        told.ledger.add_value(0.3125, "s", "a tool", name="latency")
    assert calc(told, "mean(xs)", xs=[0.3125, 0.3125, 0.3125]) == 0.3125
    with pytest.raises(ToolError, match="4 times"):
        calc(told, "mean(xs)", xs=[0.3125] * 4)
    # rounded values are counted by what they are rounded from
    told.ledger.add_value(31.1987, None, "a tool", name="peak")
    assert calc(told, "mean(xs)", xs=[31.2, 31.2]) == pytest.approx(31.2)


def test_equal_numbers_have_no_difference_and_a_ratio_of_one(told):
    told.ledger.add_value(40.0, "count", "a tool", name="n_epochs")
    told.ledger.add_value(40.0, "count", "a tool", name="n_keep")
    assert calc(told, "kept / n * 100", kept=40, n=40) == 100
    assert calc(told, "(kept - n) / n", kept=40, n=40) == 0
    with pytest.raises(ToolError, match="does not rest"):
        calc(told, "(kept + n) / kept", kept=40, n=40)


def test_calculations_on_calculations_end(told):
    value = 31.2346
    for _ in range(3):
        value = calc(told, "x * 2", x=value)
        told.ledger.add_value(value, None, "calc", name="value")
    for again in (value, round(value, 2)):
        with pytest.raises(ToolError, match="calculation 4 in a row"):
            calc(told, "x * 2", x=again)
    # choosing among numbers is no calculation
    assert calc(told, "max(x, y)", x=value, y=31.2346) == value


def printed(state: ToolState) -> set[int]:
    """Return the whole numbers that some formula of one number prints."""
    pieces = ["a", "b", "1", "2", "3", "5", "7", "9", "10", "20", "50", "60", "100", "1000"]
    wholes = set()
    for first, second, third in itertools.product(pieces, repeat=3):
        for one, two in itertools.product("+-*/", repeat=2):
            try:
                found = calc(state, f"({first} {one} {second}) {two} {third}", a=31.2346)
            except ToolError:
                continue
            wholes.add(round(abs(found)))
    return wholes


def share(wholes: set[int], digits: int) -> float:
    """Return which share of all numbers of so many digits these are."""
    low = 10 ** (digits - 1)
    return len([w for w in wholes if low <= w < 10 * low]) / (9 * low)


def test_one_number_gives_few_others(told):
    wholes = printed(told)
    assert 0 < share(wholes, 2) < 0.35
    assert 0 < share(wholes, 3) < 0.06


def test_small_counts_that_a_tool_reported_may_be_combined(told):
    told.ledger.add_value(2.0, "count", "a tool", name="n_subjects")
    told.ledger.add_value(3.0, "count", "a tool", name="n_bad")
    assert calc(told, "n / m", n=3, m=2) == 1.5


@pytest.mark.parametrize(
    "expression",
    [
        "9**9**9", "a ** 1000", "a ** a ** a", "1e400 * a", "10 ** a", "a / (b - b)", "log10(b)",
        "sqrt(b)", "b ** 0.5", "log10(a - a)", "count(a, b)", "sd(a)",
        "d ** 10", "mean()", "a < b", "a if b else c",
        "lambda: a", "[a for a in b]", "a.real", "a[0]", "__import__('os')", "'a' * 9", "a & b",
        "a // b", "a % b", "nosuch(a)", "e", "", "a +", "round(a, 99)", "sqrt(a, b)", "[a, b]",
        "abs(a=b)", "(a := 3)", "True + a", "1j * a", "f'{a}'", "+".join("a" * 100), "(" * 150,
        "9" * 299, "mean(mean)", "a" * 301, "*a", "None", "...", "a\nb", "\x00",
    ],
)  # fmt: skip
def test_nothing_but_arithmetic_and_nothing_without_bounds(told, expression):
    with pytest.raises(ToolError) as error:
        calc(told, expression, **REPORTED)
    assert error.value.instead


NAMES = st.sampled_from(sorted(REPORTED))
ATOMS = st.one_of(NAMES, st.integers(0, 10).map(str))
FORMULAS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        st.tuples(st.sampled_from(["abs", "mean", "sum", "min", "max"]), inner).map(
            lambda t: f"{t[0]}({t[1]})"
        ),
    ),
    max_leaves=6,
)
RELAXED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@RELAXED
@given(formula=FORMULAS)
def test_what_is_accepted_is_right(told, formula):
    try:
        value = calc(told, formula, **REPORTED)
    except ToolError:
        return
    functions = {"abs": abs, "mean": float, "sum": float, "min": float, "max": float}
    expected = eval(formula, {"__builtins__": {}}, {**REPORTED, **functions})
    assert math.isclose(value, expected, rel_tol=1e-5, abs_tol=1e-4)


@RELAXED
@given(text=st.text(max_size=60))
def test_any_text_gives_a_number_or_a_refusal(told, text):
    try:
        assert math.isfinite(calc(told, text, **REPORTED))
    except ToolError as error:
        assert error.instead  # noqa: PT017


@RELAXED
@given(
    formula=st.recursive(
        st.sampled_from(["1", "2", "3", "7", "9", "10", "100", "1000", "a"]),
        lambda inner: st.tuples(inner, st.sampled_from("+-*/"), inner).map(
            lambda t: f"({t[0]} {t[1]} {t[2]})"
        ),
        max_leaves=5,
    )
)
def test_a_result_always_moves_with_what_was_reported(told, formula):
    try:
        value = calc(told, formula, a=31.2346)
    except ToolError:
        return
    moved = [eval(formula, {"__builtins__": {}}, {"a": a}) for a in (11.3, 57.1, 91.7)]
    assert any(not math.isclose(value, other, rel_tol=1e-9) for other in moved)


def test_an_echo_is_not_entered_into_the_ledger(told):
    ledger = Ledger()
    args = {"expression": "a + 0", "values": {"a": 31.2346}}
    result = TOOLS.run("calc", args, told)
    ledger.add_result(result, args, source="calc")
    assert not ledger.grounds_value(31.2346)
    args = {"expression": "a - b", "values": {"a": 31.2346, "b": -4.75123}}
    ledger.add_result(TOOLS.run("calc", args, told), args, source="calc")
    assert ledger.grounds_value(35.99)


def test_functions_are_those_the_description_names():
    spec = TOOLS.specs()[0]
    for name in FUNCTIONS:
        assert name in spec.arguments["properties"]["expression"]["description"]
