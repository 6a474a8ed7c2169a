"""Sleep architecture from the stages of successive epochs.

Stages are ``W``, ``N1``, ``N2``, ``N3``, ``R``, and None for what was not scored or was movement,
which is neither sleep nor wakefulness. Time is counted in whole epochs. Definitions follow the AASM
manual; where it leaves a choice, the docstring says which is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import Any, NamedTuple

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.operation import operation

Stage = str | None
Stages = Sequence[Stage]

STAGES = ("W", "N1", "N2", "N3", "R")
SLEEP = ("N1", "N2", "N3", "R")
_OF: dict[str, Stage] = {
    **{stage.casefold(): stage for stage in STAGES},
    **dict.fromkeys(("wake", "0"), "W"),
    "1": "N1", "2": "N2", "3": "N3", "4": "N3", "n4": "N3",
    **{f"s{number}": stage for number, stage in enumerate(("W", "N1", "N2", "N3", "N3"))},
    **dict.fromkeys(("rem", "5", "sr"), "R"),
    **dict.fromkeys(
        ("?", "m", "mt", "movement", "movement time", "unscored", "unknown", "n/a", "6", "9", ""),
        None,
    ),
}  # fmt: skip


def stage_of(label: str) -> Stage:
    """Return the stage that a label stands for.

    Rechtschaffen and Kales's stages 3 and 4 are N3; movement time and what was not scored are None.

    Parameters
    ----------
    label : str
        ``"W"``, ``"N2"``, ``"2"``, ``"S2"``, ``"REM"``, ``"Sleep stage R"`` …; case is overlooked.

    Raises
    ------
    SignalError
        If it is none of them.
    """
    plain = label.strip().casefold().removeprefix("sleep stage").strip().removeprefix("stage ")
    if plain not in _OF:
        raise SignalError(
            f"{label!r} is no sleep stage", hint="Known: W, N1, N2, N3, R, 0 to 5, REM, M, ?."
        )
    return _OF[plain]


@operation("sleep.stages", version="1.0.0")
def stages(labels: Sequence[str]) -> dict[str, Any]:
    """Return the ``stages`` that labels stand for, as :func:`stage_of` tells them."""
    return {"stages": [stage_of(label) for label in labels]}


class Run(NamedTuple):
    """Successive epochs of one stage: the stage, the first epoch and how many."""

    stage: Stage
    start: int
    length: int


def runs(hypnogram: Stages) -> list[Run]:
    """Return the runs of equal stages."""
    found, start = [], 0
    for stage, group in groupby(hypnogram):
        length = len(list(group))
        found.append(Run(stage, start, length))
        start += length
    return found


def _period(hypnogram: Stages) -> tuple[int, int]:
    """Return the first epoch of sleep and the one after the last."""
    asleep = [k for k, stage in enumerate(hypnogram) if stage in SLEEP]
    if not asleep:
        raise SignalError("nobody sleeps here", hint="Pass a hypnogram with epochs of sleep.")
    return asleep[0], asleep[-1] + 1


def _scored(hypnogram: Stages) -> list[str]:
    return [stage for stage in hypnogram if stage is not None]


def _check(hypnogram: Stages, epoch_s: float) -> float:
    """Return minutes per epoch of a hypnogram in which every stage is one."""
    wrong = [stage for stage in hypnogram if stage is not None and stage not in STAGES]
    if wrong or not hypnogram or not epoch_s > 0:
        problem = f"{wrong[0]!r} is no stage" if wrong else "there is no epoch"
        raise SignalError(problem, hint=f"Pass {', '.join(STAGES)} and null; see sleep.stages.")
    return epoch_s / 60


@operation("sleep.architecture", version="1.0.0")
def architecture(stages: Stages, *, epoch_s: float = 30.0) -> dict[str, Any]:
    """Return times, shares and latencies of sleep.

    - ``tib_min``: all epochs, unscored ones too. ``tst_min``: N1, N2, N3 and R.
      ``efficiency_percent``: TST over TIB.
    - ``onset_latency_min``: from the first epoch to the start of the first epoch of any sleep
      stage. ``rem_latency_min``: from that start to the start of the first R; None without R.
    - ``waso_min``: W between the first and the last epoch of sleep; the wakefulness after that does
      not count.
    - ``minutes`` by stage, ``percent_of_tst`` by sleep stage, ``nrem_min``: N1, N2 and N3.
    - ``light_deep_ratio``: N1 and N2 over N3; None without N3.
    - ``n3_first_half_percent``: of N3, in the first half of the recording;
      ``rem_second_half_percent``: of R, in the second half; an epoch in the middle counts by
      halves. None without any.

    Parameters
    ----------
    stages : sequence of str or None
        One per epoch.
    epoch_s : float
        Seconds of an epoch.

    Raises
    ------
    SignalError
        If a stage is none, or there is no sleep.
    """
    minutes = _check(stages, epoch_s)
    start, stop = _period(stages)
    count = {stage: sum(s == stage for s in stages) for stage in STAGES}
    asleep = sum(count[stage] for stage in SLEEP)
    first_rem = next((k for k, stage in enumerate(stages) if stage == "R"), None)
    light = count["N1"] + count["N2"]
    return {
        "tib_min": len(stages) * minutes,
        "tst_min": asleep * minutes,
        "efficiency_percent": 100 * asleep / len(stages),
        "onset_latency_min": start * minutes,
        "rem_latency_min": None if first_rem is None else (first_rem - start) * minutes,
        "waso_min": sum(stage == "W" for stage in stages[start:stop]) * minutes,
        "minutes": {stage: n * minutes for stage, n in count.items()},
        "percent_of_tst": {stage: 100 * count[stage] / asleep for stage in SLEEP},
        "nrem_min": (light + count["N3"]) * minutes,
        "light_deep_ratio": light / count["N3"] if count["N3"] else None,
        "n3_first_half_percent": _first_half(stages, "N3"),
        "rem_second_half_percent": None
        if not count["R"]
        else 100 - (_first_half(stages, "R") or 0.0),
    }


def _first_half(hypnogram: Stages, stage: str) -> float | None:
    """Return the share of a stage in the first half of the recording, in percent."""
    middle = len(hypnogram) / 2
    at = [k for k, other in enumerate(hypnogram) if other == stage]
    return 100 * sum(min(max(middle - k, 0.0), 1.0) for k in at) / len(at) if at else None


@operation("sleep.continuity", version="1.0.0")
def continuity(stages: Stages, *, epoch_s: float = 30.0) -> dict[str, Any]:
    """Return how often sleep is interrupted, and how long it holds.

    - ``n_transitions``: neighbouring epochs of different stages, after what is not scored has been
      taken out. ``transitions``: how many of each, ``"N3-W"`` say.
    - ``n_awakenings``: runs of W between the first and the last epoch of sleep.
      ``longest_wake_min`` and ``longest_wake_onset_min`` (from the first epoch): the longest of
      them, the first of equals; None without any.
    - ``bouts``: by stage, ``n`` and ``mean_min`` of its runs; an epoch that is not scored ends one.
    - ``episodes_min``: runs of uninterrupted sleep of any stage, longest first; an epoch that is
      not scored ends one.
    - ``fragmentation_per_hour``: awakenings, and changes between two sleep stages within the sleep
      period after what is not scored has been taken out, per hour of TST.

    Parameters
    ----------
    stages : sequence of str or None
        One per epoch.
    epoch_s : float
        Seconds of an epoch.
    """
    minutes = _check(stages, epoch_s)
    start, stop = _period(stages)
    scored = _scored(stages)
    changes = [(a, b) for a, b in pairwise(scored) if a != b]
    wakes = [run for run in runs(stages[start:stop]) if run.stage == "W"]
    longest = max(wakes, key=lambda run: run.length, default=None)
    asleep = [stage in SLEEP for stage in stages]
    episodes = [len(list(group)) for sleeping, group in groupby(asleep) if sleeping]
    within = _scored(stages[start:stop])
    shifts = sum(
        a != b and "W" not in (a, b) for a, b in pairwise(within)
    )  # fmt: skip
    hours = sum(asleep) * minutes / 60
    return {
        "n_transitions": len(changes),
        "transitions": {f"{a}-{b}": changes.count((a, b)) for a, b in sorted(set(changes))},
        "n_awakenings": len(wakes),
        "longest_wake_min": None if longest is None else longest.length * minutes,
        "longest_wake_onset_min": None if longest is None else (start + longest.start) * minutes,
        "bouts": {stage: _bouts(stages, stage, minutes) for stage in STAGES},
        "episodes_min": [n * minutes for n in sorted(episodes, reverse=True)],
        "fragmentation_per_hour": (len(wakes) + shifts) / hours,
    }


def _bouts(hypnogram: Stages, stage: str, minutes: float) -> dict[str, Any]:
    lengths = [run.length for run in runs(hypnogram) if run.stage == stage]
    return {
        "n": len(lengths),
        "mean_min": sum(lengths) / len(lengths) * minutes if lengths else None,
    }
