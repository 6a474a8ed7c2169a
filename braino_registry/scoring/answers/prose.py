"""An answer's text cut into sentences and segments, with the names that it mentions.

A segment is a stretch that makes one statement: "T8 is bad, T7 was left as is" has two. Names that
stand in one list ("T8, Fp1 and O2") stay in one segment.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from braino_registry.numbers.spelling import legible
from braino_registry.numbers.units import UNIT_AFTER

MAX_TEXT = 200_000
MAX_NAME = 80

_SENTENCE_END = re.compile(r"\n+|[.!?](?=[\s\"')\]*]|$)")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|vs|approx|fig|ca|etc|resp|no|ch|cf|sub|subj|al|incl)"
    r"|(?<!\d)(?<!\d\s)\b[a-z])$",  # "lasts 90 s." ends a sentence
    re.IGNORECASE,
)
_SPLIT = re.compile(
    r";|,(?!\d)\s*(?:and|or|but|while|whereas)?\b|\.(?=\s)"
    r"|\b(?:and|or|nor|but|while|whereas|although|though|however|yet|vs\.?|versus"
    r"|(?:after|because|since|once|when|as)(?=\s+(?:you|the user)\b))\b|\u2026|\||\s[–—-]\s",
    re.IGNORECASE,
)
_LIST_GAP = re.compile(
    r"[\s\"'\[\]]*(?:,|/|&|\+|-|–)?[\s\"']*(?:and|or|nor|plus|as well as|along with)?"
    r"\s*(?:also\s+)?(?:the\s+)?(?:(?:channels?|electrodes?|sensors?|subjects?|participants?|bands?|events?)\s+)?"
    r"[\"'\[\]]*",
    re.IGNORECASE,
)
_BULLET = re.compile(r"\s*(?:[-*•+–]|\d{1,2}[.)])\s+")
_COUNTS = re.compile(
    r"[.,]\d|\s*%|[\s-]+(?:(?:of|out of)\s+(?:the\s+)?)?(?:\w+\s+)?(?:participants?|subjects?"
    r"|people|persons?|patients?|controls?|recordings?|channels?|epochs?|trials?|events?|years?|days?"
    r"|values?|numbers?|runs?|sessions?|bands?|others?)\b",
    re.IGNORECASE,
)
_AMOUNT = re.compile(r"\d[.,]$|(?:\b[nN]\s*=|\bof|\ball|\babout|\bover|\baged?|[<>=±])\s*$")
_DASHES = "\\-‐‑‒–—−"
_DASH = re.compile(rf"(?<=\w)[ \t]?[{_DASHES}][ \t]?(?=\w)")
# Channel names that are also words count only as they are written in the data.
_WORDS = frozenset("a i as at in is it no of on or so to up we be do he me my us".split())


@dataclass(frozen=True, slots=True)
class Mention:
    """A known name in a text."""

    start: int
    stop: int
    name: str


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a sentence that makes one statement."""

    text: str
    start: int
    mentions: tuple[Mention, ...]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence or a line.

    Parameters
    ----------
    text : str
        The sentence.
    start : int
        Where it stands in the text.
    segments : tuple of Segment
        Its statements.
    header : str
        The line above that announces it ("Noisy channels:"), or an empty string.
    """

    text: str
    start: int
    segments: tuple[Segment, ...]
    header: str = ""


def _folded(spelled: str) -> str:
    """Return a name without case, with one blank for many and one hyphen for every dash."""
    return _DASH.sub("-", " ".join(spelled.split()).casefold())


class Vocabulary:
    """Known names and the ways of writing them.

    Parameters
    ----------
    names : iterable of str
        The names.
    aliases : mapping of str to list of str
        Further spellings by name.
    """

    def __init__(
        self, names: Iterable[str], aliases: Mapping[str, Iterable[str]] | None = None
    ) -> None:
        self.names = tuple(dict.fromkeys(name for name in names if 0 < len(name) <= MAX_NAME))
        self.spellings: dict[str, str] = {}
        for name in self.names:
            self.spellings.setdefault(_folded(name), name)
            self.spellings.setdefault(_folded(name.rstrip(".")), name)
        for name, others in (aliases or {}).items():
            canonical = self.spellings.get(_folded(name))
            for other in others if canonical else ():
                self.spellings.setdefault(_folded(other), canonical or name)
        self.spellings.pop("", None)
        body = "|".join(
            re.escape(s).replace(r"\-", rf"[ \t]?[{_DASHES}][ \t]?").replace(r"\ ", r"[ \t]+")
            for s in sorted(self.spellings, key=lambda s: (-len(s), s))
        )
        self._pattern = (
            re.compile(rf"(?<![A-Za-z0-9])(?:{body})(?![A-Za-z0-9])", re.IGNORECASE)
            if body
            else None
        )

    def canonical(self, spelled: str) -> str | None:
        """Return the name that is written as ``spelled``, or None."""
        return self.spellings.get(_folded(spelled))

    def find(self, text: str) -> list[Mention]:
        """Return the mentions in a text, in order, the longest spelling first."""
        found = []
        for match in self._pattern.finditer(text) if self._pattern else ():
            spelled = match.group()
            name = self.spellings.get(_folded(spelled))
            if name is None or (spelled.casefold() in _WORDS and spelled != name):
                continue
            if spelled.isdecimal() and _is_quantity(text, match):
                continue
            found.append(Mention(match.start(), match.end(), name))
        return found


def _is_quantity(text: str, match: re.Match[str]) -> bool:
    """Tell whether a label of digits ("14") is a number here: "14 participants", "1.14"."""
    if match.group().startswith("0"):
        return (
            text[match.end() : match.end() + 1] in (".", ",")
            and text[match.end() + 1 : match.end() + 2].isdigit()
        )
    if _COUNTS.match(text, match.end()) or UNIT_AFTER.match(text, match.end()):
        return True
    before = text[max(0, match.start() - 12) : match.start()]
    return _AMOUNT.search(before) is not None


def shortened(text: str) -> str:
    """Return a text, without its middle where it is longer than anybody reads.

    Parameters
    ----------
    text : str
        A report; its beginning and its end, where conclusions stand, are kept.
    """
    if len(text) <= MAX_TEXT:
        return text
    half = MAX_TEXT // 2
    return f"{text[:half]}\n\n{text[-half:]}"


def clean(text: str, silent: Iterable[str] = ()) -> str:
    """Return the text as it looks, without typography.

    Parameters
    ----------
    text : str
        Prose.
    silent : iterable of str
        Names of tools and decisions, whose words must not be read as statements.
    """
    text = legible(text).text.replace("\u2019", "'").replace("\u03bc", "µ").replace("\r", "\n")
    text = re.sub(r"[*`\"“”#]", " ", text)
    names = [name for name in silent if "." in name or "-" in name]
    if names:
        body = "|".join(re.escape(n) for n in sorted(set(names), key=lambda n: (-len(n), n)))
        text = re.sub(body, lambda m: " " * len(m.group()), text)
    return text


def sentences(text: str, vocabulary: Vocabulary) -> list[Sentence]:
    """Return the sentences of a cleaned text, each with its segments.

    Parameters
    ----------
    text : str
        Result of `clean`.
    vocabulary : Vocabulary
        The names to look for.
    """
    found: list[Sentence] = []
    header, start = "", 0
    for stop, end in _sentence_ends(text):
        body = text[start:stop]
        if body.strip():
            bullet = _BULLET.match(body)
            sentence = Sentence(body, start, tuple(_segments(body, vocabulary)), header)
            is_header = body.rstrip().endswith(":") and not any(
                s.mentions for s in sentence.segments
            )
            if is_header:
                header = body
            elif bullet is None and not header:
                header = ""
            found.append(sentence if not is_header else Sentence(body, start, sentence.segments))
        elif text[start:end].count("\n") > 1 and found:
            header = header if found[-1].text.rstrip().endswith(":") else ""
        start = end
    return found


class Places:
    """Finds the sentence and the statement in which a place of a text lies, by bisection.

    Parameters
    ----------
    parts : list of Sentence
        The sentences of the text.
    """

    def __init__(self, parts: list[Sentence]) -> None:
        self.parts = parts
        self._starts = [part.start for part in parts]

    def sentence(self, at: int) -> Sentence | None:
        """Return the sentence that holds the place, or None."""
        index = bisect_right(self._starts, at) - 1
        part = self.parts[index] if index >= 0 else None
        return part if part is not None and at < part.start + len(part.text) else None

    def statement(self, at: int) -> tuple[Sentence, int] | None:
        """Return the sentence, and the index in it of the statement, that holds the place."""
        part = self.sentence(at)
        if part is None:
            return None
        index = bisect_right(part.segments, at - part.start, key=lambda s: s.start) - 1
        return (part, index) if index >= 0 else None

    def segment(self, at: int) -> Segment | None:
        """Return the statement that holds the place, or None."""
        found = self.statement(at)
        return found[0].segments[found[1]] if found is not None else None


def _sentence_ends(text: str) -> Iterable[tuple[int, int]]:
    for match in _SENTENCE_END.finditer(text):
        if match.group() == "." and _ABBREVIATION.search(
            text[max(0, match.start() - 8) : match.start()]
        ):
            continue
        yield match.start(), match.end()
    yield len(text), len(text)


def in_one_list(text: str, one: Mention, two: Mention) -> bool:
    """Tell whether two mentions that follow each other stand in one list."""
    gap = two.start - one.stop
    return gap <= 40 and _LIST_GAP.fullmatch(text, one.stop, two.start) is not None


def _segments(sentence: str, vocabulary: Vocabulary) -> Iterable[Segment]:
    mentions = vocabulary.find(sentence)
    joined = [(a.stop, b.start) for a, b in pairwise(mentions) if in_one_list(sentence, a, b)]
    inside = [(m.start, m.stop) for m in mentions]
    start, place, named = 0, 0, 0
    closed = sorted(joined + inside)
    for cut in [*_SPLIT.finditer(sentence), None]:
        at = cut.start() if cut else len(sentence)
        while place < len(closed) and closed[place][1] <= at:
            place += 1
        if cut and place < len(closed) and closed[place][0] <= at < closed[place][1]:
            continue
        body = sentence[start:at]
        own = []
        while named < len(mentions) and mentions[named].start < at:
            own.append(mentions[named])
            named += 1
        if body.strip() or own:
            yield Segment(body, start, tuple(own))
        # The conjunction stays with what follows: "but T8" is not "T8".
        start = at if cut and cut.group().strip(" ,;|").isalpha() else (cut.end() if cut else at)
