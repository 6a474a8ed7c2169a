"""Stretches of a text whose digits are names, not numbers: files, channels, dates, versions."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import NamedTuple

from braino_registry.numbers.units import UNIT_AFTER, UNIT_BEFORE, find_unit

_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
_DATE = re.compile(
    r"(?<!\d)\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?Z?)?(?!\d)"
    r"|(?<![\d.])\d{1,2}([./])\d{1,2}\1(?:19|20)\d{2}(?!\d)"
    rf"|(?<!\d)\d{{1,2}}(?:st|nd|rd|th)? {_MONTH}(?:,? (?:19|20)\d\d)?(?![\w])"
    rf"|\b{_MONTH} (?:\d{{1,2}}(?:st|nd|rd|th)?,? )?(?:19|20)\d\d(?!\d)"
    rf"|\b{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?![\d.,]{0, 20}\d)(?!\w)"
)
_CLOCK = re.compile(r"(?<![\d:.])(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?![\d:])")
_VERSION = re.compile(
    r"(?<![\w.,])v?\d{1,6}\.\d{1,6}\.\d{1,6}(?:[-+.]\w{1,20}){0,3}(?!\w|,\d)"
    r"|(?i:\b(?:version|release|bids|mne|python|numpy|scipy)) v?\d{1,4}(?:\.\d{1,4}){0,2}"
    r"(?![\w.]{0,20}\d)"
    r"|(?<!\w)v\d{1,2}(?:\.\d{1,2})?(?![\w.]{0,20}\d)"
)
_LAYOUT = re.compile(
    r"(?<![\d.])10 ?[-–‑/] ?(?:20|10|0?5)(?![\d.%])(?! ?(?:k?Hz|m?s|min|[µumn]?V)\b)"
)
_YEAR = re.compile(
    r"et al\.?,? \(?(?:19|20)\d\d[a-z]?\b|\([A-Z][\w.&' -]{0,60},? (?:19|20)\d\d[a-z]?\)"
)
_LINK = re.compile(r"\bhttps?://\S+|\b10\.\d{4,9}/\S+")
_IDENTIFIER = re.compile(
    r"(?<![\w.])[A-Za-zµμ]{1,10}\d{1,8}(?:[A-Za-z]{1,10}\d{0,8}){0,4}(?!\w)(?!\.\d)"
)
_TOKEN = re.compile(r"\S+")
_ENTITY = re.compile(
    r"(?:^|[/_(\[\"'`])(?:sub|ses|task|acq|run|desc|rec|dir|space|split|chunk|view|result|erp"
    r"|epochs|evoked|spectrum|average|ica|figure|table|step|call|ds)-[A-Za-z0-9]+"
)
_FILE = re.compile(
    r"\w\.(?:jsonl?|tsv|csv|vhdr|eeg|vmrk|edf|bdf|set|fdt|fif|png|svg|txt|npy|npz|html|md|py|pdf|gz)"
    r"[)\]}\"'`.,;:!?]*$",
    re.IGNORECASE,
)
_DECIMAL = re.compile(r"\d[.,]\d")
# In a name of this sort, more digits than this are a number in disguise.
_MAX_DIGITS = 4
_LONG = re.compile(rf"(?<!\d)(?!0|(?:19|20)\d{{6}}(?!\d))\d{{{_MAX_DIGITS + 1},}}")
_BARE = re.compile(r"[^A-Za-z]*\d[^A-Za-z]*")
# "SNR41" and "rate72" name nothing
_MEASURE = re.compile(
    r"(?:snr|hr|bpm|d?b|[uµm]v|k?hz|ms|secs?|min|pct|percent|amp\w*|pow(?:er)?|lat\w*|\w*rate|pulse"
    r"|val(?:ue)?|ratio|mean|median|sd|sem|freq\w*|score|index|auc|rt|level|count|total|is|was|of|at|v"
    r"|to|about|approx|equals)(?=\d)",
    re.IGNORECASE,
)
_MEASURED = re.compile(
    r"\b(?:snr|heart rate|pulse|amplitude|power|latency|value|ratio|mean|median|sd|frequency|score"
    r"|index|level|share|rate|duration)\s*(?:(?:is|was|of|at|about|around)\s+|[=:≈~]\s*)*$",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"[ \t]+(?:(?:good|bad|clean|valid|usable)[ \t]+)?(?:epochs?|trials?|samples?|events?"
    r"|stimul\w+|responses?|targets?|windows?|segments?|subjects?|participants?|patients?|channels?|electrodes?"
    r"|blinks?|peaks?|points?|times)\b",
    re.IGNORECASE,
)
# "subjects 02, 05 and 12": whole numbers that say which one, not how many
_WHICH = re.compile(
    r"\b(?:subject|participant|patient|session|run|channel|electrode|figure|table)s?(?: no\.?)? #?"
    r"\d{1,4}(?:(?:, ?|,? (?:and|or|to) |[-–])\d{1,4}){0,200}(?![\w.]{0,20}\d)",
    re.IGNORECASE,
)
_LIST_MARK = re.compile(r"^[ \t]{0,8}\d{1,2}[.)](?=[ \t])", re.MULTILINE)

_PATTERNS = (
    ("date", _DATE),
    ("clock", _CLOCK),
    ("version", _VERSION),
    ("electrode layout", _LAYOUT),
    ("citation", _YEAR),
    ("link", _LINK),
    ("identifier", _IDENTIFIER),
    ("identifier", _WHICH),
    ("list mark", _LIST_MARK),
)


@lru_cache(maxsize=64)
def _names_pattern(names: tuple[str, ...]) -> re.Pattern[str] | None:
    # A purely numeric name ("12") would hide every 12 of the text; _WHICH covers "channel 12".
    wanted = [n for n in names if any(c.isdigit() for c in n) and any(c.isalpha() for c in n)]
    if not wanted:
        return None
    body = "|".join(re.escape(n) for n in sorted(set(wanted), key=lambda n: (-len(n), n)))
    return re.compile(rf"(?<![\w.])(?:{body})(?!\w)(?!\.\d)", re.IGNORECASE)


class Name(NamedTuple):
    """A stretch of a text that is a name although it holds digits."""

    start: int
    stop: int
    reason: str


def name_spans(text: str, names: Collection[str] = ()) -> Iterator[Name]:
    """Yield what is a name although it holds digits.

    Parameters
    ----------
    text : str
        Any text.
    names : collection of str
        Further names, for example the channels of the recording.
    """
    known, labels = _names_pattern(tuple(names)), {n.lstrip("0") for n in names if n.isdecimal()}
    if known is not None:
        for match in known.finditer(text):
            yield Name(match.start(), match.end(), "name")
    for reason, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            if pattern is _IDENTIFIER and not _identifies(match.group()):
                continue
            if pattern is not _WHICH or _tells_which(text, match, labels):
                yield Name(match.start(), match.end(), reason)
    for match in _TOKEN.finditer(text):
        token = match.group()
        if len(token) > 300 or not any(c.isdigit() for c in token):
            continue
        if _ENTITY.search(token) or _FILE.search(token):
            yield from _parts(token, match.start())


def _identifies(token: str) -> bool:
    return _MEASURE.match(token) is None and _LONG.search(token) is None


def _tells_which(text: str, match: re.Match[str], labels: Collection[str]) -> bool:
    """Tell "subject 12" from "session 93 epochs": before things that are counted, a known label."""
    if _COUNTED.match(text, match.end()) is None:
        return True
    said = re.findall(r"\d+", match.group())
    return said[-1].startswith("0") or said[-1].lstrip("0") in labels


def _parts(token: str, start: int) -> Iterator[Name]:
    """Yield the parts of a path that name something; a part without letters is a number."""
    for part in re.finditer(r"[^/]+", token):
        said = part.group()
        if _BARE.fullmatch(said) or _DECIMAL.search(said) or _LONG.search(said):
            continue
        yield Name(start + part.start(), start + part.end(), "file or identifier")


def posing(text: str, name: Name) -> str | None:
    """Return the unit that makes a quantity of a name, or None.

    Parameters
    ----------
    text : str
        The text.
    name : Name
        Where it stands. What looks like a name but has a unit ("May 12 µV", "µV: v93.7"), or stands
        for the value of a measure ("SNR: v9.37"), is a quantity.

    Returns
    -------
    unit : str | None
        ``"1"`` where a measure is named but no unit.
    """
    if name.reason == "electrode layout":
        return None
    before = text[max(0, name.start - 40) : name.start]
    unit = UNIT_AFTER.match(text, name.stop) or UNIT_BEFORE.search(before)
    if unit is not None and not (name.reason == "list mark" and unit["word"]):  # "2. Second"
        found = find_unit(unit["symbol"] or unit["word"])
        return found.name if found else None
    return "1" if name.reason in ("date", "version") and _MEASURED.search(before) else None
