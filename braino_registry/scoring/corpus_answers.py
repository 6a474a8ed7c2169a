"""One answer to a task of EEGAgentBench: read, scored alone, and kept for the corpus metrics."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from braino_registry.scoring import corpus
from braino_registry.scoring.answers import read
from braino_registry.scoring.model import Evidence, Verdict
from braino_registry.scoring.units.canonical import Profile

#: Where the first JSON object of a text may begin; a text with more braces is no answer.
_MOST_STARTS = 200
_FENCE = re.compile(r"```(?:json)?\s*\n(.*?)\n\s*```", re.DOTALL | re.IGNORECASE)
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
    if profile == "strict" and not _answered(evidence):
        outcome = _nothing(outcome)
    passed, score, said, shown = _judged(task, item, outcome, profile)
    kept = {**detail, **outcome.document(), **shown}
    if notes:
        kept["notes"] = notes[:5]
    text = "; ".join([said, *notes[:5]])
    return Verdict(passed, text, score, kept)


def _answered(evidence: Evidence) -> bool:
    return evidence.answer is not None and not evidence.answer.empty


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
    if answer.data is not None and name in answer.data:
        found: Any = {name: answer.data[name]}
    else:
        found = object_in(answer.text, name)
    if task not in corpus.CLASSES or profile == "published":
        return found, [] if isinstance(found, Mapping) else [f"no {name} in data or text"]
    return _label(task, found, evidence, options)


def _label(
    task: str, found: Any, evidence: Evidence, options: Mapping[str, str] | None
) -> tuple[Any, list[str]]:
    """Let words speak where no data do, and data and words that disagree cancel each other."""
    name = corpus.FIELDS[task]
    words = _in_words(task, name, evidence, options)
    if not isinstance(found, Mapping):
        return ({name: words}, ["read from the text"]) if words else (None, [f"no {name} given"])
    meant = corpus.read_label(task, found[name], options)
    if words and meant and words != meant:
        return None, [f"data say {meant}, text says {words}"]
    return found, []


def _in_words(task: str, name: str, evidence: Evidence, options: Mapping[str, str] | None) -> str:
    """Return the label that the text names outside its JSON, or an empty text."""
    assert evidence.answer is not None  # only asked where there is one
    text = _FENCE.sub(" ", evidence.answer.text).strip()
    if text.startswith("{") or not text:
        return ""
    if task == "T1":
        return corpus.read_label("T1", text, options)
    field = evidence.fields.get(name)
    if field is None or _names_all(task, text):
        return ""
    words = Evidence(
        request=evidence.request,
        events=evidence.events,
        answer=type(evidence.answer)(text),
        fields=evidence.fields,
        context=evidence.context,
    )
    value = read(field, name, words).value
    return value if isinstance(value, str) and value in corpus.CLASSES[task] else ""


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
