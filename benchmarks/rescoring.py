"""How long it takes to score a run again: transcripts, answers, artifacts, nothing cached of them.

``python benchmarks/rescoring.py [--trials N] [--json]``

A few trials of a task with weighted validation units are run: a number, a rubric over the report,
an exported EDF file that is measured, and whether every number has a source. Their folders are
copied until there are N finished trials (4,000 is what the target is for), each with a transcript
and a file of its own, and the run is scored again by one worker. Printed is the processor time of
parent and worker together, for this is what one core needs.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import edfio
import numpy as np

from braino_registry.runner import RunSettings, rescore, run
from braino_registry.runner.folder import RunFolder
from braino_registry.runner.journal import Journal, read

ROOT = Path(__file__).resolve().parents[1]
#: Seconds of one core that 4,000 trials may take.
TARGET = 20.0
ARTIFACT = "file_check/clean.edf"
SFREQ, SECONDS = 128.0, 20


def entries(folder: Path) -> Path:
    """Write a suite of one task, after one that is there, and return the registry folder."""
    suite = json.loads((ROOT / "tasks" / "braino" / "suite.json").read_text())
    suite |= {"id": "rescoring", "rule": "brainbench", "tell_fields": False}
    suite.pop("categories")
    task = json.loads((ROOT / "tasks" / "braino" / "alpha-peak-frequency.json").read_text())
    task |= {"id": "rescored", "suite": "rescoring", "instances": task["instances"][:1]}
    for check in task["checks"]:
        check.pop("required", None)
    task["checks"][1]["weight"] = 40
    signal = {
        "channels": {"is": ["O1", "Oz", "O2"]},
        "sfreq": {"is": SFREQ},
        "duration": {"is": float(SECONDS)},
        "rms": {"is": 10.0},
        "passband": {"is": [1.0, 40.0]},
    }
    task["checks"] += [
        {"id": "explains", "kind": "semantic", "weight": 30,
         "findings": [{"says": ["alpha + peaks + occipital|posterior"]}],
         "forbids": ["frontal + alpha + peaks"]},
        {"id": "exports", "kind": "artifact", "weight": 30, "path": ARTIFACT, "signal": signal},
    ]  # fmt: skip
    everything = [check["id"] for check in task["checks"]]
    task["counterexamples"] = [{"why": "does nothing", "answer": "No.", "fails": everything}]
    for name, document in (("suite", suite), ("rescored", task)):
        file = folder / "tasks" / "rescoring" / f"{name}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(document))
    return folder


def multiply(place: RunFolder, trials: int) -> None:
    """Copy the finished trials of a run until there are so many, each with an artifact."""
    document = json.loads(place.run_file.read_text())
    first = list(read(place.journal).finished.values())
    repeats = trials // len(first)
    document["asked"]["repeats"] = document["plan"]["repeats"] = repeats
    document["plan"]["trials"] = repeats * len(first)
    place.run_file.write_text(json.dumps(document))
    file = _edf(place.path / "model.edf")
    with Journal(place.journal) as log:
        for record in first:
            key = (record["task"], record["instance"], 1)
            source = place.trial(*key)
            _artifact(source, file)
            for repeat in range(2, repeats + 1):
                here = (*key[:2], repeat)
                shutil.copytree(source, place.trial(*here))
                log.started(here, 1)
                transcript = place.transcript(*here)
                log.finished({**record, "repeat": repeat, "transcript": transcript}, sync=False)
        log.sync()


def _edf(path: Path) -> bytes:
    rng = np.random.default_rng(5)
    data = rng.standard_normal((3, int(SFREQ * SECONDS))) * 10
    edfio.Edf(
        [
            edfio.EdfSignal(row, SFREQ, label=name, physical_dimension="uV")
            for row, name in zip(data, ("O1", "Oz", "O2"), strict=True)
        ]
    ).write(path)
    return path.read_bytes()


def _artifact(folder: Path, content: bytes) -> None:
    file = folder / "artifacts" / ARTIFACT
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)


def seconds_of_processor() -> float:
    """Return the processor time of this process and of those it has waited for."""
    return sum(
        used.ru_utime + used.ru_stime
        for used in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def measure(trials: int) -> dict[str, Any]:
    """Return how long so many trials take to be scored again."""
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        settings = RunSettings(
            agent="oracle", suite="rescoring", registry=(entries(base / "entries"),),
            run_dir=base / "run", isolation="none",
        )  # fmt: skip
        run(settings)
        place = RunFolder(base / "run")
        used = seconds_of_processor()
        few = len(rescore(place.path).report["trials"])
        start = seconds_of_processor() - used
        multiply(place, trials)
        began, used = time.perf_counter(), seconds_of_processor()
        done = rescore(place.path)
        rows = done.report["trials"]
        exports = [c["score"] for row in rows for c in row["checks"] if c["id"] == "exports"]
        spent = seconds_of_processor() - used
        return {
            "trials": len(rows),
            "scored": done.report["coverage"]["scored"],
            "artifacts_measured": sum(score > 0 for score in exports),
            "processor_s": round(spent, 2),
            "elapsed_s": round(time.perf_counter() - began, 2),
            "start_s": round(start, 2),
            "per_trial_ms": round(1e3 * (spent - start) / (len(rows) - few), 2),
            "4000_trials_s": round(start + 4000 * (spent - start) / (len(rows) - few), 2),
            "target_s": TARGET,
        }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trials", type=int, default=4000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = measure(options.trials)
    if options.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name:20} {value}")


if __name__ == "__main__":
    main()
