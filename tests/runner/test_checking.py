"""Checking a task: one bad task for each stage is caught there, with what to do next."""

from __future__ import annotations

import itertools
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from braino_registry.datasets import Store
from braino_registry.errors import EntryError, UsageError
from braino_registry.registry import Registry, locks
from braino_registry.runner import check_task
from braino_registry.runner.contributing import in_order
from braino_registry.runner.contributing.findings import Finding, folded
from braino_registry.runner.contributing.judging import judge
from braino_registry.tools.decorator import Tool
from tests.runner.conftest import ENTRIES

SUM = json.loads((ENTRIES / "tasks/probe/sum.json").read_text())
Rows = list[dict[str, Any]]
Check = Callable[..., Rows]


@pytest.fixture
def check(tmp_path: Path, cache: Path) -> Check:
    """Check a variant of a task, in a file outside of every folder of entries."""

    def run(document: dict[str, Any], *stages: str, **options: Any) -> Rows:
        file = tmp_path / "mine.json"
        file.write_text(json.dumps({**document, "id": "mine"}))
        chosen = {"registry_folders": (ENTRIES,), **options}
        return check_task(file, store=Store(cache), stages=stages, **chosen)

    return run


def wrong(rows: Rows) -> Rows:
    return [row for row in rows if row["ok"] is False]


def changed(**changes: Any) -> dict[str, Any]:
    """Return the task with one instance and some members changed."""
    return {**SUM, "instances": SUM["instances"][:1], **changes}


def with_check(number: int, **changes: Any) -> list[dict[str, Any]]:
    return [{**c, **changes} if n == number else c for n, c in enumerate(SUM["checks"])]


def test_the_stages_come_in_their_order() -> None:
    assert [each.name for each in in_order()] == [
        "schema", "built twice", "BIDS", "leaks", "reference", "agents", "counterexamples",
        "answer mutants", "scorer", "version",
    ]  # fmt: skip
    assert all(each.about for each in in_order())


def test_a_sound_task_is_sound_wherever_it_lies(check: Check) -> None:
    told: list[str] = []
    rows = check(changed(), tell=lambda stage, seconds, found: told.append(stage))
    assert wrong(rows) == []
    assert told == [each.name for each in in_order()]
    assert {row["stage"] for row in rows} == set(told)
    names = {row["what"] for row in rows if row["stage"] == "agents"}
    assert {"null fails", "echo fails", "peek fails", "self-approve fails"} <= names
    counterexamples = [row for row in rows if row["stage"] == "counterexamples"]
    assert [row["ok"] for row in counterexamples] == [True] * 3
    (mutants, *_) = [row for row in rows if row["stage"] == "answer mutants"]
    assert mutants["ok"]
    assert int(mutants["says"].split()[0]) >= 8


def test_a_task_is_found_by_its_id(cache: Path) -> None:
    rows = check_task(
        "probe-sum", registry_folders=(ENTRIES,), store=Store(cache), stages=["version"]
    )
    assert [row["says"] for row in rows] == ["1.0.0; no release has the task yet"]


def test_an_unknown_stage_is_told(check: Check) -> None:
    with pytest.raises(UsageError, match="no stage called 'leeks'"):
        check(SUM, "leeks")


# -- one bad task for each stage -------------------------------------------------------------------


def test_schema_a_check_that_nothing_fails(check: Check) -> None:
    with pytest.raises(EntryError, match="no-data") as caught:
        check({**SUM, "counterexamples": SUM["counterexamples"][:2]})
    assert "mine.json" in caught.value.where


def test_schema_a_recording_that_the_dataset_lacks(check: Check) -> None:
    document = json.loads((ENTRIES / "tasks/probe/rate.json").read_text())
    document["instances"][0]["recording"]["bids_subject"] = "07"
    with pytest.raises(EntryError, match="has no recording 'sub-07_task-rest'") as caught:
        check(document)
    assert "sub-01_task-rest, sub-02_task-rest" in caught.value.hint


