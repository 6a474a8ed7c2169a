"""What several sessions per instance say: how reliably an agent passes, and how sure a mean is.

With ``n`` scored trials of an instance, ``c`` of them passed:

- *pass^k* is the chance that ``k`` trials drawn from them without replacement all pass,
  ``C(c, k) / C(n, k)``, averaged over instances [1]_. It asks for reliability.
- *pass@k* is the chance that at least one of ``k`` passes, ``1 − C(n − c, k) / C(n, k)``,
  averaged over instances [2]_. It asks for ability.

Both are unbiased. Where an instance has fewer than ``k`` scored trials, or an instance was planned
and has none, they are null: left-out failures of the harness would flatter an agent otherwise.

The *interval* of the mean score is a percentile bootstrap clustered by task [3]_ [4]_: tasks are
drawn with replacement, each with all its trials, for trials of one task are alike. It is computed
from the standard library alone, for the process that writes a report imports no numpy.

References
----------
.. [1] Yao, S., Shinn, N., Razavi, P., Narasimhan, K. (2024). τ-bench: A benchmark for
   tool-agent-user interaction in real-world domains. arXiv:2406.12045, section 3.
.. [2] Chen, M., et al. (2021). Evaluating large language models trained on code.
   arXiv:2107.03374, equation 1.
.. [3] Field, C. A., Welsh, A. H. (2007). Bootstrapping clustered data. Journal of the Royal
   Statistical Society B 69(3), 369–390 (the cluster bootstrap).
.. [4] Miller, E. (2024). Adding error bars to evals. arXiv:2411.00640, section 2.2.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

Trial = Mapping[str, Any]

LEVEL = 0.95
RESAMPLES = 2000
#: The same trials give the same interval wherever they are summarised.
_SEED = 20240612
#: Up to here every k is told, beyond it its powers of two and the last one.
_EVERY = 16


def over_repeats(
    trials: Sequence[Trial], *, scored: frozenset[str], repeats: int, planned: int
) -> dict[str, Any]:
    """Return what is known from several sessions per instance.

    Parameters
    ----------
    trials : sequence of dict
        The trial records, without rows of what was not planned.
    scored : set of str
        Outcomes that carry a score.
    repeats : int
        Sessions that were planned for each instance, K.
    planned : int
        Trials that were planned.

    Returns
    -------
    dict
        ``repeats`` (K), ``instances`` (with a pass rule), ``rates`` (a row with ``k``,
        ``pass_hat`` for pass^k and ``pass_at`` for pass@k, each from 0 to 1 or null), ``mean``
        and its ``interval``.
    """
    counted = [trial for trial in trials if trial["outcome"] in scored]
    counts = _counts(counted)
    # An instance without any scored trial is one of which nothing is known.
    known = len({(trial["task"], trial["instance"]) for trial in counted}) * repeats >= planned
    by_task: dict[str, list[float]] = {}
    for trial in counted:
        by_task.setdefault(trial["task"], []).append(float(trial["score"]))
    # Sorted, so that the order in which trials are told changes no draw.
    means = sorted(sum(scores) / len(scores) for scores in by_task.values())
    return {
        "repeats": repeats,
        "instances": len(counts),
        "rates": [_rate(k, counts, known) for k in _sizes(repeats)],
        "mean": sum(means) / len(means) if means else None,
        "interval": _interval(means),
    }


def _counts(trials: Sequence[Trial]) -> list[tuple[int, int]]:
    """Return trials and passes of each instance that has a pass rule."""
    members: dict[tuple[str, str], list[Trial]] = {}
    for trial in trials:
        members.setdefault((trial["task"], trial["instance"]), []).append(trial)
    return [
        (len(rows), sum(1 for row in rows if row["passed"] is True))
        for rows in members.values()
        if all(row["passed"] is not None for row in rows)
    ]


def _sizes(repeats: int) -> list[int]:
    if repeats <= _EVERY:
        return list(range(1, repeats + 1))
    powers = [2**i for i in range(repeats.bit_length())]
    return sorted({*powers, repeats})


def _rate(k: int, counts: Sequence[tuple[int, int]], known: bool) -> dict[str, Any]:
    if not known or not counts or any(n < k for n, _ in counts):
        return {"k": k, "pass_hat": None, "pass_at": None}
    size = len(counts)
    return {
        "k": k,
        "pass_hat": sum(all_of(n, c, k) for n, c in counts) / size,
        "pass_at": sum(1 - all_of(n, n - c, k) for n, c in counts) / size,
    }


def all_of(n: int, c: int, k: int) -> float:
    """Return ``C(c, k) / C(n, k)``: the chance that all of ``k`` out of ``n`` are among ``c``.

    As a product of ``k`` factors, which neither overflows nor makes large numbers.
    """
    chance = 1.0
    for i in range(k):
        chance *= max(0, c - i) / (n - i)
    return chance


def _interval(means: Sequence[float]) -> dict[str, Any] | None:
    """Return the interval of the mean over tasks; None where one task leaves nothing to draw."""
    if len(means) < 2:
        return None
    draw = random.Random(_SEED)
    size = len(means)
    drawn = sorted(sum(draw.choices(means, k=size)) / size for _ in range(RESAMPLES))
    tail = (1 - LEVEL) / 2
    return {
        "method": "percentile bootstrap, clustered by task",
        "level": LEVEL,
        "resamples": RESAMPLES,
        "tasks": size,
        "low": _quantile(drawn, tail),
        "high": _quantile(drawn, 1 - tail),
    }


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Return a quantile by linear interpolation between the closest ranks (type 7)."""
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])
