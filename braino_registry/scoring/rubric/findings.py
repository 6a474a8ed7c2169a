"""The findings that a rubric asks for, each in one of five forms."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from braino_registry.scoring.answers import Reading, read
from braino_registry.scoring.answers.lacking import named_missing, other_kinds
from braino_registry.scoring.model import Answer, Evidence
from braino_registry.scoring.rubric.directions import directions
from braino_registry.scoring.rubric.statements import Report, affirmed, pattern

Finding = Mapping[str, Any]

#: What a claim is called, where a rubric does not say.
CLAIM = ("claim", "premise", "statement", "assertion", "suggestion", "assumption", "hypothesis")
_TRUE = re.compile(
    r"\b(?:correct|right|true|support(?:ed|s)?|confirm(?:ed|s)?|holds?|held|accurate|valid"
    r"|consistent|agrees?|verified|match(?:es)?|justified)\b",
    re.IGNORECASE,
)
_FALSE = re.compile(
    r"\b(?:incorrect|wrong|false|untrue|contradict(?:s|ed)?|refute[ds]?|reject(?:ed|s)?|disprove[dns]*"
    r"|inaccurate|invalid|inconsistent|disagrees?|mistaken|mismatch\w*|unsupported|unfounded"
    r"|fails|failed|unjustified)\b",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"(?:\bnot|n't|\bno|\bnever|\bneither|\bcannot|\bhardly|\bscarcely|\bnowhere near"
    r"|\bnothing like|\bfail(?:s|ed)? to|\bdoubt(?:s|ed|ful)?)(?:\s+\w+){0,3}\s*$"
    r"|\b(?:far from|anything but|less than|doubt(?:s|ed|ful)?|refus\w+)(?:\s+\w+){0,6}\s*$",
    re.IGNORECASE,
)
# "not far from correct" is nearly so.
_NOT_FAR = re.compile(r"(?:\bnot|n't|\bnever)\s+(?:\w+\s+)?far from\b", re.IGNORECASE)


class Outcome(Enum):
    """What became of a finding in a report."""

    HELD = "held"
    UNSAID = "not said"
    WRONG = "said otherwise"
    BOTH = "said both ways"


@dataclass(frozen=True)
class Holding:
    """A finding and what the report makes of it."""

    name: str
    outcome: Outcome
    why: str = ""

    def __str__(self) -> str:
        return f"{self.name}: {self.outcome.value}" + (f" ({self.why})" if self.why else "")


def judge(finding: Finding, number: int, report: Report, evidence: Evidence) -> Holding:
    """Return what a report makes of one finding.

    Parameters
    ----------
    finding : mapping
        In one of the forms ``says``, ``among``, ``direction``, ``verdict``, ``lacks``, with its
        expected value filled in.
    number : int
        Its place in the rubric, for its name.
    report : Report
        The report.
    evidence : Evidence
        The answer that it comes from.
    """
    form = next(name for name in _FORMS if name in finding)
    outcome, why = _FORMS[form](finding, report, evidence)
    return Holding(str(finding.get("id", f"finding {number + 1}")), outcome, why)


def _says(finding: Finding, report: Report, evidence: Evidence) -> tuple[Outcome, str]:
    expected = finding.get("is", True)
    if not isinstance(expected, bool):
        return Outcome.UNSAID, "there is nothing to expect"
    yes, no = affirmed(report, finding["says"])
    contrary, not_contrary = affirmed(report, finding.get("opposite", ()))
    ways = {True for _ in [1] if yes or not_contrary} | {False for _ in [1] if no or contrary}
    return _settled(ways, expected)


def _verdict(finding: Finding, report: Report, evidence: Evidence) -> tuple[Outcome, str]:
    words = pattern(finding.get("on", CLAIM))
    expected = finding["verdict"]
    if words is None or not isinstance(expected, bool):
        return Outcome.UNSAID, "there is nothing to expect"
    ways = set()
    for clause in report.clauses:
        if clause.question or not words.search(clause.text):
            continue
        for verdict, meaning in ((_TRUE, True), (_FALSE, False)):
            for match in verdict.finditer(clause.text):
                ways.add(meaning != _is_denied(clause.text, match.start()))
    return _settled(ways, expected)


def _is_denied(text: str, at: int) -> bool:
    return _DENIED.search(_NOT_FAR.sub(lambda m: " " * len(m.group()), text[:at])) is not None


def _direction(finding: Finding, report: Report, evidence: Evidence) -> tuple[Outcome, str]:
    ways = directions(report, finding["of"], finding.get("from", ()), finding.get("to", ()))
    return _settled(ways, finding["direction"])


def _among(finding: Finding, report: Report, evidence: Evidence) -> tuple[Outcome, str]:
    reading = chosen(finding, report, evidence)
    if reading.value is None:
        return (Outcome.BOTH if reading.conflict else Outcome.UNSAID), reading.reason
    held = reading.value == finding["is"]
    return (Outcome.HELD if held else Outcome.WRONG), f"{reading.value!r}"


def chosen(finding: Finding, report: Report, evidence: Evidence) -> Reading:
    """Return which of its options a report gives for a finding of the form ``among``.

    Parameters
    ----------
    finding : mapping
        The finding; whether it applies, and which option is right, does not matter.
    report : Report
        The report.
    evidence : Evidence
        The answer that it comes from.
    """
    options: Mapping[str, Any] = finding["among"]
    spec = {
        "type": "label",
        "labels": list(options),
        "aliases": {name: list(phrases) for name, phrases in options.items() if phrases},
        "said_as": list(finding["about"]),
    }
    text = _without_compared(
        report.text, [*options, *(p for each in options.values() for p in each)]
    )
    return read(spec, "_", replace(evidence, answer=Answer(text), fields={}))


def _without_compared(text: str, names: Iterable[str]) -> str:
    """Return a text without the names that something is only compared with ("alpha over beta")."""
    body = "|".join(re.escape(name) for name in sorted(names, key=lambda n: (-len(n), n)))
    listed = rf"(?:{body})\b(?:(?:\s*\([^()]*\))?(?:,|\s+and|\s+or|,\s+and)\s+(?:{body})\b)*"
    # "over the central region" says where, and compares nothing
    place = r"(?!\s+(?:regions?|sites?|areas?|cortex|electrodes?|channels?|scalp|lobes?)\b)"
    compared = (
        r"(?:versus|vs\.?|than|compared (?:to|with)|against|ahead of|followed by|unlike"
        r"|exceed(?:s|ed|ing)|rather than|instead of)"
    )
    words = r"\s+(?:\w+\s+){0,3}?"
    return re.sub(
        rf"\b(?:{compared}{words}{listed}|over{words}{listed}{place})", " ", text, flags=re.I
    )


def _lacks(finding: Finding, report: Report, evidence: Evidence) -> tuple[Outcome, str]:
    named = named_missing(report.text, finding["lacks"])
    if named is None:
        return Outcome.UNSAID, "names nothing of it as missing"
    others = other_kinds(report.text, finding["lacks"])
    if len(others) > 1:
        return Outcome.BOTH, f"claims that much else is missing too: {', '.join(others)}"
    return Outcome.HELD, named


def _settled(ways: Any, expected: Any) -> tuple[Outcome, str]:
    """Compare everything that a report says with the one thing that it should say."""
    ways = set(ways)
    if len(ways) > 1:
        return Outcome.BOTH, " and ".join(sorted(map(str, ways)))
    if not ways:
        return Outcome.UNSAID, ""
    return (Outcome.HELD, "") if ways == {expected} else (Outcome.WRONG, str(*ways))


_FORMS: Mapping[str, Callable[[Finding, Report, Evidence], tuple[Outcome, str]]] = {
    "says": _says,
    "among": _among,
    "direction": _direction,
    "verdict": _verdict,
    "lacks": _lacks,
}
