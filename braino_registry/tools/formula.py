"""Formulas in numbers: what may be written, what they give, and what they rest on."""

from __future__ import annotations

import ast
import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from braino_registry.errors import close_matches
from braino_registry.tools.arithmetic import BINARY, FUNCTIONS, MANY, SINGLE, guarded
from braino_registry.tools.errors import ToolError

Value = float | list[float]
Move = Callable[[float, str], float]
MAX_LENGTH = 300
MAX_NODES = 120
MAX_OPERATIONS = 10
MAX_CONSTANTS = 2

# What may stand in a formula without anybody having reported it. Powers of ten change the unit or
# make a share per cent; of the others, which change the digits, one is enough.
POWERS_OF_TEN = frozenset({1.0, 10.0, 100.0, 1000.0, 1e6})
FACTORS = frozenset({2.0, 20.0, 60.0, 3600.0})
COMPLEMENTS = frozenset({1.0, 100.0})
EXPONENTS = frozenset({2.0, 0.5})
MAX_DECIMALS = 6
# how often the numbers are moved to see whether the result moves
PROBES = 3

BENDS = ("sqrt", "log10")
SELECTS = ("min", "max", "abs", "round")


def parse(
    expression: str, values: Mapping[str, Value], reported: Callable[[float], bool]
) -> Formula:
    """Return the formula of an expression.

    Parameters
    ----------
    expression : str
        In Python's notation.
    values : mapping
        Numbers and lists by name.
    reported : callable
        Tells whether a number was stated.

    Raises
    ------
    ToolError
        If it cannot be read, or is too long.
    """
    try:
        tree = ast.parse(expression.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise ToolError(
            "the expression cannot be read", f"Use + - * / ** and {', '.join(FUNCTIONS)}."
        ) from None
    nodes = list(ast.walk(tree))
    operations = sum(isinstance(node, ast.BinOp | ast.Call) for node in nodes)
    if len(nodes) > MAX_NODES or operations > MAX_OPERATIONS:
        raise ToolError(
            f"the expression is too long: at most {MAX_OPERATIONS} operations",
            "Use mean, median or sum on a list, or calculate it in parts.",
        )
    return Formula(tree, values, reported)


@dataclass(frozen=True)
class Formula:
    """A parsed expression with its named values.

    Parameters
    ----------
    tree : ast.expr
        The expression.
    values : mapping
        Reported numbers and lists by name.
    reported : callable
        Tells whether a number that stands in the expression was stated.
    """

    tree: ast.expr
    values: Mapping[str, Value]
    reported: Callable[[float], bool]
    _known: dict[float, bool] = field(default_factory=dict, repr=False, compare=False)

    def check(self) -> None:
        """Refuse constants where they could make a number of their own, and nested bends.

        Raises
        ------
        ToolError
            Naming what may not stand there.
        """
        constants = self._constants()
        for number in constants:
            if number not in POWERS_OF_TEN | FACTORS:
                raise ToolError(
                    f"{number:g} in the expression was not reported by any tool",
                    "Use reported numbers; of others 2, 20, 60, 3600 and powers of ten.",
                )
        odd = [number for number in constants if number in FACTORS]
        if len(constants) > MAX_CONSTANTS or len(odd) > 1:
            raise ToolError(
                "too many constants that no tool reported",
                f"Use at most {MAX_CONSTANTS} in one expression, and one other than a power of "
                "ten.",
            )
        for node in ast.walk(self.tree):
            if isinstance(node, ast.BinOp):
                self._check_operation(node)
            elif isinstance(node, ast.Call):
                self._check_call(node)
        if self._is_constant(self.tree):
            raise ToolError("the expression is a constant", "Use a reported number.")

    def _check_operation(self, node: ast.BinOp) -> None:
        text = ast.unparse(node)
        left, right = self._is_constant(node.left), self._is_constant(node.right)
        if isinstance(node.op, ast.Pow):
            if left or not (_is_number(node.right) and _literal(node.right) in EXPONENTS):
                raise ToolError(
                    f"{text} is not a square or root of a reported number",
                    "Raise reported numbers to 2 or 0.5.",
                )
            return
        if left and right:
            raise ToolError(
                f"{text} is a number that no tool reported",
                "Constants may only stand beside reported numbers.",
            )
        adds = isinstance(node.op, ast.Add | ast.Sub)
        subtracts = isinstance(node.op, ast.Sub)
        for constant, side in ((left, node.left), (right, node.right)):
            if constant and adds and not (subtracts and _signed(side) in COMPLEMENTS):
                raise ToolError(
                    f"{text} adds {ast.unparse(side)}, which no tool reported",
                    "Constants may multiply or divide; only 1 and 100 may be subtracted, or be "
                    "subtracted from.",
                )

    def _check_call(self, node: ast.Call) -> None:
        name = _called(node)
        for argument in node.args[:1] if name == "round" else node.args:
            items = argument.elts if isinstance(argument, ast.List | ast.Tuple) else [argument]
            for item in items:
                if self._is_constant(item):
                    raise ToolError(
                        f"{ast.unparse(node)} holds {ast.unparse(item)}, which no tool reported",
                        "Functions take reported numbers.",
                    )
        inner = (sub for argument in node.args for sub in ast.walk(argument))
        if name in BENDS and any(
            isinstance(sub, ast.Call) and _called(sub) in BENDS for sub in inner
        ):
            raise ToolError(f"{ast.unparse(node)} nests {name}", "Use sqrt and log10 once each.")

    def uses(self) -> Mapping[float, int]:
        """Return how often each single number is written, literals and names that hold one."""
        return Counter(number for number, listed in self._leaves() if not listed)

    def numbers(self) -> list[float]:
        """Return all reported numbers that the expression holds."""
        return [number for number, _ in self._leaves()]

    @property
    def selects(self) -> bool:
        """Whether the result is one of the numbers, but for its sign or rounding."""
        return isinstance(self.tree, ast.Name) or (
            isinstance(self.tree, ast.Call)
            and _called(self.tree) in SELECTS
            and not any(isinstance(sub, ast.BinOp) for sub in ast.walk(self.tree))
        )

    def value(self, move: Move = lambda number, name: number) -> float:
        """Return the result, with every reported number moved.

        Parameters
        ----------
        move : callable
            Takes a number and where it stands, returns what is used in its place.

        Raises
        ------
        ToolError
            If it is not defined, or something else than arithmetic.
        """
        return self._number(self.tree, move)

    def moves(self, *, equal_together: bool = False) -> bool:
        """Tell whether the result changes when the reported numbers do.

        Parameters
        ----------
        equal_together : bool
            Equal numbers change alike, so that how many they are is not enough to move a result.
        """
        expected = self.value()
        for probe in range(PROBES):

            def move(number: float, name: str, probe: int = probe) -> float:
                key = repr(abs(number)) if equal_together else name
                return number * _factor(f"{probe} {key}")

            try:
                if not math.isclose(self.value(move), expected, rel_tol=1e-9, abs_tol=1e-300):
                    return True
            except ToolError:
                # where moved numbers leave the domain of a function, it is their size that counts
                return True
        return False

    def _leaves(self) -> Iterator[tuple[float, bool]]:
        """Yield every reported number, and whether it stands in a list of the values."""
        for node in _operands(self.tree):
            if isinstance(node, ast.Name):
                given = self.values.get(node.id, [])
                if isinstance(given, list):
                    yield from ((number, True) for number in given)
                else:
                    yield given, False
            elif _is_number(node) and self._is_reported(node):
                yield _literal(node), False

    def _constants(self) -> list[float]:
        """Return the numbers that nobody reported, but for exponents and decimals."""
        operands = (node for node in _operands(self.tree) if _is_number(node))
        return [_literal(node) for node in operands if not self._is_reported(node)]

    def _is_constant(self, node: ast.AST) -> bool:
        """Tell whether nothing in a part of the expression was reported."""
        return all(_is_number(leaf) and not self._is_reported(leaf) for leaf in _operands(node))

    def _is_reported(self, node: ast.AST) -> bool:
        number = _literal(node)
        if number not in self._known:
            self._known[number] = self.reported(number)
        return self._known[number]

    def _number(self, node: ast.AST, move: Move) -> float:
        found = self._evaluate(node, move)
        if isinstance(found, list):
            raise ToolError(
                f"{ast.unparse(node)} is a list", f"Use one of {', '.join(MANY)} on it."
            )
        return found

    def _evaluate(self, node: ast.AST, move: Move) -> Value:
        if _is_number(node):
            number = _literal(node)
            return move(number, repr(number)) if self._is_reported(node) else number
        if isinstance(node, ast.Name):
            return self._named(node.id, move)
        if isinstance(node, ast.List | ast.Tuple):
            return [self._number(item, move) for item in node.elts]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            inner = self._number(node.operand, move)
            return -inner if isinstance(node.op, ast.USub) else inner
        if isinstance(node, ast.BinOp) and type(node.op) in BINARY:
            left, right = self._number(node.left, move), self._right(node, move)
            return guarded(ast.unparse(node), lambda: BINARY[type(node.op)](left, right))
        if isinstance(node, ast.Call):
            return self._call(node, move)
        raise ToolError(
            f"{ast.unparse(node)!r} is not arithmetic",
            f"Use + - * / ** and {', '.join(FUNCTIONS)}.",
        )

    def _right(self, node: ast.BinOp, move: Move) -> float:
        """Return the right operand; an exponent stays as it is, reported or not."""
        if isinstance(node.op, ast.Pow) and _is_number(node.right):
            return _literal(node.right)
        return self._number(node.right, move)

    def _named(self, name: str, move: Move) -> Value:
        if name not in self.values:
            raise ToolError(
                f"{name!r} is not among the values", close_matches(name, list(self.values))
            )
        given = self.values[name]
        if isinstance(given, list):
            return [move(number, f"{name} {k}") for k, number in enumerate(given)]
        return move(given, name)

    def _call(self, node: ast.Call, move: Move) -> float:
        name = _called(node)
        if name not in FUNCTIONS or node.keywords:
            raise ToolError(
                f"there is no function {ast.unparse(node.func)!r}",
                close_matches(name or "", list(FUNCTIONS)),
            )
        text = ast.unparse(node)
        if name == "round":
            return self._rounded(node, text, move)
        given = [self._evaluate(argument, move) for argument in node.args]
        numbers = [x for part in given for x in (part if isinstance(part, list) else [part])]
        if not numbers:
            raise ToolError(f"{text} needs a number", "Pass numbers or a list.")
        if name in MANY:
            return guarded(text, lambda: MANY[name](numbers))
        if len(numbers) != 1:
            raise ToolError(f"{text}: {name} takes one number", "Apply it to each number alone.")
        return guarded(text, lambda: SINGLE[name](numbers[0]))

    def _rounded(self, node: ast.Call, text: str, move: Move) -> float:
        digits = node.args[1] if len(node.args) == 2 else None
        known = digits is None or (
            _is_number(digits) and _literal(digits) in set(range(MAX_DECIMALS + 1))
        )
        if not 1 <= len(node.args) <= 2 or not known:
            raise ToolError(
                f"{text} cannot be rounded",
                f"Pass a number and decimals from 0 to {MAX_DECIMALS}.",
            )
        number = self._number(node.args[0], move)
        places = 0 if digits is None else int(_literal(digits))
        return guarded(text, lambda: float(round(number, places)))


def _operands(node: ast.AST) -> Iterator[ast.AST]:
    """Yield names and numbers that are calculated with: no functions, exponents or decimals."""
    if isinstance(node, ast.Name) or _is_number(node):
        yield node
    elif isinstance(node, ast.Call):
        inner = node.args[:1] if _called(node) == "round" else node.args
        for argument in inner:
            yield from _operands(argument)
    elif isinstance(node, ast.BinOp):
        yield from _operands(node.left)
        if not (isinstance(node.op, ast.Pow) and _is_number(node.right)):
            yield from _operands(node.right)
    else:
        for child in ast.iter_child_nodes(node):
            yield from _operands(child)


def _signed(node: ast.AST) -> float | None:
    """Return a number that is written with or without a sign, None for anything else."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        inner = _signed(node.operand)
        return None if inner is None else -inner if isinstance(node.op, ast.USub) else inner
    return _literal(node) if _is_number(node) else None


def _factor(key: str) -> float:
    """Return a factor from 0.5 to 2 that looks drawn, the same for the same key."""
    share = int.from_bytes(hashlib.sha256(key.encode()).digest()[:6], "big") / 2**48
    return float(2.0 ** (2 * share - 1))


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
