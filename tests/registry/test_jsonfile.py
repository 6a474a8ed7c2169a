"""Strict JSON: what JSON does not define is told with its place."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braino_registry.errors import EntryError
from braino_registry.registry import jsonfile

CASES = {
    "byte-order mark": (b'\xef\xbb\xbf{"a": 1}', "$", "byte-order mark"),
    "latin-1": (b'{\n"a": "\xe9"}', "$", "not UTF-8 text (line 2, byte 8)"),
    "empty": (b" \n", "$", "the file is empty"),
    "truncated object": (b'{"a": [1, 2', "$", "ends in the middle of a value (line 1, column 12)"),
    "truncated text": (b'{"a": "b', "$", "ends in the middle of a value"),
    "comma": (b'{"a": 1,}', "$", "this is not JSON"),
    "two values": (b"{} {}", "$", "this is not JSON: Extra data (line 1, column 4)"),
    "NaN": (b'{"a": [0, NaN]}', "$.a[1]", "NaN is not a number that JSON can hold"),
    "infinity": (b'{"a": -Infinity}', "$.a", "-Infinity is not a number"),
    "overflow": (b'{"a": 1e999}', "$.a", "1e999 is not a number"),
    "beyond 2**53": (b'{"a": 9007199254740992}', "$.a", "9007199254740992 is not a number"),
    "very long": (b'{"a": ' + b"9" * 5000 + b"}", "$.a", "999... is not a number"),
    "repeated key": (b'{"b": {"a": 1, "c": 2, "a": 1}}', "$.b.a", "'a' stands here more than once"),
    "half a pair": (b'{"a": "\\ud800"}', "$.a", "half of a surrogate pair"),
    "half a pair in a name": (b'{"\\ud800": 1}', "$", "is not valid text"),
    "depth": (b"[" * 100_000 + b"]" * 100_000, "$", "nested too deeply"),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_is_no_strict_json_is_told(case: tuple[bytes, str, str], tmp_path: Path) -> None:
    raw, path, message = case
    _, problems = jsonfile.parse(raw)
    assert [problem.path for problem in problems] == [path]
    assert message in problems[0].message

    file = tmp_path / "entry.json"
    file.write_bytes(raw)
    with pytest.raises(EntryError) as caught:
        jsonfile.read(file)
    assert caught.value.where == f"{file}: {path}"


def test_every_problem_of_a_file_is_told() -> None:
    _, problems = jsonfile.parse(b'{"a": NaN, "a": [1e999], "b": 1, "b": 2}')
    assert [problem.path for problem in problems] == ["$.a", "$.b", "$.a[0]"]


def test_the_largest_whole_numbers_are_kept() -> None:
    value, problems = jsonfile.parse(b"[9007199254740991, -9007199254740991, 0.5, 1e3]")
    assert value == [2**53 - 1, -(2**53) + 1, 0.5, 1000.0]
    assert problems == []


def test_depth_is_bounded_far_below_what_exhausts_the_stack() -> None:
    for opening, closing in ((b"[", b"]"), (b'{"a":', b"}")):
        deep = opening * jsonfile.DEEPEST + b"1" + closing * jsonfile.DEEPEST
        assert jsonfile.parse(deep)[1] == []
        _, problems = jsonfile.parse(opening + deep + closing)
        assert ["nested too deeply" in problem.message for problem in problems] == [True]


def test_only_so_many_problems_are_looked_for() -> None:
    _, problems = jsonfile.parse(b"[" + b"NaN," * 5000 + b"0]")
    assert len(problems) == jsonfile.TOLD


def test_many_repeated_keys_take_no_longer_than_many_keys() -> None:
    """Each key is counted once: looking it up among all others would take minutes here."""
    many = ",".join(f'"{number}": 0' for number in range(100_000))
    _, problems = jsonfile.parse(f'{{{many}, "7": 1}}'.encode())
    assert [problem.path for problem in problems] == ["$['7']"]


def test_other_readers_get_the_value_or_one_error() -> None:
    assert jsonfile.value_of(b'{"a": [1]}') == {"a": [1]}
    with pytest.raises(jsonfile.NotStrictError, match=r"NaN is not a number .* \(\$\.a\)"):
        jsonfile.value_of(b'{"a": NaN}')


def test_a_missing_file_is_an_entry_error(tmp_path: Path) -> None:
    with pytest.raises(EntryError, match="cannot be read"):
        jsonfile.read(tmp_path / "none.json")


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(JSON)
def test_json_comes_back_as_it_was(value: object) -> None:
    parsed, problems = jsonfile.parse(json.dumps(value, ensure_ascii=False).encode("utf-8"))
    assert (parsed, problems) == (value, [])


@given(st.binary(max_size=200) | st.text(alphabet='{}[]",:0123456789eE+-.NaIn\\ud ', max_size=60))
def test_any_bytes_give_a_value_or_a_problem(raw: bytes | str) -> None:
    value, problems = jsonfile.parse(raw if isinstance(raw, bytes) else raw.encode())
    assert problems or json.loads(raw) == value


PIECES = st.sampled_from(
    ['"a"', '"\\ud800"', '"\\ud83d\\ude00"', '"µ"', "1", "-1.5", "1e999", "NaN", "-Infinity",
     "9007199254740992", "true", "null", '{"k": 1}', '{"k": 1, "k": 2}', '{"\\udc00": 1}', "[]"]
)  # fmt: skip
TEXTS = st.recursive(
    PIECES,
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda parts: f"[{', '.join(parts)}]")
        | inner.map(lambda part: f'{{"x": {part}}}')
        | inner.map(lambda part: "[" * 99 + part + "]" * 99)
    ),
    max_leaves=6,
)


@given(TEXTS)
def test_the_quick_look_sees_whatever_the_walk_would_find(text: str) -> None:
    """Which of the texts is walked at all must not change what is told."""
    value, problems = jsonfile.parse(text.encode())
    assert problems == list(islice(jsonfile._strictness(value), jsonfile.TOLD))
