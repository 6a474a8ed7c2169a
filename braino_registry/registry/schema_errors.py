"""From the errors of a JSON Schema validator to problems that a person can mend."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from braino_registry.errors import likely
from braino_registry.registry.jsonpath import path_text
from braino_registry.registry.problems import Problem, choice

#: A jsonschema.exceptions.ValidationError; its own annotations allow "unset" everywhere, which
#: the errors that a validator yields never are.
SchemaError = Any

_TYPES = {
    "object": "an object",
    "array": "a list",
    "string": "a text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "null": "null",
}


def explain(error: SchemaError) -> Iterator[Problem]:
    """Yield the problems behind one validation error."""
    if error.validator is None:  # the schema is `false`: nothing may stand here
        yield Problem(_path(error), f"{_name(error)} is not allowed here")
    elif "propertyNames" in error.absolute_schema_path and isinstance(error.instance, str):
        # Here the instance is the name, and the path is that of the object that has it.
        form = error.schema.get("description", error.message)
        problem = f"the name {error.instance!r} has the wrong form"
        yield Problem(_path(error, error.instance), problem, (form,))
    else:
        yield from _EXPLAIN.get(str(error.validator), _other)(error)


def shown(value: Any) -> str:
    """Return a JSON value in at most 60 characters."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "..."


def _path(error: SchemaError, *more: str | int) -> str:
    return path_text((*error.absolute_path, *more))


def _name(error: SchemaError) -> str:
    """Return what the value is called: its property, or its text."""
    steps = list(error.absolute_path)
    return repr(steps[-1]) if steps and isinstance(steps[-1], str) else shown(error.instance)


def _unknown_properties(error: SchemaError) -> Iterator[Problem]:
    known = tuple(sorted(error.schema.get("properties", {})))
    patterns = error.schema.get("patternProperties", {})
    missing = [name for name in known if name not in error.instance]
    for name in error.instance:
        # Names that another part of the schema allows are not in the validator's message.
        if repr(name) in error.message and name not in known:
            if any(re.search(pattern, name) for pattern in patterns):
                continue
            steps = (*error.absolute_path, name)
            if not known:
                yield Problem(path_text(steps), f"unknown property {name!r}: none is allowed here")
                continue
            meant = likely(name, missing)
            yield Problem(path_text(steps), f"unknown property {name!r}", known, meant)


def _required(error: SchemaError) -> Iterator[Problem]:
    # The validator reports each missing property on its own; the name is in its message only.
    missing = [name for name in error.validator_value if name not in error.instance]
    for name in missing:
        if error.message.startswith(repr(name)):
            yield Problem(_path(error), f"the property {name!r} is missing")


def _type(error: SchemaError) -> Iterator[Problem]:
    wanted = error.validator_value
    names = [wanted] if isinstance(wanted, str) else list(wanted)
    text = " or ".join(_TYPES.get(name, name) for name in names)
    allowed = _object_forms(error.schema) if "object" in names else ()
    yield Problem(_path(error), f"{shown(error.instance)} is not {text}", allowed)


def _object_forms(schema: dict[str, Any]) -> tuple[str, ...]:
    """Return what an object of this schema can look like."""
    alternatives = _only_required(schema.get("oneOf", schema.get("anyOf", ())))
    if alternatives:
        return tuple(f'{{"{name}": …}}' for name in alternatives)
    names = schema.get("required") or list(schema.get("properties", {}))
    return (f"an object with {', '.join(names)}",) if names else ()


def _only_required(branches: Sequence[Any]) -> list[str]:
    """Return the properties of which some have to be there, if that is all that branches say."""
    names = [
        name
        for branch in branches
        if isinstance(branch, dict) and set(branch) == {"required"}
        for name in branch["required"]
    ]
    return names if len(names) == len(branches) else []


def _enum(error: SchemaError) -> Iterator[Problem]:
    names = [value if isinstance(value, str) else shown(value) for value in error.validator_value]
    message = f"{shown(error.instance)} is not one of the allowed values"
    yield choice(tuple(error.absolute_path), message, error.instance, names)


def _const(error: SchemaError) -> Iterator[Problem]:
    wanted = error.validator_value
    text = wanted if isinstance(wanted, str) else shown(wanted)
    yield Problem(_path(error), f"{shown(error.instance)} has to be {text}", (text,))


def _pattern(error: SchemaError) -> Iterator[Problem]:
    form = error.schema.get("description", f"text of the form {error.validator_value}")
    yield Problem(_path(error), f"{shown(error.instance)} has the wrong form", (form,))


