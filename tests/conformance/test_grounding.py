"""Invented numbers are found out, honest ones are not; nothing is laundered."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from braino.agent import AgentAnswer, Session
from tests.conformance import cases
from tests.numbers.grounding import grounding_rate

Attempt = Callable[..., dict[str, Any]]
FIRST = [
    p for p in cases.instances() if not p.marks and cases.has_check(p.values[0].task, "grounded")
]


@pytest.mark.slow
@pytest.mark.parametrize("case", FIRST)
def test_few_of_ten_thousand_invented_numbers_pass_after_the_reference_s_calls(
    case: cases.Case, attempt: Attempt, keep: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A few hundred are tried wherever the reference runs, see test_tasks.py."""
    attempt(case, keep=keep)
    rate = grounding_rate(cases.ledger(keep), count=10_000)
    with capsys.disabled():
        shown = ", ".join(f"{d} digits {share:.3%}" for d, share in rate.by_digits.items())
        print(f"\n{case}: {rate.overall:.3%} of invented numbers accepted ({shown})")
    assert rate.overall <= 0.05


class Arithmetic:
    """An agent that computes honestly, or launders."""

    name = "arithmetic"
    model = None

    def __init__(self, honest: bool) -> None:
        self.honest = honest

    def solve(self, request: str, session: Session) -> AgentAnswer:
        info = session.call("recording.info", {"view": "sub-01_task-oddball"}).result
        a, b = info["n_channels"], info["sfreq"]
        if self.honest:
            ratio = session.call("calc", {"expression": "b / a", "values": {"a": a, "b": b}})
            difference = session.call("calc", {"expression": "b - a", "values": {"a": a, "b": b}})
            assert ratio.ok, ratio.error
            assert difference.ok, difference.error
            each, more = ratio.result["value"], difference.result["value"]
            return AgentAnswer(text=f"{each:.4f} samples per channel; {more:.0f} more.")
        tried = [
            session.call("calc", {"expression": "93.726 * 1", "values": {}}),
            session.call("calc", {"expression": "x", "values": {"x": 93.726}}),
            session.call("stats.ttest", {"a": [93.725, 93.727], "b": [1.5, 2.5]}),
            session.call(
                "spectrum.peak", {"view": "sub-01_task-oddball", "fmin": 8.0, "fmax": 93.726}
            ),
            session.call("preprocess.filter", {"view": "sub-01_task-oddball", "l_freq": 93.726}),
        ]
        session.ask("Is it 93.726?")
        assert tried
        return AgentAnswer(text="It is 93.726 Hz.")


CASE = cases.Case("count-events", "oddball-p3-01")


def grounded(record: dict[str, Any]) -> dict[str, Any]:
    return next(check for check in record["checks"] if check["id"] == "grounded")


def test_honest_arithmetic_is_grounded(attempt: Attempt) -> None:
    check = grounded(attempt(CASE, agent=Arithmetic(honest=True)))
    assert check["passed"], check["evidence"]


def test_no_tool_launders_an_argument(attempt: Attempt) -> None:
    check = grounded(attempt(CASE, agent=Arithmetic(honest=False)))
    assert not check["passed"], check["evidence"]
    assert "93.726" in check["evidence"]
