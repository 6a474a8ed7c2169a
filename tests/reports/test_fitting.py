from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from braino_registry.reports.fitting import fit, whole

COLUMNS = ("task", "repeat", "why")
NAMES = st.text("abc-", min_size=1, max_size=20)
TEXTS = st.lists(st.text("abc", min_size=1, max_size=30), min_size=2, max_size=20).map(" ".join)
ROWS = st.lists(st.tuples(NAMES, NAMES, TEXTS), min_size=1, max_size=5)


@given(ROWS, st.integers(20, 200))
def test_a_name_is_never_broken_and_what_can_be_spared_goes_first(
    rows: list[tuple[str, str, str]], width: int
) -> None:
    shown = fit(COLUMNS, rows, width, ("repeat",))
    for i in (0, 1):
        if i in shown:
            assert shown[i] == max(len(COLUMNS[i]), *(len(row[i]) for row in rows))
    assert {0, 2} <= shown.keys()
    assert (1 in shown) <= (whole(shown) <= width)
    least = {**shown, 2: 10}
    assert whole(shown) <= max(width, whole(least))


@given(ROWS)
def test_where_there_is_room_nothing_is_folded(rows: list[tuple[str, str, str]]) -> None:
    shown = fit(COLUMNS, rows, 10_000, ("repeat",))
    assert shown == {
        i: max(len(title), *(len(row[i]) for row in rows)) for i, title in enumerate(COLUMNS)
    }


def test_two_texts_share_what_is_left() -> None:
    rows = [("x", "short words", "a very long text " * 20)]
    shown = fit(("name", "what", "why"), rows, 80)
    assert shown == {0: 4, 1: 11, 2: 80 - 10 - 4 - 11}
    assert fit(("a",), [], 80) == {0: 1}
