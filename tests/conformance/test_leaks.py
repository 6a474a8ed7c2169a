"""Truth stays on the trusted side: the scan finds planted truth, and finds none in real trials."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from braino.agent import AgentAnswer, Session
from braino_registry.datasets import Store, fresh_copy
from braino_registry.registry import Salt
from tests.conformance import cases, leaks

TOKEN = "zq7xTRUTHTOKENv3"


def plant(root: Path) -> dict[str, Path]:
    """Plant the token in every place that the scan has to cover, and return the places."""
    root.mkdir()
    (root / f"sub-01_{TOKEN}_eeg.vhdr").write_text("x", encoding="utf-8")
    (root / "sidecar.json").write_text(f'{{"Note": "{TOKEN}"}}', encoding="utf-8")
    (root / "header.eeg").write_bytes(b"\x00\x01" + TOKEN.encode() + b"\xff")
    (root / "wide.eeg").write_bytes(TOKEN.encode("utf-16-le"))
    timed = root / "timed.tsv"
    timed.write_text("onset", encoding="utf-8")
    os.utime(timed, ns=(1_234_567_891_000_000_000,) * 2)
    (root / "link.json").symlink_to(root / "sidecar.json")
    return {"root": root}


def test_the_scan_finds_planted_truth_in_files(tmp_path: Path) -> None:
    root = plant(tmp_path / "tree")["root"]
    found = "\n".join(leaks.scan_tree(root, [TOKEN, "1234567891"]))
    for place in (
        f"name sub-01_{TOKEN}", "content sidecar.json", "content header.eeg", "content wide.eeg",
        "time timed.tsv", "link link.json",
    ):  # fmt: skip
        assert place in found


def test_the_scan_finds_planted_truth_in_values() -> None:
    planted = {
        "environment": {"BRAINO_HINT": TOKEN},
        "error": f"no channel like {TOKEN}",
        "message": {"type": "start", "request": [{"deep": TOKEN}]},
    }
    assert len(leaks.scan_values(planted, [TOKEN])) == 3
    assert leaks.scan_values({"environment": {"PATH": "/usr/bin"}}, [TOKEN]) == []


def _seed(recipe: Any) -> str:
    """Return a recipe's seed as its document writes it; agents have a seed of their own."""
    return f'"seed": {recipe.doc["seed"]},'


def tokens_of(recipe: Any, salt: Salt, store: Store) -> list[str]:
    """Return texts that an agent must not meet: names of truth keys, salt, recipe and layers."""
    realised = store.build_or_find(recipe, salt)
    keys = {key for truth in realised.truth["recordings"].values() for key in truth}
    secret = {key for key in keys if key.endswith("_channels") and key != "n_channels"}
    layers = {"excess_sd", "decoy", "truth", _seed(recipe)}
    return sorted({*secret, *layers, salt.material.hex(), salt.material.decode("latin-1")})


@pytest.mark.parametrize("recipe", cases.recipes())
def test_no_truth_in_the_copy_that_an_agent_gets(
    recipe: Any, store: Store, salts: tuple[Salt, Salt], tmp_path: Path
) -> None:
    copy = tmp_path / "inputs"
    fresh_copy(store.build_or_find(recipe, salts[0]), copy)
    assert leaks.scan_tree(copy, tokens_of(recipe, salts[0], store)) == []
    assert len(leaks.distinct_times(copy)) == 1
    assert not any(
        path.is_symlink() or path.stat().st_nlink > 1 for path in copy.rglob("*") if path.is_file()
    )


class Collector:
    """An agent that keeps whatever it can see."""

    name = "collector"
    model = None

    def __init__(self) -> None:
        self.seen: dict[str, Any] = {}

    def solve(self, request: str, session: Session) -> AgentAnswer:
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


@pytest.mark.parametrize("case", cases.first_instances())
def test_no_truth_in_what_a_session_says(
    case: cases.Case, attempt: Callable[..., dict[str, Any]], store: Store, salts: tuple[Salt, Salt]
) -> None:
    named = cases.entry(case.task).instance(case.instance).dataset
    dataset = None if named is None else cases.REGISTRY.dataset(named)
    if dataset is None or dataset.kind != "recipe":
        pytest.skip("nothing is planted in recorded data, and in none")
    agent = Collector()
    attempt(case, agent=agent, salt=salts[0])
    assert agent.seen["request"]
    # names of truth keys may stand in a tool's own description, e.g. flat_channels
    secret = [
        t
        for t in tokens_of(dataset, salts[0], store)
        if t in ("decoy", "excess_sd", _seed(dataset)) or len(t) > 40
    ]
    assert leaks.scan_values(agent.seen, secret) == []


ENVIRONMENT = """
import json, os
from braino.agent import AgentAnswer

class Look:
    name, model = "look", None
    def solve(self, request, session):
        argv = open("/proc/self/cmdline").read()
        return AgentAnswer(text=json.dumps({"environ": dict(os.environ), "argv": argv}))

def make():
    return Look()
"""


def test_no_salt_in_the_environment_of_an_agent(
    attempt: Callable[..., dict[str, Any]],
    salts: tuple[Salt, Salt],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "looking_around.py").write_text(ENVIRONMENT, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BRAINO_SALT_COPY", "not for agents")
    kept = tmp_path / "kept"
    attempt(
        cases.Case("count-events", "oddball-p3-01"),
        agent="looking_around:make",
        isolation="process",
        salt=salts[0],
        keep=kept,
    )
    (events,) = kept.rglob("events.jsonl")
    text = events.read_text(encoding="utf-8")
    assert "cmdline" not in text
    assert "environ" in text
    assert (
        leaks.scan_values(
            {"transcript": text}, [salts[0].material.decode("latin-1"), "not for agents"]
        )
        == []
    )
