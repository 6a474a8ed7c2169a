"""Texts that can be sent and recorded. Standard library only."""

from __future__ import annotations

import re

#: Names under which a suite shows a recording; each trial has one of its own.
DRAWN = re.compile(r"EEG_[0-9A-F]{8}")


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


def general(text: str) -> str:
    """Return a text without the names that each trial draws anew."""
    return DRAWN.sub("EEG_*", text)
