"""A Jinja2 sandbox in which a template can neither run for ever nor grow without bound.

Entries may come from other people's folders, and a listing fills in every one of them. Jinja2's
own sandbox keeps a template from what it must not reach; a loop in a loop, a doubled text or a
padded one would still hold up whoever opens the folder. Here every template has so many steps,
and whatever it goes through or builds takes as many of them as it has parts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from functools import lru_cache
from typing import Any

from jinja2 import StrictUndefined, Undefined, nodes, pass_context
from jinja2.filters import FILTERS
from jinja2.nodes import EvalContext
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from braino_registry.errors import likely

#: Steps of one template. The largest of an honest entry takes some hundreds.
MOST_STEPS = 200_000
#: Items or characters of one value that a template builds.
MOST_PARTS = 100_000
_MOST_BITS = 4096
_BUDGET = "__budget"
_WIDE = re.compile(r"%[^a-zA-Z%]*(\d{4}|\*)")

#: Jinja's filters and names that pad, repeat, draw at random or make markup.
_FILTERS_LEFT_OUT = (
    "batch", "center", "e", "escape", "filesizeformat", "forceescape", "indent", "pprint",
    "random", "safe", "slice", "striptags", "tojson", "urlize", "wordwrap", "xmlattr",
)  # fmt: skip
_GLOBALS_LEFT_OUT = ("cycler", "joiner", "lipsum")
#: Methods of texts whose result may be far larger than what they are given.
_METHODS_LEFT_OUT = frozenset(
    {"center", "expandtabs", "format", "format_map", "join", "ljust", "replace", "rjust",
     "translate", "zfill"}
)  # fmt: skip
_STATEMENTS_LEFT_OUT = (
    nodes.Macro, nodes.CallBlock, nodes.Import, nodes.FromImport, nodes.Include, nodes.Extends,
    nodes.Block,
)  # fmt: skip


class Unknown(StrictUndefined):
    """A name that is not there; its error says so with the name that was probably meant."""

    __slots__ = ()

    @property
    def _undefined_message(self) -> str:
        holder, name = self._undefined_obj, self._undefined_name
        if self._undefined_hint or not isinstance(holder, Mapping):
            return str(super()._undefined_message)
        near = likely(name, [key for key in holder if isinstance(key, str)])
        meant = f"; did you mean {near!r}?" if near is not None else ""
        return f"there is no {name!r}{meant}"


class TooMuch(Exception):
    """A template that takes too many steps or builds too large a value."""


class NotAllowed(Exception):
    """A template that uses a part of Jinja2 which entries do without."""


class Budget:
    """The steps that one filling-in has left."""

    def __init__(self) -> None:
        self.left = MOST_STEPS

    def spend(self, steps: int) -> None:
        """Take steps off.

        Raises
        ------
        TooMuch
            If there are not so many left.
        """
        self.left -= steps
        if self.left < 0:
            raise TooMuch(f"it takes more than {MOST_STEPS} steps")

    def weigh(self, value: Any) -> Any:
        """Return a value, having spent as many steps as it has parts on every level.

        Raises
        ------
        TooMuch
            If it has more than a template may build.
        """
        waiting, parts = [value], 0
        while waiting:
            each = waiting.pop()
            parts += 1 + (len(each) if isinstance(each, str | bytes) else 0)
            if isinstance(each, Mapping):
                waiting += [*each.keys(), *each.values()]
            elif isinstance(each, list | tuple | set | frozenset):
                waiting += each
            if parts + len(waiting) > MOST_PARTS:
                raise TooMuch(f"it builds a value of more than {MOST_PARTS} parts")
        self.spend(parts)
        return value

    def look(self, value: Any) -> Any:
        """Return a value, having spent as many steps as it has items itself."""
        known = isinstance(value, Sized) and not isinstance(value, Undefined)
        self.spend(1 + (len(value) if known else 0))
        return value

    def each(self, values: Iterable[Any]) -> Iterator[Any]:
        """Yield the items of a loop, each for a step."""
        for value in values:
            self.spend(1)
            yield value


class _Guard(NodeTransformer):
    """Puts the toll in a template's way: at loops, filters, tests of membership, and literals."""

    def generic_visit(self, node: nodes.Node, *args: Any, **kwargs: Any) -> nodes.Node:
        if isinstance(node, _STATEMENTS_LEFT_OUT):
            raise NotAllowed(f"{type(node).__name__.lower()} is not used in entries")
        if isinstance(node, nodes.Name) and node.name == _BUDGET:
            raise NotAllowed(f"the name {_BUDGET} is taken")
        return super().generic_visit(node, *args, **kwargs)

    def visit_For(self, node: nodes.For) -> nodes.Node:
        self.generic_visit(node)
        node.iter = _through(node.iter, "_each")
        return node

    def visit_Filter(self, node: nodes.Filter) -> nodes.Node:
        self.generic_visit(node)
        if node.node is not None:
            node.node = _through(node.node, "_look")
        return node

    def visit_Test(self, node: nodes.Test) -> nodes.Node:
        self.generic_visit(node)
        if not _asks_for_a_name(node):
            node.node = _through(node.node, "_look")
        node.args = [_through(each, "_look") for each in node.args]
        return node

    def visit_Compare(self, node: nodes.Compare) -> nodes.Node:
        self.generic_visit(node)
        node.expr = _through(node.expr, "_look")
        return node

    def visit_Operand(self, node: nodes.Operand) -> nodes.Node:
        self.generic_visit(node)
        node.expr = _through(node.expr, "_look")
        return node

    def visit_List(self, node: nodes.List) -> nodes.Node:
        return _through(self.generic_visit(node), "_weigh")

    def visit_Dict(self, node: nodes.Dict) -> nodes.Node:
        return _through(self.generic_visit(node), "_weigh")

    def visit_Tuple(self, node: nodes.Tuple) -> nodes.Node:
        self.generic_visit(node)
        return _through(node, "_weigh") if node.ctx == "load" else node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:
        self.generic_visit(node)
        parts = nodes.List(node.nodes, lineno=node.lineno)
        return _through(_through(parts, "_weigh"), "_concatenate")


