"""Which class an answer of the labelling tasks means, and the scores of a corpus of labels."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from braino_registry.scoring.corpus.choices import read_choice
from braino_registry.scoring.corpus.classes import Confusion, confuse
from braino_registry.scoring.corpus.model import CLASSES, ScoreError, answered, known_task
from braino_registry.scoring.units.canonical import Profile

#: Other names of the artifact classes.
ALIASES = {
    "clean": ("normal", "no_artifact", "none"),
    "ocular_contaminated": ("ocular", "eog", "eye", "eye_movement", "eyeblink", "blink"),
    "muscle_contaminated": ("muscle", "emg", "myogenic"),
}
_CLASS_OF = {name: label for label, names in ALIASES.items() for name in (label, *names)}
_DENIALS = {"not", "no", "non", "without", "neither", "nor", "never", "isn", "t"}


def read_label(
    task: str,
    raw: Any,
    options: Mapping[str, str] | None = None,
    profile: Profile = "strict",
) -> str:
    """Return the class that an answer means, or an empty text if it means none.

    Parameters
    ----------
    task : {"T1", "T2", "T3", "T4"}
        Whose classes.
    raw : JSON value
        As answered.
    options : mapping of str to str | None
        Text of each option of a T1 question.
    profile : {"strict", "published"}
        ``strict`` takes texts that name one class and deny none; ``published`` is the reader of
        the released scorer. They agree on T3 and T4, where only the name itself counts.

    Raises
    ------
    ScoreError
        If the task has no labels.
    """
    if known_task(task) not in CLASSES:
        raise ScoreError(f"An answer to {task} is no label.")
    if task == "T1":
        return read_choice(raw, options, profile)
    if profile == "strict" and not isinstance(raw, str):
        return ""
    text = "" if raw is None else str(raw)
    if task == "T2":
        return _artifact(text, profile)
    names = {label.casefold(): label for label in CLASSES[task]}
    return names.get(text.strip().casefold(), "")


def _artifact(text: str, profile: Profile) -> str:
    spaced = re.sub(r"[^\w\s\-]", " ", text.strip().lower())
    token = re.sub(r"[\s\-]+", "_", spaced).strip("_")
    if token in _CLASS_OF:
        return _CLASS_OF[token]
    words = token.split("_")
    if profile == "published":
        whole = [label for label in CLASSES["T2"] if label in token]
        return next(iter([*whole, *[_CLASS_OF[w] for w in words if w in _CLASS_OF]]), "")
    # "No artifact" denies none of the classes, so that what it goes with can still name one.
    left = set(re.sub(r"\bno artifacts?\b", "", " ".join(words)).split())
    named = {_CLASS_OF[word] for word in left if word in _CLASS_OF}
    if len(named) != 1 or _DENIALS & left:
        return ""
    return named.pop()


@dataclass(frozen=True)
class LabelItem:
    """One answer to a labelling task.

    Parameters
    ----------
    gold : str
        The true class.
    prediction : JSON value
        The answer, an object with the task's field.
    options : mapping of str to str | None
        Text of each option of a T1 question.
    """

    gold: str
    prediction: Any
    options: Mapping[str, str] | None = None


def score_labels(
    task: str, items: Sequence[LabelItem], profile: Profile = "strict", *, whole: bool = True
) -> Confusion:
    """Score a corpus of labels.

    Parameters
    ----------
    task : {"T1", "T2", "T3", "T4"}
        Whose fixed classes.
    items : sequence of LabelItem
        What was true and what was answered.
    profile : {"strict", "published"}
        How answers are read.
    whole : bool
        Whether every class must be true somewhere, as in the released corpora; without it, a
        class that is never true has an F1 of 0 at best.

    Returns
    -------
    Confusion

    Raises
    ------
    ScoreError
        If there is nothing to score, a true label is no class, or a class is never true.
    """
    if not items:
        raise ScoreError(f"There are no answers to {task} to score.")
    gold = [read_label(task, item.gold, None, profile) for item in items]
    said = [
        read_label(task, answered(item.prediction, task), item.options, profile) for item in items
    ]
    found = confuse(gold, said, CLASSES[known_task(task)])
    missing = [label for label in found.classes if label not in gold]
    if whole and missing:
        raise ScoreError(
            f"The corpus of {task} has no case of {', '.join(missing)}.",
            hint="Macro-F1 is over fixed classes; give the whole corpus.",
        )
    return found
