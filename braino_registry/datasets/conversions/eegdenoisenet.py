"""EEGdenoiseNet, arrays of two-second epochs without people, to BIDS."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from braino_registry.datasets.bids_root import FACTS_SCHEMA
from braino_registry.datasets.bids_tree import Signals, write_dataset
from braino_registry.datasets.conversions import Work, conversion
from braino_registry.datasets.values import SourceRecording
from braino_registry.errors import EntryError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SFREQ = 256.0
N_SAMPLES = 512

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "arrays": {
            "type": "object",
            "description": "By upstream file: its label, task, BIDS type and number of epochs.",
            "minProperties": 1,
            "additionalProperties": {
                "type": "object",
                "properties": {
                    "bids_subject": {"type": "string", "pattern": "^[A-Za-z0-9]+$"},
                    "bids_task": {"type": "string", "pattern": "^[A-Za-z0-9]+$"},
                    "type": {"enum": ["EEG", "EOG", "EMG"]},
                    "epochs": {"type": "integer", "minimum": 1},
                },
                "required": ["bids_subject", "bids_task", "type", "epochs"],
                "additionalProperties": False,
            },
        },
        "bids": FACTS_SCHEMA,
    },
    "required": ["arrays", "bids"],
    "additionalProperties": False,
}


def recordings(doc: Mapping[str, Any], paths: Sequence[str]) -> list[SourceRecording]:
    """Return one recording per array that the parameters name."""
    arrays = doc["conversion"]["parameters"]["arrays"]
    return [
        SourceRecording(
            f"sub-{said['bids_subject']}_task-{said['bids_task']}",
            {key: said[key] for key in ("bids_subject", "bids_task")},
            (path,),
        )
        for path, said in sorted(arrays.items())
        if path in paths
    ]


def leaves_out(doc: Mapping[str, Any], path: str) -> bool:
    """Tell whether a file is not used: the same arrays in another format."""
    return path not in doc["conversion"]["parameters"]["arrays"]


@conversion(
    "eegdenoisenet",
    version="1.0.0",
    parameters=PARAMETERS,
    recordings=recordings,
    leaves_out=leaves_out,
)
def eegdenoisenet(work: Work) -> None:
    """Write the epochs of each array one after the other, an event at the start of each.

    Values are stored as 32-bit floats. The event's ``epoch`` is the row of the array, counted
    from 0.
    """
    signals = []
    for one in work.recordings:
        said = work.parameters["arrays"][one.files[0]]
        epochs = read_epochs(work.sources[one.files[0]], one.files[0], said["epochs"])
        seconds = N_SAMPLES / SFREQ
        signals.append(
            Signals(
                entities=one.entities, ch_names=[said["type"]], ch_types=[said["type"]],
                data=epochs.reshape(1, -1) * 1e-6, sfreq=SFREQ, step_uv=None,
                events=[
                    {"onset": seconds * row, "duration": seconds, "trial_type": "epoch",
                     "epoch": row}
                    for row in range(len(epochs))
                ],
                source=one.files[0],
            )
        )  # fmt: skip
    write_dataset(work.out, work.doc, work.parameters["bids"], signals)


def read_epochs(path: Path, name: str, count: int) -> NDArray[np.float64]:
    """Return an array of epochs.

    Parameters
    ----------
    path : Path
        A ``.npy`` file of real numbers; pickled objects are not read.
    name : str
        What to call the file in errors.
    count : int
        How many epochs there must be.

    Returns
    -------
    array, shape (count, 512)
        As the file gives them.

    Raises
    ------
    EntryError
        If it is no such array, or holds values that are not finite.
    """
    import numpy as np

    try:
        values = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        raise _refused(name, f"is no array of numbers: {error}") from error
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "fiu":
        raise _refused(name, "is no array of real numbers")
    if values.shape != (count, N_SAMPLES):
        raise _refused(name, f"has the shape {values.shape} instead of {(count, N_SAMPLES)}")
    if not np.isfinite(values).all():
        raise _refused(name, "holds values that are not finite")
    return values.astype(np.float64)


def _refused(name: str, problem: str) -> EntryError:
    return EntryError(f"{name} {problem}", where="$.pins", hint="Nothing was converted.")
