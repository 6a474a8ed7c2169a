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


def hypnogram() -> list[str]:
    """Return 240 epochs of 30 s: W, N1, N2, N3, R, two that are not scored, one of movement."""
    runs = (
        ("W", 20), ("N1", 3), ("W", 1), ("N1", 4), ("N2", 20), ("N3", 24), ("W", 2), ("N2", 8),
        ("N3", 10), ("?", 2), ("N3", 4), ("N2", 12), ("R", 15), ("W", 4), ("N1", 2), ("N2", 25),
        ("M", 1), ("N2", 9), ("N3", 6), ("N2", 10), ("R", 28), ("N1", 1), ("R", 7), ("W", 2),
        ("N2", 5), ("W", 15),
    )  # fmt: skip
    return [stage for stage, count in runs for _ in range(count)]


def spo2() -> np.ndarray:
    """Return 3600 s of oxygen saturation in % at 1 Hz: twelve dips and a dropout of 30 s."""
    x = np.full(3600, 96.0)
    dips = (
        (200, 3.0, 20), (420, 2.9, 20), (640, 4.0, 25), (860, 3.9, 25), (1080, 6.0, 30),
        (1300, 8.0, 40), (1520, 3.0, 12), (1740, 5.0, 20), (1960, 10.0, 60), (2300, 17.0, 45),
        (2600, 3.5, 8), (2900, 4.0, 150),
    )  # fmt: skip
    for start, depth, length in dips:
        for i in range(length):
            x[start + i] = 96.0 - depth * min(1.0, (i + 1) / 5, (length - i) / 5)
    x[3200:3230] = np.nan
    return x


def eda() -> np.ndarray:
    """Return 120 s of skin conductance in µS at 100 Hz: a slow wave and ten responses."""
    onsets = (8, 20, 31, 40, 55, 66, 78, 88, 100, 110)
    heights = (0.8, 0.3, 0.05, 0.5, 0.02, 0.6, 0.1, 0.4, 0.2, 0.009)
    n = 12_000
    seconds = np.arange(n) / 100.0
    x = 5 + 0.3 * np.sin(2 * np.pi * seconds / 100)
    t = np.arange(0, 30, 0.01)
    shape = np.exp(-t / 3) - np.exp(-t / 0.7)
    shape /= shape.max()
    for onset, height in zip(onsets, heights, strict=True):
        first = onset * 100
        count = min(len(shape), n - first)
        x[first : first + count] += height * shape[:count]
    return x


def respiration() -> np.ndarray:
    """Return 120 s of breathing at 50 Hz: 30 cycles around 0.25 Hz."""
    t = np.arange(6000) / 50
    rate = 0.25 + 0.02 * np.sin(2 * np.pi * t / 60)
    phase = 2 * np.pi * np.concatenate([[0], np.cumsum(rate)[:-1]]) / 50
    noise = 0.02 * np.random.RandomState(8).standard_normal(t.size)
    return (1 + 0.2 * np.sin(2 * np.pi * t / 40)) * -np.cos(phase) + noise


def fnirs() -> np.ndarray:
    """Return 60 s of light at 760 and 850 nm, 10 Hz, with an activation from 20 to 40 s."""
    rs = np.random.RandomState(10)
    t = np.arange(600) / 10
    wave = 0.5 - 0.5 * np.cos(2 * np.pi * (t - 20) / 20)
    active = np.where((t >= 20) & (t < 40), wave, 0.0)
    first = 1.2 * np.exp(0.006 * active) * (1 + 0.001 * rs.standard_normal(t.size))
    second = 0.9 * np.exp(-0.015 * active) * (1 + 0.001 * rs.standard_normal(t.size))
    return np.vstack([first, second])


def lagged() -> tuple[np.ndarray, np.ndarray]:
    """Return x and y of 300 samples, y seven samples later with noise."""
    rs = np.random.RandomState(11)
    z = _ar1(rs.standard_normal(350), 0.8)
    return z[50:], z[43:-7] + 0.5 * rs.standard_normal(300)


SPINDLES = tuple(15.0 + 28 * k for k in range(10))
SLOW_WAVES = tuple(5.0 + 24 * k for k in range(12))


def sleep_eeg() -> np.ndarray:
    """Return 300 s of EEG in µV at 100 Hz: ten spindles of 13 Hz, twelve slow waves of 0.8 Hz."""
    noise = _ar1(np.random.RandomState(12).standard_normal(30_000), 0.9)
    x = 10 * noise / noise.std()
    for onset in SPINDLES:
        t = np.arange(100) / 100
        x[int(onset * 100) :][:100] += 40 * np.hanning(100) * np.sin(2 * np.pi * 13 * t)
    for onset in SLOW_WAVES:
        t = np.arange(125) / 100
        x[int(onset * 100) :][:125] += -120 * np.sin(2 * np.pi * 0.8 * t)
    return x


def groups() -> tuple[np.ndarray, np.ndarray]:
    """Return two groups of 20 and 24 values, 0.6 apart."""
    rs = np.random.RandomState(13)
    return rs.normal(0.6, 1, 20), rs.normal(0, 1, 24)
