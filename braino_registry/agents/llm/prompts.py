"""Prompts as versioned data: what a report names is what the model was told."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from braino_registry.agents.llm.offer import Offered
from braino_registry.agents.llm.protocols import Style


@cache
def load(package: str = __package__) -> Mapping[str, Any]:
    """Return the texts of the ``prompts.json`` of a package."""
    found: Mapping[str, Any] = json.loads(_text(package))
    return found


def identity(package: str = __package__) -> str:
    """Return name, version and digest of a package's prompts, for reports."""
    texts = load(package)
    digest = hashlib.sha256(_text(package).encode()).hexdigest()
    return f"{texts['name']}@{texts['version']} sha256:{digest[:16]}"


def system(style: Style, offered: Sequence[Offered], *, brief: bool = False) -> str:
    """Return the system prompt.

    Parameters
    ----------
    style : Style
        How tools are offered.
    offered : sequence of Offered
        What is on offer.
    brief : bool
        Whether tools are listed by their first sentence only; one more tool describes them.
    """
    texts = load()
    rules = "\n".join(f"- {rule}" for rule in texts["rules"])
    parts = [texts["role"], rules, texts[style.name]]
    if listed := style.described(offered):
        shown = (texts["text_brief"], in_short(offered)) if brief else (texts["text_tools"], listed)
        parts += shown
    return "\n\n".join(parts)


def in_short(offered: Sequence[Offered]) -> str:
    """Return one line for each tool: its name and its first sentence."""
    return "\n".join(f"{each.name}: {_first_sentence(each.description)}" for each in offered)


def request(asked: str, fields: Mapping[str, Any] | None) -> str:
    """Return the first message of the user: the request, and the fields of the answer."""
    if not fields:
        return asked
    lines = [f"- {name}: {_told(spec)}" for name, spec in fields.items()]
    return "\n".join([asked, "", load()["fields"], *lines])


def _told(spec: Mapping[str, Any]) -> str:
    kind = spec["type"] + (f" of {spec['of']}" if "of" in spec else "")
    unit = f", in {spec['unit']}" if "unit" in spec else ""
    labels = f", one of {', '.join(spec['labels'])}" if spec.get("labels") else ""
    about = f" ({spec['description']})" if spec.get("description") else ""
    return f"{kind}{unit}{labels}{about}"


def _first_sentence(text: str) -> str:
    whole = " ".join(text.split())
    end = whole.find(". ")
    return (whole if end < 0 else whole[: end + 1])[:200]


def _text(package: str) -> str:
    return files(package).joinpath("prompts.json").read_text("utf-8")
