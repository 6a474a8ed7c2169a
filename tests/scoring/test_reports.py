"""Reports in many styles, and what becomes of their reading when they are written otherwise."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.growth import grows_linearly
from tests.scoring.reports import Report, count, outcome, reports, same, values

ALL = reports()
UNSEEN = [report for report in ALL if report.file == "unseen"]
#: Statements about nothing that any field of the corpus asks for.
UNRELATED = [
    "The amplifier was switched on by the technician.",
    "All scripts are available on request.",
    "Note that the participant wore glasses.",
    "I used the default settings of the toolbox.",
    "This took longer than I thought.",
    "Electrode gel was applied with a blunt needle.",
]


def _prose(text: str) -> bool:
    return not text.lstrip().startswith(("{", "[")) and "```" not in text


def _lines(text: str, change: dict[int, str]) -> str:
    return "\n".join(change.get(i, line) for i, line in enumerate(text.split("\n")))


def _bold_labels(text: str) -> str:
    return re.sub(r"(?m)^([A-Z][\w /-]{2,40}):(?= )", r"**\1:**", text) if _prose(text) else text


def _bullets(text: str) -> str:
    if not _prose(text) or "\n" not in text:
        return text
    return re.sub(r"(?m)^[-*•] (?=\S)", "– ", text)


def _blanks(text: str) -> str:
    return re.sub(r"(?m)[ ]+$|$", "  ", text) if _prose(text) else text


def _typographic_minus(text: str) -> str:
    return re.sub(r"(?<=[ :=(])-(?=\d)", "−", text) if _prose(text) else text


def _narrow_spaces(text: str) -> str:
    return re.sub(r"(?<=\d) (?=(?:Hz|ms|µV|dB|bpm|min)\b)", "\u202f", text)


def _windows_lines(text: str) -> str:
    return text.replace("\n", "\r\n") if _prose(text) else text


def _thousands(text: str) -> str:
    """Write 1204.0 as 1,204.0 where a number of a sentence or a cell has four digits."""
    if not _prose(text) or re.search(r"\d,\d|\d{4}-", text):
        return text
    return re.sub(r"(?<=[| ])([1-9])(\d{3})(?=(?:\.\d+)?(?: |$|\.))", r"\1,\2", text)


def _spaced_equals(text: str) -> str:
    return re.sub(r" = (?=[-\d])", "=", text) if _prose(text) else text


MUTATIONS = [
    str, _bold_labels, _bullets, _blanks, _typographic_minus, _narrow_spaces, _windows_lines,
    _thousands, _spaced_equals, lambda text: f"\n\n{text}\n\n", lambda text: f"{text}\n\n---\n",
]  # fmt: skip


def _inserted(text: str, sentence: str, first: bool) -> str:
    if not _prose(text) or not text.strip():
        return text
    return f"{sentence}\n\n{text}" if first else f"{text}\n\n{sentence}"


def _reordered(text: str, seed: int) -> str:
    """Move the first of a run of ``label: value`` lines behind the last."""
    lines = text.split("\n")
    pairs = [i for i, line in enumerate(lines) if re.fullmatch(r"[A-Z][\w /-]{2,40}: \S.*", line)]
    if len(pairs) != len(lines) or len(lines) < 2:
        return text
    turn = seed % len(lines)
    return "\n".join(lines[turn:] + lines[:turn])


def test_there_are_enough_of_them() -> None:
    assert len(ALL) >= 300
    assert len({report.style for report in ALL}) >= 12
    assert len(UNSEEN) >= 40
    assert {field["type"] for report in ALL for field in report.fields.values()} == {
        "number", "label", "set", "sequence", "events", "hypnogram", "text", "file",
    }  # fmt: skip


@pytest.mark.parametrize("file", sorted({report.file for report in ALL}))
def test_what_is_said_is_read_and_nothing_else(file: str) -> None:
    total: Counter[str] = Counter()
    for row in count(report for report in ALL if report.file == file).values():
        total.update(row)
    assert total["wrong"] == total["invented"] == 0
    present = total["read"] + total["missed"]
    assert total["read"] >= 0.98 * present


@settings(max_examples=80, deadline=None)
@given(
    report=st.sampled_from(ALL),
    mutations=st.lists(st.sampled_from(MUTATIONS), max_size=3),
    sentence=st.sampled_from(UNRELATED),
    first=st.booleans(),
    seed=st.integers(0, 5),
    upper=st.booleans(),
)
def test_another_way_of_writing_gives_no_other_value(
    report: Report, mutations: list[object], sentence: str, first: bool, seed: int, upper: bool
) -> None:
    text = _reordered(report.text, seed)
    for mutation in mutations:
        text = mutation(text)  # type: ignore[operator]
    kinds = {field["type"] for field in report.fields.values()}
    if "text" not in kinds and len(text.split()) > 6:
        text = _inserted(text, sentence, first)
    if upper and kinds <= {"number"} and _prose(text) and re.search(r"(?m)^[a-z ]+: ", text):
        text = re.sub(r"(?m)^[a-z ]+(?=: )", lambda m: m.group().upper(), text)
    for name, value in values(report, text).items():
        found = outcome(report.fields[name]["type"], value, report.expected[name])
        assert found not in ("wrong", "invented"), (name, value)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda m: getattr(m, "__name__", "x"))
def test_most_is_read_however_it_is_written(mutation: object) -> None:
    chosen = ALL[::6]
    total: Counter[str] = Counter()
    for report in chosen:
        found = values(report, mutation(report.text))  # type: ignore[operator]
        total.update(
            outcome(report.fields[name]["type"], value, report.expected[name])
            for name, value in found.items()
        )
    assert total["wrong"] == total["invented"] == 0
    assert total["read"] >= 0.98 * (total["read"] + total["missed"])


#: One field of every type, for texts that are built to break the reading.
EVERY: dict[str, dict[str, Any]] = {
    "number": {"type": "number", "unit": "Hz", "said_as": ["alpha peak"]},
    "label": {"type": "label", "labels": ["alpha", "beta"], "said_as": ["dominant band"]},
    "set": {"type": "set", "of": "channel", "said_as": ["bad channels"]},
    "sequence": {"type": "sequence", "of": "channel", "said_as": ["ranking"]},
    "pairs": {"type": "sequence", "of": "channel_pair", "said_as": ["pairs"]},
    "events": {"type": "events", "said_as": ["seizures"]},
    "hypnogram": {"type": "hypnogram", "said_as": ["stages"]},
    "text": {"type": "text", "said_as": ["interpretation"]},
    "file": {"type": "file", "said_as": ["figure"]},
}
HOSTILE = Report("hostile", "hostile", "", "", EVERY, dict.fromkeys(EVERY), ("T7", "T8", "O1"))
PIECES = [
    "alpha peak 1.5 Hz ", "alpha peak ( ", "a: b\n", "T7 > ", "T7, ", "T7-T8, ", "| T7 | 1 |\n",
    "1 s - 2 s, ", "seizures at 1 s, ", "N2×3 ", "Epoch 1: W\n", "a.b/", "**a**\n",
    "Conclusion: x\n", "x" * 50, '{"a": {', "a  b\n", "a,b\n", "1:2:", "T7 ↔ ", "[{",
]  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(
    st.text(max_size=300)
    | st.text("T78O1 Hzalph:=|-–>,.;()[]{}\n\"'*#0123456789×→NWR/", max_size=300)
    | st.lists(st.sampled_from([*PIECES, *UNRELATED]), max_size=12).map("".join)
)
def test_any_text_is_read(text: str) -> None:
    read = {name: value for name, value in values(HOSTILE, text).items() if value is not None}
    assert read.get("label", "alpha") in ("alpha", "beta")
    assert set(read.get("set", ())) | set(read.get("sequence", ())) <= set(HOSTILE.channels)
    assert all(len(pair.split("-")) == 2 for pair in read.get("pairs", ()))
    assert isinstance(read.get("number", 0.0), float)
    assert set(read.get("hypnogram", ())) <= {"W", "N1", "N2", "N3", "R"}
    assert all(event["onset"] >= 0 for event in read.get("events", ()))
    assert "." in read.get("file", ".")


@pytest.mark.parametrize("piece", PIECES)
def test_any_text_is_read_in_linear_time(piece: str) -> None:
    assert grows_linearly(lambda size: values(HOSTILE, piece * (size // len(piece))), 1_000)


def test_five_megabytes_are_read() -> None:
    report = next(r for r in ALL if r.style == "conclusion")
    filler = "The recording was inspected visually, and nothing was noted in this part of it.\n"
    found = values(report, filler * (5_000_000 // len(filler)) + report.text)
    for name, value in found.items():
        assert same(report.fields[name]["type"], value, report.expected[name])
