"""Words that tell what an answer says of the names it mentions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any


def _any(words: str) -> str:
    """Return the alternatives of a block of lines, one or more patterns a line."""
    return "|".join(
        part.strip() for line in words.split("\n") for part in line.split(" | ") if part
    )


# Denials that say something bad: they are replaced before a "not" is looked for.
_BAD_DENIAL = re.compile(
    r"\b(?:can ?not|can't|could not|couldn't|should not|shouldn't|must not|mustn't|not to|won't"
    r"|not) be (?:used|trusted|analy[sz]ed|kept|relied)"
    r"|(?:\bnot|n't) (?:usable|useable|reliable|working|ok|okay|good|clean|fine|normal|trustworthy"
    r"|acceptable|recording|connected)\b"
    r"|\b(?:no|without|lost|loses) (?:signal|contact|activity|usable)\b|\bno longer usable\b",
    re.IGNORECASE,
)
_NOT = (
    r"(?:\bnot|n't|\bnever|\bnothing|\brefus\w+|\bwrong|\bneither|\bnor|\bno|\bwithout|\bhardly"
    r"|\bnone of)\b"
)
_NOT_BEFORE = re.compile(rf"{_NOT}(?:\s+[\w'/-]+){{0,5}}\s*$", re.IGNORECASE)

GENERIC = {
    "channel": _any(r"""bad | nois(?:y|e) | flat\w* | dead | faulty | fault | broken | defective
        unusable | unreliable | mark(?:ed|s)? | exclud(?:e|ed|ing) | interpolat\w+ | poor
        reject(?:ed|s)? | drop(?:ped|s)? | remov(?:ed?|es|ing) | discard\w* | art[ei]fact\w*
        corrupt\w* | contaminat\w+ | drift\w* | disconnected | approved | applied | confirmed
        problem\w* | badx | unplugged | saturat\w+ | clipp\w+ | accepted | agreed to
        consented to"""),
    "label": _any(r"""significan\w* | differ\w* | higher | lower | larger | smaller | greater
        effects? | surviv\w+ | reliabl[ey] | increas\w+ | decreas\w+ | reduc\w+ | elevat\w+
        confirmed | found | present | detected | bad | excluded | missing"""),
}
_KEPT_WORDS = _any(r"""kept | keep | keeps | keeping | retain(?:ed|s)?
    left (?:it )?(?:as|alone|unmarked|untouched|in\b|out of) | leave | leaving | stay(?:s|ed)?
    remain(?:s|ed)? | good | fine | clean | normal | ok | okay | usable | unaffected | healthy
    acceptable | spared | unchanged | unmark(?:ed)? | declined? | refused | vetoed | overruled
    false (?:alarm|positive) | insignificant | non-?significant | unremarkable | n\.s | ns
    the same | similar | comparable | turned down | struck (?:off|out) | crossed (?:off|out)
    taken off | took off | cleared | no (?:for|to) | said no
    no longer (?:in|on|has|have|among|part|contains?|includes?|lists?)
    (?:do|does|did)(?: not|n't) (?:include|contain|list|have)""")
# "leaving P3 as the only bad channel", "P3 stays marked": the verb keeps nothing good
_BAD = r"(?:bad|marked|excluded|flagged|rejected|noisy)\b"
_END = r"(?=\s*(?:[.;!\n]|$))"
_STAYS_BAD = re.compile(
    rf"\b(?:leav(?:es?|ing)|left)\b(?=[^.;,\n]{{1,50}}?\b(?:as|being)\s+(?:\w+\s+){{0,3}}?{_BAD})"
    rf"|\b(?:remain(?:s|ed)?|stay(?:s|ed)?|kept|keep|left)\b(?=\s+(?:as\s+)?(?:\w+ly\s+)?{_BAD})"
    r"|\b(?:remain(?:s|ed)?|stay(?:s|ed)?|kept|left)\b(?=\s+(?:in|on)\s+(?:\w+\s+){0,2}?bad)",
    re.IGNORECASE,
)
# Words of an outcome single out what nothing else is said of: "what remains is P3".
_OUTCOME = re.compile(
    r"\b(?:leav(?:es?|ing)|left)\s+(?:(?:us|me|you)\s+with\s+)?(?:only|just)\b"
    r"|\b(?:what|all that|the only one that|the one that)\s+(?:remain(?:s|ed)|(?:is|was) left)\b"
    r"(?!\s+\w+\s+to\b)"
    r"|\bfinal(?=\s*(?:[:=]|list|set|selection|result|answer|bad|marking|decision))|\bended up\b"
    r"|\b(?:result|outcome|list|selection|decision|marking)\s+(?:after|following|given|with|per)"
    r"\s+your\s+\w+",
    re.IGNORECASE,
)
_SO_IT_IS = re.compile(rf"\bso\b(?P<who>[^.;,\n]{{1,40}})\bit (?:is|was){_END}", re.IGNORECASE)
# "you confirmed that it is fine" confirms nothing bad
_GOOD = r"(?:fine|good|okay|ok|clean|normal|usable|healthy)\b"
_CONFIRMED_GOOD = re.compile(
    rf"\b(?:confirm\w*|accept\w*|approv\w*|agreed to)\b(?=[^.;,\n]{{1,50}}?\b{_GOOD})",
    re.IGNORECASE,
)
# What others say, or what may be, singles nothing out.
_HEARSAY = re.compile(
    r"\b(?:everyone|everybody|people|some|many|others|they)\s+(?:\w+\s+)?(?:says?|said|claim(?:s|ed)?"
    r"|thinks?|thought|believed?s?)\b|\b(?:is|are|was|were)\s+(?:said|claimed|believed|thought"
    r"|rumou?red|supposed|alleged)\s+to\b|\b(?:supposedly|allegedly|a myth|rumou?rs?)\b"
    r"|\b(?:might|could|may)\s+(?:\w+\s+)?be\b"
    r"(?!\s+(?:used|trusted|analy[sz]ed|kept|relied|because))"
    r"|\bused to be\b",
    re.IGNORECASE,
)
# "(T8 is bad) but it is fine" takes back what the statement before says.
TAKEN_BACK = re.compile(
    r"\W*(?:but|yet|however|though|although|now)\b[\s,]*(?:\w+\s+){0,2}?(?:it|they|this|that|these)"
    r"(?:'s|'re|\s+(?:is|are|was|were|looks?|seems?))\s+(?:not\s+(?:bad|noisy|flat)|(?:\w+ly\s+"
    r"|in fact\s+|all\s+)?(?:fine|good|clean|ok|okay|normal|usable|healthy))\b",
    re.IGNORECASE,
)
# "(you rejected O1) but I set it bad anyway" does what the statement before says was not done.
DONE_ANYWAY = re.compile(
    r"\b(?:I|we)\b[^.;,\n]{0,40}\b(?:it|them|this one|that one|those|both)\b", re.IGNORECASE
)
CONDITION = re.compile(r"\b(?:if|whether|unless|in case)\b", re.IGNORECASE)
_NEVER_DONE = re.compile(
    r"\b(?:would|should|could|might)(?: also)?(?:n't| not)? have\b(?!\s+to\b)"
    r"|\basked (?:you )?(?:to|whether|if|for|about)\b"
    r"|\b(?:was|were) (?:going|about) to\b|\b(?:wanted|intended|planned|meant) to\b",
    re.IGNORECASE,
)
_KEPT = re.compile(
    rf"\b(?:{_KEPT_WORDS})\b"
    r"|\b(?:removed|dropped|rejected|excluded|deleted|struck|taken out)\s+"
    r"(?:again\s+)?(?:from\s+(?:\w+\s+){0,2}?(?:it|\w+)\s+)?by"
    r"\s+(?:you|the user|the researcher)\b"
    r"|\byou had\b[^.;,\n]{1,30}\b(?:removed|dropped|deleted|taken out|struck)\b"
    r"|\b(?:you|user|they|researcher|she|he)\s+(?:\w+\s+)?(?:rejected|removed|dropped|excluded)\b"
    r"|\b(?:removed|dropped|deleted|excluded|taken|took|struck)\b.{0,60}?"
    r"\b(?:proposal|list|suggestion|decision|selection)\b",
    re.IGNORECASE,
)
_WEAK_WORDS = _any(r"""propos\w+ | suggest\w* | suspect\w* | candidates? | flag(?:ged)?
    considered | wanted to | would have | initially | at first | detector | detection | thought
    looked at | compared | checked | examined | inspected""")
_WEAK = re.compile(rf"\b(?:{_WEAK_WORDS})\b", re.IGNORECASE)
_LOOKED = re.compile(
    r"\b(?:looked (?:at|into)|compared|checked|examined|inspected)\b", re.IGNORECASE
)
_ASIDE_WORDS = _any(r"""instead of | without | rather than | unlike | but not | not
    compared (?:with|to) | relative to | referenced? to | near | next to | close to
    than | adjacent to
    neighbou?r(?:s|ing)?(?: of)? | opposite(?: of)? | versus | vs\.? | against""")
_THING = r"\s+(?:the\s+)?(?:(?:channels?|electrodes?|subjects?|bands?)\s+)?$"
_ASIDE = re.compile(rf"\b(?:{_ASIDE_WORDS}){_THING}", re.IGNORECASE)
EXCEPT = re.compile(
    r"\b(?:except(?:ing)?(?: for)?|apart from|aside from|other than|besides|but for"
    rf"|with the exception of){_THING}",
    re.IGNORECASE,
)
# "all channels but T8"; in "all others are good but T8 is bad", the "but" is another one
ALL_BUT = re.compile(
    r"\b(?:all|every|each|any|no|none|nothing)\s+(?:(?:the|other|of|these|EEG)\s+)*"
    rf"(?:(?:channels?|electrodes?|sensors?|ones?|others?|bands?|subjects?)\s+)?but{_THING}",
    re.IGNORECASE,
)
_SUFFIXES = ("ing", "ed", "es", "us", "s", "y", "i", "e")
_DULL = frozenset(
    "n num the of a an and or in at on to by for with from channel channels electrode electrodes "
    "name names value values number mean subject subjects list set uv uv2 hz s ms v db percent "
    "count bpm band bands after before each which what is are".split()
)
_SYNONYMS = {
    "sfreq": ("sampling rate", "sampling frequency", "sample rate", "sampled at", "sampling"),
    "peak": ("peaks", "peaking", "peaked"),
    "latency": ("peaks at", "occurs at"),
}


def neutralise(text: str) -> str:
    """Return the text with denials that mean "bad" replaced by a word that says so."""
    text = _BAD_DENIAL.sub(_bad, text.replace("_", " "))
    text = _SO_IT_IS.sub(lambda m: f"so{m['who']}badx ", text)
    text = _CONFIRMED_GOOD.sub(lambda m: " " * len(m.group()), text)
    return _STAYS_BAD.sub(lambda m: " " * len(m.group()), text)


def _bad(match: re.Match[str]) -> str:
    return "badx".ljust(len(match.group()))


def stem(word: str) -> str:
    """Return a word without its ending, at least three letters of it."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 4:
            return word[: -len(suffix)]
    return word


def phrase(words: str) -> str:
    """Return a pattern of a phrase whose words may have other endings."""
    parts = [
        rf"{re.escape(stem(w))}\w{{0,5}}" if w.isalpha() and len(w) > 3 else re.escape(w)
        for w in words.lower().replace("_", " ").split()
    ]
    return r"\s+".join(parts)


def field_phrases(name: str, spec: Mapping[str, Any]) -> list[str]:
    """Return the phrases that name a field: those it is said as, and the words of its name.

    Parameters
    ----------
    name : str
        Name of the field.
    spec : mapping
        The field; ``said_as`` lists the phrases.
    """
    found = [phrase for phrase in spec.get("said_as", ()) if isinstance(phrase, str)]
    words = [w for w in name.lower().split("_") if w not in _DULL]
    for word in words:
        found += [word, *_SYNONYMS.get(word, ())]
    return list(dict.fromkeys(p.strip().lower() for p in found if p.strip()))


def own_phrases(
    name: str, spec: Mapping[str, Any], siblings: Mapping[str, Mapping[str, Any]]
) -> list[str]:
    """Return the phrases of a field that none of its siblings has, not even in a longer one."""
    others = " | ".join(
        p for other, s in siblings.items() if other != name for p in field_phrases(other, s)
    ).replace("_", " ")
    return [
        p
        for p in field_phrases(name, spec)
        if re.search(rf"(?<!\w){re.escape(p)}(?!\w)", others) is None
    ]


def pattern(phrases: Iterable[str]) -> re.Pattern[str] | None:
    """Return a pattern of any of the phrases, or None without one."""
    body = "|".join(phrase(p) for p in sorted(phrases, key=lambda p: (-len(p), p)))
    return (
        re.compile(rf"(?<![A-Za-z0-9])(?:{body})(?![A-Za-z0-9])", re.IGNORECASE) if body else None
    )


def generic(of: str) -> re.Pattern[str]:
    """Return the pattern of words that single out members of a set, by what it is a set of."""
    body = GENERIC["channel"] if of in ("channel", "subject", "recording") else GENERIC["label"]
    return re.compile(rf"\b(?:{body})\b", re.IGNORECASE)


def asserted(text: str, words: re.Pattern[str]) -> tuple[bool, bool]:
    """Return whether a text says one of the words, and whether it denies one.

    Parameters
    ----------
    text : str
        Result of `neutralise`.
    words : re.Pattern
        The words.
    """
    said = denied = False
    for match in words.finditer(text):
        if _NOT_BEFORE.search(text[max(0, match.start() - 60) : match.start()]):
            denied = True
        else:
            said = True
    return said, denied


def polarity(text: str, words: re.Pattern[str]) -> str:
    """Return ``"yes"``, ``"no"``, ``"weak"``, ``"unreal"`` or ``""`` for what a statement says.

    Parameters
    ----------
    text : str
        One segment.
    words : re.Pattern
        Words that affirm.
    """
    text = neutralise(text)
    outcome = _OUTCOME.search(text) is not None
    text = _OUTCOME.sub(lambda m: " " * len(m.group()), text)
    kept = _KEPT.search(text) is not None
    said, denied = asserted(_KEPT.sub(lambda m: " " * len(m.group()), text), words)
    if denied and not said:
        return "no"
    if kept:
        # "not kept" affirms; "marked and kept" is for the caller to call unclear
        flipped = _NOT_BEFORE.search(text[: _KEPT.search(text).start()]) is not None  # type: ignore[union-attr]
        if not said:
            return "yes" if flipped else "no"
        return "yes" if flipped else "unclear"
    if (
        _HEARSAY.search(text)
        or _NEVER_DONE.search(text)
        or CONDITION.search(text)
        or (not said and _LOOKED.search(text))
    ):
        return "unreal"
    outcome = outcome and not denied
    if _WEAK.search(text) and not (outcome and not said):
        return "yes" if said and re.search(r"\bonly|finally|was marked|is bad\b", text) else "weak"
    if outcome:
        return "yes"
    return "yes" if said else ("no" if re.search(r"\b(?:not|nor|neither)\b|n't\b", text) else "")


def aside(before: str) -> bool:
    """Tell whether the words before a name set it aside ("rather than T7")."""
    return _ASIDE.search(before) is not None
