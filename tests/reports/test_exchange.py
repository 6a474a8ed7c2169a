"""Comparisons for other programs: Markdown and JUnit XML."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st

from braino_registry.reports import junit, markdown
from braino_registry.reports.several import compare_all
from tests.reports.html.folders import EVIL
from tests.reports.samples import check, report, trial

BEFORE = report(
    [trial(instance="a"), trial(instance="b", outcome="failed"), trial(instance="c"),
     trial(instance="d"), trial(instance="e"), trial(instance="only-before")],
    run_id="one",
)  # fmt: skip
AFTER = report(
    [
        trial(instance="a", outcome="failed", checks=[{**check(passed=False), "evidence": EVIL}]),
        trial(instance="b"), trial(instance="c"),
        trial(instance="d", outcome="harness_error", checks=[], reason="the disk is full"),
        trial(instance="e"),
    ],
    run_id="two", agent="x|y",
)  # fmt: skip
DOCUMENTS = [each.document for each in compare_all([BEFORE, AFTER, BEFORE])]


def test_junit_has_a_case_for_each_pair() -> None:
    root = ElementTree.fromstring(junit.comparison(DOCUMENTS[:1]))
    (suite,) = root
    counts = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "6", "failures": "1", "errors": "1", "skipped": "1"}
    verdicts = {case.get("name"): [child.tag for child in case] for case in suite.iter("testcase")}
    assert verdicts == {
        "a/1": ["failure"], "b/1": ["system-out"], "c/1": [], "d/1": ["error"], "e/1": [],
        "only-before/1": ["skipped"],
    }  # fmt: skip
    failure = next(suite.iter("failure"))
    assert failure.get("message") == "passed before, failed now"
    assert "<script>" in str(failure.text)  # as text


def test_markdown_lists_what_flipped_and_says_how_sure_it_is() -> None:
    text = markdown.comparison(DOCUMENTS)
    assert text.startswith("## Comparison with probe\n")
    assert "Broken: 1</summary>" in text
    assert "| x\\|y | 4 | 1 | 1 | 1 |" in text
    assert "corrected by Holm's rule for 2 comparisons" in text
    assert "bad\\-channels\\-ask/a/1" in text


def test_nothing_of_an_agent_becomes_markup() -> None:
    text = markdown.comparison(DOCUMENTS)
    assert "<script" not in text
    assert "<img" not in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    allowed = {"details", "/details", "summary", "/summary"}
    assert set(re.findall(r"<(/?\w+)", text)) <= allowed


@settings(max_examples=50)
@given(st.text(st.characters(codec=None), max_size=60))
def test_any_text_stays_in_its_cell(text: str) -> None:
    cell = markdown.plain(text)
    assert "\n" not in cell
    assert not re.search(r"(?<!\\)[|`\[\]<@]", cell.replace("\\\\", ""))


@settings(max_examples=50)
@given(st.text(st.characters(codec=None), max_size=60))
def test_any_text_makes_valid_xml(text: str) -> None:
    apart = {"task": text, "instance": text, "repeat": 1, "reason": text}
    empty: dict[str, list[object]] = {"fixed": [], "unchanged": [], "lost": [], "broken": []}
    document = {**DOCUMENTS[0], **empty, "not_comparable": [apart]}
    ElementTree.fromstring(junit.comparison([document]))
