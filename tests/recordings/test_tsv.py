from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braino_registry.recordings.errors import RecordingError
from braino_registry.recordings.sidecars import read_json
from braino_registry.recordings.tsv import MISSING, decode, number, parse_tsv, read_tsv

CHARACTERS = st.characters(
    codec="utf-8", exclude_characters="\t\n\r\ufeff", exclude_categories=["Cc", "Cs", "Z"]
)
CELL = st.text(CHARACTERS, min_size=1, max_size=8)


@st.composite
def tables(draw):
    columns = draw(st.lists(CELL, min_size=1, max_size=4, unique=True))
    rows = draw(st.lists(st.lists(CELL, min_size=len(columns), max_size=len(columns)), max_size=5))
    return columns, rows


@given(
    table=tables(),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    bom=st.sampled_from([b"", b"\xef\xbb\xbf"]),
    final=st.booleans(),
)
def test_any_line_end_and_bom_reads_the_same(table, end, bom, final):
    columns, rows = table
    text = end.join("\t".join(cells) for cells in [columns, *rows]) + (end if final else "")
    found = parse_tsv(decode(bom + text.encode()))
    assert found.columns == tuple(columns)
    expected = [
        {c: None if cell in MISSING else cell for c, cell in zip(columns, row, strict=True)}
        for row in rows
    ]
    assert [dict(row) for row in found.rows] == expected


@given(st.binary(max_size=200))
def test_any_bytes_give_a_table_or_an_error_for_people(raw):
    try:
        table = parse_tsv(decode(raw), where="x.tsv")
    except RecordingError:
        return
    assert all(set(row) == set(table.columns) for row in table.rows)


def test_missing_values_and_short_rows():
    table = parse_tsv("a\tb\tc\n1\tn/a\n\n2\t\t3\n")
    assert [dict(row) for row in table.rows] == [
        {"a": "1", "b": None, "c": None},
        {"a": "2", "b": None, "c": "3"},
    ]


def test_latin_1_and_utf_16():
    assert decode("µV\t5".encode("latin-1")) == "µV\t5"
    assert decode("name\té".encode("utf-16")).lstrip("\ufeff") == "name\té"


@pytest.mark.parametrize(
    ("text", "message"), [("a\ta\n", "occurs twice"), ("a\tb\n1\t2\t3\n", "row 2 has 3 cells")]
)
def test_broken_tables(text, message):
    with pytest.raises(RecordingError, match=message):
        parse_tsv(text)


def test_empty_file(tmp_path):
    path = tmp_path / "channels.tsv"
    path.write_bytes(b"")
    assert read_tsv(path).columns == ()


@pytest.mark.parametrize(
    ("text", "value"),
    [("1.5", 1.5), ("-2e-3", -0.002), ("inf", None), ("nan", None), ("x", None), (None, None)],
)
def test_numbers(text, value):
    assert number(text) == value


def test_what_is_no_file_is_refused_without_waiting(tmp_path: Path) -> None:
    """A pipe where a table or a sidecar should be, and a file of 10 GiB that holds nothing."""
    pipe, huge = tmp_path / "pipe", tmp_path / "huge"
    os.mkfifo(pipe)
    with huge.open("wb") as file:
        file.truncate(10 * 2**30)
    for path, reason in ((pipe, "it is a pipe"), (huge, "it is larger than 256 MiB")):
        for read in (read_tsv, read_json):
            with pytest.raises(RecordingError) as caught:
                read(path)
            assert reason in caught.value.problem
            assert caught.value.where == path.name


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"SamplingFrequency": NaN}', "NaN is not a number"),
        ('{"SamplingFrequency": 250, "SamplingFrequency": 500}', "more than once"),
        ("[" * 5000 + "]" * 5000, "nested too deeply"),
        ("[1]", "not a JSON object"),
    ],
)
def test_a_sidecar_that_says_two_things_or_none_is_refused(
    text: str, problem: str, tmp_path: Path
) -> None:
    path = tmp_path / "sub-01_task-rest_eeg.json"
    path.write_text(text)
    with pytest.raises(RecordingError) as caught:
        read_json(path)
    assert problem in caught.value.problem


def test_a_byte_order_mark_is_no_fault_of_a_sidecar(tmp_path: Path) -> None:
    path = tmp_path / "sub-01_task-rest_eeg.json"
    for encoding in ("utf-8-sig", "utf-16", "latin-1"):
        path.write_text('{"Manufacturer": "Müller"}', encoding=encoding)
        assert read_json(path) == {"Manufacturer": "Müller"}
