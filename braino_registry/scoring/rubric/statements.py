"""Statements of a rubric: which words make one, and whether a report affirms or denies it.

A statement is written as groups of phrases joined by ``+``, all of which have to stand in one
clause; ``|`` separates phrases of a group that are worth the same. Words may have other endings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from braino_registry.scoring.answers import answer_text, cues
from braino_registry.scoring.answers.prose import MAX_TEXT
from braino_registry.scoring.model import Evidence
from braino_registry.scoring.rubric.clauses import Clause, Polarity, clauses

_ANT = re.compile(r"\b([a-z]{4,})(?:ant|ance|ent|ence)\b")
_MOST_JSON = 2000  # values of a JSON block that are read as lines


@dataclass(frozen=True)
class Report:
    """What an agent reported, as the rubric sees it.

    Parameters
    ----------
    text : str
        Cleaned words of the answer, those in a JSON object included.
    clauses : tuple of Clause
        The same, cut.
    """

    text: str
    clauses: tuple[Clause, ...]

    @classmethod
    def of(cls, evidence: Evidence) -> Report:
        """Return the report in an answer; an empty one without an answer."""
        text, block = answer_text(evidence)
        return cls.saying([text, *_lines(block or {})])

    @classmethod
    def with_data(cls, evidence: Evidence) -> Report:
        """Return the report and what the answer's data say in words."""
        text, block = answer_text(evidence)
        data = evidence.answer.data if evidence.answer is not None else None
        return cls.saying([text, *_lines(block or {}), *_lines(data or {})])

    @classmethod
    def saying(cls, lines: Iterable[str]) -> Report:
        """Return the report that some lines of cleaned text make."""
        text = "\n".join(lines)[:MAX_TEXT]
        return cls(text, tuple(clauses(text)))


def _lines(block: Mapping[str, Any]) -> Iterable[str]:
    """Yield what a JSON object says in words, one value a line."""
    todo: list[tuple[str, Any]] = [(str(key), value) for key, value in block.items()]
    for _ in range(_MOST_JSON):
        if not todo:
            return
        key, value = todo.pop(0)
        if isinstance(value, Mapping):
            todo = [(str(inner), item) for inner, item in value.items()] + todo
        elif isinstance(value, list):
            todo = [(key, item) for item in value] + todo
        elif isinstance(value, bool):
            yield f"{key.replace('_', ' ')}: {'yes' if value else 'no'}"
        elif isinstance(value, str):
            yield f"{key.replace('_', ' ')}: {value}"


def pattern(phrases: Iterable[str]) -> re.Pattern[str] | None:
    """Return a pattern of phrases in which "dominant" is also "dominance"; None without one."""
    return cues.pattern(_ANT.sub(r"\1", phrase.strip().lower()) for phrase in phrases)


@lru_cache(maxsize=512)
def groups(statement: str) -> tuple[re.Pattern[str], ...]:
    """Return a pattern for each group of a statement; see the module.

    Raises
    ------
    ValueError
        If a group is empty.
    """
    found = []
    for part in statement.split("+"):
        words = pattern(phrase for phrase in part.split("|") if phrase.strip())
        if words is None:
            raise ValueError(f"the statement {statement!r} has an empty group")
        found.append(words)
    return tuple(found)


def said(clause: Clause, statement: str) -> Polarity | None:
    """Return what a clause says of a statement; None if it does not speak of it."""
    spans = []
    for words in groups(statement):
        match = words.search(clause.text)
        if match is None:
            return None
        spans.append(match.span())
    return clause.polarity(spans)


def affirmed(report: Report, statements: Iterable[str]) -> tuple[bool, bool]:
    """Return whether a report affirms one of some statements, and whether it denies one."""
    found = {said(clause, each) for each in statements for clause in report.clauses}
    return "yes" in found, "no" in found
