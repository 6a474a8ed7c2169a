"""How a night goes: cycles, deep sleep early, REM sleep late, and what interrupts them.

Lengths of bouts by cycle, and how age and fragmentation change them, follow the usual picture of
adult sleep (about 90 minutes a cycle; N3 shrinks and awakenings grow with age).
"""

from __future__ import annotations

from typing import NamedTuple

from braino_registry.synthesis.streams import Stream
from braino_registry.synthesis.waves import Sizes

STAGES = ("W", "N1", "N2", "N3", "REM")
W, N1, N2, N3, R = range(5)
EPOCH = 30
"""Length of an epoch in s."""
SHORTEST = 480
"""Epochs of the shortest night."""

_DEEP = (38.0, 28.0, 14.0, 4.0, 0.0)
_REM = (8.0, 17.0, 23.0, 28.0, 30.0)
_DISTURBED = {N2: 1.0, N3: 0.4, R: 1.2}


class Sleeper(NamedTuple):
    """Who sleeps.

    Attributes
    ----------
    ageing : float
        0 at 20 years, 1 at 80 and above.
    fragmentation : float
        How often sleep is interrupted, relative to the usual.
    """

    ageing: float
    fragmentation: float

    @classmethod
    def aged(cls, years: float, fragmentation: float) -> Sleeper:
        """Return a sleeper of some age."""
        return cls(min(1.0, max(0.0, (years - 20) / 60)), fragmentation)


def hypnogram(n_epochs: int, sleeper: Sleeper, stream: Stream) -> list[int]:
    """Draw a night.

    Parameters
    ----------
    n_epochs : int
        Length in epochs of 30 s; `SHORTEST` at least, so that every stage finds its place.
    sleeper : Sleeper
    stream : Stream

    Returns
    -------
    list of int
        Index into `STAGES` of each epoch. All stages occur.
    """
    sizes = Sizes(stream)
    while True:
        stages = _drawn(n_epochs, sleeper, sizes)
        # A first cycle without REM sleep, or a long vigil, may leave a stage out of a short night.
        if len(set(stages)) == len(STAGES):
            return stages


def _drawn(n_epochs: int, sleeper: Sleeper, sizes: Sizes) -> list[int]:
    stages = [W] * max(4, round(2 * sizes.lognormal(9 * (1 + sleeper.ageing), 0.4)))
    cycle = 0
    while len(stages) < n_epochs:
        for stage, minutes in _cycle(min(cycle, 4), sleeper, sizes):
            stages += _bout(stage, max(1, round(2 * minutes)), sleeper, sizes)
        cycle += 1
    morning = min(20, max(2, round(2 * sizes.lognormal(2.5, 0.6))))
    return [*stages[: n_epochs - morning], *[W] * morning]


def _cycle(number: int, sleeper: Sleeper, sizes: Sizes) -> list[tuple[int, float]]:
    """Return the bouts of a cycle with their lengths in minutes."""
    ageing = sleeper.ageing
    light = sizes.lognormal(3.0 * (1 + 0.6 * ageing), 0.4)
    deep = _DEEP[number] * (1 - 0.65 * ageing) * sizes.lognormal(1.0, 0.25)
    rem = _REM[number] * (1 - 0.15 * ageing) * sizes.lognormal(1.0, 0.3)
    if number == 0 and sizes.chance(0.15):
        rem = 0.0
    rest = max(18.0, sizes.normal(92.0, 9.0) - light - deep - rem)
    bouts = [(N1, light), (N2, 0.45 * rest), (N3, deep), (N2, 0.55 * rest), (R, rem)]
    return [(stage, minutes) for stage, minutes in bouts if minutes >= 1]


def _bout(stage: int, n_epochs: int, sleeper: Sleeper, sizes: Sizes) -> list[int]:
    """Return a bout, with what interrupts it."""
    per_hour = sleeper.fragmentation * (1.2 + 3.5 * sleeper.ageing) * _DISTURBED.get(stage, 0.0)
    stages: list[int] = []
    for _ in range(n_epochs):
        stages.append(stage)
        if sizes.chance(per_hour / 120):
            stages += _interruption(stage, sleeper, sizes)
        elif stage == N3 and sizes.chance(0.04):
            stages += [N2] * (1 + sizes.chance(0.4))
    return stages


def _interruption(stage: int, sleeper: Sleeper, sizes: Sizes) -> list[int]:
    awake = 0
    if sizes.chance(0.6):
        awake = 1
        while awake < 30 and sizes.chance(0.55 + 0.2 * sleeper.ageing):
            awake += 1
    drowsy = 1 + sizes.chance(0.5) + sizes.chance(0.3 + 0.3 * sleeper.ageing)
    back = [N2] * (2 + sizes.chance(0.5)) if stage == N3 else []
    return [*[W] * awake, *[N1] * drowsy, *back]
