"""What `braino eval` prints of a report and of a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from braino_registry.reports import paired_tables
from braino_registry.reports.comparison import SHIFTED, scores_in_words
from braino_registry.reports.corpus_tables import show_corpus
from braino_registry.reports.integrity import flagged
from braino_registry.reports.leaving_out import show_apart, show_not_planned
from braino_registry.reports.outcomes import SCORED, passes
from braino_registry.reports.printing import Printer
from braino_registry.reports.standing import told_of_release
from braino_registry.reports.summary import failed_everywhere, harness_notes

#: Rows of pairs that shifted without a flip; how many more there are is said.
_SHIFTS = 20


def show_report(printer: Printer, report: Mapping[str, Any]) -> None:
    """Print a report: trials, failed checks, what was not planned, the score and coverage."""
    _show_trials(printer, report)
    _show_checks(printer, report)
    show_not_planned(printer, report["trials"])
    show_summary(printer, report)


def _show_trials(printer: Printer, report: Mapping[str, Any]) -> None:
    rows = [
        (
            trial["task"],
            trial["instance"],
            trial["repeat"],
            trial["outcome"],
            trial["score"],
            None if trial["seconds"] is None else f"{trial['seconds']:.2f} s",
            _why(trial),
        )
        for trial in report["trials"]
        if trial["outcome"] != "not_planned"
    ]
    agent = report["agent"]
    model = f" ({agent['model']})" if agent["model"] else ""
    title = f"{report['suite']}: {agent['name']}{model}, tier {report['tier']}{_paradigm(report)}"
    columns = ["task", "instance", "repeat", "outcome", "score", "time", "why"]
    empty = {
        "repeat": all(row[2] == 1 for row in rows),
        "why": not any(row[-1] for row in rows),
    }
    shown = [k for k, name in enumerate(columns) if not empty.get(name, False)]
    printer.table(
        title,
        [columns[k] for k in shown],
        [[row[k] for k in shown] for row in rows],
        drop=[name for name in ("repeat", "time", "score") if not empty.get(name, False)],
    )


def _paradigm(report: Mapping[str, Any]) -> str:
    """Return how the agent worked, where a suite leaves a choice, so that no table mixes both."""
    if "by_subset" not in report["summary"]:
        return ""
    return f", paradigm {report['settings']['paradigm']}"


def _why(trial: Mapping[str, Any]) -> str:
    failed = [check["id"] for check in trial["checks"] if not check["passed"]]
    if trial["reason"]:
        return str(trial["reason"]).splitlines()[0]
    return ("failed: " + ", ".join(failed)) if failed else ""


def _show_checks(printer: Printer, report: Mapping[str, Any]) -> None:
    """For an agent that passes nothing, the checks that pass all the same are what matters."""
    summary = report["summary"]
    if not summary["scored"]:
        return
    # Where a suite has no pass rule, no trial passes and none fails.
    hopeless = not summary["passed"] and any(row["passed"] is False for row in report["trials"])
    if hopeless:
        title = "Checks that this agent passes without passing any trial"
        rows = [row for row in summary["checks"] if row["passed"]]
    else:
        title = "Checks that failed"
        rows = [row for row in summary["checks"] if row["passed"] < row["scored"]]
    if not rows:
        printer.line()
        printer.line("No check passes." if hopeless else "No check failed.")
        return
    printer.table(
        title,
        ("task", "check", "kind", "required", "passed"),
        [
            (
                row["task"],
                row["check"],
                row["kind"],
                "yes" if row["required"] else "no",
                f"{row['passed']}/{row['scored']}",
            )
            for row in rows
        ],
        drop=("kind", "required"),
    )


def show_summary(printer: Printer, report: Mapping[str, Any]) -> None:
    """Print the score with everything that qualifies it."""
    summary = report["summary"]
    scale = summary["scale"]
    score = "–" if summary["score"] is None else f"{summary['score'] * scale:.3g}"
    if "corpus" in summary:
        # The mean of the trials of a category is another number, and none that anybody reports.
        show_corpus(printer, report)
    else:
        categories = [
            (row["name"], f"{row['passed']}/{row['scored']}", row["score"])
            for row in summary["by_category"]
        ]
        printer.table("By category", ("category", "passed", "score"), categories)
    if "by_subset" in summary:
        _show_subsets(printer, report)
    printer.line()
    printer.line(f"Score {score} of {scale}: {passes(summary)}")
    if "repeats" in summary:
        _show_repeats(printer, summary["repeats"], scale)
    printer.line(report["coverage"]["statement"])
    if used := used_of_models([trial["usage"] for trial in report["trials"]]):
        printer.line(used)
    unscored = {
        outcome: count
        for outcome, count in summary["outcomes"].items()
        if outcome not in SCORED and outcome != "not_planned"
    }
    if unscored:
        counts = ", ".join(f"{count} {outcome}" for outcome, count in unscored.items())
        printer.line(f"Not scored: {counts}. These say nothing about the agent.")
    again = [trial for trial in report["trials"] if "interruptions" in trial]
    if again:
        first = again[0]["interruptions"][-1]
        many = "One trial was" if len(again) == 1 else f"{len(again)} trials were"
        printer.line(
            f"{many} run again after an interruption that a person has verified; the first was "
            f"{first['outcome']} before: {first['why']}"
        )
    for line in flagged(report["trials"]):
        printer.line(line)
    notes = harness_notes(report["trials"])
    if notes:
        many = "A trial was" if len(notes) == 1 else f"{len(notes)} trials were"
        printer.line(f"WARNING: {many} scored in spite of a fault of the harness. {notes[0]}")
    reason = failed_everywhere(report["trials"])
    if reason is not None:
        printer.line(f"WARNING: the agent failed in every trial. The first reason: {reason}")
    for line in told_of_release(report):
        printer.line(line)
    if report["settings"].get("enforcement", {}).get("code", "").startswith("none"):
        printer.line("The agent's code ran without a sandbox: whatever its user can do, it could.")
    if report["settings"]["isolation"] != "sandbox":
        printer.line(
            f"Isolation is {report['settings']['isolation']!r}: good for work, not for ranking."
        )


def _show_subsets(printer: Printer, report: Mapping[str, Any]) -> None:
    """Print the subsets, whose mean is the score, and what the gate of evidence has cost."""
    summary, profile = report["summary"], report["settings"]["profile"]
    scale = summary["scale"]

    def shown(value: float | None) -> float | None:
        return None if value is None else value * scale

    printer.table(
        f"By subset{_paradigm(report)}, profile {profile}",
        ("subset", "passed", "score", "ungated", "unweighted"),
        [
            (
                row["name"],
                f"{row['passed']}/{row['scored']}",
                *(shown(row[name]) for name in ("score", "ungated", "unweighted")),
            )
            for row in summary["by_subset"]
        ],
        drop=("unweighted", "ungated"),
    )
    if summary["ungated"] != summary["score"]:
        printer.line()
        printer.line(
            f"Without the gate of evidence the score would be {shown(summary['ungated']):.3g}: "
            "some answers rest on no use of the data."
        )


def _show_repeats(printer: Printer, found: Mapping[str, Any], scale: int) -> None:
    """Print what several sessions per instance say."""
    printer.table(
        f"{found['repeats']} sessions per instance, {found['instances']} instances",
        ("k", "all of k pass (pass^k)", "one of k passes (pass@k)"),
        [(row["k"], row["pass_hat"], row["pass_at"]) for row in found["rates"]],
    )
    interval = found["interval"]
    if interval is not None:
        printer.line()
        printer.line(
            f"{interval['level']:.0%} interval of the score: {interval['low'] * scale:.3g} to "
            f"{interval['high'] * scale:.3g} ({interval['method']}, {interval['tasks']} tasks)."
        )


def show_comparison(printer: Printer, document: Mapping[str, Any]) -> None:
    """Print a comparison: differences between the runs, flips, and what could not be paired."""
    before, after = document["before"], document["after"]
    printer.line(f"before: {before['run_id']} – {before['coverage']}")
    printer.line(f"after:  {after['run_id']} – {after['coverage']}")
    if document["differences"]:
        printer.table(
            "The runs differ in",
            ("what", "before", "after"),
            [(row["what"], row["before"], row["after"]) for row in document["differences"]],
        )
    for name in ("fixed", "broken"):
        if document[name]:
            printer.table(
                name.capitalize(),
                ("task", "instance", "repeat", "before", "after", "checks that changed"),
                [_flip(row) for row in document[name]],
                drop=("repeat",),
            )
    for name, title in SHIFTED.items():
        rows = document[name]
        if rows:
            printer.table(
                title,
                ("task", "instance", "repeat", "before", "after", "score"),
                [_shifted(row) for row in rows[:_SHIFTS]],
                drop=("repeat",),
            )
            if len(rows) > _SHIFTS:
                printer.line(f"and {len(rows) - _SHIFTS} more; --json has them all")
    if document["lost"]:
        printer.table(
            "Scored before, and unscored now through a fault of harness or environment",
            ("task", "instance", "repeat", "outcome", "why"),
            [
                (row["task"], row["instance"], row["repeat"], row["outcome"], row["why"])
                for row in document["lost"]
            ],
            drop=("repeat",),
        )
    show_apart(printer, document["not_comparable"])
    printer.line()
    printer.line(
        f"{len(document['fixed'])} fixed, {len(document['broken'])} broken, "
        + "".join(f"{len(document[n])} {t.lower()}, " for n, t in SHIFTED.items() if document[n])
        + f"{len(document['unchanged']) - sum(len(document[n]) for n in SHIFTED)} unchanged, "
        f"{len(document['not_comparable'])} not comparable"
        + (f" ({len(document['lost'])} lost their score)." if document["lost"] else ".")
    )
    score = document["score"]
    if document["comparable"]:
        printer.line(
            f"Mean of the {document['comparable']} compared trials, not of tasks as in a report: "
            f"{score['before']:.3g} before, {score['after']:.3g} after."
        )
    for line in paired_tables.lines(document["statistics"]):
        printer.line(line)


def _shifted(row: Mapping[str, Any]) -> tuple[Any, ...]:
    named = (row["task"], row["instance"], row["repeat"])
    outcomes = (row["before"]["outcome"], row["after"]["outcome"])
    return (*named, *outcomes, scores_in_words(row))


def _flip(row: Mapping[str, Any]) -> tuple[Any, ...]:
    changed = ", ".join(
        f"{check['id']} {'now passes' if check['passed'] else 'now fails'}"
        for check in row["checks"]
    )
    return (
        row["task"],
        row["instance"],
        row["repeat"],
        row["before"]["outcome"],
        row["after"]["outcome"],
        changed,
    )


def show_doctor(printer: Printer, document: Mapping[str, Any]) -> None:
    """Print what a computer can enforce."""
    printer.table(
        "Isolation",
        ("level", "usable", "memory", "processes", "network", "files"),
        [
            (
                name,
                "yes" if level["works"] else "no",
                *(
                    level["holds"].get(what, "")
                    for what in ("memory", "processes", "network", "files")
                ),
            )
            for name, level in document["isolation"].items()
        ],
        drop=("processes", "memory"),
    )
    printer.table(
        "Sandboxes",
        ("engine", "works", "detail", "what to do"),
        [
            (probe["engine"], "yes" if probe["works"] else "no", probe["detail"], probe["fix"])
            for probe in document["engines"]
        ],
    )
    printer.table(
        "Tiers",
        ("tier", "fits", "why"),
        [
            (name, "yes" if tier["fits"] else "no", tier["why"])
            for name, tier in document["tiers"].items()
        ],
    )
    engine = document["sandbox"]
    ranked = f"can be ranked (--isolation sandbox, by {engine})" if engine else "are not ranked"
    printer.line(f"Results of this computer {ranked}.")


def used_of_models(usages: Sequence[Mapping[str, Any]]) -> str:
    """Return what models used, as far as it is known; nothing where no trial told of any."""
    shown = []
    for name, form in (("input_tokens", ",.0f"), ("output_tokens", ",.0f"), ("cost", ".4g")):
        known = [usage[name] for usage in usages if usage.get(name) is not None]
        if not any(known):
            continue
        missing = len(usages) - len(known)
        part = f"{sum(known):{form}} {'US dollars' if name == 'cost' else name.replace('_', ' ')}"
        shown.append(part + (f" ({missing} not told)" if missing else ""))
    return f"Used of models: {', '.join(shown)}." if shown else ""
