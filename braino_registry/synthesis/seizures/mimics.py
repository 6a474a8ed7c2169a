"""What resembles a seizure: chewing, movement, loose electrodes, harmless rhythms, sleep."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from braino_registry.synthesis.differences import Electrodes
from braino_registry.synthesis.filters import band, resonator, shaped
from braino_registry.synthesis.montage import POSITIONS
from braino_registry.synthesis.streams import Stream
from braino_registry.synthesis.waves import Sizes

Array = NDArray[np.float64]
Mimic = Callable[[Electrodes, int, int, float, Stream], Array]


def _ends(n: int, sfreq: int) -> Array:
    """Return a gain that rises and falls within a second."""
    rise = np.minimum(np.arange(n), np.arange(n)[::-1]) / sfreq
    return np.asarray(np.clip(rise, 0, 1))


def chewing(e: Electrodes, sfreq: int, n: int, unit: float, stream: Stream) -> Array:
    """Return bursts of muscle at both temples, once or twice a second, on slow waves."""
    sizes = Sizes(stream.child("sizes"))
    pace, size = sizes.uniform(1.0, 2.0), sizes.uniform(25, 70)
    phase = 2 * math.pi * pace * np.arange(n) / sfreq
    gate = np.clip(np.sin(phase), 0, 1) ** 2
    out = np.zeros((len(e.matrix), n))
    for site in ("T7", "T8"):
        muscle = shaped(stream.child(site), band(20.0, 90.0, sfreq), n, sfreq)
        wave = size * sizes.uniform(0.6, 1.2) * gate * muscle + 0.6 * size * np.sin(phase - 0.4)
        out += e.seen([site], 28.0)[:, None] * wave
    return np.asarray(out * _ends(n, sfreq))


def movement(e: Electrodes, sfreq: int, n: int, unit: float, stream: Stream) -> Array:
    """Return large slow waves of the whole head in three independent patterns."""
    sizes = Sizes(stream.child("sizes"))
    size, centre = sizes.uniform(60, 180), sizes.uniform(0.8, 3.0)
    out = np.zeros((len(e.matrix), n))
    for part in range(3):
        own = stream.child(f"part {part}")
        pattern = e.matrix @ np.array([sizes.normal() for _ in e.sites])
        pattern /= math.sqrt(float(np.mean(pattern**2)))
        wave = shaped(own, resonator(centre, 0.8, sfreq), n, sfreq)
        out += size / math.sqrt(3) * pattern[:, None] * wave
    return np.asarray(out * _ends(n, sfreq))


def pops(e: Electrodes, sfreq: int, n: int, unit: float, stream: Stream) -> Array:
    """Return the pops of one loose electrode: jumps that fade within a quarter of a second."""
    sizes = Sizes(stream.child("sizes"))
    site = int(sizes.uniform(0, len(e.sites)))
    t = np.arange(round(1.5 * sfreq)) / sfreq
    pop = np.exp(-t / 0.25)
    wave = np.zeros(n + len(pop))
    now = 0.0
    while now < n:
        size = sizes.lognormal(250.0, 0.4) * (1 if sizes.chance(0.5) else -1)
        wave[int(now) : int(now) + len(pop)] += size * pop
        now += sfreq * (0.3 - 0.9 * math.log(1 - sizes.uniform()))
    return np.asarray(e.matrix[:, site, None] * wave[:n])


def temporal_theta(e: Electrodes, sfreq: int, n: int, unit: float, stream: Stream) -> Array:
    """Return a rhythm of 5 to 6.5 Hz over one temple that does not evolve."""
    sizes = Sizes(stream.child("sizes"))
    site, f = ("T7", "T8")[sizes.chance(0.5)], sizes.uniform(5.0, 6.5)
    wave = shaped(stream.child("wave"), resonator(f, 0.25, sfreq), n, sfreq, warm_up=20)
    # Half-way between a pure tone and its noisy kin: notched, as the drowsy temple shows it.
    phase = 2 * math.pi * f * np.arange(n) / sfreq
    wave = 0.6 * wave + 0.9 * np.sin(phase) + 0.35 * np.sin(2 * phase + 0.7)
    wave *= sizes.uniform(1.5, 3.0) * unit * _ends(n, sfreq)
    return np.asarray(e.seen([site], 24.0)[:, None] * wave)


def spindles(e: Electrodes, sfreq: int, n: int, unit: float, stream: Stream) -> Array:
    """Return a run of sleep spindles over the vertex, some behind a K-complex."""
    sizes = Sizes(stream.child("sizes"))
    near, front = e.seen(["C3", "C4"], 38.0), e.at_sites(POSITIONS["Fz"], 45.0)
    k_seen = e.matrix @ front
    out = np.zeros((len(e.matrix), n))
    now = sizes.uniform(0, 3)
    while (now + 2.5) * sfreq < n:
        t = np.arange(round(sizes.uniform(0.6, 1.5) * sfreq)) / sfreq
        first = int(now * sfreq)
        burst = 1.8 * unit * np.sin(np.pi * t / t[-1]) * np.sin(2 * math.pi * 12.8 * t)
        out[:, first : first + len(t)] += near[:, None] * burst
        if sizes.chance(0.4):
            t = np.arange(sfreq) / sfreq
            k = -np.exp(-0.5 * ((t - 0.25) / 0.08) ** 2) + 0.8 * np.exp(
                -0.5 * ((t - 0.6) / 0.15) ** 2
            )
            first = max(0, first - sfreq // 2)
            out[:, first : first + sfreq] += 5 * unit * k_seen[:, None] * k
        now += sizes.uniform(3, 8)
    return out


MIMICS: Mapping[str, Mimic] = MappingProxyType(
    {
        "chewing": chewing,
        "movement": movement,
        "electrode-pops": pops,
        "temporal-theta": temporal_theta,
        "spindles": spindles,
    }
)
"""Name to what makes it: electrodes, rate, number of samples, unit in µV, stream → channels."""
