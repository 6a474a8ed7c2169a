"""JSON Schemas as models read them: no references, no titles, one plain object."""

from __future__ import annotations

from typing import Any

import msgspec


def schema_of(kind: Any) -> dict[str, Any]:
    """Return the JSON Schema of a type, with every reference replaced by what it refers to.

    Parameters
    ----------
    kind : type
        A :class:`msgspec.Struct` class.
    """
    whole = msgspec.json.schema(kind)
    definitions: dict[str, Any] = whole.pop("$defs", {})
    inlined: dict[str, Any] = _inline(whole, definitions)
    return inlined


def _inline(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_inline(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        name = str(node["$ref"]).rsplit("/", 1)[-1]
        rest = {key: value for key, value in node.items() if key != "$ref"}
        return {**_inline(definitions[name], definitions), **_inline(rest, definitions)}
    out: dict[str, Any] = {}
    for key, value in node.items():
        if key == "properties":
            out[key] = {name: _inline(sub, definitions) for name, sub in value.items()}
        elif key == "title" and isinstance(value, str):
            continue
        else:
            out[key] = value if key == "default" else _inline(value, definitions)
    return _plain(out)


def _plain(node: dict[str, Any]) -> dict[str, Any]:
    """Write what a schema says in the way that most models and providers understand.

    ``anyOf`` of bare types becomes one list of types. A list whose places are all alike, such as
    a pair of numbers, says so by ``items`` and its length: providers refuse ``prefixItems``.
    """
    places = node.get("prefixItems")
    if places and node.get("items") is False and all(each == places[0] for each in places):
        return {key: value for key, value in node.items() if key != "prefixItems"} | {
            "items": places[0]
        }
    options = node.get("anyOf")
    if isinstance(options, list) and all(
        isinstance(option, dict) and set(option) == {"type"} and isinstance(option["type"], str)
        for option in options
    ):
        types = [option["type"] for option in options]
        return {"type": types, **{key: value for key, value in node.items() if key != "anyOf"}}
    return node
