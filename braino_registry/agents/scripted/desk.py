"""The agent's desk: the request, the session, the recording at hand, and what was noted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from braino.agent import Decision, Session
from braino_registry.agents.scripted.findings import Finding
from braino_registry.agents.scripted.reading import Request


class Missing(Exception):
    """What is asked for is not there; the text says what is missing."""


class Stuck(Exception):
    """The pipeline cannot go on; the text says why."""


@dataclass
class Desk:
    """What one request is worked on with.

    Parameters
    ----------
    request : Request
    session : Session

    Attributes
    ----------
    findings : list of Finding
        What was measured so far.
    remarks : list of str
        What the user should know besides: decisions and defaults.
    """

    request: Request
    session: Session
    findings: list[Finding] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def run(self, tool: str, **args: Any) -> dict[str, Any]:
        """Call a tool and return its result.

        Raises
        ------
        Stuck
            If the tool is not on offer or refuses.
        """
        if tool not in {spec.name for spec in self.session.tools()}:
            raise Stuck(f"I would need the tool {tool}, which is not here.")
        outcome = self.session.call(tool, args)
        if not outcome.ok:
            raise Stuck(f"{tool} did not work: {outcome.error}")
        return outcome.result

    def note(self, about: str, value: Any, unit: str = "") -> None:
        """Keep a finding; a value that the tool could not measure is none."""
        if value is not None:
            self.findings.append(Finding(about, value, unit))

    def consent(self, kind: str, proposal: Mapping[str, Any], why: str) -> Decision:
        """Propose a change and keep in mind what was applied.

        Raises
        ------
        Stuck
            If the proposal could not even be put to the user.
        """
        decision = self.session.decide(kind, {**proposal}, why)
        if decision.status == "invalid":
            raise Stuck(f"My proposal was not accepted: {decision.error}")
        if decision.status == "rejected":
            self.remarks.append("You rejected my proposal, so nothing was changed.")
        return decision

    @cached_property
    def overview(self) -> dict[str, Any]:
        """What the dataset holds."""
        return self.run("dataset.inspect")

    @cached_property
    def recordings(self) -> list[str]:
        """The recordings that the request is about.

        Those of the subject that it names, narrowed to the tasks that it mentions; if it names
        neither, all of them.

        Raises
        ------
        Missing
            If the dataset has no recording, nothing of the subject, or nothing in the state that
            is asked for.
        """
        rows = self.overview["recordings"]
        if not rows:
            raise Missing("The dataset has no recording.")
        subject = self.request.subject
        if subject is not None and any(row["bids_subject"] == subject for row in rows):
            rows = [row for row in rows if row["bids_subject"] == subject]
        elif subject is not None and subject.isdigit():
            raise Missing(f"The dataset has no recording of subject {subject}.")
        ids: list[str] = [row["recording"] for row in rows]
        tasks = list(dict.fromkeys(str(row.get("bids_task")) for row in rows))
        mentioned = self.request.mentioned(tasks) or _by_eyes(self.request, tasks)
        wanted = [row["recording"] for row in rows if str(row.get("bids_task")) in mentioned]
        state = _state(self.request)
        if not wanted and state is not None and not self._described(state):
            raise Missing(f"There is no recording with {state} of subject {subject}.")
        return wanted or ids

    def _described(self, state: str) -> bool:
        """Tell whether the dataset's name gives the state of the eyes, where no task does."""
        tasks = " ".join(self.overview["tasks"]).lower()
        named = str(self.overview.get("name") or "").lower()
        return "open" not in tasks and "closed" not in tasks and state in named

    @property
    def recording(self) -> str:
        """The recording that the request is about, the first if several qualify."""
        return self.recordings[0]

    @cached_property
    def info(self) -> dict[str, Any]:
        """What the recording at hand is like."""
        return self.run("recording.info", view=self.recording)

    @cached_property
    def channels(self) -> list[str]:
        """The channels that the request names and the recording has."""
        return self.request.named(self.info["ch_names"])


def _state(request: Request) -> str | None:
    """Return the state of the eyes if the request asks for just one."""
    shut = request.says("eyes closed|closed eyes")
    opened = request.says("eyes open|open eyes")
    if shut == opened:
        return None
    return "eyes closed" if shut else "eyes open"


def _by_eyes(request: Request, tasks: list[str]) -> list[str]:
    """Return the tasks that go by the state of the eyes, where the request names both states."""
    if request.says("eyes open|open eyes") and request.says("eyes closed|closed eyes"):
        return [task for task in tasks if "open" in task or "closed" in task]
    state = _state(request)
    return [task for task in tasks if state and state.replace("eyes ", "") in task.lower()]
