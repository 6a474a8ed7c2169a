"""What the words and the layout of a report say for one field, by the type of the field.

What a report concludes counts before what it says on the way there. In either, values that lines,
tables and whole phrases give are read first; where they disagree, the field is null. Loose prose
is read only where these say nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from braino_registry.numbers import Number, find_unit, read_numbers
from braino_registry.numbers.spelling import legible
from braino_registry.scoring.answers import cues
from braino_registry.scoring.answers.amounts import plain_durations
from braino_registry.scoring.answers.direct import direct, phrases
from braino_registry.scoring.answers.files import read_file
from braino_registry.scoring.answers.happenings import read_events
from braino_registry.scoring.answers.labels import Labels, read_sequence
from braino_registry.scoring.answers.laid import Laid, laid
from braino_registry.scoring.answers.layout import bare, conclusion, layout
from braino_registry.scoring.answers.matching import Names, tokens
from braino_registry.scoring.answers.orders import chosen, orders
from braino_registry.scoring.answers.passages import read_passage
from braino_registry.scoring.answers.prose import Sentence, Vocabulary, clean
from braino_registry.scoring.answers.scalars import (
    Value,
    agree,
    candidates,
    finest,
    read_number,
    shown,
)
from braino_registry.scoring.answers.sets import read_set
from braino_registry.scoring.answers.stages import read_stages
from braino_registry.scoring.model import Evidence

_NO_NAMES = Vocabulary(())


@dataclass(frozen=True, slots=True)
class Said:
    """A text in the forms in which it is read.

    Parameters
    ----------
    raw : str
        As it was written, without its JSON.
    text : str
        Without typography: what loose prose is read from.
    lines : str
        Line by line without markup.
    """

    raw: str
    text: str
    lines: str


@lru_cache(maxsize=16)
def said_in(raw: str, silent: frozenset[str]) -> Said:
    """Return a text in the forms in which it is read.

    Parameters
    ----------
    raw : str
        As it was written, without its JSON.
    silent : frozenset of str
        Names of tools and decisions, whose words are no statements.
    """
    shown_text = legible(raw).text
    lines = "\n".join(bare(line) for line in shown_text.split("\n"))
    return Said(raw, clean(raw, silent), lines)


class Contract:
    """The fields that an answer has, and which of them the same words could belong to.

    Parameters
    ----------
    name : str
        The field that is read.
    spec : mapping
        Its declaration.
    evidence : Evidence
        The others, and the names of the data.
    """

    def __init__(self, name: str, spec: Mapping[str, Any], evidence: Evidence) -> None:
        self.name, self.spec = name, spec
        self.fields: dict[str, Mapping[str, Any]] = {**evidence.fields, name: spec}
        self.names = Names(self.fields)
        self.exempt = evidence.vocabulary("ch_names") + evidence.vocabulary("recordings")

    def same_kind(self) -> dict[str, Any]:
        """Return the fields of the same type and vocabulary, this one included."""
        own = _kind(self.spec)
        return {key: field for key, field in self.fields.items() if _kind(field) == own}

    def alone(self) -> bool:
        """Tell whether no other field has this one's type."""
        kind = self.spec.get("type")
        kinds = [field.get("type") for field in self.fields.values()]
        return kinds.count(kind) == 1

    def speaks_of_others(
        self, text: str, numbers: list[Number]
    ) -> Callable[[Sentence | None], bool]:
        """Return whether a sentence names another field, or has a number in the unit of one.

        Parameters
        ----------
        text : str
            Cleaned text.
        numbers : list of Number
            Its numbers, in order.
        """
        patterns = [words for key, words in phrases(self.fields) if key != self.name]
        own = _dimension(self.spec)
        dimensions = {
            _dimension(field)
            for key, field in self.fields.items()
            if key != self.name and field.get("type") == "number"
        } - {own, "bare"}
        starts = [number.span[0] for number in numbers]

        def speaks(sentence: Sentence | None) -> bool:
            if sentence is None:
                return False
            said = sentence.text.replace("_", " ")
            if any(words.search(said) for words in patterns):
                return True
            low = bisect_left(starts, sentence.start)
            high = bisect_left(starts, sentence.start + len(sentence.text))
            units = {find_unit(n.unit) for n in numbers[low:high] if not n.role}
            return bool(dimensions & {unit.dimension for unit in units if unit is not None})

        return speaks

    def number_siblings(self) -> dict[str, Any]:
        """Return the number fields of the same dimension, this one included."""
        own = _dimension(self.spec)
        return {
            key: field
            for key, field in self.fields.items()
            if field.get("type") == "number" and _dimension(field) == own
        }


def _kind(spec: Mapping[str, Any]) -> tuple[Any, Any, tuple[str, ...]]:
    labels = spec.get("labels")
    listed = tuple(sorted(map(str, labels))) if isinstance(labels, list | tuple) else ()
    return spec.get("type"), spec.get("of"), listed


def _dimension(spec: Mapping[str, Any]) -> str:
    unit = find_unit(spec.get("unit"))
    return "bare" if unit is None or unit.dimension in ("count", "ratio") else unit.dimension


def from_text(
    name: str,
    spec: Mapping[str, Any],
    said: Said,
    vocabulary: Vocabulary,
    evidence: Evidence,
    silent: frozenset[str],
) -> tuple[Any, str]:
    """Return what a report says for a field, or None and why.

    Parameters
    ----------
    name : str
        Name of the field.
    spec : mapping
        The field.
    said : Said
        The report.
    vocabulary : Vocabulary
        Names that the field may hold.
    evidence : Evidence
        The other fields of the contract, and the names of the data.
    silent : frozenset of str
        Names of tools and decisions.

    Returns
    -------
    value : Value, frozenset, tuple, str, list or None
        In the form of the field.
    reason : str
        Why there is none.
    """
    contract = Contract(name, spec, evidence)
    end = conclusion(said.raw)
    if end.strip() and end.strip() != said.raw.strip():
        value, reason = _read(contract, said_in(end, silent), vocabulary, firm=True)
        if value is not None:
            return value, ""
    value, reason = _read(contract, said, vocabulary, firm=False)
    return value, reason


