"""Numbers that an agent brought into a session itself: what its arguments and proposals hold."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, insort
from collections.abc import Iterable
from functools import lru_cache

from braino_registry.numbers.structured import Leaf, printed_form
from braino_registry.numbers.units import find_unit

# Fewer digits than this say little, and are met by chance: a peak at 10 Hz, a limit of 10 Hz.
MIN_DIGITS = 3
RELATIVE = 1e-12  # last bits of a conversion

# How a field of a decision is called in words, where its name does not say it.
_SAID_AS = {
    "alpha": r"alpha|α|levels?|significan\w*|threshold|p(?:[ -]?values?)?",
    "n_tests": r"tests?|comparisons?|hypotheses",
    "l_freq": r"l_freq|high-?\s?pass\w*|low(?:er)? (?:cut|edge|limit)\w*|filter\w*"
    r"|band-?\s?pass\w*",
    "h_freq": r"h_freq|low-?\s?pass\w*|high(?:er)? (?:cut|edge|limit)\w*|upper \w+|filter\w*"
    r"|band-?\s?pass\w*",
    "notch": r"notch\w*|line|mains|hum",
    "sfreq": r"sfreq|resampl\w*|sampl\w*",
    "epochs": r"epochs?|trials?|segments?",
    "components": r"components?|ICs?|ICA",
}
_DULL = frozenset("n num the of a hz s ms uv uv2 db percent count value list index".split())
_BEFORE, _AFTER = 60, 30
_MANY = 32  # numbers, from which on sorting all is faster than putting in one by one
_END = re.compile(r"[.!?](?=\s|$)|\n")


class Given:
    """The numbers that an agent has passed, sorted, to find them again in what comes back."""

    def __init__(self, values: Iterable[float] = ()) -> None:
        self._values = sorted({v for v in values if math.isfinite(v)})

    def add(self, values: Iterable[float]) -> Given:
        """Remember more numbers, and return all of them."""
        new = {value for value in values if math.isfinite(value) and not self.has(value)}
        if len(new) > _MANY:
            self._values = sorted([*self._values, *new])
        else:
            for value in new:
                insort(self._values, value)
        return self

    def has(self, value: float, reach: float = 0.0) -> bool:
        """Tell whether a number was passed, within ``reach``."""
        reach += RELATIVE * abs(value)
        at = bisect_left(self._values, value - reach)
        return at < len(self._values) and self._values[at] <= value + reach

    def echoed(self, leaf: Leaf) -> bool:
        """Tell whether a result only repeats one of them, exactly, rounded or in another unit."""
        if not self._values:
            return False
        digits, decimals = printed_form(leaf.value)
        if digits < MIN_DIGITS:
            return self.has(leaf.value)
        half = 0.5 * 10.0**-decimals
        unit = find_unit(leaf.unit)
        converts = unit is not None and unit.dimension != "count"
        scales = (1.0, 1e2, 1e-2, 1e3, 1e-3, 1e6, 1e-6) if converts else (1.0,)
        return any(self.has(leaf.value * scale, half * scale) for scale in scales)


def beside(text: str, span: tuple[int, int], name: str) -> bool:
    """Tell whether a number of a text stands beside the name of a field, in words.

    Parameters
    ----------
    text : str
        The text.
    span : tuple of int
        Where the number stands; ``(0, 0)`` if all of the text is about it.
    name : str
        Name of the field, for example ``"h_freq"``.
    """
    words = _words(name)
    if words is None:
        return False
    if span == (0, 0):
        return words.search(text) is not None
    before = text[max(0, span[0] - _BEFORE) : span[0]]
    before = before[max((m.end() for m in _END.finditer(before)), default=0) :]
    after = _END.split(text[span[1] : span[1] + _AFTER], maxsplit=1)[0]
    return words.search(before) is not None or words.search(after) is not None


@lru_cache(maxsize=512)
def _words(name: str) -> re.Pattern[str] | None:
    known = _SAID_AS.get(name.lower())
    parts = [re.escape(p) for p in name.lower().split("_") if p not in _DULL and len(p) > 1]
    body = known or "|".join(rf"{part}\w*" for part in parts)
    return re.compile(rf"(?<![A-Za-z])(?:{body})(?![A-Za-z])", re.IGNORECASE) if body else None
