"""What models are asked when they read or judge reports: versioned data, one file a prompt."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

_SLOT = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt.

    Parameters
    ----------
    id, version : str
        Which one.
    digest : str
        Of its text: what was asked is what has this digest.
    system, user : str
        Its two messages; ``{{name}}`` in the second is filled in.
    """

    id: str
    version: str
    digest: str
    system: str
    user: str

    def messages(self, **values: str) -> list[dict[str, Any]]:
        """Return the messages with every slot filled in.

        Parameters
        ----------
        **values : str
            One for every slot. What stands in a value is not filled in again, so that a report
            cannot reach another slot.
        """
        slots = set(_SLOT.findall(self.user))
        if slots != set(values):
            raise KeyError(f"prompt {self.id} has the slots {sorted(slots)}, not {sorted(values)}")
        return [
            {"role": "system", "content": self.system},
            {"role": "user", "content": _SLOT.sub(lambda m: values[m[1]], self.user)},
        ]

    def reference(self) -> dict[str, str]:
        """Return what a record keeps of it."""
        return {"id": self.id, "version": self.version, "digest": self.digest}


@lru_cache(maxsize=8)
def prompt(name: str) -> Prompt:
    """Return a prompt by its id.

    Parameters
    ----------
    name : str
        ``extract``, ``audit-extraction``, ``judge`` or ``audit-judgement``.
    """
    document: Mapping[str, Any] = json.loads(
        (files("braino_registry.scoring.prompts") / f"{name}.json").read_text("utf-8")
    )
    system, user = document["system"], document["user"]
    digest = hashlib.sha256(f"{system}\0{user}".encode()).hexdigest()
    return Prompt(document["id"], document["version"], digest, system, user)
