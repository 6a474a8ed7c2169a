"""The order in which a report lists names: "A > B > C", numbered lists, tables, lists."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from braino_registry.scoring.answers.layout import Layout, Listing, Table
from braino_registry.scoring.answers.matching import Names, tokens
from braino_registry.scoring.answers.prose import Mention, Vocabulary, in_one_list

MAX_LENGTH = 2_000
_LINK = re.compile(
    r"[\s'\"*`]*(?P<value>[(\[][^()\[\]\n]{0,80}[)\]])?[\s'\"*`]*(?P<sign>>{1,2}|<{1,2}|≥|≤|→|➜|⟶|->|=>|»|≻|[>＞])[\s'\"*`=]*",
)
_COMMA = re.compile(
    r"[\s'\"*`\]]*(?:[(\[][^()\[\]\n]{0,80}[)\]])?[\s'\"*`]*(?:,|;|/|\s-\s)?\s*(?:and|then|followed\s+by|next|finally|lastly|before|ahead\s+of)?"
    r"\s*(?:then|finally|lastly|by|next)?\s*[\s'\"*`\[]*",
    re.IGNORECASE,
)
_UP = re.compile(
    r"\bascending|\bincreasing(?:\s+order)?|\bfrom\s+(?:the\s+)?(?:least|lowest|weakest|smallest|low)\b[^.;\n]{0,20}\bto\b"
    r"|\b(?:lowest|weakest|smallest|least)(?:\s+\w+)?\s+first\b|\blow(?:est)?\s*(?:→|-+>|to)\s*high(?:est)?",
    re.IGNORECASE,
)
_DOWN = re.compile(
    r"\bdescending|\bdecreasing\s+order|\b(?:highest|strongest|largest|greatest|most)(?:\s+\w+)?\s+first\b",
    re.I,
)
_LEADS = re.compile(
    r"(?:\b(?:are|is|was|were|reads|rank(?:s|ed)?(?:\s+as)?)|[:=])[\s\"'\[(]*$", re.I
)
_RANK_TITLE = re.compile(r"\s*(?:rank(?:ing)?|#|no\.?|pos(?:ition)?|place|order)\s*", re.IGNORECASE)
_INTEGER = re.compile(r"\s*#?(\d{1,4})(?:st|nd|rd|th)?[.)]?\s*")
_HEDGE = re.compile(
    r"\b(?:might|could|may|perhaps|possibly|unclear|cannot|can't|not sure|if)\b|\?", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Order:
    """One order that a text gives.

    Parameters
    ----------
    names : tuple of str
        The names in it.
    about : bool
        What announces it names the field.
    kind : int
        How it is given: 0 a chain, 1 a line or a sentence, 2 a list, 3 a table.
    """

    names: tuple[str, ...]
    about: bool
    kind: int


def orders(
    name: str,
    spec: Mapping[str, Any],
    found: Layout,
    text: str,
    names: Names,
    vocabulary: Vocabulary,
) -> list[Order]:
    """Return the orders that a report gives, each with whether it is about the field.

    Parameters
    ----------
    name : str
        Name of the field.
    spec : mapping
        The field.
    found : Layout
        Layout of the report.
    text : str
        The text without markup, one line or sentence a piece.
    names : Names
        Phrases of all fields.
    vocabulary : Vocabulary
        Names that the order may hold.
    """
    wants_up = _UP.search(
        " ".join([*map(str, spec.get("said_as", ())), str(spec.get("description", ""))])
    )
    turned = _Direction(wants_up is not None)
    given = [
        *_of_pairs(found, name, names, vocabulary, turned),
        *_of_lines(text, name, names, vocabulary, turned),
    ]
    for listing in found.lists:
        given += _of_list(listing, name, names, vocabulary, turned)
    for table in found.tables:
        given += _of_table(table, name, names, vocabulary, turned)
    return [order for order in given if 2 <= len(order.names) <= MAX_LENGTH]


def chosen(given: list[Order], alone: bool) -> tuple[tuple[str, ...] | None, str]:
    """Return the one order that a text gives for a field, or None and why.

    Parameters
    ----------
    given : list of Order
        Result of `orders`.
    alone : bool
        No other field of the contract is an order of the same names.
    """
    pool = [order for order in given if order.about] or (given if alone else [])
    if not pool:
        return None, "the text gives no order"
    longest = max(pool, key=lambda order: len(order.names)).names
    if any(order.names != longest[: len(order.names)] for order in pool):
        shown = " and ".join(dict.fromkeys(" > ".join(o.names[:6]) for o in pool[:3]))
        return None, f"the text gives more than one order: {shown}"
    return min(pool, key=lambda order: order.kind).names, ""


class _Direction:
    """Turns an order round where the text lists from the least to the most."""

    def __init__(self, wants_up: bool) -> None:
        self.wants_up = wants_up

    def __call__(self, listed: list[str], around: str, sign: str = "") -> tuple[str, ...]:
        up = _UP.search(around) is not None or sign in ("<", "<<", "≤")
        if up and _DOWN.search(around):
            return ()  # says both
        return tuple(reversed(listed)) if up != self.wants_up and up else tuple(listed)


def _about(name: str, said: str, names: Names) -> bool:
    words = frozenset(tokens(said[:300]))
    return bool(words) and names.best(words) == name


def _of_pairs(
    found: Layout, name: str, names: Names, vocabulary: Vocabulary, turned: _Direction
) -> Iterator[Order]:
    for pair in found.pairs:
        about = _about(name, pair.label, names) or (
            bool(pair.context)
            and not _named(pair.label, names)
            and _about(name, pair.context, names)
        )
        run, sign = _run(pair.value[:8_000], vocabulary)
        if about and run and not _HEDGE.search(pair.label):
            yield Order(
                turned(run, f"{pair.context} {pair.label} {pair.value[-60:]}", sign), True, 0
            )


def _named(label: str, names: Names) -> bool:
    words = frozenset(tokens(label))
    return any(names.covered(field, words) for field in names.fields)


def _run(said: str, vocabulary: Vocabulary) -> tuple[list[str], str]:
    """Return the names with which a value begins, in one chain or list, and the sign of a chain."""
    found = vocabulary.find(said)
    if len(found) < 2 or re.search(r"[A-Za-z]{2,}", said[: found[0].start]):
        return [], ""
    listed, sign, _ = _linked(said, found, 0)
    return listed, sign


def _linked(said: str, found: list[Mention], at: int) -> tuple[list[str], str, int]:
    """Return a run of linked mentions, the sign that links them, and how many it takes up.

    The run is empty where its signs point both ways, or where a chain names something twice.
    """
    listed, signs = [found[at].name], set()
    semicolons: bool | None = None
    for index in range(at, len(found) - 1):
        one, two = found[index], found[index + 1]
        if two.start - one.stop > 120:
            break
        link = _LINK.fullmatch(said, one.stop, two.start)
        if link is not None:
            signs.add(link["sign"].strip("=") or link["sign"])
        elif _COMMA.fullmatch(said, one.stop, two.start) is None or signs:
            break
        else:
            # "A, B; C is last": a semicolon ends a list of commas
            here = ";" in said[one.stop : two.start]
            if here and semicolons is False:
                break
            semicolons = here
        listed.append(two.name)
    taken = len(listed)
    if len({sign in ("<", "<<", "≤") for sign in signs}) > 1:
        return [], "", taken
    if signs and len(set(listed)) < len(listed):
        return [], "", taken
    return listed, (sorted(signs)[0] if signs else ""), taken


def _of_lines(
    text: str, name: str, names: Names, vocabulary: Vocabulary, turned: _Direction
) -> Iterator[Order]:
    """Yield the chains ("A > B > C") of lines, and of sentences about the field."""
    header = ""
    for line in text.split("\n"):
        found = vocabulary.find(line) if line.strip() else []
        if line.rstrip().endswith(":") and not found:
            header = line
            continue
        at = 0
        while at < len(found) - 1:
            listed, sign, taken = _linked(line, found, at)
            before = line[max(0, found[at].start - 160) : found[at].start]
            cut = re.split(r"[.;!?]\s", before)[-1]
            if len(listed) >= 2 and not _HEDGE.search(cut):
                about = _about(name, cut, names) or (
                    not _named(cut, names) and bool(header) and _about(name, header, names)
                )
                if sign:
                    yield Order(turned(listed, f"{header} {cut}", sign), about, 0)
                elif about and _LEADS.search(cut):
                    yield Order(turned(listed, f"{header} {cut}"), True, 1)
            at += taken
        header = header if not line.strip() else ""


def _of_list(
    listing: Listing, name: str, names: Names, vocabulary: Vocabulary, turned: _Direction
) -> Iterator[Order]:
    listed = []
    for item in listing.items:
        found = vocabulary.find(item)
        first = found[0] if found else None
        if first is None or len(re.findall(r"\w+", item[: first.start])) > 2:
            return
        if len({m.name for m in found}) > 1 and in_one_list(item, found[0], found[1]):
            return  # an item with a list of its own
        listed.append(first.name)
    about = _about(name, listing.context, names)
    if len(listed) >= 2 and (listing.numbered or about) and len(set(listed)) == len(listed):
        yield Order(turned(listed, listing.context), about, 2)


def _of_table(
    table: Table, name: str, names: Names, vocabulary: Vocabulary, turned: _Direction
) -> Iterator[Order]:
    """Yield the order of a table with a column of ranks, or of a table about the field."""
    ranks = next((i for i, t in enumerate(table.titles) if _RANK_TITLE.fullmatch(t)), None)
    about = _about(name, f"{table.context} {' '.join(table.titles)}", names)
    if ranks is None and not about:
        return
    columns = _columns_of_names(table, ranks, vocabulary)
    if len(columns) > 1:
        columns = [i for i in columns if _about(name, table.titles[i], names)]
        about = True
    if len(columns) != 1:
        return
    rows: list[tuple[int, str]] = []
    for number, row in enumerate(table.rows):
        place = _INTEGER.fullmatch(row[ranks]) if ranks is not None else None
        if ranks is not None and place is None:
            return
        spelled = vocabulary.canonical(row[columns[0]])
        rows.append((int(place[1]) if place else number, spelled or ""))
    if ranks is None and not _sorted_by_value(table):
        return
    if len({rank for rank, _ in rows}) < len(rows) or len({n for _, n in rows}) < len(rows):
        return
    listed = [each for _, each in sorted(rows)] if ranks is not None else [n for _, n in rows]
    yield Order(turned(listed, table.context) if ranks is None else tuple(listed), about, 3)


def _columns_of_names(table: Table, ranks: int | None, vocabulary: Vocabulary) -> list[int]:
    """Return the columns that hold a known name in every row."""
    if any(len(row) != len(table.titles) for row in table.rows):
        return []
    return [
        column
        for column in range(len(table.titles))
        if column != ranks and all(vocabulary.canonical(row[column]) for row in table.rows)
    ]


def _sorted_by_value(table: Table) -> bool:
    """Tell whether some column of numbers falls from the top to the bottom."""
    for column in range(1, len(table.titles)):
        values = []
        for row in table.rows:
            match = re.match(
                r"\s*([-−+]?\d+(?:\.\d+)?(?:[eE][-+−]?\d+)?)", row[column].replace(",", "")
            )
            if match is None:
                break
            values.append(float(match[1].replace("−", "-")))
        if len(values) == len(table.rows) >= 2 and all(
            a > b for a, b in itertools.pairwise(values)
        ):
            return True
    return False
