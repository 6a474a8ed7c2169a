"""Which way a report says that a quantity went: up, down, or not at all."""

from __future__ import annotations

import re
from collections.abc import Iterable

from braino_registry.scoring.rubric.clauses import Clause
from braino_registry.scoring.rubric.statements import Report, pattern

_UP = (
    r"increas\w*|ris(?:e|es|ing|en)|rose|grow\w*|grew|elevat\w*|gain\w*|climb\w*|upwards?"
    r"|(?:went|goes|going|moved?s?) up|strengthen\w*|enhanc\w*"
)
_DOWN = (
    r"decreas\w*|fall(?:s|ing|en)?|fell|drop(?:s|ped|ping)?|declin\w*|reduc\w*|diminish\w*"
    r"|downwards?|(?:went|goes|going|moved?s?) down|shr[ai]nk\w*|weaken\w*|attenuat\w*|loss"
)
_MORE = r"higher|larger|greater|stronger|bigger|more"
_LESS = r"lower|smaller|weaker|less|fewer"
_SAME = re.compile(
    r"\b(?:unchanged|stable|constant|steady|the same|no (?:\w+ )?(?:change|difference|trend)"
    r"|(?:did|does|do) not (?:\w+ )?(?:change|differ)|(?:did|does)n't (?:change|differ)"
    r"|not (?:\w+ )?(?:change|different)|similar|equal)\b",
    re.IGNORECASE,
)
_MOVE = re.compile(rf"\b(?:(?P<up>{_UP})|(?P<down>{_DOWN}))\b", re.IGNORECASE)
_COMPARED = re.compile(rf"\b(?:(?P<up>{_MORE})|(?P<down>{_LESS}))\b", re.IGNORECASE)
_SMALLER = re.compile(r",|\band\b", re.IGNORECASE)
_OTHER = {"up": "down", "down": "up"}


def directions(
    report: Report, of: Iterable[str], first: Iterable[str], second: Iterable[str]
) -> set[str]:
    """Return the directions in which a report says that a quantity went.

    Parameters
    ----------
    report : Report
        The report.
    of : iterable of str
        Phrases that name the quantity.
    first, second : iterable of str
        Phrases that name where it comes from and where it goes to. A comparison speaks of what it
        names first: "the first window is higher" is a way down to the second.

    Returns
    -------
    set of str
        ``up``, ``down``, ``same``; several for a report that contradicts itself, and none for one
        that does not say.
    """
    quantity = pattern(of)
    ends = (pattern(first), pattern(second))
    if quantity is None:
        return set()
    spoken = [clause for clause in report.clauses if quantity.search(clause.text)]
    close: set[str] = set()
    for clause in spoken:
        for part in _SMALLER.split(clause.text):
            if quantity.search(part):
                close |= _in(Clause(part, clause.sentence, clause.question), ends)
    if close:
        return close
    return {way for clause in spoken for way in _in(clause, ends)}


def _in(clause: Clause, ends: tuple[re.Pattern[str] | None, re.Pattern[str] | None]) -> set[str]:
    same = _SAME.search(clause.text)
    if same is not None:
        # "no change" is what it says, whatever looks like a denial in it
        return set() if clause.question else {"same"}
    found = set()
    for words in (_MOVE, _COMPARED):
        for match in words.finditer(clause.text):
            way = "up" if match.group("up") else "down"
            if words is _COMPARED and _speaks_of_first(clause.text, ends):
                way = _OTHER[way]
            if clause.polarity([match.span()]) == "yes":
                found.add(way)
    return found


def _speaks_of_first(
    text: str, ends: tuple[re.Pattern[str] | None, re.Pattern[str] | None]
) -> bool:
    """Tell whether a comparison names where a quantity comes from before where it goes to."""
    places = [None if words is None else words.search(text) for words in ends]
    first, second = places
    if first is None:
        return False
    return second is None or first.start() < second.start()
