from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from braino_registry.reports.plain import as_json, shown
from tests.reports.html.folders import ANSI, BIDI

ANYTHING = st.text(st.characters(codec=None))


@given(ANYTHING, st.integers(0, 50))
def test_nothing_invisible_is_left_and_nothing_is_long(text: str, limit: int) -> None:
    found = shown(text, limit)
    assert not {c for c in found if unicodedata.category(c) in ("Cc", "Cs")} - {"\n", "\t"}
    assert not {c for c in found if unicodedata.bidirectional(c) in
                ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")}  # fmt: skip
    assert len(found) <= 8 * limit + 40


def test_what_was_hidden_is_written_out() -> None:
    assert shown(ANSI, 100) == "⟨ESC⟩⟨ESC⟩red⟨ESC⟩]0;owned⟨U+0007⟩"
    assert "⟨U+202E⟩" in shown(BIDI, 100)


def test_plain_text_stays_as_it_is() -> None:
    assert shown("α at 10 Hz,\n\t−3 µV", 100) == "α at 10 Hz,\n\t−3 µV"


def test_what_is_cut_is_said() -> None:
    assert shown("x" * 5_000_000, 10) == "x" * 10 + " … and 4,999,990 more characters"


def test_json_stays_on_a_line_as_long_as_it_fits() -> None:
    assert as_json({"channels": ["T8"]}, 100) == '{"channels": ["T8"]}'
    assert as_json(list(range(60)), 1000).count("\n") == 61


def test_what_is_not_quite_json_is_shown_all_the_same() -> None:
    assert "NaN" in as_json([float("nan")] * 40, 1000)
    assert "⟨U+D800⟩" in as_json(["\ud800"] * 40, 1000)
