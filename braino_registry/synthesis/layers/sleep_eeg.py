"""The EEG of sleep that is always there: background and alpha."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.synthesis.component import Params, long_layer, number, record
from braino_registry.synthesis.filters import resonator
from braino_registry.synthesis.flow import Filtered, by_second
from braino_registry.synthesis.layers.sleep_stages import after_stages
from braino_registry.synthesis.reel import Piece, Reel
from braino_registry.synthesis.sleep.gains import gains
from braino_registry.synthesis.sleep.night import Night
from braino_registry.synthesis.sleep.spectrum import HOP, ShapedNoise, frequencies
from braino_registry.synthesis.streams import Stream
from braino_registry.synthesis.waves import Sizes, remembering

Array = NDArray[np.float64]

# In the order W, N1, N2, N3, REM; powers in µV²/Hz.
_LEVEL = (26.0, 70.0, 350.0, 420.0, 75.0)
_KNEE = (0.8, 1.2, 1.6, 1.6, 1.2)
_SLOPE = (1.22, 1.60, 2.15, 2.40, 1.65)
_BUMPS = (
    # centre and width in Hz, size by stage
    (5.5, 1.3, (0.6, 5.0, 2.0, 2.0, 4.0)),
    (13.0, 1.2, (0.1, 0.15, 0.5, 0.3, 0.1)),
    (20.0, 5.0, (0.35, 0.15, 0.03, 0.01, 0.12)),
)
_MUSCLE = (0.12, 0.04, 0.012, 0.008, 0.010)
_FLOOR = 0.004
_COMMON = 0.65
"""Share of the power that all places on the head have in common."""


@dataclass(frozen=True)
class _Spectrum:
    """The spectrum of a night, at the times between two hops."""

    night: Night
    f: Array
    values: dict[str, Array] = field(default_factory=dict)

    @classmethod
    def of(cls, night: Night, sfreq: int) -> _Spectrum:
        every = np.minimum(np.arange(0, night.seconds + 2 * HOP, HOP), night.seconds - 1)
        level = np.exp(night.by_stage(np.log(_LEVEL).tolist()) + night.signs["level"])
        slope = night.by_stage(_SLOPE) + night.signs["slope"]
        values = {
            "level": level[every],
            "knee": night.by_stage(_KNEE)[every],
            "slope": slope[every],
            "muscle": (night.by_stage(_MUSCLE) * np.exp(night.signs["tone"]))[every],
        }
        for centre, _, sizes in _BUMPS:
            values[f"{centre:g} Hz"] = night.by_stage(sizes)[every]
        return cls(night, frequencies(sfreq), values)

    def power(self, frames: slice) -> Array:
        """Return the power spectral density of some frames, shape (n_frames, n_bins)."""
        f = self.f

        def over(name: str) -> Array:
            return self.values[name][frames, None]

        power = np.log(f * f + over("knee") ** 2)
        power *= -0.5 * over("slope")
        np.exp(power, out=power)
        power *= over("level")
        for centre, width, _ in _BUMPS:
            power += over(f"{centre:g} Hz") * np.exp(-0.5 * ((f - centre) / width) ** 2)
        power += over("muscle") / (1 + np.exp(-(f - 22) / 2.5))
        power += _FLOOR
        # Amplifiers lose what is slower.
        power /= 1 + (0.25 / np.maximum(f, 1e-3)) ** 4
        return np.asarray(power)


@long_layer("sleep_background", parameters=record({}), check=after_stages)
def sleep_background(reel: Reel, params: Params, stream: Stream) -> dict[str, Any]:
    """Add the broad-band EEG of each stage: steeper and larger the deeper the sleep.

    Power falls as (f² + k²)^(-x/2) with bumps of theta, sigma and beta, and muscle above 20 Hz.
    """
    night: Night = reel.facts["night"]
    spectrum = _Spectrum.of(night, reel.sfreq)
    seen = gains("background", reel.leads)
    sources = [stream.child("common"), *(stream.child(f"own {k}") for k in range(len(seen)))]
    noise = ShapedNoise(sources, reel.sfreq)
    both = math.sqrt(_COMMON), math.sqrt(1 - _COMMON)

    def paint(piece: Piece) -> None:
        frame = piece.start // HOP
        hops = -(-piece.seconds // HOP)
        power = spectrum.power(slice(frame, frame + hops + 1))
        made = noise(piece.n_times, power[0], power[1:])
        mixed = seen[:, None] * (both[0] * made[0] + both[1] * made[1:])
        piece.leads_uv += mixed[:-1]
        piece.shared["frontal"] = mixed[-1]

    reel.painters.append(paint)
    return {}


@long_layer(
    "sleep_alpha",
    parameters=record({}, {"rms_uv": number(0, 100)}),
    check=after_stages,
)
def sleep_alpha(reel: Reel, params: Params, stream: Stream) -> dict[str, Any]:
    """Alpha of the resting brain, in wakefulness gated by eyes that close and open.

    Its frequency falls with age. Truth: ``alpha_hz``.
    """
    night: Night = reel.facts["night"]
    sizes = Sizes(stream.child("subject"))
    centre = min(12.0, max(7.0, sizes.normal(10 - 0.8 * night.sleeper.ageing, 0.6)))
    size = params.get("rms_uv", 7.0) * sizes.lognormal(1.0, 0.35)
    gate = _eyes_closed(night.seconds, sizes)
    reel.facts["eyes_closed"] = gate
    stage = night.by_stage((0.0, 0.28, 0.10, 0.05, 0.20)) + night.weights[:, 0] * gate
    wander = np.exp(0.45 * remembering(stream.child("wander"), 1.5, night.seconds) - 0.1)
    level = size * stage * wander
    seen = gains("alpha", reel.leads)
    sos = resonator(centre, 1.4, reel.sfreq)
    noise = Filtered(stream.child("noise"), sos)

    def paint(piece: Piece) -> None:
        wave = noise(piece.n_times) * by_second(level, piece)
        piece.leads_uv += seen[:-1, None] * wave
        piece.shared["frontal"] += seen[-1] * wave

    reel.painters.append(paint)
    return {"alpha_hz": round(centre, 6)}


def _eyes_closed(seconds: int, sizes: Sizes) -> Array:
    """Return 1 where the eyes are closed and 0 where they are open, on a grid of 1 s."""
    gate = np.ones(seconds)
    now = 0.0
    while now < seconds:
        now += 5 - 60 * math.log(1 - sizes.uniform())
        length = 3 - 20 * math.log(1 - sizes.uniform())
        gate[int(now) : int(now + length)] = 0.1
        now += length
    return gate
