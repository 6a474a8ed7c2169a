"""Reading a request by its words: no understanding, only patterns that many requests share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

BANDS = ("delta", "theta", "alpha", "beta", "gamma")
_NUMBER = r"(\d+(?:\.\d+)?)"
_SUBJECT = re.compile(r"\b(?:subject|sub)[ -]([A-Za-z0-9]+)\b", re.IGNORECASE)
_SPAN = re.compile(rf"{_NUMBER} ?(ms|s|Hz)? (?:to|and) {_NUMBER} ?(ms|s|Hz)\b")
_EPOCH = re.compile(rf"{_NUMBER} ?(ms|s) before(?: it)?(?:,)? (?:to|and) {_NUMBER} ?(ms|s) after")
_WINDOWS = re.compile(rf"windows? of {_NUMBER} s\b")
_LIMIT = re.compile(rf"{_NUMBER} ?(?:µV|uV|microvolts?)\b")


@dataclass(frozen=True)
class Request:
    """A request, and what patterns find in it.

    Parameters
    ----------
    text : str
        The researcher's words.
    """

    text: str

    def says(self, pattern: str) -> bool:
        """Tell whether a word or a phrase occurs; a regular expression, whatever the case."""
        return re.search(rf"\b(?:{pattern})", self.text, re.IGNORECASE) is not None

    @property
    def subject(self) -> str | None:
        """The first subject that is named."""
        found = _SUBJECT.search(self.text)
        return found.group(1) if found else None

    def spans(self, unit: str) -> list[tuple[float, float]]:
        """Return the ranges that the request names, in their order.

        Parameters
        ----------
        unit : {"s", "Hz"}
            Times are returned in s whether they are stated in ms or s.
        """
        text = _EPOCH.sub("", self.text)
        found = []
        for low, _, high, given in _SPAN.findall(text):
            if (given == "Hz") == (unit == "Hz"):
                scale = 1e-3 if given == "ms" else 1.0
                found.append((float(low) * scale, float(high) * scale))
        return found

    @property
    def epoch(self) -> tuple[float, float] | None:
        """The epoch that is asked for, in s around the event."""
        found = _EPOCH.search(self.text)
        if found is None:
            return None
        before, unit, after, other = found.groups()
        return -float(before) * _scale(unit), float(after) * _scale(other)

    @property
    def segment_seconds(self) -> float | None:
        """The length of the windows of a spectrum, in s."""
        found = _WINDOWS.search(self.text)
        return float(found.group(1)) if found else None

    @property
    def limit_uv(self) -> float | None:
        """A limit in µV."""
        found = _LIMIT.search(self.text)
        return float(found.group(1)) if found else None

    @property
    def bands(self) -> list[str]:
        """The bands that are named, in their order."""
        words = re.findall(r"[a-z]+", self.text.lower())
        return [word for word in dict.fromkeys(words) if word in BANDS]

    def named(self, names: Iterable[str]) -> list[str]:
        """Return the names that occur as they are, in the order in which they occur.

        "the P3" is a component, "at P3" a channel.

        Parameters
        ----------
        names : iterable of str
            Channels, say.
        """
        places = {}
        for name in names:
            found = re.search(rf"(?<!\bthe )(?<![\w-]){re.escape(name)}(?![\w-])", self.text)
            if found:
                places[name] = found.start()
        return sorted(places, key=places.__getitem__)

    def mentioned(self, names: Iterable[str]) -> list[str]:
        """Return the names whose words all occur in some form, in the order of the request.

        ``face`` is mentioned by "faces", ``eyesclosed`` by "eyes closed", ``left-target`` by
        "targets on the left".
        """
        words = re.findall(r"[a-z0-9]+", self.text.lower())
        places = {}
        for name in names:
            parts = re.findall(r"[a-z0-9]+", name.lower())
            at = [_place(part, words) for part in parts]
            if parts and None not in at:
                places[name] = max(place for place in at if place is not None)
        return sorted(places, key=places.__getitem__)


def _scale(unit: str) -> float:
    return 1e-3 if unit == "ms" else 1.0


def _place(part: str, words: Sequence[str]) -> int | None:
    """Return where a word occurs, in the plural or written as several words."""
    for index in range(len(words)):
        joined = ""
        for word in words[index : index + 3]:
            joined += word
            if joined in (part, f"{part}s", f"{part}es"):
                return index
    return None
