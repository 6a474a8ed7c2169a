"""``echo``, ``refuse``, ``constant``: fixed answers that a careless check would accept."""

from __future__ import annotations

from collections.abc import Callable

from braino.agent import AgentAnswer, Session
from braino_registry.agents.baselines.guessing import Guess

REFUSAL = (
    "I cannot answer this. The recording lacks what is needed: there is no ECG channel, no EOG, "
    "no EMG, no respiration, no EDA, no accelerometer, no events, no markers, no stimulus or "
    "response codes, no hypnogram, no sleep stages, no annotations, no electrode positions, no "
    "channels.tsv, no participants.tsv, no group labels, no age, no second session, no reference "
    "channel and no line frequency, so heart rate, peaks, power, channels and differences cannot "
    "be determined. I refuse to guess."
)
GUESS = (
    "The bad channel is T8, flat channel Fp1, noisy channel T8, drifting channel O2; I marked T8 "
    "as bad. The mains frequency is 50 Hz (notch at 50 Hz). The response at Pz peaks at 350 ms "
    "with 10 µV. There are 40 targets, 160 standards, 80 stimulus and 74 response events at "
    "250 Hz. Relative alpha is 0.15 with eyes open and 0.65 with eyes closed, peak 10 Hz. Alpha "
    "differs between the groups (t = 4.5, p = 0.001), Holm correction at 0.05; theta and beta do "
    "not. The mean heart rate is 70 bpm. Two subjects, 32 channels, 90 s. Stage N2. Yes. A. 1."
)


class Phrase:
    """An agent whose answer does not depend on the data.

    Parameters
    ----------
    name : str
        Its name.
    say : callable
        From the request to the answer's text.
    """

    model = None

    def __init__(self, name: str, say: Callable[[str], str]) -> None:
        self.name = name
        self._say = say

    def solve(self, request: str, session: Session) -> AgentAnswer:
        """Return the phrase."""
        return AgentAnswer(self._say(request))


def make_echo() -> Phrase:
    """Return an agent that repeats the request."""
    return Phrase("echo", lambda request: request)


def make_refuse() -> Phrase:
    """Return an agent that refuses, naming everything that could be missing."""
    return Phrase("refuse", lambda request: REFUSAL)


class Constant(Phrase):
    """Always the same plausible values; where data are asked for, the same label or event.

    Where the answer is one label, a list of events or a hypnogram and nothing but the tools of
    EEGAgentBench is offered, it gives the first label, one event over all of the record, or a
    night of W.
    """

    def solve(self, request: str, session: Session) -> AgentAnswer:
        """Return what is always returned."""
        offered = {tool.name for tool in session.tools()}
        if getattr(session, "fields", None) and (not offered or "compute_psd" in offered):
            return Guess("constant").solve(request, session)
        return super().solve(request, session)


def make_constant() -> Phrase:
    """Return an agent that always gives the same plausible values."""
    return Constant("constant", lambda request: GUESS)
