"""Whether a question asks what a phrase asks: deterministic, and strict about near misses.

A question matches a phrase if all content words of the phrase stand close together in it, in any
order. Words are compared without case, accents, punctuation and grammatical endings; words that
carry no content are left out. *Close together* leaves room for three other words, of which one may
carry content (two for phrases of three words and more), so that ``mains frequency`` is found in
"what is the frequency of the electrical mains?" and not in "does frequency matter, when the
amplifier hangs on the mains?".
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

_WORD = re.compile(r"[0-9]+(?:[.,][0-9]+)*|[^\W\d_]+")

# Words that a question may hold without asking for anything else.
_STOP = frozenset(
    """
    a about all am an and any are as at be been but by can could did do does doing for from get
    had has have having here how i if in into is it its just kindly know let like may me might
    must my need of on one our please shall should so some such tell than that the their them then
    there these they this those to us use used using want was we were what when where which who
    whose why will with would you your
    """.split()
)

# Different spellings of the same word; none of these is a synonym.
_SAME = {
    "artefact": "artifact",
    "centre": "center",
    "colour": "color",
    "hertz": "hz",
    "khz": "kilohz",
    "kilohertz": "kilohz",
    "behaviour": "behavior",
    "analyse": "analyze",
    "ica's": "ica",
    "sec": "second",
    "secs": "second",
}

# Words whose last s belongs to them: "mains" is not the plural of "main".
_WHOLE = frozenset({"mains", "bias", "lens", "series", "gas", "always", "this", "yes"})


def content_words(text: str) -> list[str]:
    """Return the words of a text that carry its content, in order, in comparable form.

    Parameters
    ----------
    text : str
        A question or a phrase.

    Returns
    -------
    words : list of str
        Without case, accents, punctuation, endings and stop words. ``or`` stays where it stands
        beside a number: "50 or 60 Hz" asks for a choice, "between 50 and 60 Hz" does not.
    """
    return [word for word, _ in _placed(text)]


def _placed(text: str) -> list[tuple[str, int]]:
    """Return the content words with their places among all words."""
    text = unicodedata.normalize("NFKD", text.casefold())
    text = "".join(each for each in text if not unicodedata.combining(each)).replace("’", "'")
    text = re.sub(r"(?<=\d)\s*/\s*(?=\d)", " or ", text)
    text = re.sub(r"\b(on|off)-line\b", r"\1line", text)
    found = _WORD.findall(re.sub(r"(?<=\w)'s?\b", "", text))
    words = []
    for place, word in enumerate(found):
        if word == "or":
            beside = found[max(0, place - 2) : place] + found[place + 1 : place + 2]
            if any(each[0].isdigit() for each in beside):
                words.append((word, place))
        elif word not in _STOP:
            words.append((stem(_SAME.get(word, word)), place))
    return words


def stem(word: str) -> str:
    """Return a word without plural, ``-ed``, ``-ing`` and silent e.

    Parameters
    ----------
    word : str
        In lower case.
    """
    if word in _WHOLE or not word.isalpha() or len(word) < 4:
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("sses", "shes", "ches", "xes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        root = word.removesuffix(ending)
        if root != word and len(root) >= 3 and re.search("[aeiouy]", root):
            doubled = root[-1] == root[-2] and root[-1] not in "lsz"
            word = root[:-1] if doubled else root
            break
    return word.removesuffix("e") if len(word) > 4 else word


def asks(question: str, phrase: str) -> bool:
    """Tell whether a question asks what a phrase asks.

    Parameters
    ----------
    question : str
        As an agent put it.
    phrase : str
        As a task's author put it; a phrase without content words never matches.
    """
    wanted = content_words(phrase)
    return bool(wanted) and _close_together(_placed(question), wanted)


def _close_together(words: Sequence[tuple[str, int]], wanted: Sequence[str]) -> bool:
    """Tell whether all wanted words stand within one short stretch of words."""
    need = Counter(wanted)
    most = len(wanted) + (1 if len(wanted) < 3 else 2)
    for start, (_, first) in enumerate(words):
        end = first + len(wanted) + 3
        stretch = [word for word, place in words[start : start + most] if place < end]
        if not need - Counter(stretch):
            return True
    return False
