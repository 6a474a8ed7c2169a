"""Which label, and which order of labels, an answer states."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from braino_registry.scoring.answers import cues
from braino_registry.scoring.answers.prose import Mention, Segment, Sentence, Vocabulary, sentences

#: Stands beside a label that a text holds possible.
DOUBT = "not sure"
_BARE = re.compile(
    r"(?:\W*\b(?:it|it's|is|was|be|the|a|an|this|that|answer|option|choice|correct|right|best|channel"
    r"|electrode|band|stage|region|class|label|result|conclusion|final|so|thus|therefore|hence|must|i"
    r"|would|say|think|believe|choose|pick|select|go|with|for|as|my|clearly|definitely|most|likely"
    r"|probably|rhythm|condition|side|group|segment|window|one|larger|to|and|but)\b)*\W*",
    re.IGNORECASE,
)
_UNREAL = re.compile(
    r"\b(?:initially|at first|originally|first glance|first pass|(?:I|we) (?:first|had)"
    r"|took \w+ to be"
    r"|suspected|(?:was|were|is|are) claimed|(?:had|would|should|might|could) have|hypothesi[sz]\w*"
    r"|(?:if|unless|suppose)|(?:would|should) be)\b",
    re.IGNORECASE,
)
_DOUBTFUL = re.compile(
    r"\b(?:possibly|maybe|perhaps|might|(?:could|may)(?:\s+\w+)?\s+be|unclear|uncertain|unsure"
    r"|not sure|not certain|hard to say|either"
    r"|(?:can(?:no|')t|could(?: not|n't)) (?:be )?(?:tell|told|sa(?:y|id)|decided?|determined?|know"
    r"|known|judged?|established?)"
    r"|guess(?:ing)?|ambiguous|inconclusive)\b",
    re.IGNORECASE,
)
_CLAIM = re.compile(
    r"\b(?:claims?|premise|assertion|statement|suggestion|assumption|idea|notion|expectation)\b"
    r"|\b(?:you|he|she|they|the user|someone)\s+(?:had\s+|have\s+)?"
    r"(?:said|say|claim\w*|suggest\w*|state\w*"
    r"|wrote|assum\w*|expect\w*|thought|think|believe\w*|told)\b",
    re.IGNORECASE,
)
_HOLDS = re.compile(
    r"\b(?:correct|right|true|supported|confirmed|holds?|accurate|justified|agrees?)\b",
    re.IGNORECASE,
)
_FAILS = re.compile(r"\b(?:not|no|never|cannot|hardly)\b|n't\b", re.IGNORECASE)
_DENIED = re.compile(
    r"(?:\bnot|n't|\bnor|\bneither|\bno|\bhardly|\bfar from|\banything but|\bnowhere near)"
    r"\s+(?:\w+\s+){0,2}$",
    re.IGNORECASE,
)
_OR = re.compile(r"\W*(?:or|possibly|perhaps|maybe|alternatively)\b", re.IGNORECASE)
# What parts two labels of which the text leaves open which it is.
_OFFERED = re.compile(r"[\s\"'*`]*(?:/|,?\s*\bor\b)[\s\"'*`]*(?:an?\s+|the\s+)?", re.IGNORECASE)


class Labels:
    """Reads which label a text states for a field.

    Parameters
    ----------
    name : str
        Name of the field.
    spec : mapping
        The field.
    text : str
        Cleaned text.
    vocabulary : Vocabulary
        Its labels.
    siblings : mapping
        The fields with labels in common, this one included.
    """

    def __init__(
        self,
        name: str,
        spec: Mapping[str, Any],
        text: str,
        vocabulary: Vocabulary,
        siblings: Mapping[str, Mapping[str, Any]],
    ) -> None:
        # a question states nothing
        self._parts = [
            part
            for part in sentences(text, vocabulary)
            if text[part.start + len(part.text) : part.start + len(part.text) + 1] != "?"
        ]
        self._words = cues.pattern(cues.own_phrases(name, spec, siblings))
        self._alone = len(siblings) == 1

    def firm(self) -> list[str]:
        """Return the labels that stand in one statement with words that name the field."""
        return _distinct(_stated(self._parts, self._words)[0]) if self._words is not None else []

    def read(self) -> tuple[str | None, str]:
        """Return the label, or None and why."""
        stated: list[str] = []
        if self._words is not None:
            beside, around = _stated(self._parts, self._words)
            stated = beside or around
        if not stated and self._alone:
            stated = _bare(self._parts)
        distinct = _distinct(stated)
        if len(distinct) == 1:
            return distinct[0], ""
        if not distinct:
            return None, "the text does not say"
        return None, f"the text says {' and '.join(distinct)}"


def _distinct(stated: list[str]) -> list[str]:
    return list(dict.fromkeys(stated))


def _bare(parts: list[Sentence]) -> list[str]:
    """Return the labels of statements that say nothing besides: "It is theta", "B) gamma".

    Without a word that names the field, "I marked F7 as bad" speaks of something else.
    """
    found = []
    for sentence in parts:
        for segment in sentence.segments:
            if not segment.mentions:
                continue
            alone = _BARE.fullmatch(_around(segment)) is not None
            earnest = not (_UNREAL.search(segment.text) or _DOUBTFUL.search(segment.text))
            told = [
                mention
                for mention in segment.mentions
                if (alone or (earnest and _tells_itself(segment, mention)))
                and not _denied(segment.text, segment.start, mention)
                and not _others_claim(segment.text, mention.start - segment.start)
            ]
            found += [mention.name for mention in _with_alternatives(segment, told)]
    if not found and parts:
        first = parts[0]
        lead = next((m for segment in first.segments for m in segment.mentions), None)
        option = (
            lead is not None and len(lead.name) == 1 and not first.text[: lead.start].strip(" (")
        )
        if lead is not None and option and first.text[lead.stop : lead.stop + 1] in (")", ":", "."):
            found = [lead.name]
    return found


def _with_alternatives(segment: Segment, told: list[Mention]) -> list[Mention]:
    """Return mentions and those that the same statement offers besides: "clean or contaminated"."""
    kept = list(told)
    for one, two in pairwise(segment.mentions):
        between = segment.text[one.stop - segment.start : two.start - segment.start]
        if _OFFERED.fullmatch(between) and (one in kept) != (two in kept):
            kept.append(two if one in kept else one)
    return kept


def _tells_itself(segment: Segment, mention: Mention) -> bool:
    """Tell whether a spelling has several words ("less attentive")."""
    start = mention.start - segment.start
    spelled = segment.text[start : start + mention.stop - mention.start]
    return len(re.findall(r"[A-Za-z]{2,}", spelled)) > 1


def _around(segment: Segment) -> str:
    """Return a statement without the labels that it mentions."""
    pieces, position = [], 0
    for mention in segment.mentions:
        pieces.append(segment.text[position : mention.start - segment.start])
        position = mention.stop - segment.start
    return " ".join([*pieces, segment.text[position:]])


def _stated(parts: list[Sentence], words: re.Pattern[str]) -> tuple[list[str], list[str]]:
    """Return the labels of statements that name the field, and of sentences that do.

    Labels that are denied, supposed or taken back do not count. One that is only possible comes
    with `DOUBT`, so that it does not stand alone.
    """
    by_segment: list[str] = []
    by_sentence: list[str] = []
    for sentence in parts:
        text = sentence.text.replace("_", " ")
        if not (words.search(text) or words.search(sentence.header)):
            continue
        about = doubtful = False
        for segment in sentence.segments:
            # "cannot tell if it is delta, or alpha": doubt reaches what is offered besides
            offered = doubtful and _OR.match(segment.text) is not None
            doubtful = offered or _DOUBTFUL.search(segment.text) is not None
            kept = [
                m.name
                for m in segment.mentions
                if not _denied(segment.text, segment.start, m)
                and not _others_claim(segment.text, m.start - segment.start)
            ]
            if kept and _UNREAL.search(segment.text):
                continue
            if kept and doubtful:
                kept.append(DOUBT)
            by_sentence += kept
            # "alpha, or possibly theta" offers two
            if words.search(segment.text.replace("_", " ")):
                by_segment += kept
                about = bool(kept)
            elif about and _OR.match(segment.text):
                by_segment += kept
            else:
                about = about and not kept
    return by_segment, by_sentence


def _others_claim(text: str, at: int) -> bool:
    """Tell whether a label stands in what others claim, which is not said to hold.

    Parameters
    ----------
    text : str
        The statement.
    at : int
        Where the label stands in it. "The claim of N3 is wrong: it is N2" states N2.
    """
    claim = _CLAIM.search(text)
    if claim is None or claim.start() > at or re.search(r"[:;]", text[claim.end() : at]):
        return False
    rest = text[at : at + 200]
    return _HOLDS.search(rest) is None or _FAILS.search(rest) is not None


def _denied(text: str, start: int, mention: Any) -> bool:
    at = max(0, mention.start - start)
    before, after = (
        text[max(0, at - 80) : at],
        text[mention.stop - start : mention.stop - start + 40],
    )
    return (
        cues.aside(before)
        or _DENIED.search(before) is not None
        or re.match(r"\s*(?:is|was|does|did|can)\s*(?:not\b|n't)", after, re.I) is not None
    )


def read_sequence(
    name: str, spec: Mapping[str, Any], text: str, vocabulary: Vocabulary
) -> tuple[tuple[str, ...] | None, str]:
    """Return the order in which a text lists known names, or None and why.

    Parameters
    ----------
    name : str
        Name of the field.
    spec : mapping
        The field.
    text : str
        Cleaned text; "A → B → C", "A, then B", or one per line.
    vocabulary : Vocabulary
        The names.
    """
    words = cues.pattern(cues.field_phrases(name, spec))
    runs: list[tuple[bool, list[str]]] = []
    lines: list[str] = []
    for sentence in sentences(text, vocabulary):
        found = [m.name for s in sentence.segments for m in s.mentions]
        about = words is not None and words.search(sentence.text.replace("_", " ")) is not None
        if len(found) >= 2:
            runs.append((about, found))
        elif found:
            lines += found
    if len(lines) >= 2:
        runs.append((False, lines))
    named = [found for about, found in runs if about]
    chosen = named or [found for _, found in runs]
    distinct = list(dict.fromkeys(tuple(_squeezed(found)) for found in chosen))
    if len(distinct) == 1:
        return distinct[0], ""
    return None, "the text gives more than one order" if distinct else "the text gives no order"


def _squeezed(found: list[str]) -> list[str]:
    return [n for i, n in enumerate(found) if i == 0 or n != found[i - 1]]
