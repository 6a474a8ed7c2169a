"""Recordings, views and results as files in the workspace."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Meta

from braino_registry.tools import workspace
from braino_registry.tools.decorator import Result, tool
from braino_registry.tools.errors import ToolError
from braino_registry.tools.recording import shown
from braino_registry.tools.state import ToolState

if TYPE_CHECKING:
    from braino_registry.recordings.results import Stored

MAX_CELLS = 1_000_000


class Exported(Result, frozen=True, kw_only=True):
    """A file that was written."""

    file: Annotated[str, Meta(description="Its name in the workspace: name it as an artifact.")]
    format: str
    holds: Annotated[str, Meta(description="What is in it: shape, unit, what was done.")]
    ch_names: Annotated[list[str], Meta(description="Channels in the order of the file.")]


@tool("export.data", version="1.0.0", aliases=("DataExporter",))
def export(
    state: ToolState,
    *,
    file: Annotated[str, Meta(description="Name of the file, for example frontal.edf.")],
    format: Annotated[
        Literal["edf", "fif", "npy", "csv"], Meta(description="The ending of the name, too.")
    ],
    view: Annotated[
        str | None, Meta(description="A recording's or view's id: its samples are written.")
    ] = None,
    channels: Annotated[
        list[str] | None,
        Meta(description="Channels in the order of the file; all of the view if left out."),
    ] = None,
    result: Annotated[
        str | None, Meta(description="Id of a kept result, instead of a view: npy or csv.")
    ] = None,
    path: Annotated[
        str, Meta(description="Its part, for example matrix or values.", max_length=200)
    ] = "values",
) -> Exported:
    """Write the samples of a view, or a table or matrix of a result, as a file.

    Build the view first: what it shows is what is written. An existing file of this name is
    replaced.

    Definition: edf: µV, 16 bits, nothing padded. fif: V, single precision. npy: V, double
    precision, (channels, samples). csv: a row per sample, seconds from the recording's start and V.
    Epochs are written as npy only, (epochs, channels, samples).

    Example: {"file": "cleaned.edf", "format": "edf", "view": "view-1"}
    """
    workspace.check_name(file, (format,))
    if (view is None) == (result is None):
        raise ToolError("either a view or a result is written", "Pass one of view and result.")
    if view is not None:
        return _samples(state, file, format, view, channels)
    if channels is not None or format not in ("npy", "csv"):
        raise ToolError("a result is written as npy or csv, whole", "Leave channels out.")
    return _result(state, file, format, str(result), path)


def _samples(
    state: ToolState, file: str, format: str, view: str, channels: list[str] | None
) -> Exported:
    from braino_registry.recordings.exporting import WRITERS, Samples

    chosen = state.view(view)
    names = chosen.ch_names if channels is None else chosen.pick(channels)
    types = dict(zip(chosen.ch_names, chosen.ch_types, strict=True))
    if chosen.epochs is not None:
        return _epochs(state, file, format, view, names)
    data = chosen.data(names)
    samples = Samples(
        data=data,
        sfreq=chosen.sfreq,
        ch_names=tuple(names),
        ch_types=tuple(types[name] for name in names),
        tmin=float(chosen.times[0]),
        filters=_filters(chosen.history),
    )
    workspace.write(state, file, lambda target: WRITERS[format](target, samples))
    unit = "µV" if format == "edf" else "V"
    return Exported(
        file=file,
        format=format,
        holds=f"{len(names)} channels in {unit}; {shown(chosen)}",
        ch_names=list(names),
    )


def _filters(history: tuple[Mapping[str, Any], ...]) -> str:
    """Return the filters of a view in the words of EDF's header."""
    words = []
    for step in history:
        if step["op"] == "filter":
            for key, word in (("l_freq", "HP"), ("h_freq", "LP")):
                if step.get(key) is not None:
                    words.append(f"{word}:{step[key]:g}Hz")
        elif step["op"] == "notch":
            words += [f"N:{freq:g}Hz" for freq in step["freqs"]]
    return " ".join(words)


def _epochs(
    state: ToolState, file: str, format: str, view: str, names: tuple[str, ...]
) -> Exported:
    import numpy as np

    chosen = state.view(view)
    if format != "npy":
        raise ToolError("epochs are written as npy only", "Pass format npy, or the view before.")
    data = chosen.data(names)

    def make(target: Path) -> None:
        with target.open("wb") as stream:
            np.save(stream, data, allow_pickle=False)

    workspace.write(state, file, make)
    holds = f"epochs, {len(names)} channels, samples, in V; {shown(chosen)}"
    return Exported(file=file, format=format, holds=holds, ch_names=list(names))


def _result(state: ToolState, file: str, format: str, result: str, path: str) -> Exported:
    """Write a flat table of numbers, or a matrix."""
    import numpy as np

    from braino_registry.recordings.exporting import write_table

    names, array = matrix_of(state.results.get(result), path)
    header = names or [f"column-{k + 1}" for k in range(array.shape[-1])]

    def make(target: Path) -> None:
        if format == "csv":
            write_table(target, header, np.atleast_2d(array))
            return
        with target.open("wb") as stream:
            np.save(stream, array, allow_pickle=False)

    workspace.write(state, file, make)
    shape = " × ".join(map(str, array.shape))
    holds = f"{path} of {result}, {shape}, in the unit of the result"
    return Exported(file=file, format=format, holds=holds, ch_names=names)


def matrix_of(stored: Stored, path: str) -> tuple[list[str], Any]:
    """Return the table or matrix in a part of a result, and the names of its columns.

    Parameters
    ----------
    stored : Stored
        The result.
    path : str
        Keys joined by dots.

    Raises
    ------
    ToolError
        If there is none.
    """
    value = stored.value
    for key in [part for part in path.split(".") if part]:
        if not isinstance(value, Mapping) or key not in value:
            parts = ", ".join(map(str, value)) if isinstance(value, Mapping) else "no parts by name"
            raise ToolError(
                f"{stored.id} has nothing at {path!r}", f"Pass a path; here: {parts[:500]}."
            )
        value = value[key]
    names, array = _numbers(value)
    if names is None:
        known = stored.value.get("ch_names") if isinstance(stored.value, Mapping) else None
        fits = isinstance(known, list) and array.ndim == 2 and len(known) == array.shape[1]
        names = [str(name) for name in known] if fits and known is not None else []
    return names, array


def _numbers(value: Any) -> tuple[list[str] | None, Any]:
    """Return names, if it has any, and the numbers of a flat table, list or matrix."""
    import numpy as np

    names = [str(name) for name in value] if isinstance(value, Mapping) else None
    rows = list(value.values()) if isinstance(value, Mapping) else value
    try:
        array = np.asarray(rows, dtype=float)
    except (TypeError, ValueError):
        array = np.empty((0, 0, 0))
    if not 1 <= array.ndim <= 2 or not 1 <= array.size <= MAX_CELLS:
        raise ToolError("there is no table or matrix of numbers", "Pass another path.")
    return names, array
