"""A record of what the agent did in each round: one JSON line on standard error, for its log."""

from __future__ import annotations

import hashlib
import json
import sys
from typing import Any

_BEGINNING = 120  # characters of an observation


class Audit:
    """Counts rounds and actions, and writes a line for each."""

    def __init__(self) -> None:
        self.rounds = 0
        self.actions: dict[str, int] = {}

    def note(self, action: str, body: str, observation: str, **more: Any) -> None:
        """Record a round.

        Parameters
        ----------
        action : str
            Its kind.
        body : str
            The code, question, proposal or report; only its hash and size are kept.
        observation : str
            What came back; its beginning and size are kept.
        **more
            Further members, such as ``ok`` and ``tokens``.
        """
        self.rounds += 1
        self.actions[action] = self.actions.get(action, 0) + 1
        _write(
            round=self.rounds,
            action=action,
            sha256=digest(body),
            chars=len(body),
            observed={"chars": len(observation), "begins": observation[:_BEGINNING]},
            **more,
        )

    def end(self, reason: str) -> None:
        """Record how it ended: ``solution``, or the control that ended it."""
        _write(end=reason, rounds=self.rounds, actions=self.actions)


def digest(text: str) -> str:
    """Return a hash of a text, which any text has."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _write(**members: Any) -> None:
    sys.stderr.write(f"codeact: {json.dumps(members)}\n")
    sys.stderr.flush()
