"""What a person types: a word for what to do, and what it needs, as JSON or ``name=value``."""

from __future__ import annotations

import json
import shlex
from typing import Any


class Mistyped(Exception):
    """What was typed cannot be read; the text says what to type instead."""


def read_arguments(text: str) -> dict[str, Any]:
    """Return arguments that were typed as one JSON object, or as ``name=value`` words.

    A value is read as JSON where it is JSON (``1.5``, ``true``, ``["Pz","Cz"]``); a list of bare
    words may be written ``Pz,Cz``, and anything else is text.

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
    for word in _words(text):
        name, sign, value = word.partition("=")
        if not sign or not name:
            raise Mistyped(
                f"{word!r} is not of the form name=value (put a text with spaces into '')"
            )
        args[name] = _value(value)
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
