"""Errors that are written for the person who has to mend them.

Every error says what is wrong, where it is, and what to do next, in at most three lines.
The command line prints exactly these lines; a traceback is shown only with ``--debug``.
"""

from __future__ import annotations


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


def close_matches(name: str, known: list[str] | tuple[str, ...]) -> str:
    """Return a hint that lists what was allowed, the likely intent first.

    Parameters
    ----------
    name : str
        What was given.
    known : list of str
        What is allowed.
    """
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=1, cutoff=0.6)
    allowed = ", ".join(known) if known else "nothing"
    return (f"Did you mean {near[0]!r}? " if near else "") + f"Allowed: {allowed}."
