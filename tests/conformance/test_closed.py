"""A suite that shows data through tools only: no copy, and ids that tell nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

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
        self.errors: list[str] = []
        self.reviews: list[list[str]] = []

    def solve(self, request: str, session: Session) -> AgentAnswer:
        self.seen += [str(path) for path in Path(session.inputs).rglob("*")]
        (found,) = set(re.findall(r"EEG_[0-9A-F]{8}", request))
        self.ids.append(found)
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
    told = [error.splitlines()[-1] for error in agent.errors]
    assert set(told) == {f"Pass one of: {name}." for name in agent.ids}
    assert [bool(each) for each in agent.reviews] == [True, True, True, False]
    limits = registry.suite("eegagentbench").limits
    assert (limits["turns"], limits["tool_calls"], limits["repairs"]) == (1000, 999, 3)
