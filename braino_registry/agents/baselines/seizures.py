"""The rule of ``classical`` for seizures: rhythmic power that stands out of the record for long."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, median

from braino_registry.agents.baselines.measuring import Bench

WINDOW_S = 10.0
FEATURES = ("theta_power", "alpha_power", "theta_relative", "alpha_relative")
#: Channels that have to agree, the strongest ones.
TOP = 4
#: How far the logarithm of the power from 4 to 13 Hz lies above the record's median, in robust
#: standard deviations, and the least share of all power that it has.
STANDS_OUT, SHARE = 3.0, 0.5
#: How far it has to lie above it somewhere: harmless rhythms are as long, but smaller.
PEAK = 7.0
#: No standard deviation of a channel is taken for smaller: a steady record has no seizures either.
LEAST_SPREAD = 0.25
#: Seconds: shorter stretches are no seizure, shorter gaps do not part two.
SHORTEST, GAP = 20.0, 20.0


def seizures(bench: Bench) -> list[dict[str, float]]:
    """Return the stretches of a record that look like seizures."""
    info = bench.measure("get_recording_info")
    duration = float(info["duration_sec"])
    n = int(duration // WINDOW_S)
    names = [row["name"] for row in bench.rows("get_channel_list") if row["type"] == "eeg"]
    if n < 3 or not names:
        return []
    found = bench.windows(names, FEATURES, WINDOW_S, n)
    powers = {
        name: deviations(
            [a + b for a, b in zip(one["theta_power"], one["alpha_power"], strict=True)]
        )
        for name, one in found.items()
    }
    height: list[float] = []
    for i in range(n):
        top = sorted(names, key=lambda name: powers[name][i], reverse=True)[:TOP]
        share = fmean(found[c]["theta_relative"][i] + found[c]["alpha_relative"][i] for c in top)
        height.append(fmean(powers[c][i] for c in top) if share > SHARE else 0.0)
    return [
        {"onset_sec": first * WINDOW_S, "offset_sec": last * WINDOW_S}
        for first, last in stretches([value > STANDS_OUT for value in height])
        if max(height[first:last]) > PEAK
    ]


def deviations(values: Sequence[float]) -> list[float]:
    """Return how far each value's logarithm lies above the median, in robust deviations."""
    logs = [math.log(max(value, 1e-9)) for value in values]
    middle = median(logs)
    spread = 1.4826 * median(abs(value - middle) for value in logs)
    return [(value - middle) / max(spread, LEAST_SPREAD) for value in logs]


def stretches(marked: Sequence[bool]) -> list[tuple[int, int]]:
    """Return first window and the one after the last of stretches that are long enough."""
    joined: list[list[int]] = []
    for i, yes in enumerate(marked):
        if not yes:
            continue
        if joined and (i - joined[-1][1]) * WINDOW_S <= GAP:
            joined[-1][1] = i + 1
        else:
            joined.append([i, i + 1])
    return [(a, b) for a, b in joined if (b - a) * WINDOW_S >= SHORTEST]
