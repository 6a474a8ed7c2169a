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


def r_times() -> np.ndarray:
    """Return the times of R peaks, in s: RR of 0.85 s with a slow and a respiratory rhythm."""
    t, found = 0.5, [0.5]
    while True:
        rr = 0.85 + 0.05 * np.sin(2 * np.pi * 0.1 * t) + 0.03 * np.sin(2 * np.pi * 0.25 * t)
        t = round(t + round(rr / 0.004) * 0.004, 3)
        if t > 299.5:
            return np.array(found)
        found.append(t)


def ecg() -> np.ndarray:
    """Return 300 s of ECG in mV at 250 Hz: P, Q, R, S and T waves, and a little noise."""
    n = int(SFREQ * 300)
    t = np.arange(n) / SFREQ
    x = np.zeros(n)
    waves = (
        (-0.17, 0.025, 0.12), (-0.03, 0.008, -0.12), (0.0, 0.010, 1.0), (0.03, 0.009, -0.2),
        (0.25, 0.045, 0.28),
    )  # fmt: skip
    for r in r_times():
        for off, width, height in waves:
            first = max(0, int((r + off - 6 * width) * SFREQ))
            last = min(n, int((r + off + 6 * width) * SFREQ) + 1)
            x[first:last] += height * np.exp(-0.5 * ((t[first:last] - r - off) / width) ** 2)
    return x + 0.01 * np.random.RandomState(7).standard_normal(n)


def eog() -> np.ndarray:
    """Return 60 s of vertical EOG in µV at 250 Hz: slow eye movement and 14 blinks."""
    n = int(SFREQ * 60)
    t = np.arange(n) / SFREQ
    noise = _ar1(np.random.RandomState(9).standard_normal(n), 0.98)
    x = 5 * noise / noise.std()
    slow = (t >= 30) & (t < 50)
    x[slow] += 30 * np.sin(2 * np.pi * 0.3 * (t[slow] - 30))
    onsets = (2.0, 5.5, 9.0, 12.2, 16.0, 19.5, 23.0, 27.0, 33.0, 37.5, 42.0, 48.0, 53.0, 57.5)
    for k, onset in enumerate(onsets):
        length, first = int((0.8 if k in (4, 10) else 0.3) * SFREQ), int(onset * SFREQ)
        x[first : first + length] += 200 * np.hanning(length)
    return x
