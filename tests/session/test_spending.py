"""The account of a session: what is counted, what is summed, and what ends a trial."""

from __future__ import annotations

import pytest

from braino_registry.session.limits import LimitReached, Limits
from braino_registry.session.spending import Spending


def test_calls_and_executions_count_together_and_other_requests_are_free() -> None:
    spending = Spending(Limits(tool_calls=2, questions=1))
    for kind in ("call", "execute", "ask", "review", "usage"):
        spending.count(kind)
    assert spending.total == {"tool_calls": 2, "questions": 1, "decisions": 0}
    for kind, limit in (("call", "tool_calls"), ("execute", "tool_calls"), ("ask", "questions")):
        with pytest.raises(LimitReached, match=f"more than {spending.total[limit]}") as caught:
            spending.count(kind)
        assert caught.value.limit == limit
    assert spending.total["tool_calls"] == 2


def test_sums_are_unknown_where_a_part_is() -> None:
    spending = Spending(Limits())
    spending.add({"input_tokens": 10, "cost": 0.5})
    spending.add({"input_tokens": 5, "cost": None})
    spending.add({"cost": 1.0})
    assert spending.total["input_tokens"] == 15
    assert spending.total["cost"] is None


@pytest.mark.parametrize(
    ("limits", "limit"), [(Limits(tokens=14), "tokens"), (Limits(cost=0.4), "cost")]
)
def test_what_is_reported_can_end_a_trial(limits: Limits, limit: str) -> None:
    spending = Spending(limits)
    spending.add({"input_tokens": 10, "cost": 0.4})
    with pytest.raises(LimitReached) as caught:
        spending.add({"output_tokens": 5, "cost": 0.1})
    assert caught.value.limit == limit
    assert spending.total["output_tokens"] == 5


def test_turns_and_the_known_part_of_what_is_unknown_count_against_limits() -> None:
    spending = Spending(Limits(turns=2, cost=1.0))
    for _ in range(2):
        spending.add({"turns": 1, "cost": None})
    assert spending.total["cost"] is None
    with pytest.raises(LimitReached, match="3 turns used, at most 2"):
        spending.add({"turns": 1})
    spending = Spending(Limits(cost=1.0))
    spending.add({"cost": 0.8})
    spending.add({"cost": None})
    with pytest.raises(LimitReached, match="cost"):
        spending.add({"cost": 0.3})
