"""``always-ask``: lets the user do the work, in questions and in decisions."""

from __future__ import annotations

from typing import Any

from braino.agent import AgentAnswer, Session
from braino_registry.agents import looking

QUESTIONS = (
    "What is the mains frequency, 50 or 60 Hz? Which power line frequency should I notch?",
    "Which channels are bad, noisy, flat or drifting, and should be marked?",
    "Which reference should I use?",
    "Which filter settings, high-pass and low-pass, do you want?",
    "Which epochs or segments should be rejected, and at what threshold?",
    "Which independent components should be excluded?",
    "Which correction for multiple comparisons and which alpha should I use?",
    "Which channel, time window and component do you mean?",
    "Which frequency band do you mean, and from where to where?",
    "Which subjects belong to which group?",
    "Which events are stimuli, and which are responses?",
    "What is the result?",
)


class AlwaysAsk:
    """The agent that asks."""

    name = "always-ask"
    model = None

    def solve(self, request: str, session: Session) -> AgentAnswer:
        """Ask everything, propose everything, and repeat what was said and applied."""
        # One more than allowed would end the session before the answer.
        questions = (request, *QUESTIONS)[: int(session.limits["questions"])]
        heard = [session.ask(question) for question in questions]
        proposals = self._proposals(session)[: int(session.limits["decisions"])]
        for kind, proposal in proposals:
            decision = session.decide(kind, proposal, "You know best.")
            if decision.applied:
                applied = ", ".join(looking.leaves(decision.applied))
                heard.append(f"{decision.status}: {kind} {applied}")
        return AgentAnswer(" ".join(dict.fromkeys(heard)))

    def _proposals(self, session: Session) -> list[tuple[str, dict[str, Any]]]:
        proposals: list[tuple[str, dict[str, Any]]] = [
            ("choose-correction", {"method": "holm", "alpha": 0.05})
        ]
        for recording in looking.recording_ids(session)[:8]:
            names = _channels(session, recording)
            proposals += [
                ("mark-bad-channels", {"channels": names, "recording": recording}),
                ("set-preprocessing", {"notch": 50.0, "recording": recording}),
                (
                    "reject-epochs",
                    {"epochs": [{"onset": 0.0, "duration": 1.0}], "recording": recording},
                ),
                ("exclude-components", {"components": [0], "recording": recording}),
            ]
        return proposals


def _channels(session: Session, recording: str) -> list[str]:
    """Return the channels of a recording as its sidecar lists them."""
    for name, text in looking.sidecars(session.inputs):
        if name.endswith(f"{recording}_channels.tsv"):
            return [row["name"] for row in looking.rows(text)]
    names: list[str] = looking.result_of(session, "recording.info", {"view": recording}).get(
        "ch_names", []
    )
    return names


def make() -> AlwaysAsk:
    """Return an agent that asks."""
    return AlwaysAsk()
