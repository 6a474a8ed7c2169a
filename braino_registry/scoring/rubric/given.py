"""Labels that a report gives for a field although it should give none.

Strict where reading a value is not: one of several, a guess, or a label in a single clause is given
as well. A clause that says that something cannot be told may name what it cannot tell.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from braino_registry.scoring.answers import cues, read, vocabulary_of
from braino_registry.scoring.answers.labels import DOUBT, Labels
from braino_registry.scoring.answers.prose import Vocabulary
from braino_registry.scoring.model import Answer, Evidence
from braino_registry.scoring.rubric.statements import Report

_UNTOLD = re.compile(
    r"\b(?:cannot|can't|could not|couldn't|unable|impossible|not possible|no way|unknown|unclear"
    r"|undetermined|not (?:known|determined|available|said|told)|whether|which of"
    r"|do(?:es)? not know|don't know|no (?:idea|telling|saying))\b",
    re.IGNORECASE,
)
# "the strongest band is delta", "strongest: delta"
_STATES = re.compile(
    r"\b(?:is|are|was|were|be|dominates?|prevails?|seems?|appears?|remains?|exceeds?|shows?|has|had"
    r"|counts?|becomes?)\b|[:=→]",
    re.IGNORECASE,
)
_GUESS = re.compile(
    r"\b(?:probably|likely|presumably|perhaps|maybe|possibly|might|may|could|would|should|guess\w*"
    r"|suspect|estimate|assume)\b",
    re.IGNORECASE,
)
_PART = re.compile(r",\s|\s[–—-]\s|\s(?:and|so|then)\s", re.IGNORECASE)


def given_label(name: str, field: Mapping[str, Any], report: Report, evidence: Evidence) -> str:
    """Return the label that a report gives for a field, or an empty text.

    Parameters
    ----------
    name : str
        Name of the field.
    field : mapping
        The field, of a type with names: a label, a set, an order.
    report : Report
        The report; words in its JSON are words.
    evidence : Evidence
        The session that it comes from.
    """
    alone = replace(evidence, answer=Answer(report.text), parsed=None)
    value = read(field, name, alone).value
    if value is not None:
        return str(value)
    if field.get("type") != "label":
        return ""
    return " and ".join(stated_labels(name, field, report, evidence))


def stated_labels(
    name: str, field: Mapping[str, Any], report: Report, evidence: Evidence
) -> list[str]:
    """Return every label that a clause of a report states for a field, each once.

    Parameters
    ----------
    name, field, report, evidence
        As for `given_label`. A clause that lists all the labels there are repeats the request.
    """
    vocabulary = vocabulary_of(name, field, evidence)
    words = cues.pattern(cues.own_phrases(name, field, {name: field}))
    found: list[str] = []
    for clause in report.clauses:
        if words is None or clause.question or not words.search(clause.text):
            continue
        untold = _UNTOLD.search(clause.text) is not None
        for part in _PART.split(clause.text) if untold else [clause.text]:
            if not untold or (_STATES.search(part) and not _UNTOLD.search(part)):
                found += _in_part(name, field, part, vocabulary)
    return list(dict.fromkeys(found))


def _in_part(name: str, field: Mapping[str, Any], part: str, vocabulary: Vocabulary) -> list[str]:
    firm = Labels(name, field, part, vocabulary, {name: field}).firm()
    labels = [label for label in firm if label != DOUBT]
    if len(labels) == len(vocabulary.names) > 1:
        return []
    if not labels and _GUESS.search(part):
        # a guess at one label is a value; two that are held possible are none
        guessed = list(dict.fromkeys(mention.name for mention in vocabulary.find(part)))
        return guessed if len(guessed) == 1 and not _UNTOLD.search(part) else []
    return [] if len(labels) > 1 and DOUBT in firm else labels
