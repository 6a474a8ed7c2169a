"""Errors that are written for the person who has to mend them.

Every error says what is wrong, where it is, and what to do next, in at most three lines.
The command line prints exactly these lines; a traceback is shown only with ``--debug``.
"""

from __future__ import annotations

from collections.abc import Sequence


class BrainoError(Exception):
    """Base of all errors that a person, not a developer, has to deal with.

    Parameters
    ----------
    problem : str
        What is wrong, in one sentence.
    where : str
        File and JSON path, command-line option or trial that it concerns.
    hint : str
        What was allowed, and what to do next.
    """

    exit_code = 2

    def __init__(self, problem: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        """Return the problem, its place and the next step, one line each."""
        return "\n".join(line for line in (self.problem, self.where, self.hint) if line)


class EntryError(BrainoError):
    """A registry entry that cannot be used."""


class UsageError(BrainoError):
    """A command or a call that asks for something that does not exist."""


class ReportError(BrainoError):
    """A report, journal or run folder that cannot be trusted or read."""


class HostError(BrainoError):
    """The machine cannot do what is asked: disk, cache, permissions, missing program."""

    exit_code = 3


def close_matches(name: str, known: Sequence[str]) -> str:
    """Return a hint that lists what was allowed, the likely intent first.

    Parameters
    ----------
    name : str
        What was given.
    known : sequence of str
        What is allowed.
    """
    meant = likely(name, known)
    listed = ", ".join(known) if known else "nothing"
    return ("" if meant is None else f"Did you mean {meant!r}? ") + f"Allowed: {listed}."


def nearest(name: str, known: Sequence[str], most: int = 12) -> str:
    """Return a hint that lists what was allowed: of many names those near to the given one.

    Where none is near, the first ones are listed. Versions make no name nearer.

    Parameters
    ----------
    name : str
        What was given.
    known : sequence of str
        What is allowed.
    most : int
        How many names are listed at most.
    """
    from difflib import get_close_matches

    if len(known) <= most:
        return close_matches(name, known)
    given = name.casefold().partition("@")[0]
    bare = {each.casefold().partition("@")[0]: each for each in known}
    close = get_close_matches(given, list(bare), n=most, cutoff=0.5)
    near = [*close, *(each for each in bare if given and given in each)]
    meant = likely(name, known)
    first_of_all = [] if meant is None else [meant]
    shown = list(dict.fromkeys([*first_of_all, *(bare[each] for each in near)]))[:most]
    shown = shown or list(known[:most])
    first = "" if meant is None else f"Did you mean {meant!r}? "
    return f"{first}Allowed: {', '.join(shown)}, and {len(known) - len(shown)} more."


def likely(given: object, known: Sequence[str]) -> str | None:
    """Return the known name that was probably meant, or None.

    Case is overlooked, and a version makes no two names alike.
    """
    from difflib import get_close_matches

    if not isinstance(given, str):
        return None
    folded = {name.casefold(): name for name in reversed(known)}
    bare = {name.partition("@")[0] for name in folded}
    near = get_close_matches(given.casefold().partition("@")[0], sorted(bare), n=1, cutoff=0.6)
    if not near:
        return None
    same = [name for name in folded if name.partition("@")[0] == near[0]]
    return folded[get_close_matches(given.casefold(), same, n=1, cutoff=0.0)[0]]
