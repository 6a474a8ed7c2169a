"""What a caller of an analysis can mend: a window, a channel, a frequency."""

from __future__ import annotations

from collections.abc import Sequence

from braino_registry.errors import UsageError, close_matches


class SignalError(UsageError):
    """An analysis that the given signal or parameters do not allow."""


def suggestion(name: str, known: Sequence[str]) -> str:
    """Return a hint that lists what is allowed, the likely intent first; case is overlooked.

    Parameters
    ----------
    name : str
        What was given.
    known : sequence of str
        What is allowed.
    """
    same = [other for other in known if other.casefold() == name.casefold()]
    hint = close_matches(name, list(known))
    return hint if not same or "mean" in hint else f"Did you mean {same[0]!r}? {hint}"
