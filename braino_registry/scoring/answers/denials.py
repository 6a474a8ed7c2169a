"""Numbers that a text mentions without stating them: denied, asked for, set aside."""

from __future__ import annotations

import re

_DENIAL = r"(?:\bnot|n't|\bcannot|\bnever|\bneither|\bnor|\bno longer|\bnowhere near|\bfar from)"
_FALSE = r"(?:wrong|false|incorrect|untrue|mistaken|inaccurate)"
# What may stand between a denial and the number that it denies. A denial of something else
# ("not filtered: 31.2 µV") has other words, and "not the 40 targets" denies no number.
_BETWEEN = (
    r"(?:really|actually|exactly|precisely|quite|at|in|fact|all|that|there|is|are|was|were|be"
    r"|been|it|they|have|has|had|holds?|contains?|find|found|see|saw|counted|think|believe|say"
    r"|claim|mean|equal|any|an?|of|to|about|around|approximately|roughly|as|many|i|we|you|set"
    r"|appl(?:y|ied)|put|placed|use[ds]?|using|detect(?:ed)?|observed?|reach(?:es|ed)?|occur(?:s|red)?"
    r"|peaks?|equals|amounts?|sampled|number|count|value|true|correct|right|the case"
    r"|the (?:recording|file|data|data ?set|subject|participant))"
)
_BEFORE = re.compile(
    rf"{_DENIAL}(?:\s+{_BETWEEN}){{0,9}}[\s~≈(]*$"
    r"|\bno\s+$"
    rf"|{_DENIAL}\s+(?:\w+\s+){{0,2}}(?:true|the case|correct|right|so|accurate|think|believe)\b"
    r"(?:\s+to\s+\w+)?(?:\s+that)?[^.;:,\n]{0,60}$"
    rf"|\b{_FALSE}\s+(?:that|to\s+\w+|if)\b[^.;:,\n]{{0,60}}$"
    r"|\b(?:doubt(?:s|ed|ful)?|den(?:y|ies|ied)|no evidence|no sign)\b[^.;:,\n]{0,60}$",
    re.IGNORECASE,
)
_INSTEAD = re.compile(
    r"\b(?:instead of|rather than|as opposed to|unlike|contrary to|in place of)"
    r"\s+(?:the\s+|an?\s+)?(?:\w+\s+)?$",
    re.IGNORECASE,
)
_UNREAL = re.compile(
    r"\b(?:(?:would|should|could|might)(?:n't)?(?:\s+not)?(?:\s+have|'ve)"
    r"|supposed to|had been meant to)"
    r"(?:\s+\w+){1,3}\s+$"
    r"|\b(?:would|might|could|may)(?:\s+(?:\w+ly|then|well|even|also))?\s+(?:be|lie|sit|peak|rise|drop)\b"
    r"[^.;:,\n\d]{0,20}$"
    r"|\b(?:everyone|everybody|people|some|many|others|textbooks?|they)\s+(?:\w+\s+)?(?:says?|said"
    r"|claim(?:s|ed)?|thinks?|thought|believed?s?)\b[^.;:\n]{0,60}$"
    r"|\b(?:is|are|was|were)\s+(?:said|claimed|believed|thought|supposed|alleged)\s+to\b"
    r"[^.;:,\n]{0,40}$|\b(?:supposedly|allegedly)\b[^.;:,\n]{0,40}$"
    r"|\b(?:if|whether|suppose|unless)\b(?![^.;:,\n]{0,60}\b(?:the|these|those|all)\s+$)"
    r"[^.;:,\n]{0,60}$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"\s*(?:is|are|was|were)(?:\s+not|n't)\s+(?:the|an?)\b|"
    r"[^.;:,!?\n]{0,50}?\b(?:is|are|was|were|be|seems?)(?:"
    rf"\s+(?:plainly\s+|simply\s+)?{_FALSE}\b"
    r"|(?:\s+not|n't)\s*(?:(?:the|an?)\s+(?:right|correct|true|actual|number|count|value|answer)\b"
    r"|correct\b|right\b|true\b|what\b|how\b|so\b|accurate\b|the case\b|[.;,!\n]|$))",
    re.IGNORECASE,
)
_STOP = re.compile(r"[.!?](?=[\s\"')\]]|$)|\n")


def stated(text: str, start: int, stop: int) -> bool:
    """Tell whether a text states a number that it mentions.

    Parameters
    ----------
    text : str
        Cleaned text.
    start, stop : int
        Where the number stands, its unit included.

    Returns
    -------
    stated : bool
        False for "not 40", "40 is wrong", "instead of 40", "it should have been 40", "are there
        40?" and "if there were 40".
    """
    before = text[max(0, start - 120) : start]
    # a denial in an earlier sentence denies nothing here
    before = before[max((m.end() for m in _STOP.finditer(before)), default=0) :]
    if any(pattern.search(before) for pattern in (_BEFORE, _INSTEAD, _UNREAL)):
        return False
    if _AFTER.match(text, stop, stop + 120):
        return False
    end = _STOP.search(text, stop, stop + 400)
    return end is None or end.group() != "?"
