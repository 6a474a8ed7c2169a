"""Pairs of channels in a text: "O1–O2", "(O1, O2)", "between O1 and O2"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from braino_registry.scoring.answers.prose import Mention, Vocabulary

_STRONG = re.compile(r"\s?(?:[-–—‑−/&+~↔⟷⇄_:×]|<-+>|--+)\s?")
_WEAK = re.compile(r"\s*(?:,|\||;)?\s*(?:and|with|to|vs\.?|versus|und|\s)?\s*", re.IGNORECASE)
_OPENS = re.compile(
    r"(?:\bbetween|\bpairs?(?:\s+(?:of|is|was|are))?\s?[:=]?|\bcoupl\w+(?:\s+of)?|\bcorrelation\s+(?:of|between)"
    r"|\bchannels?|\belectrodes?|[(\[|])\s*(?:the\s+)?(?:channels?\s+|electrodes?\s+)?$",
    re.IGNORECASE,
)
_GAP = 12


class PairVocabulary(Vocabulary):
    """Pairs of known channels; a pair is written as both names in order of the alphabet.

    Parameters
    ----------
    names : iterable of str
        Names of the channels.
    aliases : mapping of str to list of str
        Further spellings of them.
    """

    def __init__(
        self, names: Iterable[str], aliases: Mapping[str, Iterable[str]] | None = None
    ) -> None:
        super().__init__(names, aliases)

    def canonical(self, spelled: str) -> str | None:
        """Return the pair that is written as ``spelled``, or None."""
        singles = super().find(spelled)
        if len(singles) != 2:
            return None
        one, two = singles
        outside = spelled[: one.start] + spelled[two.stop :]
        between = spelled[one.stop : two.start]
        linked = _STRONG.fullmatch(between) or _WEAK.fullmatch(between)
        if linked is None or re.search(r"[A-Za-z0-9]", outside) or one.name == two.name:
            return None
        return joined(one.name, two.name)

    def find(self, text: str) -> list[Mention]:
        """Return the pairs in a text, in order.

        Names with a dash, a slash or an arrow between them are a pair; with a comma or an "and"
        only two that stand alone, in brackets or behind "between".
        """
        singles = super().find(text)
        found: list[Mention] = []
        at = 0
        while at < len(singles) - 1:
            one, two = singles[at], singles[at + 1]
            if one.name != two.name and self._paired(text, singles, at):
                found.append(Mention(one.start, two.stop, joined(one.name, two.name)))
                at += 2
            else:
                at += 1
        return found

    @staticmethod
    def _paired(text: str, singles: list[Mention], at: int) -> bool:
        one, two = singles[at], singles[at + 1]
        gap = two.start - one.stop
        if gap > _GAP:
            return False
        if _STRONG.fullmatch(text, one.stop, two.start):
            return True
        if not _WEAK.fullmatch(text, one.stop, two.start):
            return False
        if at + 2 < len(singles):
            after = singles[at + 2]
            near = after.start - two.stop <= _GAP
            if near and _WEAK.fullmatch(text, two.stop, after.start):
                return False  # a list of three is no pair
        return _OPENS.search(text[max(0, one.start - 40) : one.start]) is not None


def joined(one: str, two: str) -> str:
    """Return a pair as it is compared: both names in order of the alphabet."""
    return "-".join(sorted((one, two)))


def as_written(value: Any) -> Any:
    """Return a pair of data as text: ``["O1", "O2"]`` and ``{"channels": [...]}`` are "O1-O2".

    Parameters
    ----------
    value : JSON value
        An item of a list, or the value of a label.
    """
    if isinstance(value, Mapping):
        named = [v for v in value.values() if isinstance(v, str)]
        listed = [v for v in value.values() if isinstance(v, list | tuple) and len(v) == 2]
        value = listed[0] if len(listed) == 1 else (named if len(named) == 2 else value)
    if (
        isinstance(value, list | tuple)
        and len(value) == 2
        and all(isinstance(v, str) for v in value)
    ):
        return f"{value[0]} & {value[1]}"
    return value
