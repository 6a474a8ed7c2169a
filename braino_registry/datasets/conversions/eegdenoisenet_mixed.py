"""EEG epochs of EEGdenoiseNet with ocular and muscle artefacts mixed in at stated levels, to BIDS.

The recipe is that of the released EEGAgentBench: which epochs, in which order, at which level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from braino_registry.datasets.bids_root import FACTS_SCHEMA
from braino_registry.datasets.bids_tree import Signals, write_dataset
from braino_registry.datasets.conversions import Work, conversion
from braino_registry.datasets.conversions.eegdenoisenet import (
    N_SAMPLES,
    SFREQ,
    leaves_out,
    read_epochs,
)
from braino_registry.datasets.values import SourceRecording

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: The arrays in the order in which their permutations are drawn.
KINDS = ("EEG", "EOG", "EMG")
#: An epoch with a smaller RMS, in µV, is none.
LEAST_RMS = 1e-12

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "arrays": {
            "type": "object",
            "description": "By upstream file: what it holds, and how many epochs.",
            "minProperties": 3,
            "maxProperties": 3,
            "additionalProperties": {
                "type": "object",
                "properties": {
                    "type": {"enum": list(KINDS)},
                    "epochs": {"type": "integer", "minimum": 1},
                },
                "required": ["type", "epochs"],
                "additionalProperties": False,
            },
        },
        "seed": {"type": "integer", "minimum": 0},
        "per_class": {"type": "integer", "minimum": 1},
        "levels_db": {"type": "array", "minItems": 1, "items": {"type": "number"}},
        "bids": FACTS_SCHEMA,
    },
    "required": ["arrays", "seed", "per_class", "levels_db", "bids"],
    "additionalProperties": False,
}


def recordings(doc: Mapping[str, Any], paths: Sequence[str]) -> list[SourceRecording]:
    """Return one recording per epoch: clean ones, ocular ones, muscle ones, by level."""
    parameters = doc["conversion"]["parameters"]
    files = tuple(sorted(parameters["arrays"]))
    if any(path not in paths for path in files):
        return []
    found = []
    for number in range(1, 3 * parameters["per_class"] + 1):
        label = f"{number:03d}"
        entities = {"bids_subject": label, "bids_task": "rest"}
        found.append(SourceRecording(f"sub-{label}_task-rest", entities, files))
    return found


@conversion(
    "eegdenoisenet-mixed",
    version="1.0.0",
    parameters=PARAMETERS,
    recordings=recordings,
    leaves_out=leaves_out,
)
def eegdenoisenet_mixed(work: Work) -> None:
    """Mix and write the epochs, each a recording of one channel, as 32-bit floats."""
    arrays = {
        said["type"]: read_epochs(work.sources[path], path, said["epochs"])
        for path, said in work.parameters["arrays"].items()
    }
    mixed = mix(
        arrays,
        seed=work.parameters["seed"],
        per_class=work.parameters["per_class"],
        levels_db=work.parameters["levels_db"],
    )
    signals = []
    for one in work.recordings:
        epoch = mixed[int(one.entities["bids_subject"]) - 1]
        signals.append(
            Signals(
                entities=one.entities, ch_names=["EEG"], ch_types=["EEG"],
                data=epoch[None, :] * 1e-6, sfreq=SFREQ, step_uv=None,
                events=[{"onset": 0.0, "duration": N_SAMPLES / SFREQ, "trial_type": "epoch"}],
                source=one.files[0],
            )
        )  # fmt: skip
    write_dataset(work.out, work.doc, work.parameters["bids"], signals)


def mix(
    arrays: Mapping[str, NDArray[np.float64]],
    *,
    seed: int,
    per_class: int,
    levels_db: Sequence[float],
) -> NDArray[np.float64]:
    """Return the epochs in their order: clean, ocular by level, muscle by level.

    Of each array the epochs with an RMS above zero are put in an order by
    ``numpy.random.default_rng(seed).permutation``, EEG first, then EOG, then EMG. Every EEG epoch
    is used once. An artefact is scaled by RMS(EEG) / (RMS(artefact) · 10^(level / 10)) and added:
    the levels are ten times the logarithm of the ratio of RMS amplitudes, as EEGdenoiseNet
    (Zhang et al. 2021) states them, and half of what they are in power.

    Parameters
    ----------
    arrays : mapping of str to array, shape (n_epochs, n_samples)
        ``EEG``, ``EOG`` and ``EMG`` in µV.
    seed : int
        For the permutations.
    per_class : int
        Epochs of each class.
    levels_db : sequence of float
        Levels in the order of the epochs, each for as many as fit evenly.

    Returns
    -------
    array, shape (3 * per_class, n_samples)
        µV, with the precision of 32-bit floats.
    """
    import numpy as np

    rng = np.random.default_rng(seed)
    order = {}
    for kind in KINDS:
        rms = np.sqrt((arrays[kind] ** 2).mean(axis=1))
        order[kind] = rng.permutation(np.flatnonzero(rms >= LEAST_RMS))
    eeg = arrays["EEG"][order["EEG"][: 3 * per_class]]
    out = eeg.copy()
    each = per_class // len(levels_db)
    for place, kind in enumerate(KINDS[1:], start=1):
        artefacts = arrays[kind][order[kind][:per_class]]
        for i, artefact in enumerate(artefacts):
            row = place * per_class + i
            level = levels_db[min(i // max(1, each), len(levels_db) - 1)]
            size = max(float(np.sqrt((artefact**2).mean())), LEAST_RMS)
            scale = float(np.sqrt((eeg[row] ** 2).mean())) / (size * 10 ** (level / 10))
            out[row] += scale * artefact
    return np.asarray(out.astype(np.float32), dtype=np.float64)
