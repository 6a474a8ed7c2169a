"""Fixed signals for golden values, in µV: RandomState's stream is frozen (NEP 19)."""

from __future__ import annotations

import numpy as np

CH_NAMES = "Fp1 Fp2 F7 F3 Fz F4 F8 T7 C3 Cz C4 T8 P7 P3 Pz P4 P8 O1 O2".split()
SFREQ = 250.0
_REGION = {"F": 0.25, "T": 0.5, "C": 0.6, "P": 0.9, "O": 1.0}


def _ar1(noise: np.ndarray, a: float) -> np.ndarray:
    out = np.empty_like(noise)
    out[0] = noise[0]
    for i in range(1, len(noise)):
        out[i] = a * out[i - 1] + noise[i]
    return out


def eeg() -> np.ndarray:
    """Return 19 channels of 60 s: shared and own noise, alpha at 10.2 Hz, theta, beta, 50 Hz."""
    rs = np.random.RandomState(20260101)
    n = int(SFREQ * 60)
    t = np.arange(n) / SFREQ
    common = _ar1(rs.standard_normal(n), 0.90)
    common *= 3.0 / common.std()
    x = np.empty((len(CH_NAMES), n))
    for c, name in enumerate(CH_NAMES):
        own = _ar1(rs.standard_normal(n), 0.95)
        own *= 6.0 / own.std()
        gain = _REGION[name[0]] * (1.1 if name[-1] in "2468" else 1.0)
        envelope = 1.0 + 0.4 * np.sin(2 * np.pi * 0.1 * t + 0.3 * c)
        y = own + common + 9.0 * gain * envelope * np.sin(2 * np.pi * 10.2 * t + 0.15 * c)
        if name[0] == "F":
            y = y + 2.5 * np.sin(2 * np.pi * 6.0 * t + 0.2 * c)
        if name[0] == "C":
            y = y + 1.5 * np.sin(2 * np.pi * 20.0 * t)
        y = y + 1.5 * np.sin(2 * np.pi * 50.0 * t)
        if name == "T7":
            y = y + 0.05 * t * 10
        x[c] = y
    return x


def p300_trials() -> tuple[np.ndarray, np.ndarray]:
    """Return 30 target trials (n, 250 samples) and their times from -0.2 s at 250 Hz."""
    times = np.arange(-50, 200) / 250.0
    rs = np.random.RandomState(14)

    def bump(a: float, m: float, s: float) -> np.ndarray:
        return a * np.exp(-0.5 * ((times - m) / s) ** 2)

    return bump(5, 0.36, 0.06) + bump(2, 0.2, 0.02) + rs.standard_normal((30, 250)) * 2, times
