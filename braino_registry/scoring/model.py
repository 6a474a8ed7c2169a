"""What scoring works on and what it gives back; all of it plain, frozen values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Answer:
    """What the agent returned, untrusted.

    Parameters
    ----------
    text : str
        The answer in words; anything else than a string is read as an empty one.
    data : mapping | None
        Values by the name of the answer's fields.
    artifacts : tuple of str
        Names of files below the artifacts folder.
    """

    text: str = ""
    data: Mapping[str, Any] | None = None
    artifacts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", self.text if isinstance(self.text, str) else "")
        object.__setattr__(self, "data", self.data if isinstance(self.data, Mapping) else None)
        names = self.artifacts if isinstance(self.artifacts, list | tuple) else ()
        object.__setattr__(self, "artifacts", tuple(n for n in names if isinstance(n, str)))

    @property
    def empty(self) -> bool:
        """Whether the agent said nothing at all."""
        return not self.text.strip() and not self.data and not self.artifacts


@dataclass(frozen=True)
class Evidence:
    """Everything that a check may look at.

    Parameters
    ----------
    request : str
        What the agent was asked.
    events : sequence of mapping
        The lines of the transcript.
    answer : Answer | None
        None if the session ended without one.
    artifacts : Path
        Folder that the agent wrote its files to; it need not exist.
    fields : mapping
        The fields of the task's answer contract, by name.
    context : mapping
        Vocabulary for the reading of words: ``ch_names``, ``subjects``, ``recordings``,
        ``events``; and ``recording``, the one that the instance is about.
    """

    request: str
    events: Sequence[Mapping[str, Any]]
    answer: Answer | None
    artifacts: Path = Path("artifacts")
    fields: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    context: Mapping[str, Any] = field(default_factory=dict)

    def vocabulary(self, name: str) -> tuple[str, ...]:
        """Return the known names of one sort, for example ``"ch_names"``."""
        names = self.context.get(name)
        if isinstance(names, Mapping):
            names = list(names)
        if not isinstance(names, list | tuple | set | frozenset):
            return ()
        return tuple(sorted(n for n in names if isinstance(n, str) and n))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one check found.

    Parameters
    ----------
    passed : bool
        Whether the statement holds.
    evidence : str
        For people: what was found and what was expected.
    score : float | None
        0–1; None means 1 if passed, else 0.
    """

    passed: bool
    evidence: str
    score: float | None = None


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check of a trial, as it stands in the report."""

    id: str
    kind: str
    version: str
    required: bool
    passed: bool
    score: float
    evidence: str


@dataclass(frozen=True, slots=True)
class Scored:
    """The score of a trial: 0–1, and whether it passed (None where the suite has no pass rule)."""

    score: float
    passed: bool | None
    checks: tuple[CheckResult, ...]
