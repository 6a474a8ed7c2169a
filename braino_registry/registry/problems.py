"""What is wrong in an entry: place, problem, what was allowed, what was probably meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from braino_registry.errors import EntryError
from braino_registry.registry.jsonpath import Steps, path_text

#: How many allowed values a message lists; the likely one is named in any case.
LISTED = 12


@dataclass(frozen=True)
class Problem:
    """One thing wrong in a JSON document.

    Parameters
    ----------
    path : str
        JSON path of the value, for example ``$.checks[0].kind``.
    message : str
        What is wrong there.
    allowed : tuple of str
        What would be right, where that can be listed.
    likely : str | None
        The allowed value that was probably meant.
    """

    path: str
    message: str
    allowed: tuple[str, ...] = ()
    likely: str | None = None

    @property
    def hint(self) -> str:
        """What to do next, in one line."""
        parts = [f"Did you mean {self.likely!r}?"] if self.likely is not None else []
        if self.allowed:
            shown = ", ".join(self.allowed[:LISTED])
            more = len(self.allowed) - LISTED
            parts.append(f"Allowed: {shown}{f' and {more} more' if more > 0 else ''}.")
        return " ".join(parts)

    def error(self, file: Path, hint: str = "") -> EntryError:
        """Return the problem as the error of a file."""
        text = " ".join(part for part in (self.hint, hint) if part)
        return EntryError(self.message, where=f"{file}: {self.path}", hint=text)


def choice(steps: Steps, message: str, given: object, known: Iterable[str]) -> Problem:
    """Return the problem of a name that is none of the known ones.

    Parameters
    ----------
    steps : tuple
        Where the name stands.
    message : str
        What is wrong, in words.
    given : object
        What stands there.
    known : iterable of str
        What may stand there.
    """
    names = tuple(known)
    return Problem(path_text(steps), message, names, likely(given, names))


def likely(given: object, known: Sequence[str]) -> str | None:
    """Return the known name that was probably meant, or None."""
    if not isinstance(given, str):
        return None
    folded = {name.casefold(): name for name in reversed(known)}
    near = get_close_matches(given.casefold(), list(folded), n=1, cutoff=0.6)
    return folded[near[0]] if near else None