def _format(error: SchemaError) -> Iterator[Problem]:
    yield Problem(_path(error), f"{shown(error.instance)} is not a valid {error.validator_value}")


def _size(text: str) -> Callable[[SchemaError], Iterator[Problem]]:
    def explain_size(error: SchemaError) -> Iterator[Problem]:
        few = text.startswith("has fewer") and error.validator_value == 1
        wanted = "is empty" if few else text.format(error.validator_value)
        yield Problem(_path(error), f"{shown(error.instance)} {wanted}")

    return explain_size


def _unique(error: SchemaError) -> Iterator[Problem]:
    seen: list[Any] = []
    for i, item in enumerate(error.instance):
        if item in seen:
            yield Problem(_path(error, i), f"{shown(item)} stands here twice")
        seen.append(item)


def _dependent(error: SchemaError) -> Iterator[Problem]:
    for name, needed in error.validator_value.items():
        for other in needed:
            if name in error.instance and other not in error.instance:
                pair = f"{name!r} may stand only together with {other!r}"
                if error.message.startswith(repr(other)):
                    yield Problem(_path(error), f"{pair}, which is missing")


def _alternatives(error: SchemaError) -> Iterator[Problem]:
    """Explain a value that fits none, or more than one, of several forms."""
    branches: dict[int | str, list[SchemaError]] = {}
    for cause in error.context or ():
        branches.setdefault(cause.relative_schema_path[0], []).append(cause)
    only_required = _only_required(error.validator_value)
    if only_required:
        if not isinstance(error.instance, dict):
            return  # what is no object is told as such, and has no properties to choose from
        given = [name for name in only_required if name in error.instance]
        verb = "at least one of" if error.validator == "anyOf" else "exactly one of"
        have = f", not {' and '.join(map(repr, given))}" if given else ""
        message = f"{verb} these properties has to stand here{have}"
        yield Problem(_path(error), message, tuple(only_required))
        return
    if not branches:
        message = f"{shown(error.instance)} fits more than one of the forms, not exactly one"
        yield Problem(_path(error), message, _forms(error))
        return
    # The branch that was meant is the one whose faults lie deepest and are fewest.
    best = max(branches.values(), key=lambda causes: (_depth(causes), -len(causes)))
    if _depth(best) == 0 and len(branches) > 1:
        yield Problem(
            _path(error), f"{shown(error.instance)} fits none of the allowed forms", _forms(error)
        )
        return
    for cause in best:
        yield from explain(cause)


def _depth(causes: Sequence[SchemaError]) -> int:
    return max(len(cause.relative_path) for cause in causes)


def _forms(error: SchemaError) -> tuple[str, ...]:
    forms = []
    for branch in error.validator_value:
        if isinstance(branch, dict):
            kind = branch.get("type")
            named = branch.get("title") or branch.get("description")
            forms.append(
                named or (_TYPES.get(kind, str(kind)) if isinstance(kind, str) else shown(branch))
            )
    return tuple(forms)


def _contains(error: SchemaError) -> Iterator[Problem]:
    yield Problem(
        _path(error),
        f"{shown(error.instance)} lacks an item of the form {shown(error.validator_value)}",
    )


def _not(error: SchemaError) -> Iterator[Problem]:
    what = f"is of the form {shown(error.validator_value)}, which is"
    yield Problem(
        _path(error), f"{_name(error)} {what if error.validator_value else 'is'} not allowed here"
    )


def _other(error: SchemaError) -> Iterator[Problem]:
    message = error.message if len(error.message) <= 200 else error.message[:197] + "..."
    yield Problem(_path(error), message)


_EXPLAIN: dict[str, Callable[[SchemaError], Iterator[Problem]]] = {
    "additionalProperties": _unknown_properties,
    "unevaluatedProperties": _unknown_properties,
    "anyOf": _alternatives,
    "oneOf": _alternatives,
    "const": _const,
    "contains": _contains,
    "dependentRequired": _dependent,
    "enum": _enum,
    "exclusiveMaximum": _size("is not less than {}"),
    "exclusiveMinimum": _size("is not more than {}"),
    "format": _format,
    "maximum": _size("is more than {}"),
    "maxItems": _size("has more than {} items"),
    "maxLength": _size("has more than {} characters"),
    "maxProperties": _size("has more than {} properties"),
    "minimum": _size("is less than {}"),
    "minItems": _size("has fewer than {} items"),
    "minLength": _size("has fewer than {} characters"),
    "minProperties": _size("has fewer than {} properties"),
    "not": _not,
    "multipleOf": _size("is not a multiple of {}"),
    "pattern": _pattern,
    "required": _required,
    "type": _type,
    "uniqueItems": _unique,
}