def test_leaks_the_request_holds_the_answer(check: Check) -> None:
    request = f"{SUM['request']} (I think it is 42.)"
    (row,) = wrong(check(changed(request=request), "leaks"))
    assert "the request holds 42, which check 'total' expects" in row["says"]
    assert "mine.json" in row["hint"]


def test_leaks_the_name_of_an_instance_holds_the_answer(check: Check) -> None:
    instance = {**SUM["instances"][0], "id": "forty-two-42"}
    (row,) = wrong(check(changed(instances=[instance]), "leaks"))
    assert "the id of the instance holds 42" in row["says"]


def test_leaks_a_choice_that_is_offered_tells_nothing(check: Check) -> None:
    """Both labels stand in the request; one alone would tell which is right."""
    field = {"type": "label", "labels": ["even", "odd"], "said_as": ["total"]}

    def look(request: str) -> Rows:
        return wrong(check(changed(
            request=request, answer={"fields": {"total": {"type": "number"}, "parity": field}},
            checks=[*SUM["checks"], {"id": "parity", "kind": "label", "field": "parity",
                                     "expected": {"literal": "even"}, "required": True}],
            counterexamples=[*SUM["counterexamples"], {
                "why": "confuses them", "data": {"parity": "odd"}, "fails": ["parity"]}],
        ), "leaks"))  # fmt: skip

    assert look("Is {{ a }} plus {{ b }} even or odd?") == []
    (row,) = look("I say {{ a }} plus {{ b }} is even. Right?")
    assert "the request holds even" in row["says"]


def test_reference_it_fails_a_check(check: Check, tmp_path: Path) -> None:
    reference = {**SUM["reference"], "answer": "The total is {{ sum.value - 1 }}.", "data": {}}
    rows = check(changed(reference=reference), "reference", "agents", "counterexamples",
                 "answer mutants")  # fmt: skip
    first = wrong(rows)[0]
    assert (first["stage"], first["what"]) == ("reference", "oracle passes")
    assert "total" in {each["id"] for each in first["differs"]}
    hint = f"braino task try {tmp_path / 'mine.json'} --instance small --registry {ENTRIES}"
    assert first["hint"] == hint
    # What rests on the reference is not run, and says why.
    (again,) = [row for row in rows if row["what"] == "oracle passes again"]
    assert again["hint"] == hint  # it failed before as well, so that nothing rests on chance
    assert {row["stage"]: row["says"] for row in rows if row["ok"] is None} == {
        "reference": "the task says it has no salt",
        "agents": "not run: first mend what reference found",
        "counterexamples": "not run: first mend what reference found",
        "answer mutants": "not run: first mend what reference found",
    }


