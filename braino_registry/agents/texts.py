"""Texts that can be sent and recorded. Standard library only."""

from __future__ import annotations


def sound(text: str) -> str:
    """Return a text that UTF-8 can carry: halves of a letter are joined, lone ones replaced.

    JSON escapes and names of files can hold such halves (surrogates).
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def is_sound(text: str) -> bool:
    """Tell whether UTF-8 can carry a text."""
    return sound(text) == text
