"""What was left out is told in few lines, however much it is."""

from __future__ import annotations

import io

from braino_registry.reports.leaving_out import show_apart, show_not_planned
from braino_registry.reports.printing import Printer


def printed(show: object, rows: list[dict[str, object]]) -> str:
    out = io.StringIO()
    show(Printer(out), rows)  # type: ignore[operator]
    return out.getvalue()


def absent(number: int, dataset: str = "large@1.0.0", **changes: object) -> dict[str, object]:
    row = {"task": "t", "instance": f"i{number}", "dataset": dataset, "reason": "3 files missing",
           "command": "braino data fetch large", "outcome": "not_planned"}  # fmt: skip
    return {**row, **changes}


def test_one_dataset_is_told_once_in_lines_that_a_terminal_holds() -> None:
    text = printed(show_not_planned, [absent(number) for number in range(200)])
    assert max(map(len, text.splitlines())) < 80
    assert text.count("3 files missing") == 1
    assert "Not planned: 200 instances" in text
    assert "t/i0, t/i1, t/i2 and 197 more (all with --json)" in " ".join(text.split())


def test_what_has_another_reason_has_a_row_of_its_own_and_what_ran_has_none() -> None:
    rows = [absent(1), absent(2, "other@1.0.0"), absent(3, command="add --include-large"),
            absent(4, dataset=None, reason="needs the extra 'sleep'"),
            absent(5, outcome="passed")]  # fmt: skip
    text = printed(show_not_planned, rows)
    assert "Not planned: 4 instances" in text
    assert all(word in text for word in ("other@1.0.0", "--include-large", "'sleep'"))
    assert "i5" not in text
    assert printed(show_not_planned, [absent(5, outcome="passed")]) == ""


def test_trials_without_a_pair_are_counted_by_reason() -> None:
    rows = [
        {"task": "t", "instance": "i", "repeat": n, "reason": "only in the first report"}
        for n in range(1, 121)
    ]
    rows.append({"task": "u", "instance": "i", "repeat": 1, "reason": "the work changed"})
    text = " ".join(printed(show_apart, rows).split())
    assert "120 t/i/1, t/i/2, t/i/3 and 117 more (all with --json)" in text
    assert "the work changed 1 u/i/1" in text
    assert printed(show_apart, []) == ""
