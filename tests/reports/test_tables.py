from __future__ import annotations

import io
from typing import Any

import pytest

from braino_registry import reports
from braino_registry.reports.printing import Printer, clean
from braino_registry.reports.tables import show_comparison, show_report
from tests.reports.samples import check, report, trial
from tests.reports.test_summary import absent


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def printed(document: dict[str, Any], stream: io.StringIO | None = None) -> str:
    stream = stream or io.StringIO()
    show_report(Printer(stream), document)
    return stream.getvalue()


def test_plain_output_has_every_trial_and_its_reason_on_one_line() -> None:
    text = printed(
        report(
            [
                trial(instance="a"),
                trial(instance="b", outcome="failed"),
                trial(instance="c", outcome="limit", reason="seconds: no answer\nin time"),
            ]
        )
    )
    lines = text.splitlines()
    assert any("b " in line and "failed: names-it" in line for line in lines)
    assert any("c " in line and "seconds: no answer" in line for line in lines)
    assert "\x1b" not in text


def test_an_agent_that_passes_nothing_gets_the_table_of_checks_that_pass_anyway() -> None:
    rows = [trial(outcome="failed", checks=[check("grounded"), check("asks", passed=False)])]
    text = printed(report(rows, agent="null"))
    title = "Checks that this agent passes without passing any trial"
    table = text[text.index(title) :]
    assert "grounded" in table.split("By category")[0]
    assert "asks" not in table.split("By category")[0]
    assert title not in printed(report([trial(instance="b"), *rows]))
    without_rule = [trial(outcome="scored", passed=None, checks=[check(), check("b", False)])]
    assert title not in printed(report(without_rule))
    assert "Checks that failed" in printed(report(without_rule))


def test_an_agent_that_failed_everywhere_is_told_with_the_first_reason() -> None:
    broken = [
        trial(
            instance=name, outcome="agent_error", reason=f"no server {name}\nTraceback", checks=[]
        )
        for name in ("a", "b")
    ]
    text = printed(report(broken, not_planned=[absent()]))
    assert "WARNING: the agent failed in every trial. The first reason: no server a\n" in text
    assert "WARNING" not in printed(report([*broken, trial(outcome="failed")]))
    assert "WARNING" not in printed(report([], not_planned=[absent()]))


def test_a_long_reason_is_cut_in_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    reason = "solve: ConnectionError: " + "no route to /v1/chat/completions; " * 50
    rows = [trial(outcome="agent_error", reason=reason, checks=[]), trial(instance="b")]
    line = next(line for line in printed(report(rows)).splitlines() if "ConnectionError" in line)
    assert line.endswith("…")
    assert len(line) < 260
    terminal = printed(report(rows), Terminal())
    for name in ("bad-channels-ask", "sub-02", "agent_error"):
        assert name in terminal
    table = terminal[terminal.index("┏") : terminal.index("└")]
    assert all(len(clean(line)) <= 80 for line in table.splitlines())


def test_not_planned_rows_say_how_to_get_them() -> None:
    text = printed(report([trial()], not_planned=[absent()]))
    assert "Not planned" in text
    assert "braino data fetch x" in text


def test_incomplete_coverage_and_unverified_data_are_said() -> None:
    document = report([trial(), trial(instance="b", outcome="harness_error")])
    text = printed({**document, "verified": False})
    assert "INCOMPLETE: 1 of 2" in text
    assert "1 harness_error" in text
    assert "UNVERIFIED" in text


def test_what_an_agent_wrote_cannot_steer_the_terminal() -> None:
    evil = "\x1b[2J\x1b]0;title\x07[bold]x[/bold] \x9b31m"
    rows = [trial(outcome="agent_error", reason=evil, checks=[], score=0.0)]
    for stream in (io.StringIO(), Terminal()):
        text = printed(report(rows), stream)
        assert "\x1b[2J" not in text
        assert "\x07" not in text
        assert "\x9b" not in text
    assert "[bold]x[/bold]" in printed(report(rows))
    assert clean("a\x1b[31mb\nc\td") == "ab\nc\td"


def test_a_comparison_names_flips_and_what_is_not_comparable() -> None:
    found = reports.compare(
        report([trial(instance="a"), trial(instance="b")], model="small"),
        report([trial(instance="a", outcome="failed"), trial(instance="c")], model="large"),
    )
    stream = io.StringIO()
    show_comparison(Printer(stream), found.document)
    text = stream.getvalue()
    assert "small" in text
    assert "names-it now fails" in text
    assert "only in the first report" in text
    assert "0 fixed, 1 broken, 0 unchanged, 2 not comparable." in text


def test_a_comparison_says_how_sure_it_is() -> None:
    tasks = [f"task-{number}" for number in range(8)]
    before = report([trial(task) for task in tasks])
    after = report(
        [trial(task, outcome="failed" if task < "task-3" else "passed") for task in tasks]
    )
    stream = io.StringIO()
    show_comparison(Printer(stream), reports.compare(before, after).document)
    text = stream.getvalue()
    assert "Pass rate: -0.375, 95 % interval -0." in text
    assert "McNemar's exact test of 0 fixed against 3 broken: p = 0.25" in text
    assert "are missed in more than a fifth of runs." in text


def test_one_task_says_nothing_of_others() -> None:
    same = [trial(instance="a"), trial(instance="b")]
    stream = io.StringIO()
    show_comparison(Printer(stream), reports.compare(report(same), report(same)).document)
    assert "Pass rate: +0, all of one task" in stream.getvalue()
    assert "McNemar" not in stream.getvalue()


def test_a_score_in_spite_of_a_fault_of_the_harness_is_said() -> None:
    note = "HARNESS: calc failed: OverflowError: too large"
    rows = [trial(instance="a", notes=["of no matter", note]), trial(instance="b", notes=["x"])]
    text = printed(report(rows))
    assert "WARNING: A trial was scored in spite of a fault of the harness." in text
    assert f"bad-channels-ask/a/1: {note}" in text
    assert "2 trials were scored in spite" in printed(report([*rows, trial("c", notes=[note])]))
    assert "fault of the harness" not in printed(report(rows[1:]))


def test_scores_that_are_lost_are_printed_with_the_reason() -> None:
    before = report([trial(instance="a"), trial(instance="b")])
    lost = trial(instance="b", outcome="harness_error", reason="killed by signal 9")
    stream = io.StringIO()
    show_comparison(
        Printer(stream), reports.compare(before, report([trial(instance="a"), lost])).document
    )
    assert "unscored now through a fault of harness or environment" in stream.getvalue()
    assert "killed by signal 9" in stream.getvalue()
    assert "1 not comparable (1 lost their score)." in stream.getvalue()


def test_what_models_used_is_told_with_what_is_unknown() -> None:
    used = trial()["usage"] | {"input_tokens": 12_000, "output_tokens": 340, "cost": 0.0123}
    rows = [trial(instance="a", usage=used), trial(instance="b", usage=used | {"cost": None})]
    assert (
        "Used of models: 24,000 input tokens, 680 output tokens, 0.0123 US dollars (1 not told)."
        in printed(report(rows))
    )
    assert "Used of models" not in printed(report([trial()]))
