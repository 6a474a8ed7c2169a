"""What the layout of a report says for one field: lines ``label: value`` and cells of tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from braino_registry.numbers import find_unit, unit_of
from braino_registry.scoring.answers import cues
from braino_registry.scoring.answers.amounts import amount
from braino_registry.scoring.answers.layout import Layout, Pair, Table
from braino_registry.scoring.answers.matching import Names, tokens
from braino_registry.scoring.answers.prose import Vocabulary, in_one_list

#: Share of the words of a label that the phrase of a field must have.
ENOUGH = 0.4
MAX_WORDS = 12
_UNIT_IN_LABEL = re.compile(r"[(\[]\s*(?:in\s+)?([^()\[\]]{1,12}?)\s*[)\]]|,\s*([^\s,]{1,8})$")
_BRACKET = re.compile(r"[(\[][^()\[\]]*[)\]]")
_NUMBERED = re.compile(r"[\s#]*\d{1,4}[.)]?\s*")
_RANK = re.compile(r"\s*(?:rank|#|no\.?|pos(?:ition)?|place|nr\.?|)\s*", re.IGNORECASE)
_UNIT_TITLE = re.compile(r"\s*units?\s*", re.IGNORECASE)
_DOUBT = re.compile(
    r"\b(?:or|maybe|perhaps|possibly|might|(?:could|may)(?:\s+\w+)?\s+be|unsure|uncertain"
    r"|not sure|either|unclear"
    r"|cannot|can't|could not|unknown|n/a|not (?:determined|available|clear|possible))\b|\?",
    re.IGNORECASE,
)
_NOTHING = re.compile(
    r"\W*(?:none|no(?:ne)? (?:found|detected|present|identified|were found|was found)|nothing"
    r"|empty|∅"
    r"|no (?:\w+ ){0,3}(?:found|detected|identified|channels?|electrodes?)|\[\s*\]"
    r"|\{\s*\})\W*(?:[.;(].*)?",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Laid:
    """One value that the layout gives to a field.

    Parameters
    ----------
    value : float, str or frozenset
        In the form of the field.
    half : float
        Half of the last printed digit of a number, in the unit of the field.
    fit : float
        Share of the label's words that the phrase of the field has.
    """

    value: Any
    half: float
    fit: float


def laid(
    name: str,
    spec: Mapping[str, Any],
    found: Layout,
    names: Names,
    vocabulary: Vocabulary,
    exempt: tuple[str, ...] = (),
) -> list[Laid]:
    """Return the values that pairs and cells give to a field, in the order of the text.

    Parameters
    ----------
    name : str
        Name of the field, of type number, label or set.
    spec : mapping
        The field.
    found : Layout
        Layout of the report.
    names : Names
        Phrases of all fields of the contract.
    vocabulary : Vocabulary
        Labels of the field.
    exempt : tuple of str
        Names whose digits are no numbers.
    """
    values = []
    for _label, said, default, fit in _places(name, found, names):
        value, half = _typed(spec, said, default, vocabulary, exempt)
        if value is not None:
            values.append(Laid(value, half, fit))
    return values


def _places(name: str, found: Layout, names: Names) -> Iterator[tuple[str, str, str | None, float]]:
    for pair in found.pairs:
        fit = _fit(name, pair, names)
        if fit >= ENOUGH:
            yield pair.label, pair.value, unit_in(pair.label), fit
    for table in found.tables:
        yield from _cells(name, table, names)


def _fit(name: str, pair: Pair, names: Names) -> float:
    """Return how much of a label the field covers, 0 where it names another field or none."""
    label = pair.label
    if label.count("(") != label.count(")"):
        return 0.0
    best = 0.0
    # "Peak frequency (Pz)" first as it stands, then without what the brackets add
    for said in (label, _BRACKET.sub(" ", label)):
        words = frozenset(tokens(said))
        if not words or len(words) > MAX_WORDS:
            continue
        owner = names.best(words)
        if owner is None and not any(names.covered(field, words) for field in names.fields):
            around = words | frozenset(tokens(pair.context))
            owner = names.best(around) if len(around) <= 2 * MAX_WORDS else None
            if owner == name and not names.touches(name, words):
                owner = None
        if owner == name:
            best = max(best, names.covered(name, words) / len(words) or ENOUGH)
    return best


def _cells(name: str, table: Table, names: Names) -> Iterator[tuple[str, str, str | None, float]]:
    """Yield the cells whose row and column name the field better than any other cell does."""
    titles = [frozenset(tokens(title)) for title in table.titles]
    context = frozenset(tokens(table.context))
    hits: list[tuple[int, bool, int, str, str | None]] = []
    for row in table.rows:
        if len(row) != len(table.titles):
            continue
        head = _head(table, row)
        row_words = frozenset(tokens(row[head])) if head is not None else frozenset()
        head_words = titles[head] if head is not None else frozenset()
        unit = _unit_of_row(table, row)
        for column, cell in enumerate(row):
            if column == head or not cell:
                continue
            own = row_words | titles[column]
            for around in (frozenset(), head_words, head_words | context):
                words = own | around
                if names.best(words) == name and names.touches(name, own):
                    score = names.covered(name, words)
                    default = unit or unit_in(table.titles[column])
                    if default is None and head is not None:
                        default = unit_in(row[head])
                    hits.append((score, not around, column, cell, default))
                    break
    best = max(((score, bare) for score, bare, *_ in hits), default=None)
    for score, bare, _, cell, default in hits:
        if (score, bare) == best:
            yield "", cell, default, 1.0


def _head(table: Table, row: tuple[str, ...]) -> int | None:
    """Return the column that names a row: its first that is no rank and no number."""
    for column, cell in enumerate(row):
        if _NUMBERED.fullmatch(cell) and _RANK.fullmatch(table.titles[column]):
            continue
        if re.match(r"\s*[-+−~≈]?[\d.]", cell) and not any(c.isalpha() for c in cell[:3]):
            return None
        return column
    return None


def _unit_of_row(table: Table, row: tuple[str, ...]) -> str | None:
    for title, cell in zip(table.titles, row, strict=False):
        if _UNIT_TITLE.fullmatch(title):
            unit = find_unit(cell)
            return unit.name if unit is not None else None
    return None


def unit_in(label: str) -> str | None:
    """Return the unit that a label states: "Latency (ms)", "latency_ms", or None."""
    for match in _UNIT_IN_LABEL.finditer(label):
        unit = find_unit(match[1] or match[2])
        if unit is not None:
            return unit.name
    last = label.strip().split(" ")[-1]
    return unit_of(last) if "_" in last and unit_of(last) not in ("1", "count") else None


def _typed(
    spec: Mapping[str, Any],
    said: str,
    default: str | None,
    vocabulary: Vocabulary,
    exempt: tuple[str, ...],
) -> tuple[Any, float]:
    kind = spec.get("type")
    if kind == "number":
        return amount(said, spec.get("unit"), default, exempt)
    if kind == "label":
        return one_name(said, vocabulary), 0.0
    if kind == "set":
        return some_names(said, vocabulary), 0.0
    return None, 0.0


def one_name(said: str, vocabulary: Vocabulary) -> str | None:
    """Return the label that a value begins with, if it states one alone.

    Parameters
    ----------
    said : str
        The rest of a line, or a cell.
    vocabulary : Vocabulary
        The labels.
    """
    first = re.split(r"[.;!](?=\s|$)|\s[–—]\s", said, maxsplit=1)[0]
    exact = vocabulary.canonical(first.strip(" '\"[]()*,"))
    if exact is not None:
        return exact
    plain = _BRACKET.sub(" ", first)
    if _DOUBT.search(plain) or re.search(r"\b(?:not|no)\b|n't\b", plain, re.IGNORECASE):
        return None
    found = vocabulary.find(plain)
    distinct = {mention.name for mention in found}
    if len(distinct) != 1:
        return None
    # the label is what is said, not one word of a story
    around = cues.aside(plain[: found[0].start])
    return None if around or len(plain.split()) > 8 else found[0].name


def some_names(said: str, vocabulary: Vocabulary) -> frozenset[str] | None:
    """Return the names that a value lists, if it is a list of them and nothing else.

    Parameters
    ----------
    said : str
        The rest of a line, or a cell.
    vocabulary : Vocabulary
        The names.
    """
    if _NOTHING.fullmatch(said):
        return frozenset()
    listed = names_in_row(said, vocabulary)
    return frozenset(listed) if listed else None


def names_in_row(said: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the names with which a text begins, as long as they stand in one list.

    Parameters
    ----------
    said : str
        "T7, P8 and O1 (flat)".
    vocabulary : Vocabulary
        The names.
    """
    plain = re.sub(r"\([^()]*\)", " ", said)
    found = vocabulary.find(plain)
    if not found or re.search(r"[A-Za-z0-9]", plain[: found[0].start]):
        return ()
    listed = [found[0]]
    for mention in found[1:]:
        if not in_one_list(plain, listed[-1], mention):
            break
        listed.append(mention)
    rest = plain[listed[-1].stop :]
    if re.match(r"[\s'\"\])}]*(?:$|[.;!\n]|\s[–—-]\s)", rest) is None:
        return ()
    return tuple(mention.name for mention in listed)
