"""How much a score moves when nothing changes: the luck of the session, from repeats.

Each repeat of a run gives every instance once more to the same agent. With ``v`` the variance of
the scores of an instance over its repeats (unbiased), the headline of a run with one session per
instance has the variance ``Σ w² v`` over instances, ``w`` being what the suite's rule gives an
instance: 1 / (tasks · instances of its task) for *braino*; within each subset the difficulty over
the sum of difficulties, divided by the number of subsets, for *brainbench*. Two such runs of one
and the same agent differ by more than ``1.96 √2`` times its square root in one of twenty pairs.
That is noise of sessions only: that other tasks would give another score is not in it; see
`intervals` [1]_.

Corpus metrics are no sums over instances. For *eegagentbench* the spread of the headlines of the
repeats is told alone.

References
----------
.. [1] Miller, E. (2024). Adding error bars to evals. arXiv:2411.00640, sections 2.1 and 3.1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import fmean, stdev, variance
from typing import Any

from braino_registry.errors import UsageError
from braino_registry.reports.headlines.brainbench import DIFFICULTY
from braino_registry.reports.outcomes import SCORED
from braino_registry.reports.printing import Printer
from braino_registry.reports.summary import summarise

#: Two-sided 95 % of the normal.
_NORMAL = 1.959964
#: Differences in score for which it is said how many repeats would show them.
_STEPS = (0.05, 0.02, 0.01)
#: Instances that are named.
NAMED = 10

Trial = Mapping[str, Any]
Key = tuple[str, str]


def noise(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return how much of a score is luck of the session.

    Parameters
    ----------
    report : mapping
        A ``report/1`` document of a run with repeats.

    Returns
    -------
    dict
        ``repeats``; ``headlines``, a row for each repeat with its ``score`` (0–1) and how many
        trials it scored; ``observed_sd`` of these; ``sd`` of a run with one session per instance,
        and ``differs_by``, what two of them exceed in one of twenty pairs (both null where the
        rule is no sum); ``to_see``, rows of ``difference`` and the ``repeats`` of each of two runs
        that tell it from noise; ``unsteady``, instances by how much they vary; ``steady``, the
        share of instances whose score never changed.

    Raises
    ------
    UsageError
        If no instance has two scored trials.
    """
    scores = _scores(report["trials"])
    if not any(len(each) > 1 for each in scores.values()):
        raise UsageError(
            "no instance of this report has two scored sessions, so nothing is known of noise",
            where=str(report["run_id"]),
            hint="Run it again with --repeats 5.",
        )
    repeated = {key: each for key, each in scores.items() if len(each) > 1}
    variances = {key: variance(each) for key, each in repeated.items()}
    sd = _sd(report, variances)
    headlines = _headlines(report)
    known = [row["score"] for row in headlines if row["score"] is not None]
    return {
        "run_id": report["run_id"],
        "agent": report["agent"]["name"],
        "model": report["agent"]["model"],
        "suite": report["suite"],
        "scale": report["summary"]["scale"],
        "repeats": max(len(each) for each in scores.values()),
        "instances": len(repeated),
        "headlines": headlines,
        "observed_sd": stdev(known) if len(known) > 1 else None,
        "sd": sd,
        "differs_by": None if sd is None else _NORMAL * sqrt(2) * sd,
        "to_see": [] if sd is None else [_needed(step, sd) for step in _STEPS],
        "steady": sum(1 for each in variances.values() if each == 0) / len(variances),
        "unsteady": _unsteady(repeated, variances),
    }


def _scores(trials: Sequence[Trial]) -> dict[Key, list[float]]:
    found: dict[Key, list[float]] = {}
    for trial in trials:
        if trial["outcome"] in SCORED and trial["score"] is not None:
            found.setdefault((trial["task"], trial["instance"]), []).append(float(trial["score"]))
    return found


def _sd(report: Mapping[str, Any], variances: Mapping[Key, float]) -> float | None:
    """Return the standard deviation of the headline of one session per instance."""
    weights = weights_of(report["trials"], report["summary"]["rule"])
    if weights is None:
        return None
    used = {key: weight for key, weight in weights.items() if key in variances}
    share = sum(used.values())
    # Instances without repeats vary as much as the others do, as far as anybody knows.
    scale = sum(weights.values()) / share if share else 1.0
    return sqrt(sum((scale * weight) ** 2 * variances[key] for key, weight in used.items()))