def test_reference_it_rests_on_chance(check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    """The calculator says something else each time: what passes once fails the next time."""
    run, times = Tool.run, itertools.count()

    def flaky(tool: Tool, args: Any, state: Any) -> dict[str, Any]:
        found = run(tool, args, state)
        return {**found, "value": found["value"] + next(times)} if tool.name == "calc" else found

    monkeypatch.setattr(Tool, "run", flaky)
    (row,) = wrong(check(changed(), "reference"))
    assert (row["stage"], row["what"]) == ("reference", "oracle passes again")
    assert "rests on chance" in row["hint"]
    assert [(each["id"], each["evidence"][:24]) for each in row["differs"]] == [
        ("total", "total: found 43, expected"[:24])
    ]


def test_reference_what_is_wrong_with_the_entry_is_told_once_and_names_the_file(
    check: Check, tmp_path: Path
) -> None:
    checks = with_check(1, expected={"truth": "totl"})
    found = wrong(check({**SUM, "checks": checks}, "reference"))
    assert [row["what"] for row in found] == ["oracle passes"]
    assert found[0]["says"].endswith("; and 2 more alike")
    assert found[0]["hint"].startswith("Mend what stopped the trial; no check was at fault.")
    assert "chance" not in found[0]["hint"]
    assert "the truth has nothing at 'totl'" in found[0]["says"]
    assert str(tmp_path / "mine.json") in found[0]["says"]


@pytest.mark.slow
def test_agents_any_words_pass(check: Check, tmp_path: Path) -> None:
    """Nothing is required but that something is not done."""
    checks = [{**SUM["checks"][2], "required": True}, SUM["checks"][3]]
    examples = [
        {"why": "looks at data", "fails": ["no-data"],
         "steps": [{"call": "dataset.inspect", "args": {}, "as": "seen"}], "answer": "Done."},
        {"why": "invents", "fails": ["grounded"], "answer": "It is 93.726."},
    ]  # fmt: skip
    reference = {"kind": "steps", "steps": SUM["reference"]["steps"], "answer": "Done."}
    document = changed(checks=checks, counterexamples=examples, reference=reference)
    found = {row["what"]: row for row in wrong(check(document, "agents"))}
    assert {"echo fails", "refuse fails"} <= set(found)
    assert found["echo fails"]["hint"] == (
        f"See how: braino task try {tmp_path / 'mine.json'} --instance small --agent echo "
        f"--registry {ENTRIES}"
    )


@pytest.mark.parametrize(("passed", "failed"), [(True, []), (False, []), (True, ["a"])])
def test_agents_null_has_to_fail_a_check(passed: bool, failed: list[str]) -> None:
    checks = [{"id": "a", "required": True, "passed": "a" not in failed, "evidence": "seen"}]
    record = {"outcome": "passed", "passed": passed, "reason": None, "checks": checks, "score": 1}
    found = judge("one", "null fails", record, None, "Mend it.")
    assert (found.ok, found.hint) == (False, "Mend it.")
    assert found.expected == "a check that fails"


@pytest.mark.parametrize("fails", [None, set(), {"a"}])
def test_what_stops_a_trial_leads_to_no_advice_about_checks(fails: set[str] | None) -> None:
    record: dict[str, Any] = {
        "outcome": "harness_error", "passed": None, "reason": "no disk\nthere", "checks": [],
        "score": None,
    }  # fmt: skip
    advice = "Add a required check that an empty answer fails."
    found = judge("one", "null fails", record, fails, advice, "braino task try it")
    assert (found.ok, found.cause) == (False, "no disk")
    assert found.hint == (
        "Mend what stopped the trial; no check was at fault. See it with: braino task try it"
    )


def test_the_same_fault_is_told_once() -> None:
    stopped = [Finding(name, name, False, name, cause="no disk") for name in "abc"]
    held = [Finding(name, "holds", True, "so it is") for name in "de"]
    other = Finding("f", "another", False, "off by one")
    told = folded([stopped[0], *held, *stopped[1:], other])
    assert [(each.instance, each.says) for each in told] == [
        ("a", "a; and 2 more alike"), ("d", "so it is"), ("e", "so it is"), ("f", "off by one"),
    ]  # fmt: skip


def test_an_error_of_a_stage_stands_after_a_statement() -> None:
    for each in in_order():
        assert each.about.startswith("Show that ")
        assert each.about.endswith(".")
        assert not each.claim.endswith(".")
        assert "Show" not in each.claim


@pytest.mark.slow
def test_agents_an_exploit_passes(check: Check) -> None:
    """The request says what is right, and nothing has to be done: to repeat it is enough."""
    checks = [SUM["checks"][1], {**SUM["checks"][2], "required": True}, SUM["checks"][3]]
    document = changed(
        checks=checks,
        request="The total is 42. Say what {{ a }} plus {{ b }} is.",
        counterexamples=[each for each in SUM["counterexamples"][1:]],
    )  # fmt: skip
    found = {row["what"]: row for row in wrong(check(document, "agents"))}
    assert "echo fails" in found
    assert "null fails" not in found


def test_counterexamples_say_what_they_do_not(check: Check) -> None:
    first, second, *others = SUM["counterexamples"]
    examples = [
        {**first, "fails": [*first["fails"], "total"]}, {**second, "fails": ["grounded"]}, *others,
    ]  # fmt: skip
    one, two = wrong(check(changed(counterexamples=examples), "counterexamples"))
    assert one["what"] == "counterexample 0: does it in the head"
    assert [(each["id"], each["passed"]) for each in one["differs"]] == [("total", True)]
    assert "42" in one["differs"][0]["evidence"]
    assert two["what"] == "counterexample 1: off by one"
    assert [(each["id"], each["passed"]) for each in two["differs"]] == [("total", False)]
    assert "--counterexample 1 --registry" in two["hint"]


def test_counterexamples_pass_all_the_same(check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    """A counterexample fails a check that does not count, as under the rule brainbench."""
    from braino_registry.runner.contributing import Desk

    failing = {"id": "grounded", "required": False, "passed": False, "evidence": "93.7 is invented"}
    record = {"outcome": "passed", "passed": True, "score": 1.0, "reason": None,
              "checks": [failing]}  # fmt: skip
    examples = [{**each, "fails": ["grounded"]} for each in SUM["counterexamples"][:2]]
    document = changed(
        checks=[SUM["checks"][0], SUM["checks"][3]],
        counterexamples=[{**examples[0], "fails": ["grounded", "calculates"]}, examples[1]],
        answer={"fields": {}},
        reference={"kind": "steps", "steps": SUM["reference"]["steps"], "answer": "Done."},
    )
    monkeypatch.setattr(Desk, "attempt", lambda self, instance, **options: record)
    rows = wrong(check(document, "counterexamples"))
    assert rows[-1]["says"] == "the trial passes all the same, at full score"
    assert "does not count under the rule braino" in rows[-1]["hint"]


def test_mutants_another_unit_passes(check: Check) -> None:
    """So wide a tolerance takes a value in another unit, or of another sign."""
    checks = with_check(1, tolerance={"abs": 50_000})
    examples = [
        {**SUM["counterexamples"][1], "answer": "The total is {{ sum.value + 99999 }}."},
        *[each for n, each in enumerate(SUM["counterexamples"]) if n != 1],
    ]
    (row,) = wrong(check(changed(checks=checks, counterexamples=examples), "answer mutants"))
    assert row["what"] == "mutants of total fail"
    for kind in ("shifted up by half", "scaled to the double", "sign flipped"):
        assert kind in row["says"]
    assert "braino task kinds number" in row["hint"]


def test_scorer_any_answer_passes(check: Check) -> None:
    """Nothing that is required looks at the answer but `grounded`."""
    checks = [{**c, "required": c["id"] != "total"} for c in SUM["checks"]]
    (row,) = wrong(check(changed(checks=checks), "scorer"))
    assert row["what"] == "hostile answers do not pass"
    assert "text: markup" in row["says"]


def test_version_says_too_little(check: Check, tmp_path: Path) -> None:
    entries = shutil.copytree(ENTRIES, tmp_path / "entries")
    file = entries / "tasks/probe/sum.json"
    lock = entries / "releases" / "2026.9.json"
    locks.write(Registry.open([entries]), "2026.9", suites=["probe"], activate=True, out=lock)
    checks = with_check(1, tolerance={"abs": 0.01})

    def look(version: str) -> Rows:
        file.write_text(json.dumps({**SUM, "checks": checks, "version": version}))
        return check_task("probe-sum", registry_folders=(entries,), stages=["version"])

    (row,) = wrong(look("1.0.0"))
    assert "the scoring of 'probe-sum' changed" in row["says"]
    assert "1.1.0" in row["hint"]
    assert "braino release verify 2026.9" in row["hint"]
    assert wrong(look("1.1.0")) == []
