"""A small release in the layout of the original one, with what can go wrong in it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

NIGHT = ["W"] * 4 + ["N1"] * 2 + ["N2"] * 6 + ["N3"] * 4 + ["REM"] * 4
OPTIONS = {"A": "A theta rhythm", "B": "Spike and wave", "C": "Sleep spindles", "D": "Alpha"}
GOLD: dict[str, dict[str, dict[str, Any]]] = {
    "T1": {f"kqa_{i}": {"answer": "ABCD"[i % 4], "answer_text": "x"} for i in range(4)},
    "T2": {
        "edn:clean_0000": {"label": "clean", "artifact_source": None, "snr_db": None},
        "edn:eog_m7_0000": {"label": "ocular_contaminated", "artifact_source": "EOG", "snr_db": -7},
        "edn:emg_p2_0000": {"label": "muscle_contaminated", "artifact_source": "EMG", "snr_db": 2},
    },
    "T3": {"bonn_Z002": {"label": "normal"}, "bonn_S001": {"label": "epileptic"}},
    "T4": {f"dem_{g}_{n}": {"label": g} for g, n in (("AD", 1), ("FTD", 66), ("HC", 38))},
    "T5": {
        "c1_seizure_chb01_03": {"label": "seizure", "seizure_events": [[100.0, 140.0]]},
        "c1_seizure_chb21_19": {"label": "seizure", "seizure_events": [[500.0, 560.0]]},
        "c1_seizure_chb05_01": {"label": "no_seizure", "seizure_events": []},
    },
    "T6": {
        "c3_sleep_sc_SC4001E0": {"label": "sleep_session", "epoch_labels_aasm": NIGHT},
        "c3_sleep_sc_SC4002E0": {"label": "sleep_session", "epoch_labels_aasm": NIGHT},
    },
}


def right(task: str, gold: dict[str, Any]) -> dict[str, Any]:
    """Return the right answer."""
    if task == "T1":
        return {"answer": gold["answer"]}
    if task in ("T2", "T3", "T4"):
        return {"classification": gold["label"]}
    if task == "T5":
        events = [{"onset_sec": a, "offset_sec": b} for a, b in gold["seizure_events"]]
        return {"seizure_events": events}
    stages = gold["epoch_labels_aasm"]
    runs = [{"start_epoch": i, "end_epoch": i, "stage": s} for i, s in enumerate(stages)]
    return {"hypnogram_rle": runs, "architecture": {}}


def rows(**changed: Any) -> list[dict[str, Any]]:
    """Return a whole run with some answers replaced, by scenario."""
    return [
        {"scenario_id": name, "status": "completed", "invalid": False,
         "prediction": changed.get(name.replace(":", "_"), right(task, gold)), "usage": {}}
        for task, golds in GOLD.items()
        for name, gold in golds.items()
    ]  # fmt: skip


def write(folder: Path) -> Path:
    """Write scenarios, answer keys and runtime maps, and return the checkout."""
    for task, golds in GOLD.items():
        scenarios, keys, runtime = [], [], []
        for name, gold in golds.items():
            record: dict[str, Any] = {"record_id": "EEG_0001", "sampling_rate": 256}
            if task == "T5":
                record["duration_sec"] = 3600.0
            row: dict[str, Any] = {
                "scenario_id": name,
                "task_id": task,
                "records": [record],
                "input": {"options": OPTIONS} if task == "T1" else {},
            }
            scenarios.append(row)
            keys.append({"scenario_id": name, "gold": gold})
            path = f"data/{task}/sub-{name[-2:].strip('_')}/{name.replace(':', '_')}.edf"
            runtime.append(
                {"scenario_id": name, "records": [{"record_id": "x", "data_path": path}]}
            )
        lines(folder / "benchmark/scenarios" / f"{task}.jsonl", scenarios)
        lines(folder / "benchmark/answer_keys" / f"{task}.jsonl", keys)
        if task != "T1":
            lines(folder / "benchmark/runtime" / f"{task}.jsonl", runtime)
    return folder


def lines(file: Path, values: Sequence[Any]) -> None:
    """Write JSON lines."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")
