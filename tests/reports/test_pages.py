"""The pages of the tasks: up to date, in words, and without what is right."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from braino_registry.errors import EntryError
from braino_registry.registry import Registry
from braino_registry.registry.entries import Instance, Task
from braino_registry.registry.roots import builtin
from braino_registry.reports import pages, wording
from braino_registry.scoring import check_kinds

SPOILT = "spoilt-7d21"
DIGESTS = {"work": "sha256:1", "scoring": "sha256:2"}


@pytest.fixture(scope="module")
def registry() -> Registry:
    return Registry.open(environ={})


@pytest.mark.parametrize("suite", ["braino", "brainbench", "eegagentbench"])
def test_the_committed_pages_are_those_of_the_entries(registry: Registry, suite: str) -> None:
    pages.compare(pages.folder_of(suite), pages.pages(registry, suite))


def test_every_suite_has_pages(registry: Registry) -> None:
    assert pages.folder_of("braino") == builtin() / "docs" / "tasks"
    for suite in registry.suites():
        assert (pages.folder_of(suite.id) / "README.md").is_file()


def test_every_built_in_kind_of_check_is_put_in_words(registry: Registry) -> None:
    assert set(wording._WORDS) >= {check["kind"] for t in registry.tasks() for check in t.checks}
    for name, kind in check_kinds:
        if kind.run.__module__.startswith("braino_registry."):
            assert name in wording._WORDS


def test_every_page_says_what_is_asked_scored_and_forbidden(registry: Registry) -> None:
    for task in registry.tasks():
        text = pages.page(task, DIGESTS)
        assert " ".join(task.request_for(task.instances[0]).split(".")[0].split()) in text
        for field in task.fields:
            assert f"`{field}`" in text
        if len(task.instances) <= pages.MOST_LISTED:
            assert all(f"`{instance.id}`" in text for instance in task.instances)
        else:
            assert f"{len(task.instances)} in all" in text
        numbered = [line for line in text.splitlines() if line.split(".")[0].isdigit()]
        assert len(numbered) == len(task.checks)
        assert "## What is forbidden\n\n- " in text


def spoil(value: Any) -> Any:
    """Replace every leaf of a JSON value; the names of properties and limits stay."""
    if isinstance(value, dict) and value and set(value) <= {"min", "max", "instance"}:
        return value
    if isinstance(value, dict):
        return {key: spoil(item) for key, item in value.items()}
    if isinstance(value, list):
        return [spoil(item) for item in value]
    return SPOILT


def spoilt_check(check: dict[str, Any]) -> dict[str, Any]:
    told = ("expected", "with", "first_with", "then_with", "where", "proposed", "result")
    rubric = ("findings", "forbids", "no_values_of", "signal", "image", "json")
    hidden = (key for key in (*told, *rubric, "missing", "lacks") if key in check)
    told_first = (
        {"first": spoil(check["first"])} if check["kind"] == "decided" and "first" in check else {}
    )
    return {**check, **{key: spoil(check[key]) for key in hidden}, **told_first}


def spoilt_user(user: dict[str, Any]) -> dict[str, Any]:
    return {
        "decisions": [
            {key: value if key in ("kind", "respond") else spoil(value) for key, value in r.items()}
            for r in user.get("decisions", [])
        ],
        "answers": [
            {"about": answer["about"], "asked_as": [SPOILT], "say": SPOILT}
            for answer in user["answers"]
        ],
        "otherwise": SPOILT,
    }  # fmt: skip


def spoilt(task: Task) -> Task:
    """Return a task in which everything that tells what is right says something else."""
    doc = {
        **task.doc,
        "reference": SPOILT,
        "counterexamples": SPOILT,
        "checks": [spoilt_check(dict(check)) for check in task.doc["checks"]],
    }
    plain = replace(task, doc=doc)

    def instance(one: Instance) -> Instance:
        user = spoilt_user(task.user_for(one))
        # Of a question bank a page tells one number about all keys together: what a letter earns.
        expected = one.expected if "question" in one.params else spoil(dict(one.expected))
        return replace(one, expected=expected, user=user)

    return replace(plain, instances=tuple(instance(one) for one in task.instances))


def test_no_page_tells_what_is_right(registry: Registry) -> None:
    """A page does not change when expected values, the user's words and the reference do."""
    for task in registry.tasks():
        made = pages.page(spoilt(task), DIGESTS)
        assert made == pages.page(task, DIGESTS)
        assert SPOILT not in made


