"""One answer to a task of EEGAgentBench: read, scored alone, and kept for the corpus metrics."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from braino_registry.scoring import corpus
from braino_registry.scoring.answers import read
from braino_registry.scoring.model import Answer, Evidence, Verdict
from braino_registry.scoring.rubric import Report
from braino_registry.scoring.rubric.given import stated_labels
from braino_registry.scoring.units.canonical import Profile

#: Where the first JSON object of a text may begin; a text with more braces is no answer.
_MOST_STARTS = 200
_FENCE = re.compile(r"```(?:json\b|\s*\n\s*[{\[])[^`]*```", re.IGNORECASE)
_MARK = re.compile(r"```\w*")
_MOST_KEPT = 3000  # segments or events of an answer that a report keeps


def judge(spec: Mapping[str, Any], evidence: Evidence) -> Verdict:
    """Return the verdict of a check of the kind ``corpus``; see there."""
    task = str(spec["task"])
    profile: Profile = "published" if evidence.profile == "published" else "strict"
    options = _lettered(spec.get("options"))
    given, notes = _given(task, evidence, profile, options)
    item = corpus.Item(
        truth=_truth(task, spec["truth"]),
        prediction=given,
        cluster=str(spec.get("cluster") or ""),
        subject=spec.get("subject"),
        duration=spec.get("duration"),
        options=options,
    )
    detail = {"task": task, **({"about": dict(spec["about"])} if "about" in spec else {})}
    try:
        outcome = corpus.outcome_of(task, item, profile)
    except (TypeError, OverflowError) as error:
        # Where the released scorer ends without a score for the whole task, so does this profile.
        broken = f"{type(error).__name__}: {error}"
        kept = {**detail, "cluster": item.cluster, "breaks": broken[:200]}
        return Verdict(False, f"the released scorer breaks off here: {broken}"[:500], 0.0, kept)
    if profile == "strict" and given is None:
        outcome = _nothing(outcome)
    passed, score, said, shown = _judged(task, item, outcome, profile)
    kept = {**detail, **outcome.document(), **shown}
    if notes:
        kept["notes"] = notes[:5]
    text = "; ".join([said, *notes[:5]])
    return Verdict(passed, text, score, kept)


def _nothing(outcome: corpus.Outcome) -> corpus.Outcome:
    """Return the outcome of no answer: a night without one is not read as a night of W."""
    if outcome.macro_f1 is None:
        return outcome
    return corpus.Outcome(cluster=outcome.cluster, macro_f1=0.0, kappa=0.0)


def _truth(task: str, truth: Any) -> Any:
    """Return planted truth as the metrics take it: events as pairs of seconds."""
    if task != "T5":
        return truth
    return [
        [one["onset"], one["onset"] + one["duration"]]
        if isinstance(one, Mapping) and "duration" in one
        else one
        for one in truth
    ]


def _lettered(options: Any) -> dict[str, str] | None:
    if not isinstance(options, list | tuple):
        return None
    return {chr(ord("A") + place): str(text) for place, text in enumerate(options)}


def _given(
    task: str, evidence: Evidence, profile: Profile, options: Mapping[str, str] | None
) -> tuple[Any, list[str]]:
    """Return the answer as an object with the task's field, and what is to be said of it."""
    answer, name = evidence.answer, corpus.FIELDS[task]
    if answer is None:
        return None, ["no answer"]
    in_data = answer.data is not None and name in answer.data
    if profile == "published":
        found = {name: (answer.data or {})[name]} if in_data else object_in(answer.text, name)
        return found, [] if isinstance(found, Mapping) else [f"no {name} in data or text"]
    written = written_objects(answer.text)
    if written is None:
        return None, ["the text has too many braces to be read"]
    objects, rest = written
    given = [{name: (answer.data or {})[name]}] if in_data else []
    given += [{name: each[name]} for each in objects if name in each]
    if any(isinstance(each[name], Twice) for each in given):
        return None, [f"an object gives {name} twice"]
    if any(not _same(task, given[0][name], each[name], options) for each in given[1:]):
        return None, [f"two objects give {name}, and not the same"]
    found = given[0] if given else None
    if task not in corpus.CLASSES:
        return found, [] if given else [f"no {name} in data or text"]
    return _label(task, found, rest, evidence, options)


def _same(task: str, one: Any, two: Any, options: Mapping[str, str] | None) -> bool:
    """Tell whether two answers are one: labels by what they mean, all else as it is written."""
    if task in corpus.CLASSES:
        meant = [corpus.read_label(task, each, options) for each in (one, two)]
        if meant[0] and meant[0] == meant[1]:
            return True
    return repr(one) == repr(two)


def _label(
    task: str,
    found: Mapping[str, Any] | None,
    text: str,
    evidence: Evidence,
    options: Mapping[str, str] | None,
) -> tuple[Any, list[str]]:
    """Let words speak where no data do, and data and words that disagree cancel each other."""
    name = corpus.FIELDS[task]
    words = _in_words(task, name, text, evidence, options)
    if found is None:
        only = words[0] if len(words) == 1 else ""
        return ({name: only}, ["read from the text"]) if only else (None, [f"no {name} given"])
    meant = corpus.read_label(task, found[name], options)
    if meant and any(word != meant for word in words):
        return None, [f"data say {meant}, text says {' and '.join(words)}"]
    return found, []


