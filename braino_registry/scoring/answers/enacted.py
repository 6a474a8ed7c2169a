"""Whether a text says that something was done, or only speaks of it.

"The notch was 50 Hz, which you rejected", "I ignored the Holm you asked for" and "I would have
marked T8" name what was decided, and say that it does not hold.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from braino_registry.numbers import Number, convertible, read_numbers
from braino_registry.scoring.answers import cues
from braino_registry.scoring.answers.denials import stated
from braino_registry.scoring.answers.prose import Places, Vocabulary, sentences

_NO_NAMES = Vocabulary(())
_UNDONE = re.compile(
    r"\b(?:declin\w+|refus\w+|turn(?:ed|s|ing)?\s+(?:\w+\s+)?down|veto\w*|ignor\w+|skip\w*"
    r"|overr(?:od|id|ul)\w*|disregard\w*|omit\w*|left\s+(?:out|off|undone|aside)|abandon\w*"
    r"|cancel\w*|undid|undone|revert\w*|bypass\w*|neglect\w*|forgot\w*|failed\s+to|against"
    r"|disagree\w*|object(?:ed|s)\s+to|(?:was|were|been|is|are)\s+(?:not|never)"
    r"|(?:was|were|is|are)n't|did(?:n't| not)|no longer)\b",
    re.IGNORECASE,
)
_INSTEAD = re.compile(r"\b(?:without|instead of|rather than)\s+(?:[\w-]+\s+){0,3}$", re.IGNORECASE)
_ASIDE = re.compile(r"\([^()]*\)")
_NOT_DONE = re.compile(
    r"[^.,;\d]{0,30}(?:\b(?:not|never)|n't)\s+(?:been\s+|be\s+)?(?:set|applied|used|made|done|put|added"
    r"|needed|wanted|chosen|there|on|active)\b",
    re.IGNORECASE,
)
_NONE = re.compile(r"(?:\bno|\bnever|\bwithout|n't\s+\w+\s+any)\s+(?:\w+\s+){0,2}$", re.IGNORECASE)
_REJECTED = re.compile(r"\breject\w*\b", re.IGNORECASE)
_UNREAL = re.compile(
    r"\b(?:would|could|might|should)(?:n't)?\s+(?:not\s+|also\s+)?(?:have|be|set|use|apply|put|pick"
    r"|choose|take|mark|go)\b|\b(?:if|whether|unless)\b"
    r"|\b(?:asked for|wanted|requested|preferred)\b"
    r"(?=.{0,80}\b(?:but|yet|however|though|corrected nothing|nothing)\b)",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"\W*(?:which|that|but|yet|though|although|however|and)\b", re.IGNORECASE)
_BUT_I = re.compile(r"\W*(?:but|yet|however|though)\b.{0,20}\b(?:I|we)\b", re.IGNORECASE)
_WISHED = re.compile(
    r"\b(?:you|user|researcher)\s+(?:had\s+)?(?:wanted|asked for|requested|preferred|chose|picked"
    r"|approved|said)\b",
    re.IGNORECASE,
)
_NO_OTHER = re.compile(r"\b(?:no|not)\s+(?:other|further|additional|more|only|just)\b", re.I)
_WEAK = re.compile(r"\b(?:propos|suggest|consider|first|initial|before|originally|from)\w*", re.I)
_TO = re.compile(
    r"\W*(?:(?:filter|frequency|edge|is|was|are|now|set|applied|placed|at|to|of|with|stays?)"
    r"\W+){0,6}",
    re.IGNORECASE,
)


class Told:
    """A text cut into statements, to ask of any stretch of it whether it holds.

    Parameters
    ----------
    text : str
        Cleaned text.
    rejecting : bool
        Whether rejecting and leaving out is itself what was decided.
    """

    def __init__(self, text: str, *, rejecting: bool = False) -> None:
        self.text = text
        self.rejecting = rejecting
        self._parts = sentences(text, _NO_NAMES)
        self._places = Places(self._parts)
        self._numbers: list[Number] | None = None

    @property
    def numbers(self) -> list[Number]:
        """The numbers of the text."""
        if self._numbers is None:
            self._numbers = read_numbers(self.text)
        return self._numbers

    def holds(self, start: int, stop: int) -> bool:
        """Tell whether a stretch of the text is said of what was done.

        Parameters
        ----------
        start, stop : int
            Where it stands.

        Returns
        -------
        holds : bool
            False where it is denied, asked, imagined, or said to have been rejected or ignored.
        """
        if not stated(self.text, start, stop):
            return False
        place = self._places.statement(start)
        if place is None:
            return True
        sentence, index = place
        segment = sentence.segments[index]
        at = start - sentence.start - segment.start
        own, before = _around(segment.text, at), segment.text[max(0, at - 60) : max(0, at)]
        if self._undone(own) or _UNREAL.search(own) or _INSTEAD.search(before):
            return False
        for later in sentence.segments[index + 1 : index + 3]:
            if _BUT_I.match(later.text) and _WISHED.search(own):
                return False
            if any(c.isdigit() for c in later.text) or not _GOES_ON.match(later.text):
                break
            if self._undone(later.text):
                return False
        return True

    def says(self, words: re.Pattern[str]) -> bool:
        """Tell whether the text says one of the words of what was done."""
        text = self.text.replace("_", " ")
        return any(
            self.holds(m.start(), m.end()) and not self._denied(m.start())
            for m in words.finditer(text)
        )

    def denies(self, words: re.Pattern[str]) -> bool:
        """Tell whether a statement says that what the words name was not done."""
        for part in self._parts:
            for segment in part.segments:
                said = _NO_OTHER.sub(" ", segment.text.replace("_", " "))
                for match in words.finditer(said):
                    before = said[max(0, match.start() - 40) : match.start()]
                    if _NONE.search(before) or _NOT_DONE.match(said, match.end()):
                        return True
        return False

    def together(self, number: Number, words: re.Pattern[str]) -> bool:
        """Tell whether a number stands in a statement with one of the words, and holds."""
        place = self._places.statement(number.span[0])
        if place is None or not self.holds(*number.span):
            return False
        sentence, index = place
        return words.search(sentence.segments[index].text.replace("_", " ")) is not None

    def others(self, words: re.Pattern[str], unit: str | None) -> list[Number]:
        """Return the numbers that the text gives right after the words, in a unit of that sort."""
        if unit in (None, "count", "1"):
            return []
        found = []
        starts = [n.span[0] for n in self.numbers]
        for match in words.finditer(self.text.replace("_", " ")):
            at = bisect_right(starts, match.end() - 1)
            if at >= len(self.numbers):
                break
            number = self.numbers[at]
            between = self.text[match.end() : number.span[0]]
            if number.span[0] - match.end() > 60 or _TO.fullmatch(between) is None:
                continue
            place = self._places.statement(number.span[0])
            weak = place is not None and _WEAK.search(place[0].text)
            if not weak and convertible(number.unit, unit) and self.holds(*number.span):
                found.append(number)
        return found

    def _undone(self, text: str) -> bool:
        if _UNDONE.search(_NO_OTHER.sub(" ", text)):
            return True
        return not self.rejecting and _REJECTED.search(text) is not None

    def _denied(self, start: int) -> bool:
        place = self._places.statement(start)
        low = max(0, start - 60)
        if place is not None:
            low = max(low, place[0].start + place[0].segments[place[1]].start)
        return not cues.asserted(f"{self.text[low:start]}x", re.compile(r"(?<![A-Za-z0-9])x$"))[0]


def _around(text: str, at: int) -> str:
    """Return a statement without what it says in brackets, unless the place ``at`` is in one."""
    if any(m.start() <= at < m.end() for m in _ASIDE.finditer(text)):
        return text
    return _ASIDE.sub(" ", text)


_ACT = r"(?:rejected|removed|excluded|dropped|discarded|deleted|left out|thrown out|taken out)"
_THINGS = (
    r"(?:epochs?|trials?|segments?|stretch(?:es)?|windows?|components?|ICs?|they|them|all|these)"
)
_PASSIVE = re.compile(
    rf"\b{_THINGS}\b(?P<gap>[^.;]{{0,60}}?)\b(?:were|was|have been|has been|are|is|got)\s+"
    rf"(?:\w+\s+){{0,2}}?{_ACT}\b(?!\s+by\s+(?:you|the user))",
    re.IGNORECASE,
)
_ACTIVE = re.compile(rf"\b(?:I|we)\s+(?:have\s+|had\s+)?(?:\w+\s+)?{_ACT}\b", re.IGNORECASE)
_DENYING = re.compile(
    r"\b(?:no|not|none|nothing|never|neither|nor|without|zero|0|would|should|could|if|whether"
    r"|propos\w+|suggest\w+|request\w*|to (?:reject|exclude|remove|drop))\b|n't\b|\?",
    re.IGNORECASE,
)


_BY_OTHERS = re.compile(
    r"\b(?:you|user)\s+\w*\s*(?:reject|remov|exclud|declin|kept|keep|took)", re.IGNORECASE
)
_STATEMENT = re.compile(
    r";|,\s*(?:but|so|and you|while|which"
    r"|and(?=[^,;]{0,60}\b(?:epochs?|components?|trials?)\b))\b|:\s",
    re.IGNORECASE,
)


def acts(text: str) -> list[str]:
    """Return the statements of a text that something was rejected or excluded.

    Parameters
    ----------
    text : str
        Cleaned text.

    Returns
    -------
    acts : list of str
        Sentences and parts of them such as "8 epochs were rejected" and "I excluded 2 components",
        without those that deny it, or speak of a proposal or of the user.
    """
    found = []
    for sentence in sentences(text, _NO_NAMES):
        for clause in _STATEMENT.split(sentence.text):
            if _DENYING.search(clause) or _BY_OTHERS.search(clause):
                continue
            if _PASSIVE.search(clause) or _ACTIVE.search(clause):
                found.append(clause)
    return found
