"""The tables and figures of the paper: sections 4.1 to 4.4, appendices E.1 to E.4, figure 3."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from braino_registry.reports.brainbench.statistics import (
    agreement,
    median_interval,
    quantiles,
    summary,
)
from braino_registry.reports.brainbench.systems import UNITS, System, systems_of
from braino_registry.reports.headlines.brainbench import DIFFICULTY, brainbench
from braino_registry.reports.outcomes import mean

Row = dict[str, Any]


def analyse(
    reports: Sequence[Mapping[str, Any]], families: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return every analysis that the reports allow.

    Parameters
    ----------
    reports : sequence of mapping
        Reports of suites with the rule ``brainbench``.
    families : mapping of str to str | None
        Family by model, where the reports do not say.

    Returns
    -------
    dict
        ``overall``, ``by_difficulty``, ``by_unit``, ``stability``, ``distributions``,
        ``trade_off``, ``families``, ``tokens``, ``mix``; each a list of rows, scores 0–100.

    Raises
    ------
    ReportError
        See `systems_of`.
    """
    systems = systems_of(reports, families)
    kinds = _kinds()
    return {
        "overall": [_overall(system) for system in systems],
        "by_difficulty": list(_by_difficulty(systems)),
        "by_unit": list(_by_unit(systems, kinds)),
        "stability": [_stability(system) for system in systems],
        "distributions": list(_distributions(systems)),
        "trade_off": list(_trade_off(systems)),
        "families": list(_families(systems)),
        "tokens": list(_tokens(systems)),
        "mix": list(_mix(systems, kinds)),
    }


def _kinds() -> dict[str, str]:
    """Return the validation unit of every check kind that is one."""
    from braino_registry.scoring import check_kinds

    return {name: kind.unit for name, kind in check_kinds if kind.unit is not None}


def _overall(system: System) -> Row:
    """Section 4.1: each subset weighted by difficulty, and their mean."""
    found = brainbench([dict(trial) for trial in system.trials], system.profile)
    return {
        **system.label,
        "profile": system.profile,
        "runs": list(system.run_ids),
        "overall": _hundred(found["score"]),
        "ungated": _hundred(found["ungated"]),
        "subsets": {row["name"]: _hundred(row["score"]) for row in found["by_subset"]},
        "instances": len(system.instances),
    }


def _hundred(value: float | None) -> float | None:
    return None if value is None else 100 * value


def _pairs(systems: Sequence[System]) -> Iterator[tuple[System, System]]:
    """Yield the systems of one model and profile under ``tools`` and under ``code``."""
    for tools in systems:
        for code in systems:
            same = (tools.who, tools.profile) == (code.who, code.profile)
            if same and (tools.paradigm, code.paradigm) == ("tools", "code"):
                yield tools, code


def _by_difficulty(systems: Sequence[System]) -> Iterator[Row]:
    """Table 2: mean score by difficulty, and the gap between paradigms of one model."""
    gaps = {id(one): other for pair in _pairs(systems) for one, other in (pair, pair[::-1])}
    for system in systems:
        for subset in system.subsets:
            for difficulty in DIFFICULTY:
                score = system.mean_of(subset, difficulty)
                if score is None:
                    continue
                other = gaps.get(id(system))
                theirs = None if other is None else other.mean_of(subset, difficulty)
                yield {
                    **system.label, "subset": subset, "difficulty": difficulty, "score": score,
                    "gap": _gap(system, score, theirs),
                }  # fmt: skip


def _gap(system: System, score: float, theirs: float | None) -> float | None:
    """Return tools minus code, whichever of them the row is of."""
    if theirs is None:
        return None
    return score - theirs if system.paradigm == "tools" else theirs - score


def _by_unit(systems: Sequence[System], kinds: Mapping[str, str]) -> Iterator[Row]:
    """Figure 4: unweighted mean score of each validation unit, and the gap between paradigms."""
    gaps = {id(one): other for pair in _pairs(systems) for one, other in (pair, pair[::-1])}
    for system in systems:
        for subset in system.subsets:
            own = system.unit_scores(subset, kinds)
            other = gaps.get(id(system))
            theirs = {} if other is None else other.unit_scores(subset, kinds)
            for unit in UNITS:
                if unit in own:
                    score = sum(own[unit]) / len(own[unit])
                    yield {
                        **system.label, "subset": subset, "unit": unit, "n": len(own[unit]),
                        "score": score, "gap": _gap(system, score, mean(theirs.get(unit, ()))),
                    }  # fmt: skip


