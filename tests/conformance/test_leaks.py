"""Truth stays on the trusted side: the scan finds planted truth, and finds none in real trials."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from braino_registry.datasets import Store, fresh_copy
from braino_registry.registry import Salt
from braino_registry.runner.contributing import leaks
from braino_registry.runner.contributing.leaks import seed_of, tokens_of
from tests.conformance import cases

Attempt = Callable[..., dict[str, Any]]
TOKEN = "zq7xTRUTHTOKENv3"


def secrets_of(recipe: Any, salt: Salt, store: Store) -> list[str]:
    """Return what must not be met; without a salt there is nothing of one."""
    return [token for token in tokens_of(recipe, salt, store) if token]


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


#: Without a salt, with data that other tests need as well; with one, everything is built anew.
SALTED = (False, pytest.param(True, marks=pytest.mark.slow))


@pytest.mark.parametrize("salted", SALTED, ids=["plain", "salted"])
@pytest.mark.parametrize("recipe", cases.recipes())
def test_no_truth_in_the_copy_that_an_agent_gets(
    recipe: Any, salted: bool, store: Store, salts: tuple[Salt, Salt], tmp_path: Path
) -> None:
    salt = salts[0] if salted else Salt.none()
    copy = tmp_path / "inputs"
    fresh_copy(store.build_or_find(recipe, salt), copy)
    assert leaks.scan_tree(copy, secrets_of(recipe, salt, store)) == []
    assert len(leaks.distinct_times(copy)) == 1
    assert not any(
        path.is_symlink() or path.stat().st_nlink > 1 for path in copy.rglob("*") if path.is_file()
    )


@pytest.mark.parametrize("salted", SALTED, ids=["plain", "salted"])
@pytest.mark.parametrize("case", cases.first_instances())
def test_no_truth_in_what_a_session_says(
    case: cases.Case, salted: bool, attempt: Attempt, store: Store, salts: tuple[Salt, Salt]
) -> None:
    look_at_session(case, salts[0] if salted else Salt.none(), attempt, store)


def test_no_salt_in_what_a_session_says(
    attempt: Attempt, store: Store, salts: tuple[Salt, Salt]
) -> None:
    look_at_session(cases.Case("bad-channels-ask", "sub-02"), salts[0], attempt, store)


def look_at_session(case: cases.Case, salt: Salt, attempt: Attempt, store: Store) -> None:
    """Let an agent collect what a session says, and look for the truth in it."""
    named = cases.entry(case.task).instance(case.instance).dataset
    dataset = None if named is None else cases.REGISTRY.dataset(named)
    if dataset is None or dataset.kind != "recipe":
        pytest.skip("nothing is planted in recorded data, and in none")
    agent = leaks.Collector()
    attempt(case, agent=agent, salt=salt)
    assert agent.seen["request"]
    # names of truth keys may stand in a tool's own description, e.g. flat_channels
    secret = [
        t
        for t in secrets_of(dataset, salt, store)
        if t in ("decoy", "excess_sd", seed_of(dataset)) or len(t) > 40
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
