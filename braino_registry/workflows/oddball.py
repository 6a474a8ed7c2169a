"""What rare events evoke more than frequent ones, where many trigger codes mean one kind of event.

A pipeline cuts epochs around events of one name. Published oddball data write a code per letter
or picture, so that a kind of event is a set of codes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.analysis.epochs import complete, cut, event_samples
from braino_registry.analysis.erp import mean_amplitude
from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.filters import band_pass, resample
from braino_registry.analysis.windows import inside
from braino_registry.errors import UsageError, close_matches
from braino_registry.recordings.errors import RecordingError
from braino_registry.recordings.recording import Recording
from braino_registry.recordings.tree import BidsTree
from braino_registry.workflows import workflow

Array = NDArray[np.float64]
Codes = Sequence[str | int]


@workflow("oddball.difference", version="1.0.0")
def difference(
    tree: Path,
    *,
    recording: str | None,
    rare: Codes,
    frequent: Codes,
    channels: Sequence[str],
    window: Sequence[float],
    epoch: Sequence[float],
    baseline: Sequence[float],
    l_freq: float | None = None,
    h_freq: float | None = None,
    sfreq: float | None = None,
    reference: str | Sequence[str] | None = None,
    delay: float = 0.0,
    column: str = "value",
    report: str | None = None,
) -> Any:
    """Return the mean amplitude of the average after rare and after frequent events.

    In this order: the EEG channels alone; zero-phase filter of the whole recording
    (`filters.band_pass`); resampling (`filters.resample`); reference; epochs, whose samples are
    those from ``round(epoch[0] * sfreq)`` to ``round(epoch[1] * sfreq)``, both included, around
    the sample nearest to ``onset + delay``, where they lie completely in the recording; without
    the mean of the baseline, both ends included; average over epochs; mean over ``channels`` and
    over ``window``, both ends included. No epoch is rejected. These are the conventions of MNE.

    Parameters
    ----------
    tree : Path
        BIDS root.
    recording : str
        Its id.
    rare, frequent : sequence
        Codes of ``column`` of events.tsv.
    channels : sequence of str
        Whose mean is measured.
    window, epoch, baseline : (float, float)
        Seconds from the event.
    l_freq, h_freq : float | None
        Edges of the pass band in Hz; without both nothing is filtered.
    sfreq : float | None
        Rate to resample to, in Hz; None keeps the recorded one.
    reference : "average" | sequence of str | None
        All EEG channels, or those named; None keeps the recorded one.
    delay : float
        Seconds from the event to the stimulus.
    column : str
        Where the codes stand.
    report : str | None
        Which of the numbers is returned; None for all of them.

    Returns
    -------
    dict | number
        ``rare_uv``, ``frequent_uv``, ``difference_uv``, ``n_rare``, ``n_frequent``; or the one
        that ``report`` names.

    Raises
    ------
    RecordingError
        If there is no recording or channel of that name.
    UsageError
        If ``report`` names no number.
    SignalError
        If there is no complete epoch of a kind, or a window holds no sample.
    """
    if recording is None:
        raise RecordingError("the measure is of one recording", hint="Name a recording.")
    kinds = {"rare": rare, "frequent": frequent}
    opened = BidsTree(tree).open(recording)
    data, names, rate = _prepared(opened, l_freq, h_freq, sfreq, reference)
    start, stop = round(epoch[0] * rate), round(epoch[1] * rate) + 1
    times = np.arange(start, stop) / rate
    found: dict[str, Any] = {}
    for kind, codes in kinds.items():
        onsets = _onsets(opened, codes, column)
        samples = event_samples([onset + delay for onset in onsets], rate)
        samples = complete(samples, start, stop, data.shape[1])
        if not samples:
            raise SignalError(f"{recording} has no complete epoch of a {kind} event")
        epochs = cut(data, samples, start, stop)
        epochs -= epochs[..., inside(times, *baseline)].mean(axis=-1, keepdims=True)
        measured = mean_amplitude(
            epochs, times, names, channel=list(channels), tmin=window[0], tmax=window[1]
        )
        found |= {f"{kind}_uv": measured["amplitude_uv"], f"n_{kind}": len(samples)}
    return _reported({**found, "difference_uv": found["rare_uv"] - found["frequent_uv"]}, report)


@workflow("oddball.group_difference", version="1.0.0")
def group_difference(
    tree: Path,
    *,
    recording: str | None,
    recordings: str = "*",
    report: str | None = None,
    **args: Any,
) -> Any:
    """Return the mean over recordings of what `difference` measures in each.

    Parameters
    ----------
    tree : Path
        BIDS root.
    recording : str | None
        Not used: the measure is of all of them.
    recordings : str
        Shell pattern of the ids of the recordings, one per participant.
    report : str | None
        Which of the numbers is returned; None for all of them.
    **args
        As for `difference`.

    Returns
    -------
    dict | number
        ``rare_uv``, ``frequent_uv``, ``difference_uv``, ``difference_sd_uv`` (with n - 1; None
        for one), ``n`` and ``differences_uv`` by recording; or the one that ``report`` names.

    Raises
    ------
    RecordingError
        If no id matches, or two recordings are of one participant.
    UsageError
        If ``report`` names no number.
    """
    bids = BidsTree(tree)
    chosen = [name for name in bids.recordings() if fnmatchcase(name, recordings)]
    if not chosen:
        raise RecordingError(f"no recording matches {recordings!r}")
    subjects = [bids.open(name).entities["bids_subject"] for name in chosen]
    if len(set(subjects)) != len(subjects):
        raise RecordingError(
            f"{recordings!r} matches several recordings of one participant",
            hint="A group is made of participants: choose one recording of each.",
        )
    each: Mapping[str, dict[str, Any]] = {
        name: difference(tree, recording=name, **args) for name in chosen
    }
    means = {key: float(np.mean([one[key] for one in each.values()]))
             for key in ("rare_uv", "frequent_uv", "difference_uv")}  # fmt: skip
    differences = {name: one["difference_uv"] for name, one in each.items()}
    spread = float(np.std([*differences.values()], ddof=1)) if len(differences) > 1 else None
    found = {
        **means,
        "difference_sd_uv": spread,
        "n": len(differences),
        "differences_uv": differences,
    }
    return _reported(found, report)


def _reported(found: Mapping[str, Any], report: str | None) -> Any:
    if report is not None and report not in found:
        raise UsageError(
            f"{report!r} is not reported", where="report", hint=close_matches(report, list(found))
        )
    return dict(found) if report is None else found[report]


def _prepared(
    opened: Recording,
    l_freq: float | None,
    h_freq: float | None,
    sfreq: float | None,
    reference: str | Sequence[str] | None,
) -> tuple[Array, list[str], float]:
    kinds = dict(zip(opened.ch_names, opened.ch_types, strict=True))
    names = [name for name, kind in kinds.items() if kind == "eeg"]
    data: Array = opened.read(names)
    rate = opened.sfreq
    if l_freq is not None or h_freq is not None:
        data = band_pass(data, rate, l_freq, h_freq)
    if sfreq is not None and sfreq != rate:
        data, rate = resample(data, rate, sfreq), sfreq
    if reference is not None:
        sources = names if reference == "average" else list(reference)
        absent = [name for name in sources if name not in names]
        if absent:
            raise RecordingError(f"there is no EEG channel {absent[0]!r}", where=opened.id)
        data = data - data[[names.index(name) for name in sources]].mean(axis=0)
    return data, names, float(rate)


def _onsets(opened: Recording, codes: Codes, column: str) -> list[float]:
    wanted = {str(code) for code in codes}
    return [float(event["onset"]) for event in opened.events if str(event.get(column)) in wanted]
