"""Channels with a fault, and one that only looks like it."""

from __future__ import annotations

import math
import statistics
from typing import Any

from braino_registry.synthesis.canvas import Canvas
from braino_registry.synthesis.component import FAULTS, SIZE, Params, layer, number, record
from braino_registry.synthesis.filters import edge, one_over_f, run, shaped, wander
from braino_registry.synthesis.streams import Stream

_EDGE_HZ = 0.7
"""Half-power edge of the measure; a usual 1 Hz high-pass has its own at about this frequency."""

_EXCESS = record({"channels": FAULTS, "excess_sd": number(0.1, 100)}, {"exponent": number(0, 1.99)})


def log_rms(canvas: Canvas) -> dict[str, float]:
    """Return the natural logarithm of each channel's RMS (µV) above about 1 Hz."""
    sos = edge(_EDGE_HZ, canvas.sfreq, True)
    settle = min(canvas.n_times // 4, round(2 * canvas.sfreq))
    levels = {}
    for name, row in zip(canvas.ch_names, canvas.signal_uv, strict=True):
        filtered = run(sos, row - row.mean())[settle:]
        levels[name] = 0.5 * math.log(float((filtered * filtered).mean()) + 1e-12)
    return levels


def _add_noise(canvas: Canvas, params: Params, stream: Stream) -> None:
    """Add noise until a channel's level lies ``excess_sd`` robust deviations above the median."""
    levels = log_rms(canvas)
    others = [level for name, level in levels.items() if name not in params["channels"]]
    middle = statistics.median(others)
    robust_sd = 1.4826 * statistics.median(abs(level - middle) for level in others)
    target = math.exp(2 * (middle + params["excess_sd"] * robust_sd))
    sos = one_over_f(params.get("exponent", 0.6), canvas.sfreq)
    for name in params["channels"]:
        noise = shaped(stream.child(name), sos, canvas.n_times, canvas.sfreq)
        above = run(edge(_EDGE_HZ, canvas.sfreq, True), noise)
        missing = max(0.0, target - math.exp(2 * levels[name]))
        noise *= math.sqrt(missing / float((above * above).mean()))
        canvas.channel(name)[:] += noise


@layer("channel_levels", parameters=record({"spread": number(0, 1)}))
def channel_levels(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Give each channel a level of its own, as electrodes that sit better or worse do.

    Channels are scaled so that the logarithms of their RMS above about 1 Hz are evenly spaced
    within ``spread`` to either side of their median. Which channel gets which level is random;
    how far apart they lie is the same in every recording, so that a fault stands out by what
    its dose says, whatever the salt.
    """
    levels = log_rms(canvas)
    middle = statistics.median(levels.values())
    n = len(levels)
    steps = stream.shuffled([(2 * rank + 1 - n) / n for rank in range(n)])
    for name, step in zip(canvas.ch_names, steps, strict=True):
        canvas.channel(name)[:] *= math.exp(middle + params["spread"] * step - levels[name])
    return {}


@layer("noisy_channels", parameters=_EXCESS, empty={"noisy_channels": []})
def noisy_channels(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Channels with a poor contact: so much 1/f**exponent noise that they cannot be used.

    ``excess_sd`` says how far the logarithm of the channel's RMS above about 1 Hz then lies above
    the median of the channels, in robust standard deviations (1.4826 times the median absolute
    deviation) over the channels as they were before.
    """
    _add_noise(canvas, params, stream)
    return {"noisy_channels": list(params["channels"])}


@layer("decoy_channels", parameters=_EXCESS, empty={"decoy_channels": []})
def decoy_channels(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Channels that are livelier than the others but can be used; for ``excess_sd`` see above."""
    _add_noise(canvas, params, stream)
    return {"decoy_channels": list(params["channels"])}


@layer(
    "flat_channels",
    parameters=record({"channels": FAULTS}, {"rms_uv": number(0, 1)}),
    empty={"flat_channels": []},
)
def flat_channels(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Channels without a signal; what is left of it has an RMS of ``rms_uv``, 0 by default."""
    for name in params["channels"]:
        noise = stream.child(name).gaussian(canvas.n_times)
        noise *= params.get("rms_uv", 0.0)
        canvas.channel(name)[:] = noise
    return {"flat_channels": list(params["channels"])}


@layer(
    "drifting_channels",
    parameters=record({"channels": FAULTS, "rms_uv": SIZE}, {"corner_hz": number(0.005, 0.5)}),
    empty={"drifting_channels": []},
)
def drifting_channels(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Channels whose voltage wanders slowly and far, with an RMS of about ``rms_uv``."""
    for name in params["channels"]:
        path = wander(
            stream.child(name), params.get("corner_hz", 0.08), canvas.n_times, canvas.sfreq
        )
        path -= path.mean()
        # A short recording may catch a calm stretch; the fault must be as large as it says.
        path *= params["rms_uv"] / math.sqrt(float((path * path).mean()))
        canvas.channel(name)[:] += path
    return {"drifting_channels": list(params["channels"])}