def _in_words(
    task: str, name: str, text: str, evidence: Evidence, options: Mapping[str, str] | None
) -> list[str]:
    """Return the labels that a text without its JSON states, each once."""
    if not text:
        return []
    if task == "T1":
        word = corpus.read_label("T1", text, options)
        return [word] if word else []
    field = evidence.fields.get(name)
    if field is None or _names_all(task, text):
        return []
    words = Evidence(
        request=evidence.request,
        events=evidence.events,
        answer=Answer(text),
        fields=evidence.fields,
        context=evidence.context,
    )
    value = read(field, name, words).value
    stated = [value] if value is not None else stated_labels(name, field, Report.of(words), words)
    return [label for label in stated if label in corpus.CLASSES[task]]


def _names_all(task: str, text: str) -> bool:
    """Tell whether a text names each of three classes or more, as the request itself does."""
    names = corpus.CLASSES[task]
    return len(names) > 2 and all(
        re.search(rf"\b{re.escape(name)}\b", text, re.IGNORECASE) for name in names
    )


def object_in(text: str, name: str) -> Any:
    """Return the first JSON object of a text that has a field, or None.

    Parameters
    ----------
    text : str
        Whatever an agent wrote; objects may stand in fences, or among words.
    name : str
        The field.
    """
    decoder = json.JSONDecoder()
    start, found = -1, 0
    while found < _MOST_STARTS and (start := text.find("{", start + 1)) >= 0:
        found += 1
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, Mapping) and name in value:
            return value
        start = end - 1
    return None


class Twice:
    """Stands for the values of a key that an object has more than once."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        found[key] = Twice() if key in found else value
    return found


def written_objects(text: str) -> tuple[list[dict[str, Any]], str] | None:
    """Return the JSON objects of a text, and the text without them; None if it has too many braces.

    Parameters
    ----------
    text : str
        Whatever an agent wrote. A fence that holds JSON goes with it, even where that is broken;
        words in a fence are words. A key that an object has more than once gets a `Twice`.
    """
    decoder = json.JSONDecoder(object_pairs_hook=_unique)
    objects: list[dict[str, Any]] = []
    kept: list[str] = []
    start, done, tried = -1, 0, 0
    while (start := text.find("{", start + 1)) >= 0:
        tried += 1
        if tried > _MOST_STARTS:
            return None
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        objects.append(value)
        kept.append(text[done:start])
        start, done = end - 1, end
    rest = " ".join([*kept, text[done:]])
    return objects, _MARK.sub(" ", _FENCE.sub(" ", rest)).strip()


def _judged(
    task: str, item: corpus.Item, outcome: corpus.Outcome, profile: Profile
) -> tuple[bool, float, str, dict[str, Any]]:
    """Return whether all is right, the score, the evidence, and what figures show of it."""
    if task == "T5":
        return _seizures(item, outcome)
    if task == "T6":
        return _night(item, outcome, profile)
    right = outcome.label == outcome.truth
    said = f"answered {outcome.label or 'no class'}, right is {outcome.truth}"
    return right, float(right), said, {}


def _seizures(
    item: corpus.Item, outcome: corpus.Outcome
) -> tuple[bool, float, str, dict[str, Any]]:
    counts = outcome.counts
    assert counts is not None  # the outcome of a recording has them
    raw = corpus.answered(item.prediction, "T5")
    reading = corpus.read_events(raw, float(item.duration or 0))
    found = reading.seconds.tolist()
    # Of a recording without a seizure, a list without events is right, and no list is no answer.
    score = float(isinstance(raw, list)) if counts.f1 is None else counts.f1
    said = [
        f"{len(found)} events answered, {len(item.truth)} are right",
        "none on either side"
        if counts.f1 is None
        else f"{counts.tp} TP, {counts.fp} FP, {counts.fn} FN",
    ]
    if outcome.dice is not None:
        said.append(f"Dice {outcome.dice:.3f}")
    shown = {
        "duration": item.duration,
        "reference": [[float(a), float(b)] for a, b in item.truth],
        "events": found[:_MOST_KEPT],
    }
    return score == 1.0, score, "; ".join([*said, *_told(reading.notes)]), shown


def _night(
    item: corpus.Item, outcome: corpus.Outcome, profile: Profile
) -> tuple[bool, float, str, dict[str, Any]]:
    raw = corpus.answered(item.prediction, "T6", [])
    read_as = corpus.expand(raw, len(item.truth), profile)
    score = float(outcome.macro_f1 or 0.0)
    said = f"macro-F1 {score:.3f}, kappa {outcome.kappa:.3f}, {len(item.truth)} epochs"
    shown = {
        "reference": [list(run) for run in corpus.runs(item.truth)][:_MOST_KEPT],
        "stages": [list(run) for run in corpus.runs(read_as.stages)][:_MOST_KEPT],
    }
    right = score > 0 and tuple(item.truth) == read_as.stages
    return right, score, "; ".join([said, *_told(read_as.notes)]), shown


def _told(notes: Sequence[corpus.Note]) -> list[str]:
    shown = [str(note)[:120] for note in notes[:3]]
    return [*shown, f"and {len(notes) - 3} more remarks"] if len(notes) > 3 else shown
