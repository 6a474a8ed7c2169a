"""What a comparison says of the difference, in lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def lines(statistics: Mapping[str, Any] | None) -> Iterator[str]:
    """Return the lines that say how sure a difference is, and what could have been seen.

    Parameters
    ----------
    statistics : mapping or None
        The ``statistics`` of a comparison; None if nothing was compared.
    """
    if statistics is None:
        return
    for name, what in (("score", "Mean score"), ("pass_rate", "Pass rate")):
        found = statistics[name]
        if found is not None:
            yield f"{what}: {found['estimate']:+.3g}{_sureness(found)}."
    corrected = statistics.get("corrected")
    if corrected is not None and corrected["score"] is not None:
        yield (
            f"No difference in score: p = {corrected['score']:.3g}, corrected by "
            f"{corrected['method']}'s rule for {corrected['of']} comparisons."
        )
    for row in statistics.get("metrics", ()):
        interval = ""
        if row["low"] is not None and row["high"] is not None:
            interval = f", 95 % interval {row['low']:+.3g} to {row['high']:+.3g} over clusters"
        sure = "" if row["p_value"] is None else f", p = {row['p_value']:.3g}"
        if row["difference"] is not None:
            yield f"{row['task']}: {row['difference']:+.3g}{interval}{sure}."
    test = statistics["mcnemar"]
    if test["fixed"] + test["broken"]:
        yield (
            f"McNemar's exact test of {test['fixed']} fixed against {test['broken']} broken: "
            f"p = {test['p_value']:.3g} (it takes trials of one task as independent)."
        )
    seen = statistics["score"]["detectable"]
    if seen:
        yield f"True differences in score below {seen:.2g} are missed in more than a fifth of runs."


def _sureness(found: Mapping[str, Any]) -> str:
    if found["interval"] is None:
        return ", all of one task, so nothing is known of other tasks"
    low, high = found["interval"]
    return f", {100 * found['level']:.0f} % interval {low:+.3g} to {high:+.3g} over tasks"
