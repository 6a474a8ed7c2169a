"""The rule of ``classical`` for a dementia cohort: how slow the EEG is, and where."""

from __future__ import annotations

from statistics import fmean, median

from braino_registry.agents.baselines.measuring import Bench

FRONT = ("Fp1", "Fp2", "F3", "F4", "Fz", "F7", "F8")
BACK = ("O1", "O2", "P3", "P4", "Pz")
#: What speaks for health: fast and alpha activity in front, little theta there, a quick rhythm.
ALPHA, BETA, THETA_TO_ALPHA, PEAK_HZ = 0.073, 0.078, 3.6, 9.3
VOTES = 3
#: More delta at the back than this is the diffuse slowing of Alzheimer's disease.
DELTA = 0.47


def cohort(bench: Bench) -> str:
    """Return the group that a resting EEG looks like most."""
    rows = {row["channel"]: row for row in bench.rows("compute_band_power")}
    psd = {row["channel"]: row for row in bench.rows("compute_psd", fmin=4.0, fmax=13.0)}
    front = [rows[name] for name in FRONT if name in rows]
    back = [name for name in BACK if name in rows]
    if not front or not back:
        return "HC"
    votes = [
        _mean(front, "alpha") > ALPHA,
        _mean(front, "beta") > BETA,
        fmean(row["theta_alpha_ratio"] or 0.0 for row in front) < THETA_TO_ALPHA,
        median(psd[name]["dominant_freq_hz"] or 0.0 for name in back) >= PEAK_HZ,
    ]
    if sum(votes) >= VOTES:
        return "HC"
    return "AD" if _mean([rows[name] for name in back], "delta") > DELTA else "FTD"


def _mean(rows: list[dict[str, dict[str, float]]], band: str) -> float:
    return fmean(row["relative_power"][band] or 0.0 for row in rows)
