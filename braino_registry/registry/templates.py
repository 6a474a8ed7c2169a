"""Text and values of entries that depend on the instance: strict Jinja2 and JMESPath.

Both are strict: a name that is not there is an error, never an empty text. Jinja2 runs in its
sandbox and within bounds (`template_bounds`), because entries may come from other people's
folders.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from braino_registry.errors import EntryError, close_matches, likely

if TYPE_CHECKING:
    from braino_registry.registry.template_bounds import BoundedEnvironment


class TemplateProblem(EntryError):
    """A template or an expression of an entry that cannot be filled in."""


@lru_cache(maxsize=1)
def _environment() -> BoundedEnvironment:
    from braino_registry.registry.template_bounds import BoundedEnvironment

    return BoundedEnvironment()


def render(text: str, context: Mapping[str, Any]) -> str:
    """Return a Jinja2 template filled in.

    Parameters
    ----------
    text : str
        The template.
    context : mapping
        The names that it may use.

    Raises
    ------
    TemplateProblem
        If it is no template, uses an unknown name, takes too long, or fails.
    """
    from jinja2 import TemplateSyntaxError, UndefinedError

    from braino_registry.registry.template_bounds import NotAllowed, TooMuch

    try:
        return _environment().fill_in(text, context)
    except TemplateSyntaxError as error:
        raise _syntax(text, error) from error
    except UndefinedError as error:
        known = sorted(context)
        near = (likely(name, known) for name in sorted(names_in(text) - set(known)))
        meant = next((f"Did you mean {name!r}? " for name in near if name is not None), "")
        raise TemplateProblem(
            f"the template uses a value that is not there: {error.message}",
            where=_short(text),
            hint=f"{meant}Names that may be used: {', '.join(known) or 'none'}.",
        ) from error
    except TooMuch as error:
        raise TemplateProblem(
            f"the template does too much: {error}",
            where=_short(text),
            hint="Go over what a step has found once; do not loop within loops.",
        ) from error
    except NotAllowed as error:
        raise _not_allowed(text, error) from error
    # A filter or an operator inside the template may raise whatever Python raises.
    except Exception as error:
        raise TemplateProblem(
            f"the template fails with {type(error).__name__}: {error}",
            where=_short(text),
            hint="Check the types of the values it combines.",
        ) from error


def names_in(text: str) -> frozenset[str]:
    """Return the names that a Jinja2 template needs from its context.

    Raises
    ------
    TemplateProblem
        If it is no template.
    """
    from jinja2 import TemplateSyntaxError
    from jinja2.meta import find_undeclared_variables

    from braino_registry.registry.template_bounds import NotAllowed

    environment = _environment()
    try:
        tree = environment.parse(text)
        needed = find_undeclared_variables(tree)
        environment.refuse(tree)
    except TemplateSyntaxError as error:
        raise _syntax(text, error) from error
    except NotAllowed as error:
        raise _not_allowed(text, error) from error
    except RecursionError as error:
        raise TemplateProblem("the template is nested too deeply", where=_short(text)) from error
    return frozenset(needed - set(environment.globals))


def lookup(expression: str, context: Any) -> Any:
    """Return what a JMESPath expression finds in a value.

    Parameters
    ----------
    expression : str
        For example ``found.channels`` or ``noisy_channels[0]``.
    context : JSON value
        Where it is looked up; in an object, the names an expression starts from have to exist.

    Returns
    -------
    JSON value
        None if a deeper part of the path is not there.

    Raises
    ------
    TemplateProblem
        If it is no expression, starts from an unknown name, or fails.
    """
    import jmespath
    from jmespath.exceptions import JMESPathError

    if isinstance(context, Mapping):
        for name in sorted(roots(expression)):
            if name not in context:
                raise TemplateProblem(
                    f"the expression starts from an unknown name {name!r}",
                    where=_short(expression),
                    hint=close_matches(name, sorted(map(str, context))),
                )
    try:
        return jmespath.search(expression, context)
    except (JMESPathError, RecursionError) as error:
        raise TemplateProblem(
            f"the expression fails: {_short(str(error))}",
            where=_short(expression),
            hint="Check the types of the values it combines.",
        ) from error


def roots(expression: str) -> frozenset[str]:
    """Return the names from which a JMESPath expression starts.

    Raises
    ------
    TemplateProblem
        If it is no expression.
    """
    import jmespath
    from jmespath.exceptions import JMESPathError

    try:
        tree = jmespath.compile(expression).parsed
    except (JMESPathError, RecursionError) as error:
        raise TemplateProblem(
            f"this is not a JMESPath expression: {_short(str(error))}",
            where=_short(expression),
            hint="Example: found.channels[0].",
        ) from error
    return frozenset(_roots(tree))


#: Nodes whose first child is evaluated on the context, and the others on what it gave.
_CHAINS = frozenset(
    {
        "subexpression",
        "index_expression",
        "projection",
        "value_projection",
        "filter_projection",
        "flatten",
        "pipe",
    }
)


def _roots(node: Mapping[str, Any]) -> Iterable[str]:
    if node["type"] == "field":
        yield node["value"]
    elif node["type"] in _CHAINS:
        yield from _roots(node["children"][0])
    elif node["type"] != "expref":  # an expression reference is evaluated on items
        for child in node["children"]:
            if isinstance(child, Mapping):
                yield from _roots(child)


def fill(value: Any, context: Mapping[str, Any]) -> Any:
    """Return a JSON value in which every ``{"$": expression}`` is replaced by what it finds.

    Parameters
    ----------
    value : JSON value
        What is to be filled in; it is not changed.
    context : mapping
        The names that expressions may use.

    Raises
    ------
    TemplateProblem
        If an expression cannot be looked up.
    """
    if isinstance(value, Mapping):
        if set(value) == {"$"} and isinstance(value["$"], str):
            return lookup(value["$"], context)
        return {key: fill(item, context) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [fill(item, context) for item in value]
    return value


def _syntax(text: str, error: Any) -> TemplateProblem:
    return TemplateProblem(
        f"this is not a template: {error.message} (line {error.lineno})",
        where=_short(text),
        hint="Templates are Jinja2; example: {{ bids_subject }}.",
    )


def _not_allowed(text: str, error: Exception) -> TemplateProblem:
    return TemplateProblem(
        f"the template uses what entries may not: {error}",
        where=_short(text),
        hint="Use values, filters, if, set, and for.",
    )


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 120 else line[:117] + "..."
