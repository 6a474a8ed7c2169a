"""A report cut into clauses, and what a clause says of words in it: yes, no, or nothing.

A clause is a stretch between full stops, line ends, semicolons and contrasting conjunctions; a
colon ends one that says what cannot be.
Commas do not end one: "over the occipital sites, alpha is strongest" is a single statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from braino_registry.scoring.answers.prose import Vocabulary, sentences

Polarity = Literal["yes", "no", "unreal"]
Span = tuple[int, int]

_NO_NAMES = Vocabulary(())
_SPLIT = re.compile(
    r";|\s[–—-]\s|,?\s*\b(?:(?<!anything )(?<!nothing )but|while|whereas|although|though|however"
    r"|yet|because|since|so that|nevertheless|nonetheless)\b",
    re.IGNORECASE,
)
# "I cannot tell: the recording is short" denies what stands before the colon, not behind it.
_EXPLAINED = re.compile(r"(?<!\d):\s+(?=\S+\s+\S)")
_DENIAL = re.compile(
    r"\b(?:cannot|can't|could not|couldn't|not possible|not able|unable|impossible)\b",
    re.IGNORECASE,
)
# What looks like a denial and is none.
_HARMLESS = re.compile(
    r"\bnot (?:only|just|merely|surprisingly)\b|\b(?:no|without|beyond) (?:a )?doubt\b|\bno less\b"
    r"|\bnothing but\b|\bno other\b|\bunlike\b|\bno longer\b(?= than)",
    re.IGNORECASE,
)
_WORDS = r"(?:[\s(]+[\w'/%.-]+){0,5}?[\s(]*$"
_DENIED_BEFORE = re.compile(
    r"(?:\bnot|n't|\bnever|\bno|\bneither|\bnor|\bwithout|\bcannot|\bhardly|\bnone of"
    r"|\bfail(?:s|ed)? to|\black(?:s|ed|ing)?|\babsence|\brather than|\binstead of|\bunlikely"
    r"|\bfar from(?! the\b)|\banything but|\bnowhere near"
    r"|\brul(?:es?|ed|ing) out|\brefut\w+|\breject\w*|\bcontradict\w*|\bden(?:y|ies|ied)"
    r"|\bdisprov\w+|\bdoubt\w*|\bargues? against|\bspeaks? against|\bopposite of"
    rf"|\b(?:wrong|false|incorrect|untrue|mistaken)(?=\s+(?:that|to)\b)){_WORDS}",
    re.IGNORECASE,
)
_NEGATOR = re.compile(_DENIED_BEFORE.pattern[: -len(_WORDS)], re.IGNORECASE)
_BE = (
    r"(?:is|are|was|were|does|do|did|can|could|has|have|had|seems?|appears?|remains?)"
    r"(?:\s+(?:\w+ly|therefore|thus|also|clearly|in fact))?"
)
_GAP = r"(?:\s+(?!and\b|or\b|which\b|that\b|than\b)[\w'-]+){0,4}?"
_DENIED_AFTER = re.compile(
    rf"{_GAP}\s+{_BE}(?:\s+not\b(?!\s+only)|n't\b|\s+(?:an?\s+)?(?:absent|wrong|false|incorrect"
    r"|untrue|unsupported|refuted|rejected|contradicted|disproved|missing|lacking|ruled out"
    r"|unfounded|mistaken|unlikely|nowhere|myth)\b)"
    rf"|{_GAP}\s+(?:fails|failed)\b"
    r"|\s*\W?\s*[:=|(]+\s*(?:no|not|false|absent|none|incorrect|wrong)\b",
    re.IGNORECASE,
)
_AFFIRMED_AFTER = re.compile(
    rf"{_GAP}\s+{_BE}\s+(?:true|correct|right|confirmed|supported|verified|accurate|valid)\b"
    rf"|{_GAP}\s+holds\b",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"\b(?:if|whether|suppos\w+|unless|assuming|expect(?:ed|s)?|would|should|could|might|may"
    r"|possibly|perhaps|hypothes\w+|typical(?:ly)?|usual(?:ly)?|normally|in general|textbooks?"
    r"|literature|generally|in principle|to be tested|remains to be)\b",
    re.IGNORECASE,
)
_SUPPOSED_AFTER = re.compile(rf"{_GAP}\s+(?:may|might|could|would|should)\b(?!\s+not)", re.I)
_HEARSAY = re.compile(
    r"\b(?:you|users?|request|prompt|question|note|label|operator|colleagues?|they|instructions?)"
    r"\s+(?:\w+\s+)?(?:sa(?:y|id|ys)|claim(?:s|ed)?|state[sd]?|assert(?:s|ed)?|suggest(?:s|ed)?"
    r"|assume[sd]?|ask(?:s|ed)?|believed?s?|think|thought|reported|mention(?:s|ed)?|told)\b"
    r"|\b(?:claim|claimed|premise|statement|assertion|assumption|suggestion|supplied|stated|alleged"
    r"|supposed|proposed)\b",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"\W*(?:(?:task|goal|aim|objective|question|request|step|plan)\b|(?:to\s+)?(?:determine|assess"
    r"|compute|check|identify|evaluate|compare|test|estimate|decide|rank|verify|find out|report"
    r"|describe|explain|interpret|state)\b(?!\s+that))",
    re.IGNORECASE,
)
# What makes words a statement: a verb, or a place behind a colon, an arrow, a line of a table.
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|does|do|did|shows?|shown|reveals?|indicates?"
    r"|exceeds?|dominates?|prevails?|peaks?|concentrates?|lies|remains?|becomes?|became|appears?"
    r"|seems?|supports?|suggests?|implies|means|demonstrates?|reflects?|leads?|rises?|rose|falls?"
    r"|fell|drops?|grows?|grew|increases?|decreases?|declines?|holds?|masks?|hides?|differs?"
    r"|matches|changes|shifts?|moves?|moved|goes|went|stays?|carries|contains?|includes?|covers?"
    r"|spans?|ends?|lasts?|exists?|agrees?|contradicts?|confirms?|refutes?|can|cannot|will"
    r"|keeps?|kept|preserves?|retains?|leaves?|removes?|eliminates?|destroys?|suppresses|attenuates?"
    r"|discards?|passes|cuts?|loses?|lost|takes?|took|stops?|blocks?|survives?|needs?|requires?"
    r"|makes?|made|gives?|gave|finds?|found|sees?|saw|outweighs?|follows?|ranks?|comes?|came"
    r"|stands?|stood|runs?|obscures?|conceals?|hid|measures?|equals?|drives?|drove|uses?"
    r"|\w{2,}(?:ed|n't))\b",
    re.IGNORECASE,
)
_VALUE = re.compile(r"[:=|>→]")


class Clause:
    """A clause of a report.

    Parameters
    ----------
    text : str
        Its words; harmless phrases that look like denials are blanked.
    sentence : str
        The sentence that it is part of.
    question : bool
        Whether that sentence is a question.
    """

    __slots__ = ("question", "sentence", "text")

    def __init__(self, text: str, sentence: str, question: bool) -> None:
        self.text = _HARMLESS.sub(lambda match: " " * len(match.group()), text)
        self.sentence = sentence
        self.question = question

    def polarity(self, spans: Sequence[Span]) -> Polarity:
        """Return what the clause says of the words at some places in it.

        Parameters
        ----------
        spans : sequence of (int, int)
            Where the words stand that together make a statement; at least one.

        Returns
        -------
        polarity : str
            ``"unreal"`` where it asks, supposes, orders, names a topic or repeats what others say.
        """
        stop = max(end for _, end in spans)
        until, after = self.text[:stop], self.text[stop:]
        told = _HEARSAY.search(until) is not None
        if self.question or _ORDER.match(self.text):
            return "unreal"
        if _SUPPOSED.search(until) or _SUPPOSED_AFTER.match(after):
            return "unreal"
        denials = set(self._denials(spans))
        if _DENIED_AFTER.match(after):
            denials.add(stop)
        if told and not denials:
            return "yes" if _AFFIRMED_AFTER.match(after) else "unreal"
        if not denials and not self._states():
            return "unreal"
        return "no" if len(denials) % 2 else "yes"

    def _denials(self, spans: Iterable[Span]) -> Iterator[int]:
        """Yield the places of the denials that reach one of the words from before it."""
        for start, _ in spans:
            found = _DENIED_BEFORE.search(self.text[max(0, start - 90) : start])
            if found is not None:
                yield max(0, start - 90) + found.start()
                inner = self.text[max(0, start - 90) + found.start() + 1 : start]
                for more in _NEGATOR.finditer(inner):
                    yield max(0, start - 90) + found.start() + 1 + more.start()

    def _states(self) -> bool:
        """Tell whether the clause states something, and does not only name a topic."""
        return _VERB.search(self.text) is not None or _VALUE.search(self.text) is not None


def clauses(text: str) -> list[Clause]:
    """Return the clauses of a cleaned text, in order."""
    found = []
    for sentence in sentences(text, _NO_NAMES):
        end = sentence.start + len(sentence.text)
        question = text[end : end + 8].lstrip().startswith("?")
        body = sentence.text.replace("_", " ")
        for part in _SPLIT.split(body):
            found += [Clause(each, body, question) for each in _explained(part) if each.strip()]
    return found


def _explained(part: str) -> list[str]:
    """Return a clause, cut at the colon behind which it says why something cannot be."""
    colon = _EXPLAINED.search(part)
    if colon is None or not _DENIAL.search(part[: colon.start()]):
        return [part]
    return [part[: colon.start()], part[colon.end() :]]
