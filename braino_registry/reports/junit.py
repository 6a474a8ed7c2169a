"""A comparison as JUnit XML, which continuous integration shows test by test.

A pair that broke is a failure, one that lost its score through harness or environment an error,
one that cannot be compared is skipped; whatever was fixed or stayed as it was passes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

from braino_registry.reports.plain import shown

_TEXT = 2_000


def comparison(documents: Sequence[Mapping[str, Any]]) -> bytes:
    """Return comparisons as XML, a test suite for each.

    Parameters
    ----------
    documents : sequence of mapping
        What ``Comparison.document`` holds, as `several.compare_all` gives them.

    Returns
    -------
    bytes
        UTF-8, with a declaration.
    """
    root = ElementTree.Element("testsuites", name="braino eval compare")
    for document in documents:
        _suite(root, document)
    ElementTree.indent(root, " ")
    found: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return found + b"\n"


def _suite(root: ElementTree.Element, document: Mapping[str, Any]) -> None:
    lost = {_key(row): row for row in document["lost"]}
    apart = [row for row in document["not_comparable"] if _key(row) not in lost]
    total = document["comparable"] + len(document["not_comparable"])
    before, after = document["before"], document["after"]
    suite = ElementTree.SubElement(
        root,
        "testsuite",
        name=_text(f"{after['suite']}: {before['agent']} to {after['agent']}"),
        tests=str(total),
        failures=str(len(document["broken"])),
        errors=str(len(lost)),
        skipped=str(len(apart)),
    )
    for row in document["broken"]:
        case = _case(suite, row)
        was, now = row["before"], row["after"]
        message = f"{was['outcome']} before, {now['outcome']} now"
        failure = ElementTree.SubElement(case, "failure", message=_text(message), type="broken")
        failure.text = _text(
            "\n".join(f"{each['id']}: {each['evidence']}" for each in row["checks"])
        )
    for row in document["fixed"]:
        ElementTree.SubElement(_case(suite, row), "system-out").text = "fixed"
    for row in document["unchanged"]:
        _case(suite, row)
    for row in lost.values():
        message = f"{row['outcome']}: {row['why']}"
        ElementTree.SubElement(_case(suite, row), "error", message=_text(message), type="lost")
    for row in apart:
        ElementTree.SubElement(_case(suite, row), "skipped", message=_text(row["reason"]))


def _case(suite: ElementTree.Element, row: Mapping[str, Any]) -> ElementTree.Element:
    name = f"{row['instance']}/{row['repeat']}"
    return ElementTree.SubElement(suite, "testcase", classname=_text(row["task"]), name=_text(name))


def _key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return (row["task"], row["instance"], row["repeat"])


def _text(value: object) -> str:
    return shown(str(value), _TEXT)
