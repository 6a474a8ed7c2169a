"""Where electrodes sit: unit vectors of the 10-10 system and the caps that recipes name.

The vectors are the template positions of the 10-10 system seen from the centre of the
least-squares sphere through the 10-20 sites, in RAS orientation (x right, y front, z up).
They are written down here so that no library release can move an electrode.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import MappingProxyType

from braino_registry.errors import UsageError, close_matches
from braino_registry.synthesis.dense import BETWEEN
from braino_registry.synthesis.leads import LEADS

Vector = tuple[float, float, float]

HEAD_RADIUS = 0.095
"""Radius in metres of the sphere on which electrode coordinates are written."""

POSITIONS: MappingProxyType[str, Vector] = MappingProxyType(
    {
        "Fp1": (-0.2844, 0.9505, -0.1254),
        "Fpz": (-0.0074, 0.9971, -0.0763),
        "Fp2": (0.2704, 0.9545, -0.1256),
        "AF7": (-0.5365, 0.8279, -0.1634),
        "AF3": (-0.3408, 0.9287, 0.1463),
        "AFz": (-0.0065, 0.9589, 0.2836),
        "AF4": (0.3397, 0.9282, 0.1520),
        "AF8": (0.5257, 0.8346, -0.1642),
        "F9": (-0.6562, 0.5461, -0.5207),
        "F7": (-0.7514, 0.6325, -0.1880),
        "F5": (-0.7020, 0.7031, 0.1132),
        "F3": (-0.5429, 0.7488, 0.3802),
        "F1": (-0.2952, 0.7732, 0.5612),
        "Fz": (-0.0060, 0.7842, 0.6205),
        "F2": (0.2972, 0.7791, 0.5520),
        "F4": (0.5392, 0.7592, 0.3645),
        "F6": (0.7020, 0.7044, 0.1046),
        "F8": (0.7454, 0.6390, -0.1899),
        "F10": (0.6545, 0.5467, -0.5223),
        "FT9": (-0.7934, 0.2987, -0.5304),
        "FT7": (-0.9147, 0.3533, -0.1962),
        "FC5": (-0.8885, 0.4103, 0.2057),
        "FC3": (-0.6934, 0.4557, 0.5582),
        "FC1": (-0.3785, 0.4704, 0.7972),
        "FCz": (-0.0055, 0.4783, 0.8782),
        "FC2": (0.3716, 0.4809, 0.7941),
        "FC4": (0.6913, 0.4633, 0.5545),
        "FC6": (0.8844, 0.4202, 0.2031),
        "FT8": (0.9081, 0.3685, -0.1987),
        "FT10": (0.7872, 0.3007, -0.5384),
        "T9": (-0.8461, 0.0155, -0.5329),
        "T7": (-0.9832, 0.0162, -0.1818),
        "C5": (-0.9619, 0.0434, 0.2700),
        "C3": (-0.7509, 0.0656, 0.6572),
        "C1": (-0.4048, 0.0813, 0.9108),
        "Cz": (-0.0052, 0.0876, 0.9961),
        "C2": (0.4076, 0.0864, 0.9091),
        "C4": (0.7547, 0.0743, 0.6519),
        "C6": (0.9624, 0.0542, 0.2661),
        "T8": (0.9823, 0.0280, -0.1852),
        "T10": (0.8401, 0.0105, -0.5423),
        "TP9": (-0.8232, -0.2768, -0.4956),
        "TP7": (-0.9383, -0.3130, -0.1470),
        "CP5": (-0.9038, -0.3271, 0.2759),
        "CP3": (-0.6974, -0.3202, 0.6411),
        "CP1": (-0.3749, -0.3075, 0.8746),
        "CPz": (-0.0052, -0.3059, 0.9521),
        "CP2": (0.3868, -0.3059, 0.8699),
        "CP4": (0.7055, -0.3136, 0.6355),
        "CP6": (0.9084, -0.3160, 0.2736),
        "TP8": (0.9383, -0.3117, -0.1497),
        "TP10": (0.8176, -0.2839, -0.5010),
        "P9": (-0.7085, -0.5401, -0.4542),
        "P7": (-0.7909, -0.6044, -0.0956),
        "P5": (-0.7352, -0.6349, 0.2373),
        "P3": (-0.5642, -0.6423, 0.5188),
        "P1": (-0.3009, -0.6433, 0.7040),
        "Pz": (-0.0057, -0.6411, 0.7674),
        "P2": (0.3120, -0.6342, 0.7074),
        "P4": (0.5693, -0.6355, 0.5216),
        "P6": (0.7319, -0.6388, 0.2372),
        "P8": (0.7881, -0.6077, -0.0974),
        "P10": (0.7012, -0.5471, -0.4572),
        "PO9": (-0.5235, -0.7563, -0.3925),
        "PO7": (-0.5707, -0.8203, -0.0367),
        "PO3": (-0.3877, -0.8648, 0.3191),
        "POz": (-0.0071, -0.8865, 0.4626),
        "PO4": (0.3752, -0.8722, 0.3138),
        "PO8": (0.5636, -0.8252, -0.0375),
        "PO10": (0.5114, -0.7625, -0.3963),
        "O1": (-0.3038, -0.9524, 0.0247),
        "Oz": (-0.0080, -0.9964, 0.0846),
        "O2": (0.2922, -0.9561, 0.0244),
        "Iz": (-0.0084, -0.9601, -0.2796),
        **BETWEEN,
        # the names of four sites before the 10-10 system
        "T3": (-0.9832, 0.0162, -0.1818),
        "T4": (0.9823, 0.0280, -0.1852),
        "T5": (-0.7909, -0.6044, -0.0956),
        "T6": (0.7881, -0.6077, -0.0974),
    }
)

LANDMARKS: MappingProxyType[str, Vector] = MappingProxyType(
    {
        "NAS": (0.0061, 1.0819, -0.4351),
        "LPA": (-0.8604, -0.1231, -0.5034),
        "RPA": (0.8811, -0.1170, -0.5031),
    }
)

CAPS: MappingProxyType[str, tuple[str, ...]] = MappingProxyType(
    {
        "standard-19": tuple("Fp1 Fp2 F7 F3 Fz F4 F8 T7 C3 Cz C4 T8 P7 P3 Pz P4 P8 O1 O2".split()),
        "standard-32": tuple(
            "Fp1 AF3 F7 F3 FC1 FC5 T7 C3 CP1 CP5 P7 P3 Pz PO3 O1 Oz "
            "O2 PO4 P4 P8 CP6 CP2 C4 T8 FC6 FC2 F4 F8 AF4 Fp2 Fz Cz".split()
        ),
        "standard-64": tuple(
            "Fp1 Fpz Fp2 AF7 AF3 AFz AF4 AF8 F7 F5 F3 F1 Fz F2 F4 F6 F8 FT7 FC5 FC3 FC1 FCz "
            "FC2 FC4 FC6 FT8 T7 C5 C3 C1 Cz C2 C4 C6 T8 TP7 CP5 CP3 CP1 CPz CP2 CP4 CP6 TP8 "
            "P7 P5 P3 P1 Pz P2 P4 P6 P8 PO7 PO3 POz PO4 PO8 O1 Oz O2 Iz T9 T10".split()
        ),
        "high-density-128": (
            *(
                "Fp1 Fpz Fp2 AF7 AF3 AFz AF4 AF8 F9 F7 F5 F3 F1 Fz F2 F4 F6 F8 F10 FT9 FT7 FC5 FC3 "
                "FC1 FCz FC2 FC4 FC6 FT8 FT10 T7 C5 C3 C1 Cz C2 C4 C6 T8 TP9 TP7 CP5 CP3 CP1 CPz "
                "CP2 CP4 CP6 TP8 TP10 P9 P7 P5 P3 P1 Pz P2 P4 P6 P8 P10 PO9 PO7 PO3 POz PO4 PO8 "
                "PO10 O1 Oz O2 Iz".split()
            ),
            *BETWEEN,
        ),
        "wearable-8": tuple("Fp1 Fp2 C3 C4 P7 P8 O1 O2".split()),
    }
)


def cap(name: str) -> tuple[str, ...]:
    """Return the channel names of a cap, in recording order.

    Raises
    ------
    UsageError
        If there is no cap of that name.
    """
    if name not in CAPS:
        raise UsageError(
            f"there is no montage called {name!r}",
            hint=close_matches(name, sorted([*CAPS, *LEADS])),
        )
    return CAPS[name]


def angle(a: Vector, b: Vector) -> float:
    """Return the angle between two vectors in radians, 0 to pi; their lengths do not matter."""
    dot = math.fsum(x * y for x, y in zip(a, b, strict=True))
    cross = (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )
    return math.atan2(math.sqrt(math.fsum(x * x for x in cross)), dot)


def direction(sites: Sequence[str]) -> Vector:
    """Return the unit vector through the middle of some sites of the 10-10 table.

    Parameters
    ----------
    sites : sequence of str
        At least one name of `POSITIONS`.
    """
    mean = [math.fsum(POSITIONS[site][axis] for site in sites) for axis in range(3)]
    length = math.sqrt(math.fsum(x * x for x in mean))
    return (mean[0] / length, mean[1] / length, mean[2] / length)


def topography(ch_names: Sequence[str], centre: Vector, width_deg: float) -> list[float]:
    """Return the gain of each channel for a source under ``centre``.

    Parameters
    ----------
    ch_names : sequence of str
        Channels, all in `POSITIONS`.
    centre : tuple of float
        Unit vector of the maximum.
    width_deg : float
        Standard deviation of the fall-off in degrees of arc.

    Returns
    -------
    list of float, one per channel, 0 to 1
        ``exp(-angle**2 / (2 * width**2))``.
    """
    width = math.radians(width_deg)
    return [
        math.exp(-(angle(POSITIONS[name], centre) ** 2) / (2 * width * width)) for name in ch_names
    ]