def _stability(system: System) -> Row:
    """Figure 5: MPAD of every task, and its median with a task-bootstrap interval."""
    from braino_registry.scoring.units import mpad

    by_task = [
        {"task": task, "subset": system.places[task][0], "n": len(scores),
         "mpad": mpad(scores), "bounded_adjusted": system.spread(task)}
        for task, scores in system.tasks.items()
    ]  # fmt: skip
    subsets = [*system.subsets, None] if len(system.subsets) > 1 else system.subsets
    medians = []
    for subset in subsets:
        values = [
            cast(float, row["mpad"])
            for row in by_task
            if row["mpad"] is not None and subset in (None, row["subset"])
        ]
        medians.append({"subset": subset, "tasks": len(values), **median_interval(values)})
    return {**system.label, "medians": medians, "by_task": by_task}


def _distributions(systems: Sequence[System]) -> Iterator[Row]:
    """Figure 7: how the instance scores are spread; difficulty does not weigh."""
    for system in systems:
        for subset in system.subsets:
            scores = [s for (t, _), s in system.instances.items() if system.places[t][0] == subset]
            yield {
                **system.label,
                "subset": subset,
                "n": len(scores),
                **quantiles(scores),
                "share_zero": sum(score == 0 for score in scores) / len(scores),
                "share_perfect": sum(score == 100 for score in scores) / len(scores),
                "scores": sorted(scores),
            }


def _trade_off(systems: Sequence[System]) -> Iterator[Row]:
    """Figure 8: per task, what tools gain in mean score, and what they cost in variability."""
    for tools, code in _pairs(systems):
        rows: list[Row] = []
        for task in [task for task in tools.tasks if task in code.tasks]:
            spread = (tools.spread(task), code.spread(task))
            subset, difficulty = tools.places[task]
            rows.append(
                {
                    "task": task,
                    "subset": subset,
                    "difficulty": difficulty,
                    "gain": tools.task_means()[task] - code.task_means()[task],
                    "variability": None if None in spread else spread[0] - spread[1],  # type: ignore[operator]
                }
            )
        means = [
            {
                "subset": subset,
                "difficulty": difficulty,
                "tasks": len(own),
                **{name: mean(row[name] for row in own) for name in ("gain", "variability")},
            }
            for subset in tools.subsets
            for difficulty in DIFFICULTY
            if (own := [r for r in rows if (r["subset"], r["difficulty"]) == (subset, difficulty)])
        ]
        yield {"model": tools.who, "by_task": rows, "means": means}


def _families(systems: Sequence[System]) -> Iterator[Row]:
    """Figure 9: whether two models of a family find the same tasks hard."""
    for place, one in enumerate(systems):
        for two in systems[place + 1 :]:
            same = (one.family, one.paradigm, one.profile) == (
                two.family, two.paradigm, two.profile,
            )  # fmt: skip
            if one.family is None or not same or one.who == two.who:
                continue
            means = one.task_means(), two.task_means()
            tasks = [task for task in means[0] if task in means[1]]
            x, y = ([side[task] for task in tasks] for side in means)
            yield {
                "family": one.family,
                "paradigm": one.paradigm,
                "models": [one.who, two.who],
                "tasks": len(tasks),
                **agreement(x, y),
                "points": [
                    {"task": task, "x": a, "y": b} for task, a, b in zip(tasks, x, y, strict=True)
                ],
            }


def _tokens(systems: Sequence[System]) -> Iterator[Row]:
    """Figure 10: tokens per trial: mean, quartiles, 10th and 90th percentile."""
    for system in systems:
        for subset in system.subsets:
            used = system.tokens(subset)
            trials = sum((trial.get("subset") or "") == subset for trial in system.trials)
            yield {
                **system.label, "subset": subset, "trials": trials, "reported": len(used),
                **summary(used),
            }  # fmt: skip


def _mix(systems: Sequence[System], kinds: Mapping[str, str]) -> Iterator[Row]:
    """Figure 3: tasks and instances by difficulty, and validation units of the instances."""
    places: dict[str, tuple[str, str]] = {}
    units: dict[tuple[str, str], tuple[str, ...]] = {}
    for system in systems:
        places |= system.places
        for trial in system.trials:
            own = tuple(kinds[c["kind"]] for c in trial["checks"] if "weight" in c)
            if own:
                units[(trial["task"], trial["instance"])] = own
    for subset in dict.fromkeys(subset for subset, _ in places.values()):
        tasks = [task for task, place in places.items() if place[0] == subset]
        instances = {key for s in systems for key in s.instances if places[key[0]][0] == subset}
        counted = Counter(unit for key in instances for unit in units.get(key, ()))
        difficulties = Counter(places[task][1] for task in tasks)
        yield {
            "subset": subset,
            "tasks": {name: difficulties.get(name, 0) for name in DIFFICULTY},
            "instances": {
                name: sum(places[task][1] == name for task, _ in instances) for name in DIFFICULTY
            },
            "units": {unit: counted.get(unit, 0) for unit in UNITS},
        }
