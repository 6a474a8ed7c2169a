"""What every task has to hold: solvable, not by doing nothing, not by cheating, not by mistake."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from braino_registry.registry import Registry, Salt
from braino_registry.runner.contributing.naming import misnamed
from braino_registry.scoring import check_kinds
from tests.conformance import cases

Attempt = Callable[..., dict[str, Any]]
#: How a trial ends where nothing was wrong, and where something was; some tasks have no pass rule.
PASSED, FAILED = ("passed", "scored"), ("failed", "scored")


def failed(record: dict[str, Any]) -> list[str]:
    return sorted(check["id"] for check in record["checks"] if not check["passed"])


def why(record: dict[str, Any]) -> str:
    lines = [f"{c['id']}: {c['evidence']}" for c in record["checks"] if not c["passed"]]
    return "\n".join([f"{record['outcome']} {record['reason'] or ''}", *lines])


def test_every_entry_loads(registry: Registry) -> None:
    assert [str(problem) for problem in registry.problems] == []
    assert registry.tasks()


def test_every_name_in_the_steps_is_known(registry: Registry) -> None:
    assert {task.id: found for task in registry.tasks() if (found := misnamed(task))} == {}


def test_every_category_of_the_suite_has_a_task(registry: Registry) -> None:
    categories = {task.category for task in registry.tasks("braino")}
    assert categories >= {
        "inspection", "quality", "settings", "decisions", "erp", "groups", "spectra", "refusal",
    }  # fmt: skip


@pytest.mark.parametrize("case", cases.instances())
def test_the_reference_passes(
    case: cases.Case, reference: Callable[[cases.Case], tuple[dict[str, Any], Path]]
) -> None:
    record, _ = reference(case)
    assert record["outcome"] in PASSED, why(record)
    assert failed(record) == [], why(record)
    assert record["score"] == 1
    assert all(check["evidence"] for check in record["checks"])


@pytest.mark.slow
@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("case", cases.salted_instances())
def test_the_reference_passes_under_salts(
    case: cases.Case, which: int, attempt: Attempt, salts: tuple[Salt, Salt]
) -> None:
    record = attempt(case, salt=salts[which])
    assert record["outcome"] in PASSED, why(record)
    assert failed(record) == [], why(record)


@pytest.mark.parametrize(("case", "index"), cases.counterexamples())
def test_a_counterexample_fails_what_it_says(
    case: cases.Case, index: int, attempt: Attempt
) -> None:
    record = attempt(case, counterexample=index)
    stated = cases.entry(case.task).counterexamples[index]
    assert record["outcome"] in FAILED, why(record)
    assert failed(record) == sorted(stated["fails"]), why(record)


@pytest.mark.slow
@pytest.mark.parametrize(("case", "index"), cases.counterexamples(salted=True))
def test_a_counterexample_fails_under_a_salt(
    case: cases.Case, index: int, attempt: Attempt, salts: tuple[Salt, Salt]
) -> None:
    record = attempt(case, counterexample=index, salt=salts[0])
    assert failed(record) == sorted(cases.entry(case.task).counterexamples[index]["fails"])


@pytest.mark.parametrize("case", cases.instances())
def test_doing_nothing_fails(case: cases.Case, attempt: Attempt) -> None:
    record = attempt(case, agent="null")
    assert not record["passed"]
    required = {check["id"] for check in record["checks"] if check["required"]}
    assert required & set(failed(record))


def test_the_exploits_are_those_that_are_known() -> None:
    assert set(cases.EXPLOITS) >= {
        "echo", "refuse", "spam", "constant", "always-ask", "never-ask", "self-approve", "liar",
        "copy-metadata", "peek",
    }  # fmt: skip


def required_of(case: cases.Case) -> list[dict[str, Any]]:
    """Return the checks that have to pass: those that are required, or have a weight."""
    task = cases.entry(case.task)
    needed = {check["id"] for check in task.checks if check["required"] or "weight" in check}
    return [check for check in task.checks if check["id"] in needed]


@pytest.mark.parametrize(("case", "agent"), cases.exploits())
def test_an_exploit_fails(case: cases.Case, agent: str, attempt: Attempt) -> None:
    one_of_few = all(check["kind"] in ("label", "corpus") for check in required_of(case))
    if one_of_few and cases.entry(case.task).instance(case.instance).chance > 0:
        pytest.skip("one guess may be right: see test_banks.py for many of them")
    record = attempt(
        case, agent=agent, isolation="process" if agent in cases.APART else "none",
        options=cases.BRIEFLY.get(agent),
    )  # fmt: skip
    assert not record["passed"], why(record)
    # an agent that cannot even run would fail everything and show nothing
    assert record["outcome"] in (*FAILED, "limit"), why(record)
    assert failed(record), why(record)


def test_every_check_is_failed_by_a_counterexample(registry: Registry) -> None:
    for task in registry.tasks():
        failing = {name for each in task.counterexamples for name in each["fails"]}
        assert failing == {check["id"] for check in task.checks}, task.id


@pytest.mark.parametrize(
    "kind", sorted({c["kind"] for t in cases.REGISTRY.tasks() for c in t.checks})
)
def test_disabling_a_kind_of_check_is_noticed(
    kind: str, attempt: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the kind forced to pass, a counterexample no longer fails what it says."""
    task, index = next(
        (task, index)
        for task in cases.REGISTRY.tasks()
        for index, example in enumerate(task.counterexamples)
        if any(c["kind"] == kind and c["id"] in example["fails"] for c in task.checks)
    )
    force_to_pass(kind, monkeypatch)
    case = cases.Case(task.id, task.instances[0].id)
    record = attempt(case, counterexample=index)
    assert failed(record) != sorted(task.counterexamples[index]["fails"])


def force_to_pass(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Disable one kind of check, as a slip in its code would."""
    from dataclasses import replace

    from braino_registry.scoring.model import Verdict

    real = check_kinds.get(kind)
    disabled = replace(real, run=lambda spec, evidence: Verdict(True, "disabled"))
    monkeypatch.setitem(check_kinds._items, kind, disabled)
