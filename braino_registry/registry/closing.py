"""A quick look at documents that are read by the thousand: most are as their schema wants them.

Where a schema only lists properties in several parts, one closed object says the same; and where it
uses plain keywords only, a few nested functions decide in a hundredth of the time. What this look
does not accept is for the whole schema to judge, and to explain; what it cannot decide, it never
accepts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from braino_registry.registry import schemas

Test = Callable[[Any], bool]

_LISTING = frozenset({"type", "required", "properties", "title", "description"})
_PROSE = frozenset({"title", "description", "default", "examples"})
_REFERENCE = re.compile(
    r"(?:urn:braino:schema:(?P<kind>[a-z]+):(?P<number>\d+))?#/\$defs/(?P<name>\w+)"
)


class _Undecided(ValueError):
    """A keyword that only the whole schema can judge."""


def fits_event(event: Mapping[str, Any]) -> bool:
    """Tell whether an event of a transcript is one of those that ``event-1`` describes.

    False also where only the whole schema can tell.
    """
    kind = event.get("type")
    tests = _events().get(kind, ()) if isinstance(kind, str) else ()
    return sum(test(event) for test in tests) == 1


def fits_trial(record: Mapping[str, Any]) -> bool:
    """Tell whether a record is a row of ``report-1``; False also where only the schema can tell."""
    return _trial()(record)


def fits_journal(entry: Any) -> bool:
    """Tell whether an entry is one that ``journal-1`` describes.

    False also where only the whole schema can tell.
    """
    kind = entry.get("type") if isinstance(entry, dict) else None
    test = _journal().get(kind) if isinstance(kind, str) else None
    return test is not None and test(entry)


@cache
def _events() -> dict[str, tuple[Test, ...]]:
    document = schemas.document("event-1")
    common = {key: document[key] for key in ("type", "required", "properties")}
    found: dict[str, tuple[Test, ...]] = {}
    for way in document["oneOf"]:
        part = document["$defs"][way["$ref"].rpartition("/")[2]]
        kind = part["properties"]["type"]["const"]
        found[kind] = (*found.get(kind, ()), _quick(closed([common, part]), document))
    return found


@cache
def _trial() -> Test:
    document = schemas.document("report-1")
    return _quick(closed([document["$defs"]["trial_row"]]), document)


@cache
def _journal() -> dict[str, Test]:
    document, report = schemas.document("journal-1"), schemas.document("report-1")
    entry, own = document["$defs"]["finished"], document["$defs"]["record"]
    more = {"properties": own["properties"]}
    record = _quick(closed([report["$defs"]["trial_row"], more]), report)
    names = frozenset(entry["properties"])
    return {
        "started": _quick(document["$defs"]["started"], document),
        "finished": lambda value: value.keys() == names and record(value["record"]),
    }


def closed(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return one closed object that has the properties of several parts of a schema.

    Parameters
    ----------
    parts : sequence of mapping
        Objects of one schema; what a later one says of a property goes before an earlier one.

    Returns
    -------
    dict or None
        None if a part does more than listing properties.
    """
    properties: dict[str, Any] = {}
    required: list[str] = []
    for part in parts:
        if not set(part) <= _LISTING or part.get("type", "object") != "object":
            return None
        properties |= part.get("properties", {})
        required += part.get("required", ())
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(dict.fromkeys(required)),
        "properties": properties,
    }


def _quick(schema: Mapping[str, Any] | None, document: Mapping[str, Any]) -> Test:
    """Return a test of a schema's plain keywords; one that accepts nothing where it cannot tell."""
    if schema is None:
        return lambda value: False
    try:
        return _test(schema, document)
    except _Undecided:
        return lambda value: False


def _test(schema: Any, document: Mapping[str, Any]) -> Test:
    if isinstance(schema, bool):
        return lambda value: schema
    tests = tuple(_tests(schema, document))
    if len(tests) == 1:
        return tests[0]
    return lambda value: all(test(value) for test in tests)


