"""Hypnograms in a report: stage by stage, in runs, by epoch."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from braino_registry.scoring.answers.layout import Layout
from braino_registry.scoring.answers.matching import Names, tokens

MAX_EPOCHS = 20_000
#: Stages of the AASM manual (2007) and the ways of writing them, those of Rechtschaffen and Kales
#: included; S4 is N3 there.
SPELLINGS: dict[str, tuple[str, ...]] = {
    "W": ("W", "Wake", "Awake", "Wakefulness", "Stage W", "WK"),
    "N1": ("N1", "S1", "NREM1", "NREM 1", "Stage 1", "Stage N1", "NREM-1"),
    "N2": ("N2", "S2", "NREM2", "NREM 2", "Stage 2", "Stage N2", "NREM-2"),
    "N3": ("N3", "S3", "S4", "N4", "SWS", "NREM3", "NREM 3", "Stage 3", "Stage N3", "NREM-3"),
    "R": ("R", "REM", "Stage R", "REM sleep"),
}
_STAGE_OF = {s.casefold(): stage for stage, many in SPELLINGS.items() for s in many}
_STAGE = "|".join(
    re.escape(s)
    for s in sorted((s for many in SPELLINGS.values() for s in many), key=lambda s: (-len(s), s))
)
_ONE = re.compile(rf"(?<![\w-])(?:{_STAGE})(?![\w-])", re.IGNORECASE)
_TIMES = re.compile(
    r"\s*(?:[x×*]\s*|\(\s*(?:[x×]\s*)?)(\d{1,5})\s*(?:epochs?|ep\.?)?\s*\)?", re.IGNORECASE
)
_COUNT = re.compile(r"(?<![\w.])(\d{1,5})\s*(?:[x×*]|epochs?\s+(?:of\s+)?)\s*$", re.IGNORECASE)
_GAP = re.compile(
    r"[\s,;/|>→\-–'\"\[\]()]*(?:then|and|followed\s+by)?[\s,;'\"\[\]]*", re.IGNORECASE
)
_EPOCHS = re.compile(
    r"(?:epochs?|ep\.?|segment|window|#)?\s*#?\s*(\d{1,5})\s*(?:(?:[-–—]|to|through)\s*(\d{1,5})\s*)?",
    re.IGNORECASE,
)
_SHORT = re.compile(r"\s*[WNSR0-9A-Za-z ]{1,16}\s*")


def read_stages(
    name: str, spec: Mapping[str, Any], found: Layout, text: str, names: Names, alone: bool
) -> tuple[list[str] | None, str]:
    """Return the stage of each epoch in turn, or None and why.

    Parameters
    ----------
    name : str
        Name of the field.
    spec : mapping
        The field; its labels, if it has any, are the stages that may occur.
    found : Layout
        Layout of the report.
    text : str
        The text without markup.
    names : Names
        Phrases of all fields.
    alone : bool
        The contract has no other hypnogram.
    """
    labels = {str(each).casefold() for each in spec.get("labels", ())}
    about: list[list[str]] = []
    others: list[list[str]] = []
    by_epoch = [*_by_epoch(found), *_by_row(found)]
    for stages, context in [*by_epoch, *_runs(text)]:
        if labels and not all(stage.casefold() in labels for stage in stages):
            continue
        hit = names.best(frozenset(tokens(context[-300:]))) == name
        (about if hit else others).append(stages)
    pool = about or (others if alone else [])
    distinct = [list(each) for each in dict.fromkeys(tuple(stages) for stages in pool)]
    if len(distinct) == 1:
        return distinct[0], ""
    if not distinct:
        return None, "the text gives no hypnogram"
    return None, f"the text gives {len(distinct)} different hypnograms"


def stage_of(said: str) -> str | None:
    """Return the stage that is written as ``said``, or None."""
    return _STAGE_OF.get(" ".join(said.split()).casefold().strip(".'\"*` "))


def _by_epoch(found: Layout) -> Iterable[tuple[list[str], str]]:
    """Yield what lines such as "Epoch 3: N2" and "Epochs 1-4: W" say together."""
    placed: dict[int, str] = {}
    context = ""
    for pair in found.pairs:
        epochs = _EPOCHS.fullmatch(pair.label)
        stage = stage_of(re.split(r"[(;,.]|\s[–—-]\s", pair.value, maxsplit=1)[0])
        if epochs is None or stage is None or "ep" not in f"{pair.label} {pair.context}".lower():
            continue
        first, last = int(epochs[1]), int(epochs[2] or epochs[1])
        context = context or f"{pair.context} epoch stage"
        if last < first or last - first > MAX_EPOCHS or first in placed:
            return
        placed.update(dict.fromkeys(range(first, last + 1), stage))
    if len(placed) >= 2 and sorted(placed) == list(range(min(placed), max(placed) + 1)):
        yield [placed[each] for each in sorted(placed)], context


def _by_row(found: Layout) -> Iterable[tuple[list[str], str]]:
    """Yield the column of stages of a table with one row for an epoch."""
    for table in found.tables:
        columns = [
            i for i, title in enumerate(table.titles) if re.search(r"\bstages?\b", title, re.I)
        ]
        numbered = [
            i for i, title in enumerate(table.titles) if re.search(r"\bepochs?\b|#|^$", title, re.I)
        ]
        if len(columns) != 1 or not numbered:
            continue
        stages: list[str] = []
        for row in table.rows:
            stage = stage_of(row[columns[0]]) if len(row) == len(table.titles) else None
            epochs = _EPOCHS.fullmatch(row[numbered[0]]) if stage else None
            if stage is None or epochs is None:
                stages = []
                break
            stages += [stage] * (int(epochs[2] or epochs[1]) - int(epochs[1]) + 1)
        if 2 <= len(stages) <= MAX_EPOCHS:
            yield stages, f"{table.context} {' '.join(table.titles)}"


def _runs(text: str) -> Iterable[tuple[list[str], str]]:
    """Yield the lists of stages in prose: "W, W, N1", "W x10, N1 x2", "W W N1 N2"."""
    header = ""
    for line in text.split("\n"):
        marks = list(_ONE.finditer(line))
        if not marks and line.rstrip().endswith(":"):
            header = line
        at = 0
        while at < len(marks):
            stages, stop, _reach = _run(line, marks, at)
            if len(stages) >= 3 and stop - at >= 2:
                yield stages, f"{header} {line[: marks[at].start()]}"
            at = max(stop, at + 1)
        if line.strip() and not line.rstrip().endswith(":"):
            header = ""


def _run(line: str, marks: list[re.Match[str]], at: int) -> tuple[list[str], int, int]:
    stages: list[str] = []
    place = marks[at].start()
    index = at
    while index < len(marks):
        mark = marks[index]
        count = 1
        before = line[max(0, mark.start() - 24) : mark.start()]
        counted = _COUNT.search(before)
        gap_stop = mark.start() - (len(counted.group()) if counted else 0)
        if index > at and _GAP.fullmatch(line, place, max(place, gap_stop)) is None:
            break
        times = _TIMES.match(line, mark.end())
        place = mark.end()
        if counted:
            count = int(counted[1])
        elif times:
            count, place = int(times[1]), times.end()
        if len(stages) + count > MAX_EPOCHS:
            return [], len(marks), place
        stages += [_STAGE_OF[mark.group().casefold()]] * count
        index += 1
    return stages, index, place
