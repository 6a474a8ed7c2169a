"""``random``, ``constant``, ``prior``: answers without a look at the signal."""

from __future__ import annotations

import random
from typing import Any

from braino.agent import AgentAnswer, Session
from braino_registry.agents.baselines import (
    EVENTS,
    HYPNOGRAM,
    STAGES,
    as_runs,
    field_of,
    length_of,
)

#: About what share of a night in bed healthy adults spend in each stage.
SHARES = {"W": 0.15, "N1": 0.08, "N2": 0.44, "N3": 0.14, "REM": 0.19}
MINUTES_OF_SLEEP_ONSET, CYCLE = 20.0, 90.0


class Guess:
    """An agent that answers without a look at the signal.

    Parameters
    ----------
    name : str
        ``random`` draws evenly, ``constant`` gives the first label, one event over the whole record
        and a night of W, ``prior`` gives what is most likely before anything is known.
    """

    model = None

    def __init__(self, name: str) -> None:
        self.name = name

    def solve(self, request: str, session: Session) -> AgentAnswer:
        """Answer the field that the session asks for."""
        field, spec = field_of(session)
        drawn = random.Random(getattr(session, "seed", 0))
        labels = list(spec.get("labels", ()))
        value: Any
        if spec.get("type") == EVENTS:
            value = self._events(length_of(request, session)[0], drawn)
        elif spec.get("type") == HYPNOGRAM:
            value = as_runs(self._night(length_of(request, session)[1], drawn))
        elif labels:
            value = labels[0] if self.name == "constant" else drawn.choice(labels)
        else:
            return AgentAnswer("I can only guess labels, events and stages.")
        return AgentAnswer("", data={field: value})

    def _events(self, seconds: float, drawn: random.Random) -> list[dict[str, float]]:
        if self.name == "constant":
            return [{"onset_sec": 0.0, "offset_sec": seconds}]
        if self.name == "prior":
            return []  # most records hold no seizure
        found = []
        for _ in range(drawn.randint(0, 2)):
            onset = drawn.uniform(0, max(0.0, seconds - 60))
            found.append({"onset_sec": onset, "offset_sec": onset + drawn.uniform(20, 60)})
        return found

    def _night(self, n: int, drawn: random.Random) -> list[str]:
        if self.name == "constant":
            return ["W"] * n
        if self.name == "prior":
            return usual_night(n)
        return [drawn.choice(STAGES) for _ in range(n)]


def usual_night(n: int) -> list[str]:
    """Return a night as textbooks draw it: cycles with deep sleep early and REM sleep late.

    Parameters
    ----------
    n : int
        Epochs of 30 s.
    """
    asleep = min(n, round(2 * MINUTES_OF_SLEEP_ONSET))
    stages = ["W"] * asleep
    cycle = round(2 * CYCLE)
    while len(stages) < n:
        late = (len(stages) - asleep) / max(1, n - asleep)
        deep, dream = round((1 - late) * 0.35 * cycle), round((0.1 + 0.3 * late) * cycle)
        light = round(0.08 * cycle)
        stages += ["N1"] * light + ["N2"] * (cycle - light - deep - dream)
        stages += ["N3"] * deep + ["REM"] * dream
    return stages[:n]


def make_random() -> Guess:
    """Return an agent that draws evenly."""
    return Guess("random")


def make_constant() -> Guess:
    """Return an agent that always says the same."""
    return Guess("constant")


def make_prior() -> Guess:
    """Return an agent that says what is most likely before anything is known."""
    return Guess("prior")