def _tests(schema: Mapping[str, Any], document: Mapping[str, Any]) -> Iterator[Test]:
    known = {"properties", "required", "additionalProperties"}
    for key, value in schema.items():
        if key in known or key in _PROSE:
            continue
        if key == "$ref":
            yield _referred(value, document)
        elif key in ("anyOf", "allOf"):
            several = [_test(each, document) for each in value]
            yield _some(several) if key == "anyOf" else _all(several)
        elif key == "items":
            yield _each(_test(value, document))
        elif key in _KEYWORDS:
            yield _KEYWORDS[key](value)
        else:
            raise _Undecided(key)
    if known & set(schema):
        yield _object(schema, document)


def _referred(reference: str, document: Mapping[str, Any]) -> Test:
    found = _REFERENCE.fullmatch(reference)
    if found is None:
        raise _Undecided(reference)
    if found["kind"] is not None:
        document = schemas.document(f"{found['kind']}-{found['number']}")
    return _test(document["$defs"][found["name"]], document)


def _object(schema: Mapping[str, Any], document: Mapping[str, Any]) -> Test:
    inner = {name: _test(each, document) for name, each in schema.get("properties", {}).items()}
    required = frozenset(schema.get("required", ()))
    more = _test(schema.get("additionalProperties", True), document)

    def test(value: Any) -> bool:
        if not isinstance(value, dict):
            return True
        return required <= value.keys() and all(
            inner[name](item) if name in inner else more(item) for name, item in value.items()
        )

    return test


def _some(tests: Sequence[Test]) -> Test:
    return lambda value: any(test(value) for test in tests)


def _all(tests: Sequence[Test]) -> Test:
    return lambda value: all(test(value) for test in tests)


def _each(test: Test) -> Test:
    return lambda value: not isinstance(value, list) or all(map(test, value))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_TYPES: Mapping[str, Test] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": _is_number,
    "integer": lambda value: (
        _is_number(value) and (isinstance(value, int) or (math.isfinite(value) and value % 1 == 0))
    ),
}


def _type(names: str | Sequence[str]) -> Test:
    tests = [_TYPES[name] for name in ([names] if isinstance(names, str) else names)]
    return tests[0] if len(tests) == 1 else _some(tests)


def _among(allowed: Sequence[Any]) -> Test:
    # 1 is no true, and other than texts nothing is listed in these schemas
    return lambda value: any(type(value) is type(each) and value == each for each in allowed)


def _numeric(holds: Callable[[Any, Any], bool]) -> Callable[[Any], Test]:
    return lambda bound: lambda value: not _is_number(value) or holds(value, bound)


def _sized(kind: type[Any], holds: Callable[[int, int], bool]) -> Callable[[Any], Test]:
    return lambda bound: lambda value: not isinstance(value, kind) or holds(len(value), bound)


def _unique(wanted: bool) -> Test:
    def test(value: Any) -> bool:
        if not wanted or not isinstance(value, list):
            return True
        # other lists than those of texts are left to the schema
        return all(isinstance(item, str) for item in value) and len(set(value)) == len(value)

    return test


def _pattern(text: str) -> Test:
    found = re.compile(text)
    return lambda value: not isinstance(value, str) or found.search(value) is not None


_KEYWORDS: Mapping[str, Callable[[Any], Test]] = {
    "type": _type,
    "enum": _among,
    "const": lambda value: _among([value]),
    "pattern": _pattern,
    "uniqueItems": _unique,
    "minimum": _numeric(lambda value, bound: value >= bound),
    "maximum": _numeric(lambda value, bound: value <= bound),
    "exclusiveMinimum": _numeric(lambda value, bound: value > bound),
    "minLength": _sized(str, lambda n, bound: n >= bound),
    "maxLength": _sized(str, lambda n, bound: n <= bound),
    "minItems": _sized(list, lambda n, bound: n >= bound),
    "maxItems": _sized(list, lambda n, bound: n <= bound),
    "minProperties": _sized(dict, lambda n, bound: n >= bound),
}