@pytest.mark.parametrize(
    ("check", "words", "forbidden"),
    [
        (
            {"kind": "number", "field": "t", "tolerance": {"abs": 5}},
            "`t` is right within 5 ms.",
            None,
        ),
        ({"kind": "number", "field": "t", "tolerance": {"abs": 0}}, "`t` is right.", None),
        ({"kind": "set", "field": "s"}, "`s` holds exactly the right members.", None),
        (
            {"kind": "called", "tool": ["a.b", "c"], "on": {"$": "recording"}, "times": {"min": 2}},
            "Calls `a.b` or `c` on what the request is about, at least 2 times.",
            None,
        ),
        (
            {"kind": "decided", "decision": "d", "where": {"l_freq": 0.1}},
            "Asks the user for the decision `d`, so that what is applied has the right `l_freq`.",
            "Making the change of `d` without the user's ruling.",
        ),
        (
            {"kind": "called", "tool": "a", "with": {"f": {"or_left_out": 4}}, "not_from": ["b"]},
            "Calls `a` with the right `f`, on nothing that came from `b`.",
            None,
        ),
        (
            {"kind": "decided", "decision": "d", "where": {"h": {"min": 40, "max": 49}, "r": "x"}},
            "Asks the user for the decision `d`, so that what is applied has the right `r` and `h` "
            "from 40 to 49.",
            "Making the change of `d` without the user's ruling.",
        ),
        (
            {"kind": "decided", "decision": "d", "first": {"channels": ["x"]}},
            "Asks the user for the decision `d`, first proposing the right `channels`.",
            "Making the change of `d` without the user's ruling.",
        ),
        (
            {"kind": "not_called", "tool": "x.*", "with": {"freq": 50}},
            "Does not call `x.*` with the right `freq`.",
            "Calling `x.*` with the right `freq`.",
        ),
        (
            {"kind": "refuses", "fields": ["v"], "missing": ["the ECG"], "tool": "recording.info"},
            "Gives no value for `v` where it cannot be had, says what is missing, and rests this "
            "on a call of `recording.info`.",
            "Giving a value for `v` after all.",
        ),
    ],
)
def test_checks_in_words(check: dict[str, Any], words: str, forbidden: str | None) -> None:
    assert wording.in_words(check, {"t": {"unit": "ms"}}) == words
    assert wording.forbids(check) == forbidden


@pytest.mark.parametrize(
    ("expected", "words"),
    [
        ({"truth": "noisy"}, "planted in the synthetic data"),
        ({"label": "seizures"}, "labelled by those who made the data"),
        ({"pipeline": {"steps": []}}, "computed from the data"),
        ({"workflow": "groups.verdict@1.0.0"}, "computed from the data"),
        (5, "written in the entry"),
        ({"instance": "n"}, "planted in the synthetic data or computed from the data"),
    ],
)
def test_a_page_says_where_what_is_right_comes_from(expected: Any, words: str) -> None:
    instances = [{"n": {"truth": "x"}}, {"n": {"pipeline": {}}}, {}]
    assert wording.where_from({"expected": expected}, instances) == words
    assert wording.where_from({"kind": "grounded"}, instances) == ""


def test_no_page_says_the_same_of_two_checks(registry: Registry) -> None:
    for task in registry.tasks("braino"):
        said = [wording.in_words(check, task.fields) for check in task.checks]
        assert len(set(said)) == len(said), task.id


def test_every_task_names_an_honest_wrong_way_that_its_own_checks_catch(
    registry: Registry,
) -> None:
    """A wrong way that only invents a number would be caught in any task."""
    tasks = registry.tasks("braino")
    text = pages.wrong_ways(registry.suite("braino"), tasks)
    for task in tasks:
        caught = [e for e in task.counterexamples if set(e["fails"]) - {"grounded"}]
        assert caught, task.id
        for example in task.counterexamples:
            assert " ".join(example["why"].split()) in text


def test_a_page_that_is_old_missing_or_left_over_is_noticed(tmp_path: Path) -> None:
    made = {"README.md": "contents\n", "one.md": "one\n"}
    pages.write(tmp_path, {**made, "gone.md": "x"})
    with pytest.raises(EntryError, match=r"gone\.md"):
        pages.compare(tmp_path, made)
    pages.write(tmp_path, made)
    pages.compare(tmp_path, made)
    assert not (tmp_path / "gone.md").exists()
    (tmp_path / "one.md").write_text("edited\n")
    with pytest.raises(EntryError, match=r"one\.md"):
        pages.compare(tmp_path, made)
    (tmp_path / "one.md").unlink()
    with pytest.raises(EntryError, match=r"one\.md"):
        pages.compare(tmp_path, made)