def weights_of(trials: Sequence[Trial], rule: str) -> dict[Key, float] | None:
    """Return what each instance weighs in the headline; None where it is no weighted sum.

    Parameters
    ----------
    trials : sequence of mapping
        Rows of a report.
    rule : str
        The suite's rule.
    """
    if rule == "eegagentbench":
        return None
    groups: dict[str, dict[Key, float]] = {}
    for trial in trials:
        if trial["outcome"] not in SCORED:
            continue
        bench = rule == "brainbench"
        group = str(trial.get("subset") or "") if bench else trial["task"]
        weight = DIFFICULTY.get(trial.get("difficulty", ""), 1.0) if bench else 1.0
        groups.setdefault(group, {})[(trial["task"], trial["instance"])] = weight
    return {
        key: weight / sum(members.values()) / len(groups)
        for members in groups.values()
        for key, weight in members.items()
    }


def _headlines(report: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the headline of each repeat, as if it were a run of its own."""
    ran = [trial for trial in report["trials"] if trial["outcome"] != "not_planned"]
    rows = []
    for repeat in sorted({trial["repeat"] for trial in ran}):
        own = [trial for trial in ran if trial["repeat"] == repeat]
        found = summarise(
            own,
            rule=report["summary"]["rule"],
            planned=len(own),
            profile=report["settings"]["profile"],
        )
        rows.append({"repeat": repeat, "score": found["score"], "scored": found["scored"]})
    return rows


def _needed(step: float, sd: float) -> dict[str, Any]:
    """Return how many repeats of two runs make a difference exceed its noise in 19 of 20."""
    needed = 2 * (_NORMAL * sd / step) ** 2
    return {"difference": step, "repeats": max(1, int(needed) + (needed > int(needed)))}


def _unsteady(
    scores: Mapping[Key, Sequence[float]], variances: Mapping[Key, float]
) -> list[dict[str, Any]]:
    order = sorted((key for key in variances if variances[key] > 0), key=lambda k: -variances[k])
    return [
        {
            "task": key[0],
            "instance": key[1],
            "mean": fmean(scores[key]),
            "sd": sqrt(variances[key]),
            "scores": list(scores[key]),
        }
        for key in order
    ]


def show_noise(printer: Printer, found: Mapping[str, Any]) -> None:
    """Print what `noise` found."""
    scale = found["scale"]

    def shown(value: float | None) -> str:
        return "–" if value is None else f"{value * scale:.3g}"

    printer.table(
        f"{found['suite']}: {found['agent']}, {found['repeats']} sessions per instance",
        ("repeat", "score", "scored trials"),
        [(row["repeat"], shown(row["score"]), row["scored"]) for row in found["headlines"]],
    )
    if found["unsteady"]:
        printer.table(
            f"Instances that vary most ({len(found['unsteady'])} of {found['instances']} vary)",
            ("task", "instance", "mean", "standard deviation"),
            [
                (row["task"], row["instance"], row["mean"], row["sd"])
                for row in found["unsteady"][:NAMED]
            ],
        )
    printer.line()
    printer.line(
        f"{found['steady']:.0%} of {found['instances']} instances had the same score every time."
    )
    if found["sd"] is None:
        printer.line(
            f"The headlines of the repeats have a standard deviation of "
            f"{shown(found['observed_sd'])}; the metrics of this suite are no sums over instances."
        )
        return
    printer.line(
        f"A run with one session per instance has a standard deviation of {shown(found['sd'])} by "
        f"luck alone (the repeats show {shown(found['observed_sd'])})."
    )
    printer.line(
        f"Two such runs of the same agent differ by more than {shown(found['differs_by'])} in one "
        "of twenty pairs."
    )
    for row in found["to_see"]:
        printer.line(
            f"To tell a difference of {shown(row['difference'])} from that: "
            f"{row['repeats']} repeats in each run."
        )
