"""Stretches of a text whose digits are names, not numbers: files, channels, dates, versions."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache

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
    r"|(?<![\d:.])(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?![\d:])"
)
_VERSION = re.compile(
    r"(?<![\w.,])v?\d{1,6}\.\d{1,6}\.\d{1,6}(?:[-+.]\w{1,20}){0,3}(?!\w|,\d)"
    r"|(?i:\b(?:version|release|bids|mne|python|numpy|scipy)) v?\d{1,4}(?:\.\d{1,4}){0,2}"
    r"(?![\w.]{0,20}\d)"
    r"|(?<!\w)v\d{1,4}(?:\.\d{1,4})?(?![\w.]{0,20}\d)"
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
# "subjects 02, 05 and 12": whole numbers that say which one, not how many
_WHICH = re.compile(
    r"\b(?:subject|participant|patient|session|run|channel|electrode|figure|table)s?(?: no\.?)? #?"
    r"\d{1,5}(?:(?:, ?|,? (?:and|or|to) |[-–])\d{1,5}){0,200}(?![\w.]{0,20}\d)",
    re.IGNORECASE,
)
_LIST_MARK = re.compile(r"^[ \t]{0,8}\d{1,2}[.)](?=[ \t])", re.MULTILINE)

_PATTERNS = (
    ("date", _DATE),
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


def name_spans(text: str, names: Collection[str] = ()) -> Iterator[tuple[int, int, str]]:
    """Yield ``(start, stop, reason)`` of what is a name although it holds digits.

    Parameters
    ----------
    text : str
        Any text.
    names : collection of str
        Further names, for example the channels of the recording.
    """
    known = _names_pattern(tuple(names))
    if known is not None:
        for match in known.finditer(text):
            yield match.start(), match.end(), "name"
    for reason, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            yield match.start(), match.end(), reason
    for match in _TOKEN.finditer(text):
        token = match.group()
        if len(token) > 300 or not any(c.isdigit() for c in token):
            continue
        if _ENTITY.search(token) or _FILE.search(token):
            yield match.start(), match.end(), "file or identifier"
