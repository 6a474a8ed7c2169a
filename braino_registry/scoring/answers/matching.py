"""Which field a label of a report names: a heading, a row and column of a table, a key.

A label names the field with the longest phrase whose words it holds, all of them. Two fields that
are named equally well share it with nobody.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from braino_registry.scoring.answers.cues import stem

_WORD = re.compile(r"[a-zµ]+|\d+(?:\.\d+)?|%", re.IGNORECASE)
_DULL = frozenset(
    "a an the of in at on to for by with from and or is are was were be over per all each its our"
    " my your this that these those value values result results estimated computed calculated"
    " measured obtained reported overall approx approximately about".split()
)
_SAME = {
    "average": "mean", "avg": "mean", "averaged": "mean", "rel": "relative", "abs": "absolute",
    "freq": "frequency", "frequencies": "frequency", "min": "minimum", "max": "maximum",
    "chan": "channel", "electrode": "channel", "electrodes": "channel", "pct": "percent",
    "percentage": "percent", "%": "percent", "hz": "hertz", "std": "sd", "num": "number",
    "n": "number", "count": "number",
}  # fmt: skip


@lru_cache(maxsize=20_000)
def tokens(text: str) -> tuple[str, ...]:
    """Return the words of a label that tell something, without their endings.

    Parameters
    ----------
    text : str
        A heading, a cell or a phrase.
    """
    found: list[str] = []
    dull: list[str] = []
    for match in _WORD.finditer(text.replace("_", " ").replace("α", "alpha").replace("θ", "theta")):
        word = match.group().lower()
        word = _SAME.get(word, word)
        telling = word not in _DULL or (len(word) == 1 and match.group().isupper())
        (found if telling else dull).append(stem(word) if word.isalpha() else word)
    return tuple(found or dull)


def phrase_tokens(name: str, spec: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Return the words of each phrase that names a field: its name, and what it is said as.

    Parameters
    ----------
    name : str
        Name of the field.
    spec : mapping
        The field; ``said_as`` lists phrases.
    """
    said = [p for p in spec.get("said_as", ()) if isinstance(p, str)]
    found = [tokens(phrase) for phrase in (name, *said)]
    return [each for each in dict.fromkeys(found) if each]


class Names:
    """The phrases of all fields of a contract, to ask which of them a label names.

    Parameters
    ----------
    fields : mapping
        The fields by name.
    """

    def __init__(self, fields: Mapping[str, Mapping[str, Any]]) -> None:
        self._types = {name: str(spec.get("type")) for name, spec in fields.items()}
        self._phrases = {
            name: [frozenset(each) for each in phrase_tokens(name, spec)]
            for name, spec in fields.items()
        }

    def of_type(self, kind: str) -> list[str]:
        """Return the names of the fields of one type."""
        return [name for name, own in self._types.items() if own == kind]

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the fields."""
        return tuple(self._phrases)

    def touches(self, name: str, words: frozenset[str]) -> bool:
        """Tell whether a label has a word of any phrase of a field."""
        return any(phrase & words for phrase in self._phrases.get(name, ()))

    def covered(self, name: str, words: frozenset[str]) -> int:
        """Return how many words of a label the best phrase of a field has, all of its own."""
        return max((len(p) for p in self._phrases.get(name, ()) if p <= words), default=0)

    def best(self, words: Iterable[str], among: Iterable[str] | None = None) -> str | None:
        """Return the field that a label names, or None where none or several are.

        Parameters
        ----------
        words : iterable of str
            Result of `tokens` for the label.
        among : iterable of str | None
            Fields to choose from; all by default.
        """
        given = frozenset(words)
        scores = {
            name: score
            for name in (self._phrases if among is None else among)
            if (score := self.covered(name, given))
        }
        best = max(scores.values(), default=0)
        named = [name for name, score in scores.items() if score == best]
        return named[0] if len(named) == 1 else None
