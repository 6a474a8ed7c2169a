"""Transcripts of the size that the reference solutions have."""

from __future__ import annotations

import random
from typing import Any

REQUEST = "Relative alpha (8–13 Hz) over O1, Oz and O2 with eyes open and closed in subject 01?"


def call(n: int, tool: str, args: dict[str, Any], result: Any) -> dict[str, Any]:
    return {
        "n": n,
        "t": 0.1 * n,
        "type": "call",
        "tool": tool,
        "version": "1.0.0",
        "args": args,
        "ok": True,
        "result": result,
        "seconds": 0.01,
    }


def five_calls() -> list[dict[str, Any]]:
    """Return five calls that report about sixty numbers."""
    draw = random.Random(5)
    channels = ["O1", "Oz", "O2"]

    def power(view: str, low: float) -> dict[str, Any]:
        per_channel = {
            c: {"absolute_uv2": draw.uniform(5, 60), "relative": low + draw.uniform(0, 0.1)}
            for c in channels
        }
        return {
            "view": view,
            "definition": "Welch, 2 s Hann windows, 50 % overlap, 1–40 Hz total power 93.726",
            "per_channel": per_channel,
            "absolute_uv2": sum(p["absolute_uv2"] for p in per_channel.values()) / 3,
            "relative": sum(p["relative"] for p in per_channel.values()) / 3,
            "fmin_hz": 8.0,
            "fmax_hz": 13.0,
            "total_uv2": draw.uniform(50, 90),
            "n_windows": 60,
        }

    info = {
        "recording": "sub-01_task-eyesopen",
        "ch_names": [*channels, "T8", "Fp1"],
        "n_channels": 32,
        "ch_types": {"eeg": 31, "eog": 1},
        "sfreq": 160.0,
        "duration": 61.0,
        "n_times": 9760,
        "n_events": 154,
        "events": {"square": 80, "rt": 74},
        "line_freq": 60.0,
        "impedances_kohm": [draw.uniform(1, 20) for _ in range(16)],
    }
    open_view, closed_view = "view-1", "view-2"
    peak = {
        "frequency_hz": 10.22,
        "power_uv2_hz": 23.6734,
        "amplitude_uv": 31.2471,
        "latency": 0.4297,
        "snr_db": 12.881,
        "t": -5.1234,
        "p_value": 0.00031,
        "df": 14.0,
        "cohen_d": 2.41,
        "mean_a": 0.1398,
        "mean_b": 0.6512,
    }
    return [
        {"n": 1, "t": 0.0, "type": "start", "request": REQUEST, "protocol": "session/1"},
        call(2, "recording.info", {"view": "sub-01_task-eyesopen"}, info),
        call(3, "preprocess.filter", {"view": info["recording"], "l_freq": 1.0, "h_freq": 45.5},
             {"view": open_view, "description": "high-pass 1 Hz, low-pass 45.5 Hz, 3301 taps",
              "l_freq": 1.0, "h_freq": 45.5}),
        call(4, "spectrum.band_power", {"view": open_view, "channels": channels, "band": "alpha"},
             power(open_view, 0.1)),
        call(5, "spectrum.band_power", {"view": closed_view, "channels": channels, "band": "alpha"},
             power(closed_view, 0.6)),
        call(6, "spectrum.peak", {"view": closed_view, "channels": channels}, peak),
    ]  # fmt: skip


def calculations() -> list[dict[str, Any]]:
    """Return five calls and thirty results of arithmetic on what they report."""
    draw = random.Random(11)
    events = five_calls()
    for _ in range(30):
        value = draw.choice([draw.uniform(0, 1), draw.uniform(1, 100), draw.uniform(-50, 500)])
        args = {"expression": "(a - b) / c * 100", "values": {"a": 31.2471}}
        result = {"value": value, "expression": args["expression"]}
        events.append(call(len(events) + 1, "calc", args, result))
    return events


def group_study(n_subjects: int = 16) -> list[dict[str, Any]]:
    """Return a session that reports some three hundred numbers, most of them shares."""
    draw = random.Random(8)
    events = [{"n": 1, "t": 0.0, "type": "start", "request": "Which bands differ?"}]
    for s in range(n_subjects):
        bands = {
            b: {"absolute_uv2": draw.uniform(1, 80), "relative": draw.uniform(0.05, 0.7)}
            for b in ("theta", "alpha", "beta")
        }
        per_channel = {c: draw.uniform(0.05, 0.7) for c in ("P3", "Pz", "P4", "O1", "O2")}
        result = {"bands": bands, "relative": per_channel, "n_windows": 59, "total_uv2": 100.0}
        events.append(
            call(s + 2, "spectrum.band_power", {"view": f"sub-{s:02d}_task-rest"}, result)
        )
    for band in ("theta", "alpha", "beta"):
        result = {k: draw.uniform(-5, 5) for k in ("t", "cohen_d")}
        result |= {k: draw.uniform(0, 1) for k in ("p_value", "relative_a", "relative_b")}
        events.append(call(len(events) + 1, "stats.ttest", {"band": band}, result | {"df": 14.0}))
    return events
