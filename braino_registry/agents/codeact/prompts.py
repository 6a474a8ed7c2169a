"""What the model is told. The words stand in ``prompt.json``, with a version."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from braino.agent import Session
    from braino_registry.agents.codeact.controls import Controls

Message = dict[str, Any]


@cache
def words() -> Mapping[str, Any]:
    """Return the prompts by name."""
    text = files("braino_registry.agents.codeact").joinpath("prompt.json").read_text("utf-8")
    return dict(json.loads(text))


def say(name: str, **values: object) -> str:
    """Return a prompt with its places filled in."""
    return Template("\n".join(words()[name])).substitute({k: str(v) for k, v in values.items()})


def opening(request: str, session: Session, controls: Controls, rounds: int) -> list[Message]:
    """Return the messages with which a conversation begins.

    Parameters
    ----------
    request : str
        What the researcher asks.
    session : Session
        One of the paradigm ``code``.
    controls : Controls
        Whether there is a dialogue.
    rounds : int
        How many replies there may be.
    """
    place = session.code or {}
    system = say(
        "system",
        dialogue=_dialogue(session) if controls.dialogue else "",
        seconds=f"{place['seconds']:g}",
        case_seconds=f"{place['case_seconds']:g}",
        chars=min(place["output_chars"], controls.observation_chars),
        rounds=rounds,
    )
    fields = session.fields
    user = say(
        "user",
        request=request,
        inputs=place["inputs"],
        workspace=place["workspace"],
        packages=", ".join(f"{name} {version}" for name, version in place["packages"].items()),
        fields=say("fields", fields=json.dumps(fields, ensure_ascii=False)) if fields else "",
    )
    return [{"role": "system", "content": system}, {"role": "user", "content": user}]


def _dialogue(session: Session) -> str:
    kinds = [
        f"  {spec.kind}: {spec.description} {json.dumps(spec.proposal, ensure_ascii=False)}"
        for spec in session.decisions()
    ]
    return say("dialogue", kinds="\n".join(kinds))
