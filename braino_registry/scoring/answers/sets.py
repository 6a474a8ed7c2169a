"""Which members of a vocabulary an answer singles out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from braino_registry.scoring.answers import cues
from braino_registry.scoring.answers.plain import plain
from braino_registry.scoring.answers.prose import (
    Mention,
    Segment,
    Sentence,
    Vocabulary,
    in_one_list,
    sentences,
)

_NOTHING = (
    r"\b(?:no|none|zero|nothing|without|not? (?:a single|any)|n't (?:\w+ )?any|not \w+ any|empty)\b"
)
_ALL_GOOD = re.compile(
    r"\b(?:all|every|each)\b[^.;:\n]{0,40}\b(?:good|fine|clean|usable|ok|okay|normal|unaffected)\b",
    re.IGNORECASE,
)
_EMPTY = re.compile(r"[:=]\s*(?:no|none|nothing|n/a|-|–|\[\s*\]|0)\s*\W*$|\bnone\b", re.IGNORECASE)
_VERB_ONLY = re.compile(
    r"\s*(?:is|are|was|were|did|does|do|has|have)(?P<denied>\s+not|n't)?\W*", re.IGNORECASE
)
NEAR = 200  # how many letters around an exception its statement may take
MAX_EXCEPTIONS = 100  # more of them is spam, whose exceptions are unclear
REACH = 12  # how many statements away a statement may borrow its verb
_BARE_NOTHING = re.compile(r"\W*(?:none|nothing|no|n/a|\[\s*\]|0)\W*", re.IGNORECASE)
_ALPHA_LEVEL = re.compile(r"\balpha\s*(?:=|:|of|level(?: of)?)\s*0?\.\d+|significance level", re.I)


@dataclass(frozen=True, slots=True)
class SetReading:
    """The names that are singled out, or why they cannot be told."""

    names: frozenset[str] | None
    reason: str = ""


@dataclass(slots=True)
class _Tally:
    yes: set[str]
    no: set[str]
    weak: set[str]
    bare: set[str]
    unclear: set[str]
    exceptions: int = 0


def read_set(
    name: str,
    of: str,
    text: str,
    vocabulary: Vocabulary,
    siblings: Mapping[str, Mapping[str, Any]],
    words: re.Pattern[str] | None = None,
) -> SetReading:
    """Read a set out of prose.

    Parameters
    ----------
    name : str
        Name of the field.
    of : str
        What it is a set of.
    text : str
        Cleaned text.
    vocabulary : Vocabulary
        The names that may be in the set.
    siblings : mapping
        The fields that are sets of the same vocabulary, this one included.
    words : re.Pattern | None
        Words that affirm, in place of the usual ones.
    """
    text = _ALPHA_LEVEL.sub(lambda m: " " * len(m.group()), text)
    own = {
        key: cues.pattern(cues.own_phrases(key, spec, siblings)) for key, spec in siblings.items()
    }
    if len(siblings) == 1:
        text = plain(text, vocabulary, words or _union(cues.generic(of), own.get(name)))
    parts = sentences(text, vocabulary)
    if words is None and len(siblings) > 1:
        tally = _tally_fields(name, own, parts)
        affirm = own.get(name)
    else:
        affirm = words or _union(cues.generic(of), own.get(name))
        tally = _tally(affirm, parts)
    if len(siblings) > 1 and affirm is None:
        return SetReading(None, f"nothing in the contract tells {name} from the other sets")
    return _decide(name, tally, parts, affirm or cues.generic(of), len(siblings) > 1)


def _union(one: re.Pattern[str], two: re.Pattern[str] | None) -> re.Pattern[str]:
    if two is None:
        return one
    return re.compile(f"{one.pattern}|{two.pattern}", re.IGNORECASE)


def _decide(
    name: str, tally: _Tally, parts: list[Sentence], affirm: re.Pattern[str], several: bool
) -> SetReading:
    yes = set(tally.yes)
    both = (yes & tally.no) | (tally.unclear - yes)
    if both:
        return SetReading(None, f"the text says both of {', '.join(sorted(both))}")
    if yes:
        return SetReading(frozenset(yes))
    if _says_none(parts, affirm, several):
        return SetReading(frozenset())
    for doubtful in (tally.weak, tally.bare if not several else set()):
        if doubtful - tally.no:
            return SetReading(frozenset(doubtful - tally.no))
    return SetReading(None, "the text does not say")


def _says_none(parts: list[Sentence], affirm: re.Pattern[str], several: bool) -> bool:
    near = re.compile(
        rf"{_NOTHING}[^.;:\n]{{0,60}}?(?:{affirm.pattern})"
        rf"|(?:{affirm.pattern})[^.;,\n]{{0,40}}?(?:[:=]|\bis|\bare|\bwere|\bfound)?\s*{_NOTHING}",
        re.IGNORECASE,
    )
    for sentence in parts:
        text = sentence.text.replace("_", " ")
        for clause in re.split(r";", text):
            if near.search(clause):
                return True
        if not several and (_ALL_GOOD.search(text) or _BARE_NOTHING.fullmatch(text)):
            return True
        if several and _BARE_NOTHING.fullmatch(text) and affirm.search(sentence.header):
            return True
        empty = re.compile(rf"(?:{affirm.pattern})[^,;\n]{{0,30}}[:=]\s*\[\s*\]", re.IGNORECASE)
        if empty.search(text):
            return True
    return False


def _tally(affirm: re.Pattern[str], parts: list[Sentence]) -> _Tally:
    tally = _Tally(set(), set(), set(), set(), set())
    last = ""
    for sentence in parts:
        verdicts = [cues.polarity(s.text, affirm) for s in sentence.segments]
        header = cues.polarity(sentence.header, affirm) if sentence.header else ""
        for index, segment in enumerate(sentence.segments):
            if segment.mentions:
                verdict = _elliptic(segment, last) or verdicts[index]
                verdicts[index] = verdict
                if verdict in ("weak", "unreal") and not cues.CONDITION.search(segment.text):
                    verdict = _following(sentence.segments, verdicts, index) or verdict
                verdict = verdict or _borrowed(sentence.segments, verdicts, index) or header
                verdict = _revised(sentence.segments, verdicts, index, verdict)
                _place(tally, segment, verdict, sentence, affirm)
            last = verdicts[index] or last
    return tally


def _revised(segments: tuple[Segment, ...], verdicts: list[str], index: int, verdict: str) -> str:
    """Return a verdict as the next statement leaves it: "but it is fine", "but I set it anyway"."""
    following = segments[index + 1] if index + 1 < len(segments) else None
    if following is None or following.mentions:
        return verdict
    if verdict == "yes" and cues.TAKEN_BACK.match(following.text):
        return "unreal"
    if verdict == "no" and cues.DONE_ANYWAY.search(following.text):
        return "yes" if verdicts[index + 1] == "yes" else verdict
    return verdict


def _elliptic(segment: Segment, last: str) -> str:
    """Read "(T7 is good.) T8 is not." and "(neither T7 nor T8 is bad;) Fp1 is."."""
    tail = segment.text[segment.mentions[-1].stop - segment.start :]
    verb = _VERB_ONLY.fullmatch(tail)
    if verb is None or last not in ("yes", "no"):
        return ""
    return "yes" if last == "no" else ("no" if verb["denied"] else "yes")


def _borrowed(segments: tuple[Segment, ...], verdicts: list[str], index: int) -> str:
    """Return what the neighbouring statements say of a segment that says nothing itself."""
    following = _following(segments, verdicts, index)
    if following:
        return following
    for earlier in range(index - 1, max(-1, index - REACH), -1):
        if verdicts[earlier]:
            turned = segments[index].text.lstrip(" ,;").lower().startswith("but")
            return "yes" if turned and verdicts[earlier] == "no" else verdicts[earlier]
    return ""


def _speaks_of_others(segment: Segment) -> bool:
    """Tell whether a statement has names of its own, not only "unlike T7"."""
    return any(
        not cues.aside(segment.text[: mention.start - segment.start])
        for mention in segment.mentions
    )


def _following(segments: tuple[Segment, ...], verdicts: list[str], index: int) -> str:
    """Return what goes on about the same names; how it ended counts more than a proposal."""
    found = ""
    for later in range(index + 1, min(len(segments), index + REACH)):
        if segments[later].mentions:
            if _speaks_of_others(segments[later]):
                break
            continue
        if verdicts[later] in ("weak", "unreal"):
            found = found or verdicts[later]
        elif verdicts[later]:
            return verdicts[later]
    return found


def _place(
    tally: _Tally, segment: Segment, verdict: str, sentence: Sentence, affirm: re.Pattern[str]
) -> None:
    groups = _groups(segment, sentence)
    for index, group in enumerate(groups):
        start = groups[index - 1][-1].stop if index else segment.start
        before = sentence.text[max(start, group[0].start - 80) : group[0].start]
        names = [m.name for m in group]
        exception = cues.EXCEPT.search(before)
        if exception is None and index == 0:
            wider = sentence.text[max(0, group[0].start - 80) : group[0].start]
            exception = cues.ALL_BUT.search(wider)
            before = wider if exception is not None else before
        if exception is not None:
            start = group[0].start - len(before) + exception.start()
            stop = group[-1].stop
            rest = sentence.text[max(0, start - NEAR) : start] + sentence.text[stop : stop + NEAR]
            tally.exceptions += 1
            flipped = tally.exceptions <= MAX_EXCEPTIONS and cues.polarity(rest, affirm) == "no"
            (tally.yes if flipped else tally.unclear).update(names)
        elif not cues.aside(before):
            _count(tally, group, verdict, segment, before, affirm)


def _groups(segment: Segment, sentence: Sentence) -> list[list[Mention]]:
    groups: list[list[Mention]] = []
    for mention in segment.mentions:
        if groups and in_one_list(sentence.text, groups[-1][-1], mention):
            groups[-1].append(mention)
        else:
            groups.append([mention])
    return groups


def _count(
    tally: _Tally,
    group: list[Mention],
    verdict: str,
    segment: Segment,
    before: str,
    affirm: re.Pattern[str],
) -> None:
    names = [m.name for m in group]
    if verdict == "unclear" and len(names) > 1:
        verdict = _last_is_apart(tally, segment, before, affirm)
        names = names[:-1]
    target = {
        "yes": tally.yes,
        "no": tally.no,
        "weak": tally.weak,
        "unreal": set(),
        "unclear": tally.unclear,
        "": tally.bare,
    }[verdict]
    target.update(names)


def _last_is_apart(tally: _Tally, segment: Segment, before: str, affirm: re.Pattern[str]) -> str:
    """Read "the bad channel is T8, T7 was kept": the last name has a verb of its own."""
    last = segment.mentions[-1]
    after = segment.text[last.stop - segment.start :]
    singular = re.match(r"\s*(?:is|was|has|stays|stayed|remains|remained|looks)\b", after)
    head, tail = cues.polarity(before, affirm), cues.polarity(after, affirm)
    if singular is None or not head or not tail:
        tally.unclear.add(last.name)
        return "unclear"
    {"yes": tally.yes, "no": tally.no}.get(tail, tally.unclear).add(last.name)
    return head


def _tally_fields(
    name: str, own: Mapping[str, re.Pattern[str] | None], parts: list[Sentence]
) -> _Tally:
    """Tally for one of several sets of the same vocabulary: only its own words affirm."""
    tally = _Tally(set(), set(), set(), set(), set())
    for sentence in parts:
        said = [_fields_said(s.text, own) for s in sentence.segments]
        header = _fields_said(sentence.header, own)
        for index, segment in enumerate(sentence.segments):
            if not segment.mentions:
                continue
            fields = said[index] or _borrowed_fields(sentence.segments, said, index) or header
            fields = _continued(sentence.segments, said, index) | fields
            names = _named(segment, sentence)
            affirmed = {f for f, yes in fields.items() if yes}
            if name in affirmed and (len(affirmed) == 1 or len(names) == 1):
                tally.yes |= names
            elif name in affirmed:
                tally.unclear |= names
            elif fields.get(name) is False:
                tally.no |= names
    # What one sentence leaves unclear may be said clearly by another.
    tally.unclear -= tally.yes
    return tally


def _continued(
    segments: tuple[Segment, ...], said: list[dict[str, bool]], index: int
) -> dict[str, bool]:
    """Return what follows on the same names: "T8 is noisy, and drifts"."""
    found: dict[str, bool] = {}
    for later in range(index + 1, min(len(segments), index + REACH)):
        if segments[later].mentions:
            break
        found |= {field: True for field, yes in said[later].items() if yes}
    return found


def _named(segment: Segment, sentence: Sentence) -> set[str]:
    """Return the names of a segment that are not merely set aside."""
    names, stop = set(), segment.start
    for group in _groups(segment, sentence):
        if not cues.aside(sentence.text[max(stop, group[0].start - 80) : group[0].start]):
            names |= {m.name for m in group}
        stop = group[-1].stop
    return names


def _fields_said(text: str, own: Mapping[str, re.Pattern[str] | None]) -> dict[str, bool]:
    if not text:
        return {}
    text = cues.neutralise(text)
    found = {}
    for field, words in own.items():
        said, denied = cues.asserted(text, words) if words is not None else (False, False)
        if said or denied:
            found[field] = said and _EMPTY.search(text) is None
    return found


def _borrowed_fields(
    segments: tuple[Segment, ...], said: list[dict[str, bool]], index: int
) -> dict[str, bool]:
    for later in range(index + 1, min(len(segments), index + REACH)):
        if segments[later].mentions:
            break
        if said[later]:
            return said[later]
    for earlier in range(index - 1, max(-1, index - REACH), -1):
        if said[earlier]:
            return said[earlier]
    return {}
