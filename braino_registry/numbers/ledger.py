"""The ledger: every number that a tool, the user or the request has stated in a session.

Three rules keep numbers out that nobody stated:

* What the agent brought in itself (an argument, a proposal) is no statement of a tool or the user
  when it comes back. In the result of the same call it does not count at all; where a later call
  or an approval repeats it, it counts only with its own unit or beside the name of its field.
* The first numbers of each tool, and the first few hundred in all, count as they are. Where a
  session has looked at thousands, nearly every short number is near one of them: a further entry
  grounds a number only at a precision at which the table of its unit holds less than a twentieth
  of the numbers of the decade.
* Arithmetic has no units of its own; a sum, a difference or a mean has that of its inputs.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from braino_registry.numbers.echoes import MIN_DIGITS, RELATIVE, Given, beside
from braino_registry.numbers.reading import Number, read_numbers
from braino_registry.numbers.structured import leaves, printed_form
from braino_registry.numbers.units import find_unit

_SLACK = 1e-9  # a tie may be rounded either way
# How many numbers count as they are: the first of each tool, up to a sum, and some beside these.
FIRST_OF_TOOL = 24
FIRST_OF_TOOLS = 160
FIRST_OF_ALL = 200
# What share of a decade's numbers a further entry may let pass by chance.
MAX_CHANCE = 0.05
# Operations that keep the unit of their inputs.
_SCALING = re.compile(r"[*/%]|sqrt|log|exp|pow")
# Fields of a comparison that have the unit of what it compares.
_MEANS = re.compile(r"(?:adjusted_)?mean_[ab]|mean_difference|(?:un)?adjusted_difference")
# "a reduction of 3.2 µV" where the tool reported −3.2 µV
_MAGNITUDE = re.compile(
    r"effect size|differ\w*|\b(?:low|small|weak|slow|short|earli)er\b|\b(?:less|fewer|below|under"
    r"|decreas\w*|reduc\w*|drop\w*|declin\w*|fell|falls?|suppress\w*|desynchroni\w*|attenuat\w*"
    r"|loss|lost|negativ\w*|minus|magnitude|absolute|down)\b|\|[^|\n]{1,12}\|\s*[=:]",
    re.IGNORECASE,
)

_Table = list[tuple[float, int]]


@dataclass(frozen=True, slots=True)
class Entry:
    """A number that may be repeated.

    Parameters
    ----------
    value : float
        In ``unit``.
    unit : str | None
        Canonical unit; ``"count"`` for counts; None if unknown.
    source : str
        Who stated it: the tool call, the user, the request.
    name : str
        Name of the field that it stood in, or an empty string.
    loose : bool
        It was stated without the unit that it has: in words, or as the result of arithmetic. A
        printed number with any unit may repeat it.
    own : bool
        The agent brought it in itself: it may be repeated only with its unit or beside its name.
    bulk : bool
        One of very many: it may be repeated only where chance would rarely meet it.
    """

    value: float
    unit: str | None
    source: str
    name: str = ""
    loose: bool = False
    own: bool = False
    bulk: bool = False


class Ledger:
    """Numbers with their sources, and the question whether a printed number is among them."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self._own: _Table = []  # values in the unit they were stated in
        self._si: dict[str, _Table] = {}  # by dimension, in SI
        self._loose: _Table = []
        self._seen: set[tuple[float, str | None, bool, bool, bool]] = set()
        self._times: Counter[float] = Counter()
        self._passed = Given()  # numbers that the agent brought in itself
        self._kept = Given()  # those that names in its code may hold from now on
        self._of_tool: Counter[str] = Counter()
        self._reserved, self._spare = FIRST_OF_TOOLS, FIRST_OF_ALL
        self._chances: dict[tuple[int, float, float], bool] = {}

    def add_value(self, value: float, unit: str | None, source: str, *, name: str = "") -> None:
        """Enter one number.

        Parameters
        ----------
        value : float
            Finite.
        unit, source, name : str
            See `Entry`.
        """
        self._add(Entry(float(value), unit, source, name))

    def add_text(self, text: str, source: str) -> None:
        """Enter the numbers of a text that may be repeated: the request, a reply of the user.

        Parameters
        ----------
        text : str
            The text; names, dates and versions in it do not count.
        source : str
            Whose text it is.
        """
        for number in read_numbers(text):
            if number.claimed and math.isfinite(number.value):
                self._add(Entry(number.value, number.unit, source, loose=number.unit is None))

    def add_result(
        self,
        result: Any,
        args: Any,
        *,
        source: str,
        units: Mapping[str, str] | None = None,
        unitless: bool = False,
        lasting: bool = False,
    ) -> None:
        """Enter the numbers of a tool's result, except those that its arguments already held.

        Parameters
        ----------
        result, args : JSON value
            Result and arguments of one call.
        source : str
            The call.
        units : mapping of str to str | None
            Units by field name, where the names do not state them.
        unitless : bool
            The result comes from arithmetic, which knows no units: a number without one may be
            repeated with any unit at its own value, and as a share (0.85 as 85 %).
        lasting : bool
            What was passed is known to all later calls of this sort: code, with its variables.
        """
        passed = list(leaves(args, silent=False))
        values, names = [leaf.value for leaf in passed], {leaf.name for leaf in passed}
        given = self._kept.add(values) if lasting else Given(values)
        # before this result: what is reported only now was the agent's own when it passed it
        news = [value for value in values if self._is_news(value)]
        shared = self._shared_unit(args, values) if unitless else None
        mean_unit = self._common_unit(values)
        tool = source.partition(" (")[0]
        for leaf in leaves(result, units=units):
            own = self._passed.echoed(leaf) and printed_form(leaf.value)[0] >= MIN_DIGITS
            if given.echoed(leaf):
                # Few digits are met by chance: what has its own name and unit was measured.
                if printed_form(leaf.value)[0] >= MIN_DIGITS or leaf.name in names or not leaf.unit:
                    continue
                own = True
            unit, loose = leaf.unit or shared, unitless and leaf.unit is None
            entry = Entry(leaf.value, unit, source, leaf.name, loose, own, self._is_bulk(tool))
            self._add(entry, share=loose)
            # a test's means have the unit of what was compared, whatever else it reports
            if entry.unit is None and mean_unit and _MEANS.fullmatch(leaf.name):
                self._add(replace(entry, unit=mean_unit))
        self._passed.add(news)

    def add_decision(self, applied: Any, *, source: str, proposal: Any = None) -> None:
        """Enter the numbers of an applied decision.

        Parameters
        ----------
        applied : JSON value
            What was applied. Its texts do not count: the reasons are the agent's own words.
        source : str
            The decision.
        proposal : JSON value
            What the agent proposed. What the user left as it was is still the agent's own number.
        """
        proposed = [leaf.value for leaf in leaves(proposal, silent=False)]
        given = Given(proposed)
        for leaf in leaves(applied):
            if leaf.number is not None:
                continue
            own = given.has(leaf.value)
            loose = not own and leaf.unit in (None, "count")
            self._add(Entry(leaf.value, leaf.unit, source, leaf.name, loose, own))
        self._passed.add(v for v in proposed if self._is_news(v))

    def grounds(self, number: Number, text: str | None = None) -> Entry | None:
        """Return the entry that a printed number repeats, or None.

        Parameters
        ----------
        number : Number
            As read from a text. Rounding at its printed precision is allowed. A conversion is
            allowed only into the unit that the text names; without a unit the number is compared
            in the unit in which it was stated. A quantity that has a unit may go without it only as
            it was stated or with three significant digits, a power only as it was stated: fewer
            digits than that, without a unit, say nothing.
        text : str | None
            The text in which it stands; of a number in data, its name. Signs count, but a text that
            speaks of a difference, a decrease or a size may print the magnitude of a negative one.
        """
        if not (math.isfinite(number.value) and math.isfinite(number.half)):
            return None
        text = number.text if text is None or number.span == (0, 0) else text
        if number.bound:
            return self._bounded(number, text)
        entry = self._repeated(number, text)
        if entry is None and number.value > 0 and number.text[0] not in "+-−":
            start, stop = number.span
            if _MAGNITUDE.search(text[max(0, start - 60) : stop + 30]):
                entry = self._repeated(replace(number, value=-number.value), text)
        return entry

    def _repeated(self, number: Number, text: str) -> Entry | None:
        def plain(index: int) -> bool:
            entry = self.entries[index]
            if entry.own and not beside(text, number.span, entry.name):
                return False
            return self._may_go_bare(entry, number) and self._telling(entry, number, self._own, 1.0)

        unit = find_unit(number.unit)
        if unit is None or number.unit_implied or unit.name == "1":
            entry = self._nearest(self._own, number.value, number.half, plain)
            if entry is not None or unit is None:
                return entry
        table = self._si.get(unit.dimension, [])
        size = unit.factor

        def fits(index: int) -> bool:
            return self._telling(self.entries[index], number, table, size)

        def loosely(index: int) -> bool:
            return self._telling(self.entries[index], number, self._loose, 1.0)

        return self._nearest(table, number.value * size, number.half * size, fits) or self._nearest(
            self._loose, number.value, number.half, loosely
        )

    def grounds_value(self, value: float, unit: str | None = None) -> bool:
        """Tell whether a number given as a JSON number repeats an entry.

        Parameters
        ----------
        value : float
            Its shortest decimal form is taken as its printed form.
        unit : str | None
            Unit in which it is given; None compares in the unit of the entry.
        """
        value = float(value)
        if not math.isfinite(value):
            return False
        if unit is None and self._stated(value):
            return True
        digits, decimals = printed_form(value)
        known = find_unit(unit)
        name = known.name if known else None
        number = Number(repr(value), value, decimals, name, span=(0, 0), digits=digits)
        return self.grounds(number) is not None

    def _stated(self, value: float) -> bool:
        """Tell whether exactly this number was stated by anyone but the agent."""
        at = bisect_left(self._own, (value, -1))
        while at < len(self._own) and self._own[at][0] == value:
            if not self.entries[self._own[at][1]].own:
                return True
            at += 1
        return False

    def _is_news(self, value: float) -> bool:
        return printed_form(value)[0] >= MIN_DIGITS and not self._stated(value)

    def _shared_unit(self, args: Any, given: list[float]) -> str | None:
        """Return the unit that all inputs of a sum, a difference or a mean have."""
        expression = args.get("expression") if isinstance(args, Mapping) else None
        if not isinstance(expression, str) or _SCALING.search(expression):
            return None
        return self._common_unit(given)

    def _common_unit(self, given: list[float]) -> str | None:
        """Return the unit in which all of these numbers were stated, if it is one."""
        units = set()
        for value in given:
            at = bisect_left(self._own, (value, -1))
            if at < len(self._own) and self._own[at][0] == value:
                units.add(self.entries[self._own[at][1]].unit)
        return units.pop() if len(units) == 1 else None

    def _is_bulk(self, tool: str) -> bool:
        self._of_tool[tool] += 1
        if self._of_tool[tool] <= FIRST_OF_TOOL and self._reserved > 0:
            self._reserved -= 1
            return False
        self._spare -= 1
        return self._spare < 0

    def times(self, value: float) -> int:
        """Return how often this number was stated, in whatever unit.

        Parameters
        ----------
        value : float
            Where it was never stated as it is, what it may be rounded from counts.
        """
        if value in self._times or not math.isfinite(value):
            return self._times[value]
        reach = 0.5 * 10.0 ** int(Decimal(repr(float(value))).normalize().as_tuple().exponent)
        at = bisect_left(self._own, (value - min(reach, 0.5), -1))
        upto = bisect_left(self._own, (value + min(reach, 0.5), len(self.entries)))
        return sum(self._times[stated] for stated in {pair[0] for pair in self._own[at:upto]})

    def _add(self, entry: Entry, *, share: bool = False) -> None:
        self._times[entry.value] += 1
        self._chances.clear()
        key = (entry.value, entry.unit, entry.loose, share, entry.own or entry.bulk)
        named = entry.name == "p" or entry.name.startswith("p_")
        if key in self._seen and not named:
            return
        self._seen.add(key)
        index = len(self.entries)
        self.entries.append(entry)
        insort(self._own, (entry.value, index))
        unit = find_unit(entry.unit)
        if share:
            insort(self._si.setdefault("ratio", []), (entry.value, index))
        if unit is not None and unit.dimension != "count":
            insort(self._si.setdefault(unit.dimension, []), (entry.value * unit.factor, index))
        if entry.loose:
            insort(self._loose, (entry.value, index))

    def _nearest(
        self, table: _Table, value: float, half: float, fits: Callable[[int], bool]
    ) -> Entry | None:
        """Return the nearest entry within reach that fits."""
        reach = half * (1 + _SLACK) + RELATIVE * abs(value)
        if not math.isfinite(value) or not math.isfinite(reach):
            return None
        at = bisect_left(table, (value - reach, -1))
        best = None
        while at < len(table) and table[at][0] <= value + reach:
            near = best is None or abs(table[at][0] - value) < abs(best[0] - value)
            if near and fits(table[at][1]):
                best = table[at]
            at += 1
        return self.entries[best[1]] if best is not None else None

    def _may_go_bare(self, entry: Entry, number: Number) -> bool:
        unit = find_unit(entry.unit)
        if unit is None or unit.dimension in ("count", "ratio") or entry.value == number.value:
            return True
        return number.digits >= 3 and unit.dimension not in ("power", "density")

    def _telling(self, entry: Entry, number: Number, table: _Table, size: float) -> bool:
        """Tell whether a number that repeats one of very many entries says more than chance."""
        if not entry.bulk:
            return True
        value, width = number.value * size, 2 * number.half * size
        if value == 0.0:
            return False
        low = math.copysign(10.0 ** math.floor(math.log10(abs(value))), value)
        key = (id(table), low, width)
        if key not in self._chances:
            self._chances[key] = _is_sparse(table, low, width)
        return self._chances[key]

    def _bounded(self, number: Number, text: str) -> Entry | None:
        """Return a p value for which "p < 0.05" is true, or the stated number itself."""
        for entry in self.entries:
            if entry.name != "p" and not entry.name.startswith("p_"):
                continue
            if entry.value < number.value if number.bound == "<" else entry.value > number.value:
                return entry
        return self._repeated(replace(number, unit=None), text)


def _is_sparse(table: _Table, low: float, width: float) -> bool:
    """Tell whether a table has few of a decade's numbers, printed in steps of ``width``."""
    most = MAX_CHANCE * 9 * abs(low) / width
    ends = (low, 10 * low) if low > 0 else (10 * low, low)
    at = bisect_left(table, (ends[0], -1))
    hit: set[int] = set()
    while at < len(table) and table[at][0] <= ends[1]:
        hit.add(math.floor(table[at][0] / width + 0.5))
        if len(hit) > most:
            return False
        at += 1
    return True
