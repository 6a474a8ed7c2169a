"""What scoring works on and what it gives back; all of it plain, frozen values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from braino_registry.scoring.units.canonical import Profile

if TYPE_CHECKING:
    from braino_registry.scoring.lineage import Lineage


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
    dataset : str | None
        ``id@version`` of what the session had; None where a question needs no data.
    profile : str
        How validation units compare: ``strict``, or ``published`` as the released scorer does.
    parsed : mapping | None
        Values by field that a language model has read from the report, None where it read none;
        they take the place of the reading by rule.
    """

    request: str
    events: Sequence[Mapping[str, Any]]
    answer: Answer | None
    artifacts: Path = Path("artifacts")
    fields: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    context: Mapping[str, Any] = field(default_factory=dict)
    dataset: str | None = None
    profile: Profile = "strict"
    parsed: Mapping[str, Any] | None = None

    @cached_property
    def lineage(self) -> Lineage:
        """What came from what in the session; followed once, for many checks ask."""
        from braino_registry.scoring.lineage import Lineage

        return Lineage(self.events)

    @property
    def paradigm(self) -> str:
        """How the agent worked: ``"tools"`` or ``"code"``, as the transcript's start says."""
        start = next((event for event in self.events if event.get("type") == "start"), {})
        return "code" if start.get("paradigm") == "code" else "tools"

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
    detail : mapping | None
        What a summary of many trials needs of this one, as JSON values; None for nothing.
    """

    passed: bool
    evidence: str
    score: float | None = None
    detail: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check of a trial, as it stands in the report.

    ``weight`` is what it counts under the rule ``brainbench``; None for a check that stands beside
    the score.
    """

    id: str
    kind: str
    version: str
    required: bool
    passed: bool
    score: float
    evidence: str
    weight: float | None = None
    detail: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a rule makes of the checks of a trial.

    Parameters
    ----------
    score : float
        0–1.
    passed : bool | None
        None where the suite has no pass rule.
    ungated : float | None
        The score without the evidence gate; None where there is no gate.
    why : str
        Why the gate is shut, for people; empty if it is open.
    """

    score: float
    passed: bool | None
    ungated: float | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Scored:
    """The score of a trial with its checks; see `Ruling` for the rest."""

    score: float
    passed: bool | None
    checks: tuple[CheckResult, ...]
    ungated: float | None = None
    why: str = ""
