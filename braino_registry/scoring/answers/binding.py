"""Which of several fields a number belongs to, by the words that stand with it.

A sentence is a row of numbers and of phrases that name fields. Relations that words state come
first ("34 of the 40 targets had a response"), then regular orders ("40 targets, 34 responses"),
then what stands right beside what.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise

from braino_registry.scoring.answers.prose import Sentence
from braino_registry.scoring.answers.rows import Row, Token, V

# More than this in one sentence is spam; what belongs to what cannot be told.
MAX_PHRASES = 200

_OF = re.compile(
    r"\s*(?:out\s+)?of\s+(?:(?:the|these|those|its|all|a total of|altogether)\s+)*|\s?/\s?",
    re.IGNORECASE,
)
_LISTED = re.compile(r"\W*(?:(?:and|or|to|vs|versus|against|then|respectively)\W*)?", re.IGNORECASE)
_OF_THEM = re.compile(
    r"\s*of\s+(?:them|these|those|which)\s+(?:(?:are|were|being)\s+)?", re.IGNORECASE
)
_INCLUDING = re.compile(
    r"\W*(?:including|of which|among them|among which|of these|of those)\s*", re.IGNORECASE
)
_QUALITY = (
    r"(?:(?:valid|presented|recorded|such|distinct|individual|single|correct|button|key|visual"
    r"|auditory|total)\s+){0,2}"
)
_BESIDE = re.compile(rf"[\s(|×]*{_QUALITY}", re.IGNORECASE)
_EQUALS = re.compile(
    r"[\s)]*(?:(?:events?|trials?|markers?|count|total)\s*)?[:=(|→][\s|(]*", re.IGNORECASE
)
_SAYS = re.compile(
    r"[\s)]*(?:(?:events?|trials?|markers?)\s+)?(?:(?:is|are|was|were|number(?:ed|s)?)\s+)?",
    re.IGNORECASE,
)
# "40 targets had a response": the number counts the responses
_HAD = re.compile(
    r"\s*(?:\([^()\d]{0,40}\)\s*)?(?:(?:that|which)\s+)?(?:(?:were|was|are|have been|had been)\s+)?"
    r"(?:followed by|answered (?:by|with)|had|have|has|got|received|elicited|evoked|led to|with"
    r"|produced|triggered|drew)\b[^.;:,()\d]{0,30}",
    re.IGNORECASE,
)
_NEGATIVE = re.compile(
    r"\b(?:no|not|without|never|lack\w*|miss\w*|unanswered|neither|nor)\b|n't\b", re.IGNORECASE
)
_LEFT_OUT = re.compile(
    r"\s*(?:missed|missing|unanswered|omitted|absent|skipped|lost|rejected|additional|extra"
    r"|further|other|remaining|duplicate|spurious)\s+",
    re.IGNORECASE,
)
_GONE = re.compile(
    r"[\s)]*(?:(?:is|are|was|were|remained|went|got|being)\s+)?"
    r"(?:missed|missing|unanswered|omitted|absent|lacking|skipped|not (?:given|made|answered))\b",
    re.IGNORECASE,
)
_NO_ONE = re.compile(
    r"\b(?:no|without(?: an?| any)?|lack(?:s|ed|ing)?(?: an?)?|missing|missed)\s*$", re.IGNORECASE
)
_TO = re.compile(r"\s*(?:(?:was|were|is)\s+\w+\s+)?(?:to|for|after|following|in|on)\s+", re.I)
_ARE = re.compile(r"\s*(?:are|were|is|was)\s+(?:the\s+)?", re.IGNORECASE)
_REST = re.compile(r"\b(?:remaining|other|further|additional|missing|missed|extra)\s+$", re.I)
_NOT_ALL = re.compile(r"\bnot (?:all|every one|each)(?: of)?(?: the| these)?\s+$", re.IGNORECASE)
_ALL = re.compile(r"\b(?:all|each|every one)(?: of)?(?: the| these)?\s+$", re.IGNORECASE)
_ASIDE = re.compile(r"\([^()]{3,80}\)")


def named(text: str, own: Mapping[str, re.Pattern[str]]) -> list[Token[V]]:
    """Return where a text names which field.

    Parameters
    ----------
    text : str
        A sentence.
    own : mapping of str to re.Pattern
        The phrases of each field.
    """
    return sorted(
        (
            Token(m.start(), m.end(), key)
            for key, words in own.items()
            for m in words.finditer(text)
        ),
        key=lambda token: (token.start, token.field or ""),
    )


def bind(
    sentence: Sentence,
    numbers: list[Token[V]],
    own: Mapping[str, re.Pattern[str]],
    *,
    counts: bool,
) -> list[tuple[V, str]]:
    """Return which number of a sentence belongs to which field.

    Parameters
    ----------
    sentence : Sentence
        The sentence.
    numbers : list of Token
        Its numbers.
    own : mapping of str to re.Pattern
        The phrases of each field.
    counts : bool
        The fields are counts, so that numbers may count parts of each other.
    """
    text = sentence.text.replace("_", " ")
    fields: list[Token[V]] = named(text, own)
    if len(fields) > MAX_PHRASES:
        return []
    given: list[tuple[V, str]] = []
    tokens: list[Token[V]] = [*numbers, *fields]
    for inner in _asides(text, tokens):
        given += _bound(Row(text, _merged(text, inner), []), sentence, counts=counts)
        tokens = [token for token in tokens if token not in inner]
    return given + _bound(Row(text, _merged(text, tokens), []), sentence, counts=counts)


def _bound(row: Row[V], sentence: Sentence, *, counts: bool) -> list[tuple[V, str]]:
    if counts:
        for relation in (_fractions, _left_out, _parts, _relations):
            relation(row)
    if row.numbers():
        row.given += _regular(row) or _beside_first(row, sentence)
    return row.given


def _asides(text: str, tokens: list[Token[V]]) -> list[list[Token[V]]]:
    """Return the tokens of brackets that say something by themselves: "(over all 171 pairs)"."""
    found = []
    for bracket in _ASIDE.finditer(text):
        inner = [t for t in tokens if bracket.start() < t.start and t.stop <= bracket.end()]
        outside = {t.field for t in tokens if t not in inner}
        fields = {t.field for t in inner} - {None}
        if fields and None in {t.field for t in inner} and outside - fields - {None}:
            found.append(inner)
    return found


def _merged(text: str, tokens: list[Token[V]]) -> list[Token[V]]:
    """Return the tokens in order; phrases of one field in a row count once."""
    found: list[Token[V]] = []
    for token in sorted(tokens, key=lambda t: (t.start, t.stop)):
        again = bool(found) and token.field is not None and found[-1].field == token.field
        if again and not _ARE.fullmatch(text, found[-1].stop, token.start):
            found[-1] = Token(found[-1].start, max(token.stop, found[-1].stop), token.field)
        else:
            found.append(token)
    return found


def _left_out(row: Row[V]) -> None:
    """Drop numbers of what is missing: "6 stimuli without response", "6 missed responses"."""
    for number in row.numbers():
        field = row.after(number)
        if field is None or field.field is None:
            continue
        gap = row.between(number, field)
        if _BESIDE.fullmatch(gap) and _REST.search(row.lead(number)):
            row.drop(number, field)
            continue
        end = row.clause(field)
        later = [t for t in row.tokens if field.stop <= t.start < end and t.field is not None]
        other = next((t for t in later if t.field != field.field), None)
        if _LEFT_OUT.fullmatch(gap) or (
            _BESIDE.fullmatch(gap) and _GONE.match(row.text, field.stop)
        ):
            row.drop(number, field)
        elif _NO_ONE.search(gap) and len(gap) < 40:
            row.drop(number, field)
        elif other is not None and _BESIDE.fullmatch(gap):
            if _NEGATIVE.search(row.between(field, other)) or _gone(row, other):
                row.drop(number, field, other)
    for number in row.numbers():
        field = row.before(number)
        if (
            field is not None
            and field.field is not None
            and _TO.fullmatch(row.between(field, number))
        ):
            if _NO_ONE.search(row.lead(field)):
                following = row.after(number)
                beside = following is not None and _BESIDE.fullmatch(row.between(number, following))
                row.drop(number, field, following if beside else None)


def _gone(row: Row[V], field: Token[V]) -> bool:
    return _GONE.match(row.text, field.stop) is not None


def _fractions(row: Row[V]) -> None:
    """Read "34 of the 40 targets had a response" and "responses: 34 of 40"."""
    for part in row.numbers():
        whole = row.after(part)
        if whole is None or whole.field is not None:
            continue
        gap = row.between(part, whole)
        if not _OF.fullmatch(gap):
            continue
        counted = row.after(whole)
        if counted is not None and not (
            counted.field is not None and _BESIDE.fullmatch(row.between(whole, counted))
        ):
            counted = None
        beyond = row.after(counted) if counted is not None else None
        if "/" in gap and counted is not None and beyond is not None:
            if _LISTED.fullmatch(row.between(counted, beyond)):
                continue  # "40/34 targets/responses"
        _fraction(row, part, whole, counted)


def _fraction(row: Row[V], part: Token[V], whole: Token[V], counted: Token[V] | None) -> None:
    first = row.before(part)
    if first is not None and (first.field is None or not _unbound(row, first)):
        first = None
    last = counted or whole
    second = row.after(last)
    if second is not None and (second.field is None or second.start > row.clause(last)):
        second = None
    field = None
    if first is not None and _EQUALS.fullmatch(row.between(first, part)):
        field, second = first.field, None
    elif second is not None:
        denied = _NEGATIVE.search(row.between(last, second)) or _gone(row, second)
        field, first = (None if denied else second.field), None
    elif first is not None and not _NO_ONE.search(row.lead(first)):
        field = None if _gone(row, last) else first.field
    same = counted is not None and counted.field == field
    row.tell(part, field)
    row.tell(whole, counted.field if counted is not None and not same else None)
    row.drop(counted, first, second)


def _unbound(row: Row[V], field: Token[V]) -> bool:
    """Tell whether no other number stands right before a phrase."""
    number = row.before(field)
    return (
        number is None
        or number.field is not None
        or not _BESIDE.fullmatch(row.between(number, field))
    )


def _parts(row: Row[V]) -> None:
    """Read "200 stimuli, 40 of them targets": the part counts where both name one field."""
    for number in row.numbers():
        field, whole = row.after(number), row.before(number)
        if field is None or field.field is None:
            continue
        gap = row.between(number, field)
        of_them = _OF_THEM.fullmatch(gap) is not None
        including = (
            whole is not None
            and whole.field == field.field
            and _INCLUDING.fullmatch(row.between(whole, number)) is not None
            and _BESIDE.fullmatch(gap) is not None
        )
        if not (of_them or including):
            continue
        if whole is not None and whole.field == field.field:
            row.drop(row.before(whole), whole)
        row.tell(number, field.field)
        row.drop(field)


def _relations(row: Row[V]) -> None:
    """Read "34 targets were followed by a response": it is responses that are counted."""
    for number in row.numbers():
        one = row.after(number)
        two = row.after(one) if one is not None and one.field is not None else None
        if one is None or two is None or two.field in (None, one.field):
            continue
        following = row.after(two)
        alone = (
            following is None or following.field is not None or following.start > row.clause(two)
        )
        if following is not None and _EQUALS.fullmatch(row.between(two, following)):
            alone = False
        beside = _BESIDE.fullmatch(row.between(number, one)) is not None
        if not (alone and beside and _HAD.fullmatch(row.between(one, two))):
            continue
        every = _ALL.search(row.lead(number)) is not None
        if every and number.value is not None and one.field is not None:
            row.given.append((number.value, one.field))
        row.tell(number, None if _NOT_ALL.search(row.lead(number)) else two.field)
        row.drop(one, two)


def _regular(row: Row[V]) -> list[tuple[V, str]]:
    """Read sentences that name each field once, with one number each, in a plain order."""
    marks = row.numbers()
    fields = [t for t in row.tokens if t.field is not None]
    count = len(fields)
    order = "".join("N" if t.field is None else "F" for t in row.tokens)
    if not count or len({t.field for t in fields}) != count or len(marks) != count:
        return []
    if order == "N" * count + "F" * count and count > 1:
        if not all(_LISTED.fullmatch(row.between(a, b)) for a, b in pairwise(marks)):
            return []
    elif order not in ("FN" * count, "NF" * count, "F" * count + "N" * count, "NFFN", "FNNF"):
        return []
    return _zipped(marks, fields)


def _zipped(marks: list[Token[V]], fields: list[Token[V]]) -> list[tuple[V, str]]:
    return [
        (mark.value, field.field)
        for mark, field in zip(marks, fields, strict=True)
        if mark.value is not None and field.field is not None
    ]


def _beside_first(row: Row[V], sentence: Sentence) -> list[tuple[V, str]]:
    """Read what stands right beside each other, then what shares a statement."""
    given: list[tuple[V, str]] = []
    bound: set[str] = set()
    for before, gap in ((True, _EQUALS), (False, _BESIDE), (True, _SAYS)):
        for number in row.numbers():
            field = row.before(number) if before else row.after(number)
            if field is None or field.field is None or number.value is None:
                continue
            text = row.between(field, number) if before else row.between(number, field)
            if gap.fullmatch(text) and not (before and _counts_what_follows(row, number)):
                given.append((number.value, field.field))
                bound.add(field.field)
                row.drop(number, field)
    named_at_all = {t.field for t in row.tokens if t.field is not None} | bound
    loose: list[tuple[V, str]] = []
    for segment in sentence.segments:
        start, stop = segment.start, segment.start + len(segment.text)
        inside = [t for t in row.tokens if start <= t.start < stop]
        places = [(t.start, t.field) for t in inside if t.field is not None]
        fields = {field for _, field in places}
        if len(fields) == 1 and not fields & bound:
            loose += [(v, only) for only in fields for v in _nearest(inside, places[0][0])]
    if not given and not loose and len(named_at_all) == 1:
        (only,) = named_at_all
        loose = [(t.value, only) for t in row.numbers() if t.value is not None]
    return given + loose


def _counts_what_follows(row: Row[V], number: Token[V]) -> bool:
    """Tell whether a number belongs to the phrase after it ("no response: 40 targets")."""
    field = row.after(number)
    if field is None or field.field is None or not _BESIDE.fullmatch(row.between(number, field)):
        return False
    following = row.after(field)
    return following is None or not _EQUALS.fullmatch(row.between(field, following))


def _nearest(inside: list[Token[V]], place: int) -> list[V]:
    """Return the value that stands right beside a word, or all if none clearly does."""
    ranked = sorted(
        ((abs(place - t.start), t) for t in inside if t.field is None), key=lambda pair: pair[0]
    )
    if len(ranked) > 1 and ranked[0][0] <= 12 and ranked[1][0] > 2 * ranked[0][0]:
        ranked = ranked[:1]
    return [t.value for _, t in ranked if t.value is not None]
