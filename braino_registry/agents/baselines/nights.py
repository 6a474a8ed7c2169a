"""The rule of ``classical`` for sleep stages: one threshold after the other, then smoothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from braino_registry.agents.baselines import as_runs
from braino_registry.agents.baselines.measuring import Bench, quantile, smooth

EPOCH_S = 30.0
FEATURES = (
    "delta_relative", "theta_relative", "alpha_relative", "sigma_relative",
    "zero_crossing_rate_hz",
)  # fmt: skip
#: Share of delta that makes deep sleep, and share of it that light sleep of stage N2 has.
DEEP, LIGHT = 0.78, 0.55
#: Share of theta above which low-voltage sleep is N1 or REM rather than N2.
THETA = 0.2
#: Waking: the posterior rhythm, or activity as fast as that of the open eyes.
ALPHA, CROSSINGS_HZ = 0.35, 19.2
#: REM sleep has less tone than this share of what the sleeper's chin has at the median.
TONE = 0.62


def night(bench: Bench) -> list[dict[str, Any]]:
    """Return the stages of a night as runs."""
    info = bench.measure("get_recording_info")
    n = int(info["n_epochs_30s"])
    names = [row["name"] for row in bench.rows("get_channel_list") if row["type"] == "eeg"]
    front = _first(names, "fpz") or names[0]
    back = _first(names, "pz-oz") or names[-1]
    found = bench.windows(list(dict.fromkeys([front, back])), FEATURES, EPOCH_S, n)
    chin = _first(info["channel_names"], "emg")
    tone = bench.windows([chin], ["rms_uv"], EPOCH_S, n)[chin]["rms_uv"] if chin else [1.0] * n
    middle = quantile(tone, 0.5) or 1.0
    level = [value / middle for value in smooth(tone, 2)]
    stages = [
        stage(
            {name: values[i] for name, values in found[front].items()},
            found[back]["alpha_relative"][i],
            level[i],
        )
        for i in range(n)
    ]
    return as_runs(settled(stages))


def stage(front: dict[str, float], alpha: float, tone: float) -> str:
    """Return the stage of an epoch.

    Parameters
    ----------
    front : dict
        Features of the frontal derivation.
    alpha : float
        Relative alpha power of the posterior one.
    tone : float
        Chin EMG over its median of the night.
    """
    if front["delta_relative"] > DEEP and tone < 3.0:
        return "N3"
    if alpha > ALPHA or front["zero_crossing_rate_hz"] > CROSSINGS_HZ or tone > 4.0:
        return "W"
    if front["theta_relative"] < THETA or front["delta_relative"] > LIGHT:
        return "N2"
    return "REM" if tone < TONE else "N1"


def settled(stages: Sequence[str]) -> list[str]:
    """Return stages in which a single epoch between two equal ones has become like them."""
    found = list(stages)
    for i in range(1, len(found) - 1):
        if found[i - 1] == found[i + 1] != found[i]:
            found[i] = found[i - 1]
    return found


def _first(names: Sequence[str], part: str) -> str | None:
    return next((name for name in names if part in name.lower()), None)
