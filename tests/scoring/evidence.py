"""Short ways to write transcripts and evidence in tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from braino_registry.scoring import Answer, CheckResult, Evidence, score

CH_NAMES = "Fp1 Fp2 F7 F3 Fz F4 F8 FC5 FC6 T7 C3 Cz C4 T8 CP5 P7 P3 Pz P4 P8 PO3 O1 Oz O2".split()
RECORDING = "sub-02_task-rest"
CONTEXT: dict[str, Any] = {
    "ch_names": CH_NAMES,
    "subjects": ["01", "02"],
    "recordings": ["sub-01_task-rest", RECORDING],
    "events": ["standard", "target"],
    "recording": RECORDING,
}
BAD: dict[str, Any] = {"bad_channels": {"type": "set", "of": "channel"}}


def call(tool: str, result: Any = None, *, ok: bool = True, **args: Any) -> dict[str, Any]:
    """Return a call event."""
    event = {"type": "call", "tool": tool, "version": "1.0.0", "args": args, "ok": ok}
    return event | ({"result": result or {}} if ok else {"error": {"problem": "no", "instead": ""}})


def ask(about: str | None, question: str = "50 or 60 Hz?", reply: str = "50 Hz.") -> dict[str, Any]:
    """Return a question event."""
    return {"type": "ask", "question": question, "options": None, "reply": reply, "about": about}


def decide(
    kind: str, proposal: dict[str, Any], status: str = "approved", applied: Any = None
) -> dict[str, Any]:
    """Return a decision event."""
    given = {"approved": proposal, "rejected": {}, "invalid": {}}.get(status, applied)
    return {
        "type": "decide",
        "kind": kind,
        "proposal": proposal,
        "status": status,
        "applied": given,
    }


def mark(channels: list[str], status: str = "approved", applied: list[str] | None = None) -> Any:
    """Return a decision to mark channels."""
    edited = None if applied is None else {"recording": RECORDING, "channels": applied}
    return decide(
        "mark-bad-channels", {"recording": RECORDING, "channels": channels}, status, edited
    )


def evidence(
    text: Any = "",
    *events: dict[str, Any],
    data: Any = None,
    fields: Any = None,
    request: str = "",
    context: Any = None,
    artifacts: Path = Path("nowhere"),
    answered: bool = True,
    dataset: str | None = None,
    profile: Any = "strict",
) -> Evidence:
    """Return evidence with an answer of ``text`` and ``data``."""
    return Evidence(
        request=request,
        events=[{"n": n, **event} for n, event in enumerate(events)],
        answer=Answer(text, data) if answered else None,
        artifacts=artifacts,
        fields=BAD if fields is None else fields,
        context=CONTEXT if context is None else context,
        dataset=dataset,
        profile=profile,
    )


def run(check: dict[str, Any], given: Evidence) -> CheckResult:
    """Return the result of one check."""
    return score([{"id": "it", "required": True, **check}], given, "braino").checks[0]
