"""Arithmetic on reported numbers, so that a difference or a ratio is grounded too."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from braino_registry.errors import close_matches
from braino_registry.tools.decorator import Result, tool
from braino_registry.tools.errors import ToolError
from braino_registry.tools.grounding import is_constant, require_grounded
from braino_registry.tools.state import ToolState

Value = float | list[float]
MAX_LENGTH = 300
MAX_NODES = 120
MAX_CONSTANTS = 4
MAX_EXPONENT = 10.0
MAX_RESULT = 1e15
# a result that these factors on the reported numbers do not change does not rest on them
FACTORS = (0.37, 1.7, 2.9)

_BINARY: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: lambda x, y: x + y,
    ast.Sub: lambda x, y: x - y,
    ast.Mult: lambda x, y: x * y,
    ast.Div: lambda x, y: x / y,
    ast.Pow: lambda x, y: _power(x, y),
}
_SINGLE: Mapping[str, Callable[[float], float]] = {
    "abs": abs,
    "sqrt": math.sqrt,
    "log10": math.log10,
}
_MANY: Mapping[str, Callable[[list[float]], float]] = {
    "mean": lambda xs: math.fsum(xs) / len(xs),
    "sum": math.fsum,
    "min": min,
    "max": max,
    "count": lambda xs: float(len(xs)),
}
FUNCTIONS = (*_SINGLE, *_MANY, "round")


class Calculated(Result, frozen=True, kw_only=True):
    """What an expression gives."""

    value: float
    expression: str


@tool("calc", version="1.0.0")
def calc(
    state: ToolState,
    *,
    expression: Annotated[
        str,
        Meta(
            description="For example (a - b) / b * 100, or mean(xs). Operators + - * / **; "
            "functions mean sum min max abs sqrt log10 round count.",
            max_length=MAX_LENGTH,
        ),
    ],
    values: Annotated[
        dict[str, float | list[float]] | None,
        Meta(description="Numbers by name, exactly as tools reported them."),
    ] = None,
) -> Calculated:
    """Calculate with numbers that were reported, so that the result may be reported too.

    Numbers in values or in the expression must have been stated by a tool, the user or the request;
    of others only 0 to 10, 60, 100, 1000 and 3600 may be used.

    Definition: Ordinary arithmetic in double precision; round(x, n) to n decimals, halves to even.
    """
    named: dict[str, Value] = dict(values or {})
    require_grounded(state, named, constants=True)
    formula = _Formula(_parse(expression), named, state)
    formula.check()
    value = formula.value(1.0)
    if not math.isfinite(value) or abs(value) > MAX_RESULT:
        raise ToolError("the result is too large", "Check the expression.")
    if not formula.rests_on_reports(value):
        raise ToolError(
            "the result does not rest on any reported number",
            "Use at least one number that a tool, the user or the request stated.",
        )
    return Calculated(value=value, expression=expression)


def _parse(expression: str) -> ast.expr:
    try:
        tree = ast.parse(expression.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise ToolError(
            "the expression cannot be read", f"Use + - * / ** and {', '.join(FUNCTIONS)}."
        ) from None
    if sum(1 for _ in ast.walk(tree)) > MAX_NODES:
        raise ToolError("the expression is too long", "Calculate it in parts.")
    return tree


def _power(base: float, exponent: float) -> float:
    if abs(exponent) > MAX_EXPONENT:
        raise ToolError(f"the exponent {exponent:g} is too large", f"Use at most {MAX_EXPONENT:g}.")
    result = base**exponent
    if isinstance(result, complex):
        raise ToolError("a negative number has no such root", "Check the expression.")
    return float(result)


@dataclass(frozen=True)
class _Formula:
    """A parsed expression with its named values."""

    tree: ast.expr
    values: Mapping[str, Value]
    state: ToolState

    def check(self) -> None:
        """Refuse numbers that nobody reported, and constants that add up to a number of their own.

        An expression such as ``9 * 10 + 3`` would otherwise make any number out of constants.
        """
        leaves = [node for node in ast.walk(self.tree) if self._is_leaf(node)]
        for node in leaves:
            if isinstance(node, ast.Constant):
                shown = {"in the expression, it": _literal(node)}
                require_grounded(self.state, shown, constants=True)
        free = [node for node in leaves if not self._reported(node)]
        if len(free) > MAX_CONSTANTS:
            raise ToolError(
                f"{len(free)} constants that no tool reported",
                f"Use at most {MAX_CONSTANTS} in one expression.",
            )
        for node in ast.walk(self.tree):
            if isinstance(node, ast.BinOp | ast.Call) and self._only_constants(node):
                number = self._number(node, 1.0)
                if not is_constant(number):
                    raise ToolError(
                        f"{ast.unparse(node)} = {number:g} is a number that no tool reported",
                        "Constants may only stand beside reported numbers: write x / 3, not "
                        "x * (1 / 3).",
                    )

    def rests_on_reports(self, value: float) -> bool:
        """Tell whether the result changes when any reported number does."""
        for factor in FACTORS:
            try:
                if not math.isclose(self.value(factor), value, rel_tol=1e-12, abs_tol=1e-300):
                    return True
            except ToolError:
                return True
        # how many numbers were reported is itself a fact, but only as it stands
        return isinstance(self.tree, ast.Call) and _called(self.tree) == "count"

    def value(self, factor: float) -> float:
        """Return the result with reported numbers multiplied, each by a power of the factor."""
        return self._number(self.tree, factor)

    def _is_leaf(self, node: ast.AST) -> bool:
        return _is_number(node) or (isinstance(node, ast.Name) and node.id in self.values)

    def _reported(self, leaf: ast.AST) -> bool:
        """Tell whether a number or name stands for something that was reported."""
        if isinstance(leaf, ast.Name):
            given = self.values[leaf.id]
            return isinstance(given, list) or self._moves(given)
        return not is_constant(_literal(leaf))

    def _moves(self, number: float) -> bool:
        return not is_constant(number) or self.state.ledger.grounds_value(number)

    def _only_constants(self, node: ast.AST) -> bool:
        leaves = [sub for sub in ast.walk(node) if self._is_leaf(sub)]
        return not any(self._reported(leaf) for leaf in leaves)

    def _number(self, node: ast.AST, factor: float) -> float:
        found = self._evaluate(node, factor)
        if isinstance(found, list):
            raise ToolError(
                f"{ast.unparse(node)} is a list", f"Use one of {', '.join(_MANY)} on it."
            )
        return found

    def _evaluate(self, node: ast.AST, factor: float) -> Value:
        if _is_number(node):
            number = _literal(node)
            return number * factor if self._reported(node) else number
        if isinstance(node, ast.Name):
            return self._named(node.id, factor)
        if isinstance(node, ast.List | ast.Tuple):
            return [self._number(item, factor) for item in node.elts]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            inner = self._number(node.operand, factor)
            return -inner if isinstance(node.op, ast.USub) else inner
        if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
            left, right = self._number(node.left, factor), self._number(node.right, factor)
            return _guarded(ast.unparse(node), lambda: _BINARY[type(node.op)](left, right))
        if isinstance(node, ast.Call):
            return self._call(node, factor)
        raise ToolError(
            f"{ast.unparse(node)!r} is not arithmetic",
            f"Use + - * / ** and {', '.join(FUNCTIONS)}.",
        )

    def _named(self, name: str, factor: float) -> Value:
        if name not in self.values:
            raise ToolError(
                f"{name!r} is not among the values", close_matches(name, list(self.values))
            )
        given = self.values[name]
        if factor == 1.0:
            return given
        # every name, and every item of a list, moves by a factor of its own
        position = list(self.values).index(name) + 1
        own = factor ** (1 + position / 7)
        if isinstance(given, list):
            powers = (own ** (1 + i / 11) for i in range(len(given)))
            return [x * p if self._moves(x) else x for x, p in zip(given, powers, strict=True)]
        return given * own if self._moves(given) else given

    def _call(self, node: ast.Call, factor: float) -> float:
        name = _called(node)
        if name not in FUNCTIONS or node.keywords:
            raise ToolError(
                f"there is no function {ast.unparse(node.func)!r}",
                close_matches(name or "", list(FUNCTIONS)),
            )
        given = [self._evaluate(argument, factor) for argument in node.args]
        numbers = [x for part in given for x in (part if isinstance(part, list) else [part])]
        text = ast.unparse(node)
        if not numbers:
            raise ToolError(f"{text} needs a number", "Pass numbers or a list.")
        if name in _MANY:
            return _guarded(text, lambda: _MANY[name](numbers))
        if name == "round":
            if len(numbers) > 2 or (len(numbers) == 2 and not 0 <= numbers[1] <= 10):
                raise ToolError(
                    f"{text} cannot be rounded", "Pass a number and decimals from 0 to 10."
                )
            digits = int(numbers[1]) if len(numbers) == 2 else 0
            return _guarded(text, lambda: float(round(numbers[0], digits)))
        if len(numbers) != 1:
            raise ToolError(f"{text}: {name} takes one number", "Apply it to each number alone.")
        return _guarded(text, lambda: _SINGLE[name](numbers[0]))


def _called(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _is_number(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, int | float)
        and not isinstance(node.value, bool)
    )


def _literal(node: ast.AST) -> float:
    assert isinstance(node, ast.Constant)
    assert isinstance(node.value, int | float)
    try:
        value = float(node.value)
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        raise ToolError("a number in the expression is too large", "Check the expression.")
    return value


def _guarded(text: str, compute: Callable[[], float]) -> float:
    try:
        value = compute()
    except (ValueError, ZeroDivisionError, OverflowError) as error:
        raise ToolError(f"{text} is not defined: {error}", "Check the numbers.") from None
    if not math.isfinite(value):
        raise ToolError(f"{text} is not finite", "Check the numbers.")
    return value
