"""Small recipes of long recordings."""

from __future__ import annotations

from typing import Any

from tests.synthesis.small import layer, recipe

README = (
    "One participant was recorded for some hours with bipolar channels, in a quiet room. Nothing "
    "was filtered after the recording, and nobody has marked anything in it yet. The recording "
    "was made to test how analyses deal with long recordings."
)


def _long(layers: list[dict[str, Any]], task: str, **recording: Any) -> dict[str, Any]:
    doc = recipe(layers)
    doc["dataset"] = {"name": "Long recording", "readme": README}
    doc["tasks"] = {task: {"description": "Monitoring.", "instructions": "None."}}
    doc["recordings"][0] |= {"over": {"bids_task": [task]}, "reference": "bipolar", **recording}
    return doc


def nights(
    *,
    age: float = 40,
    difficulty: float = 0.5,
    fragmentation: float = 1.0,
    montage: str = "sleep-cassette",
    duration: int = 14400,
    sfreq: int = 100,
    seed: int = 11,
) -> dict[str, Any]:
    """Return a recipe of one night."""
    cassette = montage == "sleep-cassette"
    stages = {"age": age, "difficulty": difficulty, "fragmentation": fragmentation}
    always = (
        "sleep_background",
        "sleep_alpha",
        "light_sleep_waves",
        "sleep_spindles",
        "k_complexes",
        "slow_waves",
        "sleep_arousals",
    )
    layers = [layer("sleep_stages", **stages), *(layer(name) for name in always)]
    layers.append(layer("sleep_eyes", channels="horizontal" if cassette else "pair"))
    layers.append(layer("chin_emg", envelope=cassette))
    if cassette:
        slow = ["Resp oro-nasal", "Temp rectal", "Event marker"]
        layers.append(layer("slow_channels", channels=slow))
    return _long(layers, "sleep", montage=montage, sfreq=sfreq, duration=duration) | {"seed": seed}


def scalp(
    *, count: int = 1, difficulty: float = 0.5, duration: int = 900, seed: int = 11
) -> dict[str, Any]:
    """Return a recipe of one long scalp recording."""
    alpha = {"frequency_hz": 9, "bandwidth_hz": 1.5, "amplitude_uv": 9, "width_deg": 34}
    layers = [
        layer("scalp_background", wide_uv=18, near_uv=7),
        layer("scalp_rhythm", **alpha, sites=["O1", "O2", "Pz"]),
        layer("scalp_blinks", per_minute=12, amplitude_uv=200),
        layer("scalp_muscle", rms_uv=1.5, bursts_per_minute=4, burst_uv=8),
        layer("scalp_seizures", count=count, difficulty=difficulty),
        layer("seizure_mimics", difficulty=difficulty),
        layer("scalp_noise", rms_uv=0.8, hum_uv=1),
    ]
    doc = _long(layers, "rest", montage="double-banana-23", sfreq=256, duration=duration)
    return doc | {"seed": seed}
