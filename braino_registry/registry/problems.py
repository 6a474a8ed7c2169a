"""What is wrong in an entry: place, problem, what was allowed, what was probably meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from braino_registry.errors import EntryError, likely, nearest
from braino_registry.registry.jsonpath import Steps, path_text

#: How many allowed values a message lists; the likely one is named in any case.
LISTED = 12
#: How many problems of one entry are told at a time.
TOLD = 5


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
        if self.likely in self.allowed:
            return nearest(self.likely, self.allowed, LISTED)
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


def useful_first(problems: Iterable[Problem]) -> list[Problem]:
    """Return problems in the order in which they help: those whose mending is known come first.

    A misspelt property makes two problems, an unknown name and a missing one; only the first
    says what to do.
    """
    return sorted(problems, key=lambda each: (each.likely is None, each.path, each.message))


def together(errors: Sequence[EntryError], file: Path) -> EntryError:
    """Return the errors of one file as one: itself, or a list of the first few of them."""
    if len(errors) == 1:
        return errors[0]
    lines = [
        f"{each.where.partition(': ')[2] or '$'}: {each.problem}. {each.hint}".strip()
        for each in errors[:TOLD]
    ]
    if len(errors) > TOLD:
        lines.append(f"and {len(errors) - TOLD} more")
    return EntryError(f"{len(errors)} problems", where=str(file), hint="\n".join(lines))


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
