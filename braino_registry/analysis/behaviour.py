"""What people did: right responses and how long they took."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.operation import operation

# A time this much outside the window is a matter of how times were rounded.
GUARD = 1e-9


@operation("behaviour.responses", version="1.0.0")
def responses(
    events: Sequence[Mapping[str, Any]],
    *,
    stimuli: Mapping[str, Sequence[str | int]],
    correct: Sequence[str | int],
    tmin: float,
    tmax: float,
    delay: float = 0.0,
    column: str = "value",
) -> dict[str, Any]:
    """Return accuracy and response times by kind of stimulus.

    A stimulus happens ``delay`` after its event, as a screen shows it later than the computer
    says. It is answered rightly by the first event with a ``correct`` code from ``tmin`` to
    ``tmax`` after it, both included, and before the next stimulus of any kind in ``stimuli``.
    Response times are those of right answers, from the stimulus (not its event) on.

    Parameters
    ----------
    events : sequence of Mapping
        With ``onset`` in s and ``column``.
    stimuli : Mapping
        Codes by name, for example ``{"rare": [11, 22], "frequent": [12, 21]}``.
    correct : sequence
        Codes of right responses.
    tmin, tmax : float
        Seconds after the stimulus.
    delay : float
        Seconds from the event of a stimulus to the stimulus. Codes of responses have none.
    column : str
        Where the codes stand.

    Returns
    -------
    dict
        For each name ``n``, ``n_correct``, ``accuracy_percent``, ``mean_rt_ms`` and
        ``median_rt_ms``; the last three are None without a stimulus or a right answer.

    Raises
    ------
    SignalError
        If a code stands for two kinds of stimulus, or for a stimulus and a response.
    """
    kind_of: dict[str, str] = {}
    right = {str(code) for code in correct}
    for name, codes in stimuli.items():
        for code in map(str, codes):
            if code in kind_of or code in right:
                raise SignalError(f"the code {code} has two meanings", hint="Name it once.")
            kind_of[code] = name
    coded = [(float(event["onset"]), str(event.get(column))) for event in events]
    shown = sorted((onset + delay, kind_of[code]) for onset, code in coded if code in kind_of)
    answers = sorted(onset for onset, code in coded if code in right)
    times: dict[str, list[float]] = {name: [] for name in stimuli}
    following = [onset for onset, _ in shown[1:]] + [float("inf")]
    for (onset, name), end in zip(shown, following, strict=False):
        first = bisect_left(answers, onset + tmin - GUARD)
        if first < len(answers) and answers[first] <= onset + tmax + GUARD and answers[first] < end:
            times[name].append(answers[first] - onset)
    counts = {name: sum(kind == name for _, kind in shown) for name in stimuli}
    return {name: _summary(counts[name], times[name]) for name in stimuli}


def _summary(count: int, times: Sequence[float]) -> dict[str, Any]:
    return {
        "n": count,
        "n_correct": len(times),
        "accuracy_percent": 100 * len(times) / count if count else None,
        "mean_rt_ms": float(np.mean(times) * 1000) if times else None,
        "median_rt_ms": float(np.median(times) * 1000) if times else None,
    }
