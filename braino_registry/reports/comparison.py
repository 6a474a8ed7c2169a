"""Two reports side by side: what was fixed, what broke, and what cannot be compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from braino_registry.reports.outcomes import SCORED, mean

Key = tuple[str, str, int]

#: Differences that are worth naming but leave trials comparable.
_NAMED = {
    "agent": ("agent", "name"),
    "factory": ("agent", "factory"),
    "model": ("agent", "model"),
    "tier": ("tier",),
    "isolation": ("settings", "isolation"),
    "salt": ("settings", "salt"),
    "parser": ("settings", "parser", "model"),
    "verified": ("verified",),
}
#: Differences after which a score means something else.
_DECISIVE = {
    "suite": ("suite",),
    "paradigm": ("settings", "paradigm"),
    "profile": ("settings", "profile"),
}
#: Pairs that neither passed nor failed anew and yet differ: name in the document, and title.
SHIFTED = {"worse": "Worse without breaking", "better": "Better without passing"}
#: Outcomes of trials that are scored though the agent gave no answer.
_UNANSWERED = frozenset({"limit", "agent_error"})


@dataclass(frozen=True)
class Comparison:
    """What `compare` found.

    Parameters
    ----------
    document : dict
        The whole comparison, ready for ``--json``.
    """

    document: dict[str, Any]

    @property
    def comparable(self) -> int:
        """How many trials were compared."""
        return int(self.document["comparable"])

    @property
    def broken(self) -> list[dict[str, Any]]:
        """The trials that are worse than before."""
        return list(self.document["broken"])

    def exit_code(self, *, fail_on_regression: bool = False) -> int:
        """Return 1 for an unwanted regression, 3 if the comparison lacks what matters, else 0.

        It does where nothing could be compared, and where a trial that was scored before is not
        scored now: whether that is a regression, nobody knows.
        """
        if fail_on_regression and self.broken:
            return 1
        return 3 if not self.comparable or self.document["lost"] else 0


def compare(before: Mapping[str, Any], after: Mapping[str, Any]) -> Comparison:
    """Pair the trials of two reports by task, instance and repeat.

    A pair is compared when the task has the same *work* and *scoring* digest in both reports and
    both trials are scored. A pair is *fixed* (*broken*) when it passes only after (before); where
    a suite has no pass rule, when its score rose (fell). Of the *unchanged* pairs, those are
    *better* (*worse*) whose score rose (fell) or, at equal scores, of which only the second (first)
    trial came to an end without a limit and without an error of the agent. Of the pairs that are
    not compared, those are *lost* whose second trial alone went unscored, through a fault of
    harness or environment.

    Parameters
    ----------
    before, after : mapping
        Two ``report/1`` documents.
    """
    first, second = _trials(before), _trials(after)
    decisive = _differences(before, after, _DECISIVE)
    found: dict[str, list[dict[str, Any]]] = {"fixed": [], "broken": [], "unchanged": []}
    apart: list[dict[str, Any]] = []
    lost: list[dict[str, Any]] = []
    for key in sorted(first.keys() | second.keys()):
        old, new = first.get(key), second.get(key)
        reason = _reason(key, old, new, before, after, decisive)
        if reason is not None or old is None or new is None:
            apart.append({**_named(key), "reason": reason})
            if old is not None and new is not None and _lost(old, new):
                lost.append({**_named(key), "outcome": new["outcome"], "why": new["reason"]})
            continue
        found[_verdict(old, new)].append(_pair(key, old, new))
    compared = [row for rows in found.values() for row in rows]
    return Comparison(
        {
            "before": _identity(before),
            "after": _identity(after),
            "differences": decisive + _differences(before, after, _NAMED),
            "comparable": len(compared),
            "score": {
                "before": mean(row["before"]["score"] for row in compared),
                "after": mean(row["after"]["score"] for row in compared),
            },
            "statistics": _statistics(compared, before, after),
            **found,
            "worse": [row for row in found["unchanged"] if _shift(row) < 0],
            "better": [row for row in found["unchanged"] if _shift(row) > 0],
            "lost": lost,
            "not_comparable": apart,
        }
    )


def _statistics(
    compared: list[dict[str, Any]], before: Mapping[str, Any], after: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return what the compared pairs say of the difference; None if there are none."""
    if not compared:
        return None
    # numpy and scipy, which nothing else of a comparison needs
    from braino_registry.reports.paired import difference, mcnemar

    tasks = [row["task"] for row in compared]
    scores = difference(*_columns(compared, "score"), tasks)
    ruled = [row for row in compared if row["before"]["passed"] is not None]
    rate = difference(*_columns(ruled, "passed"), [r["task"] for r in ruled]) if ruled else None
    flips = Counter((row["before"]["passed"], row["after"]["passed"]) for row in ruled)
    fixed, broken = flips[False, True], flips[True, False]
    return {
        "score": scores.document(),
        "pass_rate": None if rate is None else rate.document(),
        "mcnemar": {"fixed": fixed, "broken": broken, "p_value": mcnemar(fixed, broken)},
        **_metrics(compared, before, after),
    }


