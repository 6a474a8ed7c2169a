"""From the events of a session to its ledger: one builder, live and offline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from braino_registry.numbers.ledger import Ledger

# Arithmetic has no units of its own: a quotient of counts may be a share, one of times a rate.
_ARITHMETIC = frozenset({"calc"})


def enter_event(ledger: Ledger, event: Mapping[str, Any]) -> None:
    """Enter what one event of a transcript states.

    Parameters
    ----------
    ledger : Ledger
        Changed in place.
    event : mapping
        One line of a transcript. A failed call states nothing; what the agent says or proposes
        states nothing. What code prints does, except the numbers that stand in the code itself.
    """
    kind, place = event.get("type"), f"event {event.get('n', '?')}"
    if kind == "start" and isinstance(event.get("request"), str):
        ledger.add_text(event["request"], "the request")
    elif kind == "call" and event.get("ok"):
        named = event.get("tool")
        tool = named if isinstance(named, str) else "a tool"
        ledger.add_result(
            event.get("result"),
            event.get("args"),
            source=f"{tool} ({place})",
            unitless=tool in _ARITHMETIC,
        )
    elif kind == "execute" and isinstance(event.get("output"), str):
        # What was printed before an execution failed was printed all the same.
        ledger.add_result(
            {"printed": event["output"]},
            {"code": event.get("code")},
            source=f"code ({place})",
            unitless=True,
            lasting=True,
        )
    elif kind == "ask" and isinstance(event.get("reply"), str):
        ledger.add_text(event["reply"], f"the user's reply ({place})")
    elif kind == "decide":
        ledger.add_decision(
            event.get("applied"),
            source=f"decision {event.get('kind')} ({place})",
            proposal=event.get("proposal"),
        )
        for said in ("say", "reply"):
            if isinstance(event.get(said), str):
                ledger.add_text(event[said], f"the user's words ({place})")


def from_transcript(events: Iterable[Mapping[str, Any]], request: str = "") -> Ledger:
    """Return the ledger of a session.

    Parameters
    ----------
    events : iterable of mapping
        The lines of the transcript so far.
    request : str
        What the agent was asked.
    """
    ledger = Ledger()
    ledger.add_text(request, "the request")
    for event in events:
        enter_event(ledger, event)
    return ledger
