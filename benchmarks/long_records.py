"""The tools of EEGAgentBench on long recordings: time on one core, and peak memory.

``python -m benchmarks.long_records [--json]``

Writes 23 h of 7 channels (three at 100 Hz, four at 1 Hz) and 4 h of 23 channels at 256 Hz as EDF,
calls every tool on the whole of each, and scans each with windowed features of all channels. Each
recording has a process of its own, so that the peak is its alone; `TARGETS` say what is held.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

TARGETS = {"peak, MB": 400.0, "scan of the night, s": 60.0}
HOUR = 3600
#: Name, hours, rates of the channels, seconds of a window of the scan.
RECORDS = (
    ("night", 23, (100.0,) * 3 + (1.0,) * 4, 30.0),
    ("monitoring", 4, (256.0,) * 23, 10.0),
)


def write(root: Path, hours: int, rates: tuple[float, ...]) -> str:
    """Write a recording of noise and return its id."""
    import edfio

    folder = root / "sub-01" / "eeg"
    folder.mkdir(parents=True)
    (root / "dataset_description.json").write_text('{"Name": "long", "BIDSVersion": "1.10.0"}')
    rng = np.random.default_rng(1)
    signals = [
        edfio.EdfSignal(
            np.clip(rng.normal(0, 30, round(hours * HOUR * rate)), -400, 400),
            sampling_frequency=rate,
            label=f"EEG {number}",
            physical_dimension="uV",
            physical_range=(-400, 400),
        )
        for number, rate in enumerate(rates, start=1)
    ]
    edfio.Edf(signals).write(folder / "sub-01_task-rest_eeg.edf")
    return "sub-01_task-rest"


def measure(root: Path, recording: str, window: float) -> dict[str, float]:
    """Call every tool on a recording and scan it; seconds of processor time, peak in MB."""
    from braino_registry.analysis.windowed import FEATURES
    from braino_registry.numbers import Ledger
    from braino_registry.registry import Registry
    from braino_registry.tools.catalog import Toolset
    from braino_registry.tools.eegagentbench_windows import most_windows
    from braino_registry.tools.state import ToolState

    names = Registry.open().suite("eegagentbench").toolsets["eegagentbench"]
    tools = Toolset(names)
    state = ToolState.open(root, root.parent, Ledger(), {"R": recording})
    info = tools.run("get_recording_info", {"record_id": "R"}, state)
    slow = list(info["rates_hz"])
    groups = [[c for c in info["channel_names"] if c not in slow], slow]
    found: dict[str, float] = {}
    for spec in tools.specs():
        if spec.name == "compute_windowed_features":
            continue
        picks = "channels" in spec.arguments.get("properties", {})
        begun = time.process_time()
        tools.run(
            spec.name, {"record_id": "R", **({"channels": groups[0]} if picks else {})}, state
        )
        found[f"{spec.name}, s"] = time.process_time() - begun
    begun = time.process_time()
    for channels in filter(None, groups):
        most = most_windows(len(channels), len(FEATURES))
        n = int(info["duration_sec"] // window)
        for first in range(0, n, most):
            args: dict[str, Any] = {
                "record_id": "R", "channels": channels, "features": list(FEATURES),
                "window_sec": window, "tmin": first * window,
                "tmax": min(n, first + most) * window,
            }  # fmt: skip
            state.ledger.add_result(
                tools.run("compute_windowed_features", args, state), args, source="scan"
            )
    found["scan, s"] = time.process_time() - begun
    found["peak, MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return found


def main() -> None:
    """Print the measurements."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print JSON")
    as_json = parser.parse_args().json
    found = {}
    context = multiprocessing.get_context("spawn")
    for name, hours, rates, window in RECORDS:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "bids"
            with context.Pool(1) as pool:
                recording = pool.apply(write, (root, hours, rates))
            with context.Pool(1) as pool:
                found[name] = pool.apply(measure, (root, recording, window))
    if as_json:
        print(json.dumps(found, indent=1))
        return
    for name, values in found.items():
        for what, value in values.items():
            print(f"{name:12s} {what:32s} {value:8.2f}")
    print(f"targets: {', '.join(f'{what} {value:g}' for what, value in TARGETS.items())}")


if __name__ == "__main__":
    main()
