"""What is always there: the 1/f background of the brain, the amplifier's noise, slow wander."""

from __future__ import annotations

import math
from typing import Any

from braino_registry.synthesis.canvas import Canvas
from braino_registry.synthesis.component import (
    SIZE,
    TIME,
    WIDTH,
    Params,
    Setting,
    layer,
    number,
    record,
    refuse,
)
from braino_registry.synthesis.field import add_mixed, mixing
from braino_registry.synthesis.filters import one_over_f, shaped, slow_gain, wander
from braino_registry.synthesis.streams import Stream


def _can_be_mixed(params: Params, setting: Setting, where: str) -> None:
    if params["common"] + params["own"] > 1:
        raise refuse(
            "what is common and what is a channel's own add up to more than everything",
            f"{where}.own",
            "Let common and own add up to 1 at most.",
        )
    try:
        mixing(setting.ch_names, params["width_deg"], params["common"], params["own"])
    except ValueError as error:
        raise refuse(
            "no noise is that smooth over these channels",
            f"{where}.width_deg",
            "Let width_deg be smaller, or own larger.",
        ) from error


@layer(
    "background",
    parameters=record(
        {
            "rms_uv": SIZE,
            "exponent": number(0, 1.99),
            "width_deg": WIDTH,
            "common": number(0, 0.9),
            "own": number(0.005, 0.5),
        },
        {"gain_sd": number(0, 1), "gain_tau": TIME},
    ),
    check=_can_be_mixed,
)
def background(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Spatially smooth noise with a power spectrum of 1/f**exponent.

    ``rms_uv`` is the RMS of a channel between 1 and 40 Hz. Two such layers, one wide and steep,
    one narrow and flat, make beta less coherent between channels than delta.
    """
    sos = one_over_f(params["exponent"], canvas.sfreq)
    factor = mixing(canvas.ch_names, params["width_deg"], params["common"], params["own"])
    scaled = [[weight * params["rms_uv"] for weight in row] for row in factor]
    gain = None
    if params.get("gain_sd"):
        gain = slow_gain(
            stream.child("gain"),
            params["gain_sd"],
            params.get("gain_tau", 6.0),
            canvas.n_times,
            canvas.sfreq,
        )
    add_mixed(
        canvas.signal_uv,
        scaled,
        lambda k: shaped(stream.child(f"source {k}"), sos, canvas.n_times, canvas.sfreq),
        gain,
    )
    return {}


@layer("sensor_noise", parameters=record({"rms_uv": SIZE}, {"spread": number(0, 1)}))
def sensor_noise(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """White noise of the amplifier, of its own in each channel, lognormal from one to another."""
    for number_, row in enumerate(canvas.signal_uv):
        own = stream.child(f"channel {number_}")
        level = params["rms_uv"] * math.exp(params.get("spread", 0.0) * own.normal())
        noise = own.gaussian(canvas.n_times)
        noise *= level
        row += noise
    return {}


@layer(
    "drift",
    parameters=record({"rms_uv": SIZE, "corner_hz": number(0.005, 0.5)}, {"spread": number(0, 2)}),
)
def drift(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Slow wander of the electrodes, of its own in each channel.

    Power falls with the fourth power of frequency above ``corner_hz``, so that a high-pass
    filter removes it for good.
    """
    for number_, row in enumerate(canvas.signal_uv):
        own = stream.child(f"channel {number_}")
        level = params["rms_uv"] * math.exp(params.get("spread", 0.0) * own.normal())
        row += level * wander(own, params["corner_hz"], canvas.n_times, canvas.sfreq)
    return {}
