"""Signals on disk: BrainVision, 16-bit integers on a grid of 0.1 µV."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.errors import HostError
from braino_registry.synthesis.canvas import Array, Event

LSB_UV = 0.1
"""Grid in µV."""

LIMIT = 32766
"""Largest integer that is written; pybv refuses the very ends of the 16-bit range."""

MARGIN = 1e-9
"""How far, in grid steps, every sample stays away from a rounding tie."""


def quantise(signal_uv: Array, step: float = LSB_UV) -> NDArray[np.int16]:
    """Return the signal on the grid, in a way that any machine repeats.

    Machines differ in the last bits of a float, by about 1e-12 grid steps. A sample that close
    to a tie could be rounded up on one and down on another, so a channel in which a sample lies
    within `MARGIN` of a tie is shifted by a hundredth of a step until none does.

    Parameters
    ----------
    signal_uv : ndarray, shape (n_channels, n_times)
        In µV. Not changed.
    step : float
        The grid in the unit of the signal.

    Returns
    -------
    ndarray of int16, shape (n_channels, n_times)
        Multiples of ``step``, clipped to `LIMIT` as an amplifier does.

    Raises
    ------
    HostError
        If no shift helps, which takes a signal that is no noise at all.
    """
    grid = np.empty(signal_uv.shape, dtype=np.int16)
    steps = np.empty(signal_uv.shape[1])
    nearest = np.empty_like(steps)
    for row, out in zip(signal_uv, grid, strict=True):
        for attempt in range(20):
            np.multiply(row, 1 / step, out=steps)
            steps += 0.01 * attempt
            np.rint(steps, out=nearest)
            steps -= nearest
            if 0.5 - max(float(steps.max()), -float(steps.min())) >= MARGIN:
                break
        else:
            raise HostError(
                "a channel cannot be rounded in a way that every machine repeats",
                where="synthesis",
                hint="Report the recipe and the salt's hash.",
            )
        np.clip(nearest, -LIMIT, LIMIT, out=nearest)
        out[:] = nearest
    return grid


def write(
    grid: NDArray[np.int16],
    sfreq: float,
    ch_names: Sequence[str],
    events: Sequence[Event],
    folder: Path,
    name: str,
) -> None:
    """Write ``name.vhdr``, ``name.vmrk`` and ``name.eeg``.

    Parameters
    ----------
    grid : ndarray of int16, shape (n_channels, n_times)
        Multiples of `LSB_UV`.
    sfreq : float
        In Hz.
    ch_names : sequence of str
    events : sequence of Event
        Written as markers.
    folder : Path
    name : str
        File name without extension.

    Raises
    ------
    HostError
        If the file does not hold exactly these integers.
    """
    from pybv import write_brainvision

    # pybv scales volts and cuts off what is behind the point. A quarter step away from zero
    # makes the cut return the very integer, whatever the last bits of the scaling are.
    volts = grid.astype(np.float64)
    volts += 0.25 * np.sign(volts)
    volts *= LSB_UV * 1e-6
    write_brainvision(
        data=volts,
        sfreq=sfreq,
        ch_names=list(ch_names),
        fname_base=name,
        folder_out=folder,
        events=[_marker(event) for event in events],
        resolution=LSB_UV,
        unit="µV",
        fmt="binary_int16",
        meas_date=None,
    )
    written = np.fromfile(folder / f"{name}.eeg", dtype="<i2").reshape(-1, len(ch_names))
    if not np.array_equal(written.T, grid):
        raise HostError(
            "the samples on disk are not the samples that were made",
            where=str(folder / f"{name}.eeg"),
            hint="Check the disk, and report the version of pybv.",
        )
    for suffix in (".vhdr", ".vmrk"):
        _forget_version(folder / f"{name}{suffix}")


def _marker(event: Event) -> dict[str, Any]:
    numbered = event.role in ("stimulus", "response")
    return {
        "onset": event.sample,
        "duration": event.duration,
        "description": event.value if numbered else event.trial_type,
        "type": event.role.capitalize() if numbered else "Comment",
    }


def _forget_version(path: Path) -> None:
    """Take the version of the writing library out of a header, which would change the bytes."""
    text = path.read_text(encoding="utf-8")
    path.write_text(re.sub(r"(using pybv) .*", r"\1", text), encoding="utf-8", newline="\n")
