"""The session: protocol, requests, scripted user, decisions and transcript of one trial."""

from braino_registry.session.held import HeldData
from braino_registry.session.limits import Answer, Ending, LimitReached, Limits
from braino_registry.session.reference import apply_counterexample
from braino_registry.session.serving import serve
from braino_registry.session.transcript import Transcript, read_events
from braino_registry.session.trial import TrialSession
from braino_registry.session.user import Reply, Ruling, ScriptedUser

__all__ = [
    "Answer",
    "Ending",
    "HeldData",
    "LimitReached",
    "Limits",
    "Reply",
    "Ruling",
    "ScriptedUser",
    "Transcript",
    "TrialSession",
    "apply_counterexample",
    "read_events",
    "serve",
]
