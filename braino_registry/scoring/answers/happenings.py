"""Events in a report: onsets and durations in tables, lists and sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from braino_registry.numbers import find_unit
from braino_registry.scoring.answers.amounts import plain_durations
from braino_registry.scoring.answers.laid import unit_in
from braino_registry.scoring.answers.layout import Layout, Table
from braino_registry.scoring.answers.matching import Names, tokens
from braino_registry.scoring.answers.prose import Mention, Vocabulary

MAX_EVENTS = 20_000
Event = dict[str, Any]


def _time(name: str) -> str:
    """Return the pattern of a time with its unit, as groups ``name`` and ``u + name``."""
    return (
        rf"(?P<{name}>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d{{1,2}}:\d{{2}}(?::\d{{2}}(?:\.\d+)?)?"
        r"|\d+(?:\.\d+)?(?:[eE]\d+)?)"
        rf"\s*(?P<u{name}>ms|milliseconds?|seconds?|secs?|s|minutes?|mins?|min|hours?|hrs?|h)?(?!\w)"
    )


_START = r"(?:starts?|started|starting|begins?|began|beginning|onsets?|from|at|t)"
_WORDS = r"(?:\s+(?:into\s+the\s+recording|into\s+it|of\s+the\s+recording|after\s+the\s+start))?"
_LASTING = (
    r"\s*[,;(]?\s*(?:(?:and|which|it)\s+)?"
    r"(?:durations?|lasting|lasts?|lasted|for|length|dur\.?|long:?)\s*(?:is|was|of|=|:)?\s*(?:about\s+)?"
)
_ENDING = (
    r"\s*[,;]?\s*(?:(?:and|which|it)\s+)?"
    r"(?:ends?|ended|ending|offset|stops?|stopped|until|till|end)\s*(?:is|was|at|=|:)?\s*(?:at\s+)?"
)
_DASH = r"\s*(?:[-–—→]|\.\.|to|until|till|through)\s*(?:t\s*=\s*)?"
_LENGTH = re.compile(_time("a") + _WORDS + _LASTING + _time("d"), re.IGNORECASE)
_BRACKET = re.compile(
    _time("a") + r"\s*\(\s*(?:(?:duration|dur\.?|for|lasting|lasts?|length)\s*[:=]?\s*)?"
    + _time("d") + r"(?:\s+long)?\s*\)", re.IGNORECASE,
)  # fmt: skip
_END = re.compile(_time("a") + _WORDS + _ENDING + _time("b"), re.IGNORECASE)
_RANGE = re.compile(_time("a") + _DASH + _time("b"), re.IGNORECASE)
_BETWEEN = re.compile(r"\bbetween\s+" + _time("a") + r"\s+and\s+" + _time("b"), re.IGNORECASE)
_POINT = re.compile(_time("a"), re.IGNORECASE)
_SPANS = (_LENGTH, _BRACKET, _END, _BETWEEN, _RANGE)
_AT = re.compile(
    r"\b(?:at|onsets?|onset\s+times?|occurred\s+at|found\s+at)\b[^.;\d]{0,30}$|[:=@]\s*\[?\s*$|^[\s\[(]*$",
    re.IGNORECASE,
)
_LIST_GAP = re.compile(r"\s*(?:,|;|and|,\s*and|&|/)\s*", re.IGNORECASE)
_SHAPE = (
    ("onset", re.compile(r"\b(?:onset|start|begin|from|time|t0)\w*", re.IGNORECASE)),
    ("duration", re.compile(r"\b(?:dur\w*|length|lasts?)\b", re.IGNORECASE)),
    ("end", re.compile(r"\b(?:end|offset|stop|to|until|off)\b", re.IGNORECASE)),
    (
        "label",
        re.compile(
            r"\b(?:type|label|event|class|category|stage|description|kind|annotation)\b",
            re.IGNORECASE,
        ),
    ),
)
_NOTHING = r"(?:no|none|zero|0|without(?:\s+any)?|not\s+(?:a\s+single|any)|(?:not|n't)\s+\w+\s+any)"
_UNREAL = re.compile(
    r"\b(?:if|would|might|could|may|possibly|perhaps|exclud\w+|reject\w+|discard\w+|rather than"
    r"|instead of"
    r"|not|filter\w*|window|baseline|cut|crop\w*)\b|n't\b|\?",
    re.IGNORECASE,
)


def read_events(
    name: str,
    spec: Mapping[str, Any],
    found: Layout,
    text: str,
    names: Names,
    vocabulary: Vocabulary,
    alone: bool,
) -> tuple[list[Event] | None, str]:
    """Return the events that a text lists for a field, or None and why.

    Parameters
    ----------
    name : str
        Name of the field.
    spec : mapping
        The field.
    found : Layout
        Layout of the report.
    text : str
        The text without markup.
    names : Names
        Phrases of all fields.
    vocabulary : Vocabulary
        The labels that an event may have.
    alone : bool
        The contract has no other field of events.

    Returns
    -------
    events : list of dict or None
        Each with ``onset`` and ``duration`` in seconds (``duration`` None for a point in time) and
        ``label`` where one is known; an empty list where the text says that there are none.
    reason : str
        Why there are none.
    """
    tables = [
        (_about(name, f"{t.context} {' '.join(t.titles)}", names), events)
        for t in found.tables
        if (events := _of_table(t, vocabulary))
    ]
    prose = list(_of_prose(name, text, names, vocabulary))
    for given in (tables, prose):
        pool = [events for about, events in given if about] or (
            [events for _, events in given] if alone and given is tables else []
        )
        if given is prose and pool:
            merged = [event for events in pool for event in events]
            pool = [merged]
        if len({str(events) for events in pool}) > 1:
            return None, f"the text gives {len(pool)} lists of events"
        if pool:
            # "no seizures" beside a list of them says two things
            if _says_none(name, text, names, spec):
                return None, "the text lists events and says that there are none"
            return _labelled(pool[0], spec), ""
    if _says_none(name, text, names, spec):
        return [], ""
    return None, "the text lists no events"


def _about(name: str, said: str, names: Names) -> bool:
    """Tell whether words name the field; fields of other types may share them."""
    return names.best(frozenset(tokens(said[-300:])), among=names.of_type("events")) == name


def _labelled(events: list[Event], spec: Mapping[str, Any]) -> list[Event]:
    labels = [each for each in spec.get("labels", ()) if isinstance(each, str)]
    if len(labels) == 1:
        return [{**event, "label": event.get("label", labels[0])} for event in events]
    return events


def _of_table(table: Table, vocabulary: Vocabulary) -> list[Event]:
    columns: dict[str, int] = {}
    for number, title in enumerate(table.titles):
        for what, pattern in _SHAPE:
            if what not in columns and pattern.search(title):
                columns[what] = number
                break
    if "onset" not in columns or not ({"duration", "end"} & set(columns)):
        return []
    events: list[Event] = []
    for row in table.rows[:MAX_EVENTS]:
        if len(row) != len(table.titles):
            return []
        times = {
            what: _seconds(row[columns[what]], None, unit_in(table.titles[columns[what]]))
            for what in ("onset", "duration", "end")
            if what in columns
        }
        event = _event(times.get("onset"), times.get("duration"), times.get("end"))
        if event is None:
            return []
        label = vocabulary.canonical(row[columns["label"]]) if "label" in columns else None
        events.append(event | ({"label": label} if label else {}))
    return events


def _event(onset: float | None, duration: float | None, end: float | None) -> Event | None:
    if onset is None:
        return None
    if duration is None and end is not None:
        duration = round(end - onset, 9)
    if duration is None or duration < 0:
        return None
    return {"onset": onset, "duration": duration}


def _seconds(said: str | None, unit: str | None, default: str | None = None) -> float | None:
    """Return a time in seconds: "12.5", "1:03:20", with a unit or the one of its column."""
    if said is None:
        return None
    match = re.fullmatch(rf"\s*{_time('a')}\s*", said, re.IGNORECASE)
    if match is None:
        return None
    if ":" in match["a"]:
        parts = [float(part) for part in match["a"].split(":")]
        hours, minutes, seconds = parts if len(parts) == 3 else (0.0, *parts)
        return hours * 3600 + minutes * 60 + seconds
    given = find_unit((match["ua"] or unit or default or "s").lower())
    if given is None or given.dimension != "time":
        return None
    return float(match["a"].replace(",", "")) * given.factor


def _of_prose(
    name: str, text: str, names: Names, vocabulary: Vocabulary
) -> Iterator[tuple[bool, list[Event]]]:
    """Yield the events of sentences about the field, and of lists below such lines."""
    following = False
    unit: str | None = None
    for line in plain_durations(text).split("\n"):
        if not line.strip():
            continue
        bullet = re.match(r"\s*(?:[-*•+–]|\(?\d{1,4}[.)]|#\d+[:.]?)\s+", line)
        about = _about(name, re.sub(r"\d", " ", line), names)
        said = line[bullet.end() :] if bullet else line
        if bullet is None and not _POINT.match(said.strip()):
            following = about or (following and not line.rstrip().endswith(":"))
            unit = unit_in(line.rstrip(" :"))
            if unit is None and re.search(r"\bseconds\b|\bin s\b", line):
                unit = "s"
            if unit is None and re.search(r"\bin min(?:utes)?\b", line):
                unit = "min"
        events = list(_of_line(said, unit, vocabulary, listed=bullet is not None and following))
        if events:
            yield (following or about), events


def _of_line(
    said: str, unit: str | None, vocabulary: Vocabulary, *, listed: bool
) -> Iterator[Event]:
    for sentence in re.split(r"(?<=[^\d\s])[.;]\s|(?<=\ds)[.;]\s|\.\s+(?=[A-Z])", said):
        mentions = vocabulary.find(sentence)
        taken: list[tuple[int, int]] = []
        for before, match in _spans(sentence):
            groups = match.groupdict()
            later = groups.get("ud") or groups.get("ub")
            first = groups["ua"] or (later if groups.get("b") else None) or unit
            if first is None and not listed and not re.search(_START, before, re.I):
                continue
            onset = _seconds(groups["a"], groups["ua"] or (later if "b" in groups else None), unit)
            duration = _seconds(groups.get("d"), groups.get("ud"), unit)
            end = _seconds(groups.get("b"), groups.get("ub"), unit)
            event = _event(onset, duration, end)
            if event is None or _UNREAL.search(before):
                continue
            taken.append(match.span())
            label = _label_near(mentions, match.start(), match.end())
            yield event | ({"label": label} if label else {})
        if not taken:
            yield from _points(sentence, unit)


def _spans(sentence: str) -> Iterator[tuple[str, re.Match[str]]]:
    """Yield the times with an end or a duration, each with the words before it."""
    at = 0
    following = [pattern.search(sentence) for pattern in _SPANS]
    for _ in range(MAX_EVENTS):
        for number, hit in enumerate(following):
            if hit is not None and hit.start() < at:
                following[number] = _SPANS[number].search(sentence, at)
        hits = [(m.start("a"), n, m) for n, m in enumerate(following) if m is not None]
        if not hits:
            return
        match = min(hits)[2]
        yield sentence[at : match.start()], match
        at = match.end()


def _label_near(found: list[Mention], start: int, stop: int) -> str | None:
    distinct = {mention.name for mention in found}
    if len(distinct) == 1:
        return next(iter(distinct))
    near = [m for m in found if stop <= m.start <= stop + 30] or [
        m for m in found if start - 40 <= m.stop <= start
    ][-1:]
    return near[0].name if near else None


def _points(sentence: str, unit: str | None) -> Iterator[Event]:
    """Yield points in time: "at 1.25 s, 4.80 s and 9.02 s"."""
    marks = list(_POINT.finditer(sentence))
    if not marks or _UNREAL.search(sentence[: marks[0].start()]):
        return
    run = [marks[0]]
    for mark in marks[1:]:
        if _LIST_GAP.fullmatch(sentence, run[-1].end(), mark.start()) is None:
            break
        run.append(mark)
    if _AT.search(sentence[max(0, run[0].start() - 60) : run[0].start()]) is None:
        return
    shared = run[-1]["ua"] or unit
    if shared is None:
        return
    for mark in run:
        onset = _seconds(mark["a"], mark["ua"] or shared)
        if onset is not None:
            yield {"onset": onset, "duration": None}


def _says_none(name: str, text: str, names: Names, spec: Mapping[str, Any]) -> bool:
    """Tell whether a sentence says that there are no events of the field's sort."""
    for sentence in re.split(r"[.;!?]\s|\n", text):
        match = re.search(rf"\b{_NOTHING}\b([^.;:,\n]{{1,80}})", sentence, re.IGNORECASE)
        listed = re.search(r"[:=]\s*(?:none|no|nothing|\[\s*\]|0)\W*$", sentence, re.IGNORECASE)
        said = match[1] if match else (sentence[: listed.start()] if listed else "")
        if (
            said
            and _about(name, said, names)
            and not re.search(r"\b(?:other|further|more|only|if)\b", said)
        ):
            return True
    return False
