"""The gate of evidence: an answer about data counts only if the session worked on them.

A right answer that rests on nothing is a guess, or was known from elsewhere. So a session scores
only if one successful call worked on a recording, or one execution did. Where the instance's
recording is not in the dataset, which is for the agent to find out, a successful look-up counts.
"""

from __future__ import annotations

from collections.abc import Iterable

from braino_registry.scoring.events import calls
from braino_registry.scoring.model import Evidence

#: Tools that tell what is there; they need name no recording.
LOOK_UPS = ("dataset.*", "recording.*", "events.*")


def shut(evidence: Evidence) -> str:
    """Return why the gate is shut, for people; an empty text if it is open.

    Parameters
    ----------
    evidence : Evidence
        Transcript, dataset, and in its context the recordings that are there.
    """
    if evidence.dataset is None or executed(evidence):
        return ""
    there = frozenset(evidence.vocabulary("recordings"))
    wanted = evidence.context.get("recording")
    absent = wanted is None or wanted not in there
    if absent and calls(evidence.events, LOOK_UPS):
        return ""
    if _worked_on(evidence, there):
        return ""
    what = "a look-up" if absent else "a call or an execution that worked on a recording"
    return f"the session has no successful use of the data: {what} is needed for a score"


def _worked_on(evidence: Evidence, recordings: Iterable[str]) -> bool:
    """Tell whether a successful call names a recording, or descends from one."""
    names = frozenset(recordings)
    lineage = evidence.lineage
    return any(names & lineage.ancestors(call) for call in calls(evidence.events))


def executed(evidence: Evidence) -> bool:
    """Tell whether code ran to its end that reached for the data.

    What code reads is not recorded, so that it names its input or a recording is what counts.

    Parameters
    ----------
    evidence : Evidence
        Transcript, and in its context the recordings that are there.
    """
    for event in evidence.events:
        if event.get("type") != "execute" or event.get("ok") is not True:
            continue
        code = event.get("code")
        if isinstance(code, str) and (
            "input" in code or any(name in code for name in evidence.vocabulary("recordings"))
        ):
            return True
    return False
