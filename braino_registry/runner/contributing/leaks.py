"""Finding truth where an agent could find it.

A token is a text that only the truth holds. `scan_tree` looks in names, bytes and times of
files; `scan_values` in anything that can be printed: messages, environment, errors.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from braino.agent import AgentAnswer

if TYPE_CHECKING:
    from braino.agent import Session


def scan_tree(root: Path, tokens: Iterable[str]) -> list[str]:
    """Return where tokens stand below ``root``: in names, contents or modification times."""
    found = []
    tokens = tuple(tokens)
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        found += [f"name {name}: {token}" for token in tokens if token in name]
        if path.is_symlink():
            found.append(f"link {name}")
        elif path.is_file():
            content = path.read_bytes()
            for token in tokens:
                wide = token.encode("utf-16-le")
                if token.encode() in content or wide in content:
                    found.append(f"content {name}: {token}")
        stamp = str(path.lstat().st_mtime_ns)
        found += [f"time {name}: {token}" for token in tokens if token and token in stamp]
    return found


def distinct_times(root: Path) -> set[int]:
    """Return the modification times of the files below ``root``, in whole seconds."""
    return {int(path.stat().st_mtime) for path in root.rglob("*") if path.is_file()}


def scan_values(values: Mapping[str, Any], tokens: Iterable[str]) -> list[str]:
    """Return where tokens stand in values that can be printed."""
    found = []
    tokens = tuple(tokens)
    for name, value in values.items():
        text = (
            value if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False)
        )
        found += [f"{name}: {token}" for token in tokens if token in text]
    return found


def seed_of(recipe: Any) -> str:
    """Return a recipe's seed as its document writes it; agents have a seed of their own."""
    return f'"seed": {recipe.doc["seed"]},'


def tokens_of(recipe: Any, salt: Any, store: Any) -> list[str]:
    """Return texts that an agent must not meet: names of truth keys, salt, recipe and layers."""
    realised = store.build_or_find(recipe, salt)
    keys = {key for truth in realised.truth["recordings"].values() for key in truth}
    secret = {key for key in keys if key.endswith("_channels") and key != "n_channels"}
    layers = {"excess_sd", "decoy", "truth", seed_of(recipe)}
    return sorted({*secret, *layers, salt.material.hex(), salt.material.decode("latin-1")} - {""})


class Collector:
    """An agent that keeps whatever it can see."""

    name = "collector"
    model = None

    def __init__(self) -> None:
        self.seen: dict[str, Any] = {}

    def solve(self, request: str, session: Session) -> AgentAnswer:
        """Look at everything once, provoke every error, and answer nothing."""
        self.seen["request"] = request
        self.seen["attributes"] = {k: v for k, v in vars(session).items() if k != "_connection"}
        self.seen["tools"] = [
            vars(tool) if hasattr(tool, "__dict__") else str(tool) for tool in session.tools()
        ]
        self.seen["folders"] = [str(session.inputs), str(session.workspace)]
        for tool in session.tools():
            outcome = session.call(tool.name, {"view": "no-such-view", "channels": ["Xx9"]})
            self.seen[f"error of {tool.name}"] = str(outcome.error)
        self.seen["question"] = session.ask("Which channels are noisy?")
        self.seen["decision"] = str(session.decide("mark-bad-channels", {"channels": ["Xx9"]}))
        self.seen["names"] = [path.name for path in Path(session.inputs).rglob("*")]
        return AgentAnswer(text="Nothing.")


def told_values(value: Any) -> list[str]:
    """Return how an expected value would be written: a name, a number, the members of a list."""
    if isinstance(value, bool) or value is None:
        return []
    if isinstance(value, int | float):
        return [f"{value:g}"]
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for each in value for text in told_values(each)]
    return []
