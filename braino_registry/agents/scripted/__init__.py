"""``scripted``: a fixed pipeline that goes by the keywords of the request.

A floor for comparisons: what tools, consent and units give without any understanding. It knows
no task; it inspects the dataset, looks for what the request takes for granted, runs the pipeline
of the first topic whose words occur, and reports what the tools said under the fields it is told.
"""

from __future__ import annotations

from collections.abc import Callable

from braino.agent import AgentAnswer, Session
from braino_registry.agents.scripted import (
    averages,
    channels,
    components,
    lacking,
    rhythms,
    tables,
)
from braino_registry.agents.scripted.desk import Desk, Missing, Stuck
from braino_registry.agents.scripted.findings import fill, words_for
from braino_registry.agents.scripted.reading import Request

TOPICS: tuple[tuple[str, Callable[[Desk], None]], ...] = (
    (r"ICA\b|independent components?", components.ica),
    (r"spoilt|reject(?:ed)? (?:trials|epochs)|artefact", averages.rejection),
    (r"hum\b|mains|line noise", channels.hum),
    (r"bad (?:channels|ones)|channels are (?:bad|flat|noisy)", channels.bad_channels),
    (r"heart", channels.heart_rate),
    (r"blink", channels.blinks),
    (r"patients and controls|groups differ", tables.groups),
    (r"table of participants|how many people", tables.participants),
    (r"how many .*(?:stimuli|responses|events)", averages.counts),
    (r"aperiodic|how steep|1/f", rhythms.aperiodic),
    (r"(?:largest|strongest) (?:spectral )?peak|peak frequency|alpha frequency", rhythms.peak),
    (r"power", rhythms.band_power),
    (r"P3|N170|N2pc|negativity|average|amplitude|epochs", averages.response),
)
"""Words of a topic, and what is done about it; the first whose words occur is taken."""


class Scripted:
    """The agent with a fixed pipeline."""

    name = "scripted"
    model = None

    def solve(self, request: str, session: Session) -> AgentAnswer:
        """Work through the pipeline of the topic that the request's words belong to."""
        desk = Desk(Request(request), session)
        try:
            lacking.check(desk)
            _pipeline(desk)(desk)
        except Missing as missing:
            return AgentAnswer(f"I cannot answer this. {missing}")
        except Stuck as stuck:
            desk.remarks.append(str(stuck))
        values = fill(session.fields, desk.findings)
        lines = [words_for(session.fields, values), *desk.remarks]
        return AgentAnswer("\n".join(line for line in lines if line), data=values or None)


def _pipeline(desk: Desk) -> Callable[[Desk], None]:
    """Return the pipeline of the first topic whose words occur.

    Raises
    ------
    Stuck
        If there is none.
    """
    for words, pipeline in TOPICS:
        if desk.request.says(words):
            return pipeline
    raise Stuck("I have no pipeline for this request.")


def make() -> Scripted:
    """Return an agent with a fixed pipeline."""
    return Scripted()
