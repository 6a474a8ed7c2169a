"""Rest with eyes closed of people with and without dementia, who overlap as real ones do."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from braino_registry.synthesis.canvas import Canvas
from braino_registry.synthesis.component import Params, Setting, layer, number, record, refuse
from braino_registry.synthesis.layers.background import background, drift, sensor_noise
from braino_registry.synthesis.layers.body import blinks, muscle
from braino_registry.synthesis.layers.rhythms import rhythm
from braino_registry.synthesis.streams import Stream
from braino_registry.synthesis.waves import Sizes

GROUPS = {"A": "AD", "F": "FTD", "C": "HC"}
"""Group to what it is usually called: Alzheimer's disease, frontotemporal dementia, healthy."""
_SLOWING = {"A": 1.5, "F": 0.75, "C": 0.0}
_FRONTAL = {"A": -0.2, "F": 0.9, "C": 0.0}


@dataclass(frozen=True)
class _Person:
    """What sets one person's EEG apart.

    Attributes
    ----------
    slowing, frontal : float
        In SDs between people of one group.
    alpha_hz, alpha_uv, theta_uv : float
    exponent : float
    wide_uv, near_uv : float
    """

    slowing: float
    frontal: float
    alpha_hz: float
    alpha_uv: float
    theta_uv: float
    exponent: float
    wide_uv: float
    near_uv: float

    @classmethod
    def of(cls, group: str, separation: float, sizes: Sizes) -> _Person:
        s = _SLOWING[group] * separation + sizes.normal()
        f = _FRONTAL[group] * separation + sizes.normal()
        return cls(
            slowing=s,
            frontal=f,
            alpha_hz=min(12.0, max(6.8, 9.9 - 0.55 * s + 0.35 * sizes.normal())),
            alpha_uv=9 * math.exp(-0.22 * s + 0.45 * sizes.normal()),
            theta_uv=4 * math.exp(0.22 * s + 0.25 * f + 0.3 * sizes.normal()),
            exponent=min(1.95, max(1.2, 1.62 + 0.06 * s + 0.04 * f + 0.10 * sizes.normal())),
            wide_uv=12 * math.exp(0.2 * sizes.normal()),
            near_uv=5 * math.exp(-0.10 * s + 0.2 * sizes.normal()),
        )


def _not_yet(params: Params, setting: Setting, where: str) -> None:
    if setting.kinds:
        raise refuse("a person is made by one layer", where, "Leave the layers before it out.")


@layer(
    "clinical_rest",
    parameters=record({"group": {"enum": sorted(GROUPS)}}, {"separation": number(0, 4)}),
    check=_not_yet,
)
def clinical_rest(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Rest with eyes closed of a person of group A, F or C: slowing, frontal theta, their spread.

    ``separation`` says how far apart the groups are, in SDs between people: at 0 not at all, at
    1.5 as in published cohorts, at 2 somewhat more. Truth: ``group``, ``label`` (AD, FTD or HC),
    ``alpha_hz``, ``slowing`` and ``frontal``.
    """
    group = params["group"]
    person = _Person.of(group, params.get("separation", 2.0), Sizes(stream.child("person")))
    wide = {"width_deg": 62.0, "common": 0.38, "own": 0.02, "gain_sd": 0.18}
    near = {"width_deg": 32.0, "common": 0.05, "own": 0.05}
    parts = {
        "wide": (background, {"rms_uv": person.wide_uv, "exponent": person.exponent, **wide}),
        "near": (background, {"rms_uv": person.near_uv, "exponent": 1.3, **near}),
        "alpha": (rhythm, _rhythm("alpha", person.alpha_hz, 1.4, person.alpha_uv, _BACK, 34.0)),
        "theta": (rhythm, _rhythm("theta", 5.8, 2.2, person.theta_uv, _FRONT, 55.0)),
        "blinks": (blinks, {"per_minute": 3, "amplitude_uv": 120}),
        "muscle": (muscle, {"rms_uv": 1.0, "bursts_per_minute": 3, "burst_uv": 6}),
        "noise": (sensor_noise, {"rms_uv": 0.6, "spread": 0.25}),
        "drift": (drift, {"rms_uv": 8, "corner_hz": 0.05, "spread": 0.3}),
    }
    for name, (apply, given) in parts.items():
        apply(canvas, given, stream.child(name))
    return {
        "group": group,
        "label": GROUPS[group],
        "alpha_hz": round(person.alpha_hz, 4),
        "slowing": round(person.slowing, 4),
        "frontal": round(person.frontal, 4),
    }


_BACK, _FRONT = ("O1", "O2", "Pz"), ("Fz", "C3")


def _rhythm(
    name: str, hz: float, width: float, uv: float, sites: tuple[str, ...], deg: float
) -> dict[str, Any]:
    return {
        "name": name,
        "frequency_hz": hz,
        "bandwidth_hz": width,
        "amplitude_uv": uv,
        "sites": list(sites),
        "width_deg": deg,
    }
