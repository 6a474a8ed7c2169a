"""A suite that shows one recording alone: no copy of the dataset, and ids that tell nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from braino.agent import AgentAnswer, Session

TASK = "artifact-identification"
Attempt = Callable[..., dict[str, Any]]


class Looker:
    """An agent that looks at its inputs, asks for other records and has its answer reviewed."""

    name = "looker"
    model = None

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.ids: list[str] = []
        self.seeds: list[int] = []
        self.errors: list[str] = []
        self.reviews: list[list[str]] = []

    def solve(self, request: str, session: Session) -> AgentAnswer:
        self.seen += [str(path) for path in Path(session.inputs).rglob("*")]
        (found,) = set(re.findall(r"EEG_[0-9A-F]{8}", request))
        self.ids.append(found)
        self.seeds.append(session.seed)
        assert session.call("get_recording_info", {"record_id": found}).ok
        for other in ("sub-01_task-rest", "sub-02_task-rest", "EEG_00000000"):
            outcome = session.call("get_recording_info", {"record_id": other})
            assert not outcome.ok
            self.errors.append(outcome.error or "")
        self.reviews = [session.review({"classification": "eyes"}) for _ in range(4)]
        return AgentAnswer("", data={"classification": "clean"})


def test_an_agent_sees_a_record_through_tools_only(attempt: Attempt, registry: Any) -> None:
    from tests.conformance.cases import Case

    case = Case(TASK, registry.task(TASK).instances[0].id)
    agent = Looker()
    for _ in range(2):
        record = attempt(case, agent=agent)
        assert record["outcome"] in ("passed", "failed")
    assert agent.seen == []
    assert agent.ids[0] != agent.ids[1]
    # a seed that follows from the instance's name would tell it to whoever tries all names
    assert agent.seeds[0] != agent.seeds[1]
    told = [error.splitlines()[-1] for error in agent.errors]
    assert set(told) == {f"Pass one of: {name}." for name in agent.ids}
    assert [bool(each) for each in agent.reviews] == [True, True, True, False]
    limits = registry.suite("eegagentbench").limits
    assert (limits["turns"], limits["tool_calls"], limits["repairs"]) == (1000, 999, 3)


class Coder:
    """An agent whose code tells all that it finds among its inputs."""

    name = "coder"
    model = None
    LOOK = """
import os, mne
for folder, _, files in os.walk("{inputs}"):
    for name in files:
        path = os.path.join(folder, name)
        raw = mne.io.read_raw_edf(path, verbose="error")
        print(name, raw.n_times, raw.ch_names, len(raw.annotations))
        print(open(path, "rb").read(256 * (1 + len(raw.ch_names))).decode())
        print(*(raw.get_data()[0, :5] * 1e6).round(1))
"""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.id = ""

    def solve(self, request: str, session: Session) -> AgentAnswer:
        (self.id,) = set(re.findall(r"EEG_[0-9A-F]{8}", request))
        assert not session.call("get_recording_info", {"record_id": self.id}).ok
        assert session.code is not None
        done = session.execute(self.LOOK.format(inputs=session.code["inputs"]))
        assert done.ok, done.error
        self.found = done.output.splitlines()
        return AgentAnswer("", data={"classification": "clean"})


def test_code_sees_the_samples_and_nothing_else(
    attempt: Attempt, registry: Any, store: Any
) -> None:
    from braino_registry.recordings.tree import BidsTree
    from tests.conformance.cases import Case

    instance = registry.task(TASK).instances[0]
    agent = Coder()
    record = attempt(
        Case(TASK, instance.id), agent=agent, paradigm="code", allow_unsandboxed_code=True
    )
    assert record["outcome"] in ("passed", "failed")
    first, header, samples = agent.found
    assert first == f"{agent.id}.edf 512 ['EEG'] 0"
    assert header[:184].split() == ["0", *"XXXX", "Startdate", *"XXXX", "01.01.8500.00.00"]
    assert instance.recording_id not in header
    assert "sub-" not in header
    data = store.build_or_find(registry.dataset(instance.dataset))
    own = BidsTree(data.bids).open(instance.recording_id).read()[0, :5] * 1e6
    assert [float(value) for value in samples.split()] == pytest.approx(list(own), abs=0.1)
