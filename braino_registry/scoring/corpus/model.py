"""The tasks of the suite: where an answer stands, its classes, its headline; and bad truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from braino_registry.errors import BrainoError


class ScoreError(BrainoError, ValueError):
    """A score that cannot be given: truth that is no truth, or a corpus that is not whole.

    What an agent answered never raises it; an answer that cannot be read scores as such.
    """


TASKS = ("T1", "T2", "T3", "T4", "T5", "T6")
#: The fixed classes of the tasks whose answer is one label, in the order of their tables.
CLASSES: dict[str, tuple[str, ...]] = {
    "T1": ("A", "B", "C", "D"),
    "T2": ("clean", "ocular_contaminated", "muscle_contaminated"),
    "T3": ("normal", "epileptic"),
    "T4": ("AD", "FTD", "HC"),
}
#: The field of an answer that is scored.
FIELDS = {
    "T1": "answer",
    "T2": "classification",
    "T3": "classification",
    "T4": "classification",
    "T5": "seizure_events",
    "T6": "hypnogram_rle",
}
#: The metric of each task that enters Overall.
PRIMARY = {
    "T1": "accuracy",
    "T2": "macro_f1",
    "T3": "macro_f1",
    "T4": "macro_f1",
    "T5": "event_f1",
    "T6": "macro_f1",
}


@dataclass(frozen=True)
class Note:
    """What was dropped or changed when an answer was read.

    Parameters
    ----------
    what : str
        What happened to it.
    place : int | None
        Position in the answered list, from 0; None if it concerns the whole.
    changed_score : bool
        False for what the rule itself asks for, such as clipping to the recording.
    """

    what: str
    place: int | None = None
    changed_score: bool = True

    def __str__(self) -> str:
        """Return the note with its place in front."""
        return self.what if self.place is None else f"{self.place}: {self.what}"


def answered(prediction: Any, task: str, default: Any = None) -> Any:
    """Return the scored field of an answer; the default if it is no object or lacks the field."""
    return prediction.get(FIELDS[task], default) if isinstance(prediction, Mapping) else default


def known_task(task: str) -> str:
    """Return the task if it is one of the six.

    Raises
    ------
    ScoreError
        If it is not.
    """
    if task not in TASKS:
        raise ScoreError(f"There is no task {task!r}.", hint=f"Tasks are {', '.join(TASKS)}.")
    return task