def _metrics(
    compared: list[dict[str, Any]], before: Mapping[str, Any], after: Mapping[str, Any]
) -> dict[str, Any]:
    """Return how corpus metrics differ, second minus first, where a suite is scored by them."""
    if {report["summary"]["rule"] for report in (before, after)} != {"eegagentbench"}:
        return {}
    from braino_registry.reports.eegagentbench import paired

    keys = {(row["task"], row["instance"], row["repeat"]) for row in compared}
    kept = [
        {**report, "trials": [trial for key, trial in _trials(report).items() if key in keys]}
        for report in (after, before)
    ]
    return {"metrics": paired(*kept)}


def _columns(rows: list[dict[str, Any]], name: str) -> tuple[list[float], list[float]]:
    before, after = ([float(row[side][name] or 0) for row in rows] for side in ("before", "after"))
    return before, after


def _trials(report: Mapping[str, Any]) -> dict[Key, dict[str, Any]]:
    return {
        (trial["task"], trial["instance"], trial["repeat"]): trial for trial in report["trials"]
    }


def _identity(report: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "run_id": report["run_id"],
        "suite": report["suite"],
        "agent": report["agent"]["name"],
        "model": report["agent"]["model"],
        "tier": report["tier"],
        "isolation": report["settings"]["isolation"],
        "coverage": report["coverage"]["statement"],
    }


def _differences(
    before: Mapping[str, Any], after: Mapping[str, Any], fields: Mapping[str, tuple[str, ...]]
) -> list[dict[str, Any]]:
    rows = []
    for what, path in fields.items():
        old, new = _dig(before, path), _dig(after, path)
        if old != new:
            rows.append({"what": what, "before": old, "after": new})
    return rows


def _dig(document: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    value: Any = document
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _reason(
    key: Key,
    old: Mapping[str, Any] | None,
    new: Mapping[str, Any] | None,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    decisive: list[dict[str, Any]],
) -> str | None:
    """Say why a pair cannot be compared, or return None."""
    if old is None:
        return "only in the second report"
    if new is None:
        return "only in the first report"
    if decisive:
        return "; ".join(f"{row['what']} {row['before']} and {row['after']}" for row in decisive)
    mine, theirs = (report["digests"]["tasks"].get(key[0]) for report in (before, after))
    for which, meaning in (("work", "the work changed"), ("scoring", "the scoring changed")):
        if mine is None or theirs is None or mine[which] != theirs[which]:
            same = old["version"] == new["version"]
            return meaning + (
                f", though both say version {old['version']}"
                if same
                else f" (version {old['version']} and {new['version']})"
            )
    for trial, place in ((old, "first"), (new, "second")):
        if trial["outcome"] not in SCORED:
            return f"{trial['outcome']} in the {place} report"
    return None


def _lost(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Tell whether a score that was there is missing through a fault of harness or environment."""
    return old["outcome"] in SCORED and new["outcome"] in ("harness_error", "infra_error")


def _verdict(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    was, now = _standing(old), _standing(new)
    if was == now:
        return "unchanged"
    return "fixed" if now > was else "broken"


def scores_in_words(row: Mapping[str, Any]) -> str:
    """Return both scores of a pair, for example ``0.5 to 0.25``."""
    scores = (row["before"]["score"], row["after"]["score"])
    return " to ".join("–" if score is None else f"{score:.3g}" for score in scores)


def _shift(row: Mapping[str, Any]) -> int:
    """Return 1 if the second trial of a pair that did not flip is better, -1 if worse, else 0."""
    was, now = (
        (round(float(row[side]["score"] or 0.0), 9), row[side]["outcome"] not in _UNANSWERED)
        for side in ("before", "after")
    )
    return (now > was) - (now < was)


def _standing(trial: Mapping[str, Any]) -> float:
    if trial["passed"] is None:
        return round(float(trial["score"] or 0.0), 9)
    return 1.0 if trial["passed"] else 0.0


def _pair(key: Key, old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    was = {check["id"]: check["passed"] for check in old["checks"]}
    return {
        **_named(key),
        "before": _result(old),
        "after": _result(new),
        "checks": [
            {"id": check["id"], "passed": check["passed"], "evidence": check["evidence"]}
            for check in new["checks"]
            if was.get(check["id"]) != check["passed"]
        ],
    }


def _result(trial: Mapping[str, Any]) -> dict[str, Any]:
    return {name: trial[name] for name in ("outcome", "passed", "score")}


def _named(key: Key) -> dict[str, Any]:
    return {"task": key[0], "instance": key[1], "repeat": key[2]}
