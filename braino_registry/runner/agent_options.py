"""Options for an agent's factory, as ``KEY=VALUE`` on the command line; never a secret."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from braino_registry.errors import UsageError

_KEY = re.compile(r"[a-z][a-z0-9_]{0,39}")
#: What a secret is called, as a word of its name (``api_key``, never ``max_tokens``).
_SECRET = re.compile(
    r"(?:^|[_-])(?:key|token|secret|password|passwd|credentials?|authorization)$", re.IGNORECASE
)
#: A value is held to be a secret's only from this length on.
_SHORTEST = 8
_OPTION = "--agent-option"


def parse(texts: Iterable[str], *, environ: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the options that ``KEY=VALUE`` texts give.

    Parameters
    ----------
    texts : iterable of str
        The value is read as JSON where it is JSON (``0.2``, ``true``, ``{"a": 1}``), as text
        otherwise.
    environ : mapping | None
        Where secrets stand; by default the environment of this process.

    Raises
    ------
    UsageError
        If a text is none of this kind, a key is given twice, or a value would be written into
        reports though it is a secret.
    """
    options: dict[str, Any] = {}
    for text in texts:
        key, sign, value = text.partition("=")
        if not sign or not _KEY.fullmatch(key):
            raise UsageError(
                f"{text[:60]!r} is no option of an agent",
                where=_OPTION,
                hint="Write KEY=VALUE, for example temperature=0.2; keys are lower-case names.",
            )
        if key in options:
            raise UsageError(f"the option {key!r} is given twice", where=_OPTION)
        options[key] = _value(value)
        names = (key, *_names_in(options[key]))
        _refuse_secret(names, value, os.environ if environ is None else environ)
    return options


def _refuse_secret(names: Sequence[str], value: str, environ: Mapping[str, str]) -> None:
    """Raise UsageError if the value must not stand in a report; it is not repeated.

    Parameters
    ----------
    names : sequence of str
        The option's, and those of all members of its value.
    value : str
        As it was given.
    environ : mapping
        Where secrets stand.
    """
    holders = [
        name
        for name, secret in environ.items()
        if _SECRET.search(name) and len(secret) >= _SHORTEST and secret in value
    ]
    called = [name for name in names if _SECRET.search(name)]
    if not (holders or called):
        return
    if holders:
        why = f"it holds the value of {holders[0]}"
    elif called[0] == names[0]:
        why = "it is called like a secret"
    else:
        why = f"in it {called[0][-60:]!r} is called like a secret"
    raise UsageError(
        f"the option {names[0]!r} cannot be given here, for reports would show it: {why}",
        where=_OPTION,
        hint="Put secrets into an environment variable, and name it with --pass-env NAME.",
    )


def _names_in(value: Any) -> Iterator[str]:
    """Yield the names of all members of a JSON value, however deep."""
    left = [value]
    while left:
        inner = left.pop()
        if isinstance(inner, dict):
            yield from inner
            left += inner.values()
        elif isinstance(inner, list):
            left += inner


def _value(text: str) -> Any:
    """Return JSON, or the text itself where it is none."""
    try:
        value = json.loads(text, parse_constant=_no_number)
        json.dumps(value, allow_nan=False).encode()
    except (ValueError, RecursionError):
        return text
    return value


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number")