def _read(contract: Contract, said: Said, vocabulary: Vocabulary, *, firm: bool) -> tuple[Any, str]:
    """Read a text; ``firm`` asks for words that name the field."""
    name, spec = contract.name, contract.spec
    kind = spec.get("type")
    if kind == "number":
        return _number(contract, said, firm=firm)
    if kind == "set":
        return _set(contract, said, vocabulary, firm=firm)
    if kind == "label":
        if not vocabulary.names:
            return None, "the contract names no labels"
        return _label(contract, said, vocabulary, firm=firm)
    found = layout(said.raw)
    alone = contract.alone() and not firm
    if kind == "sequence":
        given = orders(name, spec, found, said.lines, contract.names, vocabulary)
        value, reason = chosen(given, alone)
        if value is None and not given and not firm:
            return read_sequence(name, spec, said.text, vocabulary)
        return value, reason
    if kind == "events":
        return read_events(name, spec, found, said.lines, contract.names, vocabulary, alone)
    if kind == "hypnogram":
        return read_stages(name, spec, found, said.lines, contract.names, alone)
    if kind == "file":
        return read_file(name, spec, said.lines, contract.fields, contract.names)
    if kind == "text":
        return read_passage(name, found, said.text, contract.names, alone)
    return None, f"no text is read for a field of type {kind}"


def _number(contract: Contract, said: Said, *, firm: bool) -> tuple[Value | None, str]:
    name, spec = contract.name, contract.spec
    text = plain_durations(said.text)
    numbers = read_numbers(text, exempt_names=contract.exempt)
    siblings = contract.number_siblings()
    others = contract.speaks_of_others(text, numbers)
    counts = len(siblings) > 1 and all(_is_count(*each) for each in siblings.items())
    if counts and not firm:
        value, reason = read_number(name, spec, text, numbers, siblings, others)
        if value is not None:
            return value, ""
    strong = [
        Value(each.value, each.half, True)
        for each in _laid(contract, said, _NO_NAMES)
        if isinstance(each.value, float)
    ]
    if not counts:
        # what sentences count of what is for the looser reading, which knows parts and wholes
        pool = candidates(spec, text, _counting(spec, numbers))
        given, offered = direct(name, phrases(contract.fields), text, pool)
        if offered:
            return None, f"the text offers {shown(offered)} as one of several"
        strong += given
    if strong and not agree(strong):
        return None, f"the text gives several numbers: {shown(strong)}"
    if firm:
        return (finest(strong), "") if strong else (None, "")
    loose, reason = read_number(name, spec, text, numbers, siblings, others)
    if strong and reason.startswith("the text says and denies"):
        return None, reason
    return (finest(strong), "") if strong else (loose, reason)


def _is_count(name: str, spec: Mapping[str, Any]) -> bool:
    unit = spec.get("unit")
    return unit == "count" or (unit is None and tokens(name)[:1] == ("number",))


def _counting(spec: Mapping[str, Any], numbers: list[Number]) -> list[Number]:
    """Return numbers with words such as "three" among them, where the field is a count."""
    if spec.get("unit") not in (None, "count"):
        return numbers
    return [
        replace(n, exempt_reason=None) if n.exempt_reason == "number word" else n for n in numbers
    ]


def _laid(contract: Contract, said: Said, vocabulary: Vocabulary) -> list[Laid]:
    return laid(
        contract.name, contract.spec, layout(said.raw), contract.names, vocabulary, contract.exempt
    )


def _label(
    contract: Contract, said: Said, vocabulary: Vocabulary, *, firm: bool
) -> tuple[str | None, str]:
    reader = Labels(contract.name, contract.spec, said.text, vocabulary, contract.same_kind())
    given = [each.value for each in _laid(contract, said, vocabulary)]
    distinct = list(dict.fromkeys([*given, *(reader.firm() if given or firm else ())]))
    if len(distinct) == 1:
        return distinct[0], ""
    if len(distinct) > 1:
        return None, f"the text says {' and '.join(distinct)}"
    return (None, "") if firm else reader.read()


def _set(
    contract: Contract, said: Said, vocabulary: Vocabulary, *, firm: bool
) -> tuple[frozenset[str] | None, str]:
    given = [each.value for each in _laid(contract, said, vocabulary)]
    distinct = list(dict.fromkeys(given))
    if firm:
        return (distinct[0], "") if len(distinct) == 1 else (None, "")
    of = str(contract.spec.get("of", "label"))
    siblings = contract.same_kind()
    own = cues.pattern(p for p in contract.spec.get("said_as", ()) if isinstance(p, str))
    if own is not None and len(siblings) == 1:
        # what is said of the field in its own words, before what else is said of such names
        strict = read_set(contract.name, of, said.text, vocabulary, siblings, own)
        if strict.names and (not distinct or distinct == [strict.names]):
            return strict.names, ""
    reading = read_set(contract.name, of, said.text, vocabulary, siblings)
    unclear = reading.reason.startswith("the text says both")
    if reading.names is None and len(distinct) == 1 and not unclear:
        return distinct[0], ""
    if not vocabulary.names and reading.names is None:
        return None, "the contract names no vocabulary"
    return reading.names, reading.reason