def _asks_for_a_name(node: nodes.Test) -> bool:
    """Tell whether a test is about a value that need not be there."""
    return node.name in ("defined", "undefined")


def _through(node: nodes.Node, name: str) -> nodes.Filter:
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)


class BoundedEnvironment(ImmutableSandboxedEnvironment):
    """The environment of all templates of entries.

    Requests and answers are plain text for people and models, so nothing is escaped.
    """

    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(self) -> None:
        super().__init__(
            undefined=Unknown, autoescape=False, keep_trailing_newline=True,
            finalize=_printed,
        )  # fmt: skip
        for name in _FILTERS_LEFT_OUT:
            del self.filters[name]
        for name in _GLOBALS_LEFT_OUT:
            del self.globals[name]
        self.globals["range"] = _range
        self.filters |= {
            "_each": _toll(Budget.each),
            "_look": _toll(Budget.look),
            "_weigh": _toll(Budget.weigh),
            "_concatenate": lambda parts: "".join(map(str, parts)),
            "format": _format,
            "join": _join,
            "replace": _replace,
        }
        # The request of a task is filled in for every one of its instances.
        self._compiled = lru_cache(maxsize=256)(self.from_string)

    def fill_in(self, text: str, context: Mapping[str, Any]) -> str:
        """Return a template filled in, within the bounds of this module."""
        return self._compiled(text).render({**context, _BUDGET: Budget()})

    def refuse(self, tree: nodes.Template) -> None:
        """Refuse a template, not yet filled in, that uses what entries do without.

        Raises
        ------
        NotAllowed
            If it does.
        """
        _Guard().visit(tree)

    def _generate(self, source: nodes.Template, *args: Any, **kwargs: Any) -> str:
        return super()._generate(_Guard().visit(source), *args, **kwargs)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Tell whether a template may use an attribute."""
        if isinstance(obj, str) and attr in _METHODS_LEFT_OUT:
            return False
        return super().is_safe_attribute(obj, attr, value)

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:
        """Call a method of a value, or a function, for as many steps as they have to look at."""
        budget = _budget(__context)
        for each in (getattr(__obj, "__self__", None), *args, *kwargs.values()):
            budget.look(each)
        return super().call(__context, __obj, *args, **kwargs)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Carry out an operator whose result may be large."""
        budget = _budget(context)
        budget.spend(1)
        if operator == "+":
            return budget.weigh(super().call_binop(context, operator, left, right))
        if operator == "%":
            if isinstance(left, str):
                raise NotAllowed("the operator % is for numbers; texts have the filter format")
        elif not (_is_number(left) and _is_number(right)):
            raise NotAllowed(f"the operator {operator} is for numbers")
        elif isinstance(left, int) and isinstance(right, int):
            bits = left.bit_length() * (abs(right) if operator == "**" else 1)
            if bits + (right.bit_length() if operator == "*" else 0) > _MOST_BITS:
                raise TooMuch("it computes with numbers of more than a thousand digits")
        return super().call_binop(context, operator, left, right)

    def call_filter(
        self, name: str, value: Any, args: Sequence[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None, context: Context | None = None,
        eval_ctx: EvalContext | None = None,
    ) -> Any:  # fmt: skip
        """Apply a filter to one of many values, as ``map`` does."""
        _charge(context, value, args)
        return super().call_filter(name, value, args, kwargs, context, eval_ctx)

    def call_test(
        self, name: str, value: Any, args: Sequence[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None, context: Context | None = None,
        eval_ctx: EvalContext | None = None,
    ) -> Any:  # fmt: skip
        """Apply a test to one of many values, as ``select`` does."""
        _charge(context, value, args)
        return super().call_test(name, value, args, kwargs, context, eval_ctx)


def _charge(context: Context | None, value: Any, args: Sequence[Any] | None) -> None:
    """Take the toll of one call within a filter: its value, and what the value is held against."""
    if context is not None:
        for each in (value, *(args or ())):
            _budget(context).look(each)


def _budget(context: Context) -> Budget:
    budget = context[_BUDGET]
    assert isinstance(budget, Budget)
    return budget


def _toll(pay: Callable[[Budget, Any], Any]) -> Callable[[Context, Any], Any]:
    @pass_context
    def filtered(context: Context, value: Any) -> Any:
        return pay(_budget(context), value)

    return filtered


@pass_context
def _printed(context: Context, value: Any) -> Any:
    return _budget(context).weigh(value)


@pass_context
def _join(
    context: Context, value: Iterable[Any], d: str = "", attribute: str | int | None = None
) -> str:
    items = list(value)
    _budget(context).spend(len(items) * (1 + len(d)))
    joined: str = FILTERS["join"](context.eval_ctx, items, d, attribute)
    return joined


@pass_context
def _replace(context: Context, s: str, old: str, new: str, count: int | None = None) -> str:
    _budget(context).spend((len(s) + 1) * (1 + len(new)))
    return s.replace(old, new, -1 if count is None else count)


def _format(value: str, *args: Any, **kwargs: Any) -> str:
    if _WIDE.search(value):
        raise TooMuch("it pads to more than 999 characters")
    formatted: str = FILTERS["format"](value, *args, **kwargs)
    return formatted


def _range(*args: int) -> range:
    found = range(*args)
    if len(found) > MOST_PARTS:
        raise OverflowError(f"a range of more than {MOST_PARTS} numbers")
    return found


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)
