"""What can be wrong with a recording, a view or a result that somebody asks for."""

from __future__ import annotations

from collections.abc import Sequence

from braino_registry.errors import UsageError, nearest

#: How many names an error lists: all channels of a usual cap, not all views of a long session.
_LISTED = 64


class RecordingError(UsageError):
    """A recording, view, channel, event or result that does not exist or cannot be read."""


def unknown(what: str, name: str, known: Sequence[str], *, where: str = "") -> RecordingError:
    """Return the error for a name that does not exist, with the likely intent and what there is.

    Parameters
    ----------
    what : str
        What was looked for, for example ``"channel"``.
    name : str
        The name given.
    known : sequence of str
        The names there are.
    where : str
        Where it was looked for.
    """
    return RecordingError(
        f"there is no {what} {name!r}", where=where, hint=nearest(name, known, _LISTED)
    )
