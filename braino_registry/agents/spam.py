"""``spam``: lists everything that it can see, hoping that the right values are among it."""

from __future__ import annotations

from braino.agent import AgentAnswer, Session
from braino_registry.agents import looking

_MOST_RECORDINGS = 20
_MOST_CHARACTERS = 400_000


class Spam:
    """The agent that names everything."""

    name = "spam"
    model = None

    def solve(self, request: str, session: Session) -> AgentAnswer:
        """List all values of tools that need no thought, and of all sidecars."""
        seen: dict[str, None] = dict.fromkeys(
            looking.leaves(looking.result_of(session, "dataset.inspect", {}))
        )
        for recording in looking.recording_ids(session)[:_MOST_RECORDINGS]:
            info = looking.result_of(session, "recording.info", {"view": recording})
            seen.update(dict.fromkeys(looking.leaves(info)))
        for name, text in looking.sidecars(session.inputs):
            seen[name] = None
            seen.update(dict.fromkeys(text.split()))
        return AgentAnswer(", ".join(seen)[:_MOST_CHARACTERS])


def make() -> Spam:
    """Return an agent that names everything."""
    return Spam()
