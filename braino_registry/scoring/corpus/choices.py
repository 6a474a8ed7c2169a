"""Which of four options a reply to a question means.

``strict`` takes a letter or an option's text only where it is the only one the reply can mean: an
article is no letter, a denied option is not chosen, and two options are none. ``published`` is the
reader of the released scorer, which takes the first that fits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from braino_registry.scoring.units.canonical import Profile

LETTERS = "ABCD"
#: What may stand around a letter or a text without meaning anything.
_MARKS = " \t\n\r*_`\"'“”‘’()[]{}.,:;!"
_ALONE = re.compile(
    r"(?:(?:(?:the|my|final|correct|best|right) )*(?:option|answer|choice)(?: is)?(?![^\W_]))?"
    rf"[{re.escape(_MARKS)}=]*([a-d])"
)
#: A letter that is pointed out: first and set off, in brackets, or after such a word.
_POINTED = (
    re.compile(r"^[\s*_`]*\(?([A-Da-d])[)\].:](?=\W|$)"),
    re.compile(r"^[\s*_`]*([A-D])[*_`]*\s*(?:[-–—](?=\s)|[,;(])"),
    re.compile(r"[(\[]([A-D])[)\]]"),
    re.compile(r"\b(?:option|answer|choice)\b[\s:=*_`\"'(\[]*(?-i:([A-D]))\b", re.IGNORECASE),
)
_LETTER = re.compile(r"(?<![\w'’])([A-D])(?![\w'’])")
#: After a capital A that is no letter stands a word, but none of these.
_ARTICLE = re.compile(
    r"A\s+(?![A-D]\b)(?!(?:is|are|was|because|since|as|and|or|but|seems|fits|would|should|must)\b)\w"
)
_DENIED = re.compile(
    r"(?:\b(?:not|never|neither|nor|except|excludes?|excluding|instead of|rather than|unlike)\b"
    r"|n['’]t\b)\W+(?:(?!but\b)\w+\W+){0,2}$",
    re.IGNORECASE,
)
_EITHER = re.compile(r"\b([A-D])\b[\s)\].]*(?:or|and|/|,|&|\+)\s*(?:option\s+)?[(\[]?\b([A-D])\b")


def read_choice(raw: Any, options: Mapping[str, str] | None, profile: Profile = "strict") -> str:
    """Return the letter of the option that a reply means, or an empty text.

    Parameters
    ----------
    raw : JSON value
        The reply.
    options : mapping of str to str | None
        Text of each option by its letter.
    profile : {"strict", "published"}
        ``strict`` reads texts only; ``published`` whatever has a text form.
    """
    texts = {
        letter: str((options or {})[letter]) for letter in LETTERS if letter in (options or {})
    }
    if profile == "published":
        return _first_that_fits(raw, texts)
    return _only_one(raw, texts) if isinstance(raw, str) else ""


def _only_one(reply: str, options: Mapping[str, str]) -> str:
    bare = _bare(reply)
    alone = _ALONE.fullmatch(bare)
    if alone or not bare:
        return alone[1].upper() if alone else ""
    same = {letter for letter, text in options.items() if _bare(text) == bare}
    if same:
        return _single(same)
    pointed = {
        match[1].upper()
        for pattern in _POINTED
        for match in pattern.finditer(reply)
        if not _denied(reply, match.start(1))
    }
    if pointed:
        either = {letter for match in _EITHER.finditer(reply) for letter in match.groups()}
        return "" if pointed & either else _single(pointed)
    letters, texts = set(_letters(reply)), set(_named(reply, options))
    if letters and texts:
        return _single(letters | texts)
    return _single(letters or texts or set(_fragment_of(reply, options)))


def _single(found: set[str]) -> str:
    return next(iter(found)) if len(found) == 1 else ""


def _bare(text: str) -> str:
    """Return a text without case, marks around it, and the length of white space."""
    return " ".join(text.casefold().split()).strip(_MARKS)


def _denied(reply: str, start: int) -> bool:
    return _DENIED.search(reply, max(0, start - 60), start) is not None


def _letters(reply: str) -> Iterator[str]:
    """Yield the capital letters that stand alone and are neither an article nor denied."""
    for match in _LETTER.finditer(reply):
        if not _ARTICLE.match(reply, match.start()) and not _denied(reply, match.start()):
            yield match[1]


def _named(reply: str, options: Mapping[str, str]) -> Iterator[str]:
    """Yield the options whose text stands in the reply, but for those within a longer one."""
    heard = " ".join(reply.casefold().split())
    known = sorted(((_bare(text), letter) for letter, text in options.items()), key=_shorter)
    for text, letter in known:
        if not text:
            continue
        places = [m.start() for m in re.finditer(rf"(?<!\w){re.escape(text)}(?!\w)", heard)]
        if any(not _denied(heard, place) for place in places):
            yield letter
        if not any(other == text for other, name in known if name > letter):
            heard = re.sub(rf"(?<!\w){re.escape(text)}(?!\w)", " " * len(text), heard)


def _shorter(option: tuple[str, str]) -> tuple[int, str]:
    return -len(option[0]), option[1]


def _fragment_of(reply: str, options: Mapping[str, str]) -> Iterator[str]:
    """Yield the options of whose text the reply is a part, in whole words."""
    part = _bare(reply)
    if not re.search(r"[^\W\d_]{2}", part):
        return
    for letter, text in options.items():
        if re.search(rf"(?<!\w){re.escape(part)}(?!\w)", _bare(text)):
            yield letter


def _first_that_fits(raw: Any, options: Mapping[str, str]) -> str:
    reply = "" if raw is None else str(raw).strip()
    if not reply:
        return ""
    for match in (
        re.fullmatch(r"\(?\s*([A-Da-d])\s*\)?\.?", reply),
        re.match(r"\s*(?:option\s*)?\(?([A-Da-d])\)?[.):\s]", reply),
    ):
        if match:
            return match[1].upper()
    said = _blanks(reply)
    known = {letter: _blanks(text) for letter, text in options.items()}
    equal = [letter for letter, text in known.items() if text == said]
    near = [letter for letter, text in known.items() if text and (text in said or said in text)]
    alone = re.findall(r"\b([A-D])\b", reply.upper())
    return next(iter([*equal, *near, *alone]), "")


def _blanks(text: str) -> str:
    return re.sub(r"\s+", " ", text.strip().casefold())
