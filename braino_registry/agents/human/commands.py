"""What a person types: a word for what to do, and what it needs, as JSON or ``name=value``."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import Any


class Mistyped(Exception):
    """What was typed cannot be read; the text says what to type instead."""


def read_arguments(text: str, schema: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return arguments that were typed as one JSON object, or as ``name=value`` words.

    A value is read as JSON where it is JSON (``1.5``, ``true``, ``["Pz","Cz"]``); a list of bare
    words may be written ``Pz,Cz``, and anything else is text. Where a list is wanted, one word is
    a list of one; where a text is wanted, a number is its text.

    Parameters
    ----------
    text : str
        What was typed.
    schema : mapping | None
        JSON Schema of what is wanted, if that is known.

    Raises
    ------
    Mistyped
        If it is neither.
    """
    text = text.strip()
    if text.startswith("{"):
        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise Mistyped(f"this is no JSON object: {error}") from None
        if not isinstance(found, dict):
            raise Mistyped("this is no JSON object")
        return found
    args: dict[str, Any] = {}
    known = (schema or {}).get("properties", {})
    for word in _words(text):
        name, sign, value = word.partition("=")
        if not sign or not name:
            raise Mistyped(
                f"{word!r} is not of the form name=value (put a text with spaces into '')"
            )
        args[name] = _read(value, known.get(name, {}))
    return args


def _words(text: str) -> list[str]:
    # Quotes group words; those of JSON lists have to survive, so only single ones group.
    lexer = shlex.shlex(text, posix=True, punctuation_chars=False)
    lexer.whitespace_split, lexer.quotes, lexer.escape, lexer.commenters = True, "'", "", ""
    try:
        return list(lexer)
    except ValueError:
        raise Mistyped("a quote ' is not closed") from None


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text.split(",") if "," in text and " " not in text else text


def _read(text: str, schema: Mapping[str, Any]) -> Any:
    """Return a value as the schema wants it, as far as that is plain."""
    shapes = [schema, *schema.get("anyOf", ())]
    kinds = {kind for shape in shapes for kind in _kinds(shape)}
    value = _value(text)
    if kinds and kinds <= {"string", "null"} and not isinstance(value, (str, type(None))):
        return text
    if isinstance(value, str) and "array" in kinds and "string" not in kinds:
        value = [value]
    if isinstance(value, list):
        items: Mapping[str, Any] = next((s["items"] for s in shapes if "items" in s), {})
        return [_read(each, items) if isinstance(each, str) else each for each in value]
    return value


def _kinds(shape: Mapping[str, Any]) -> list[str]:
    kinds = shape.get("type", [])
    return [kinds] if isinstance(kinds, str) else list(kinds)
