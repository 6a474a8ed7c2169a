"""Hold what recipes plant against methods of other people: pyprep, autoreject, MNE's ICA, the SME.

Nothing of the registry's own analysis is used here. The functions return plain numbers, for the
document on realism and for the tests.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import mne
import numpy as np
from numpy.typing import NDArray

from braino_registry.registry.roots import builtin
from braino_registry.synthesis.brainvision import LSB_UV, quantise
from braino_registry.synthesis.build import paint
from braino_registry.synthesis.montage import HEAD_RADIUS, POSITIONS
from braino_registry.synthesis.planning import plan

Array = NDArray[np.float64]
SALTS = (b"", b"salt 1", b"salt 2", b"salt 3")
NOISY_RECIPES = ("two-subject-rest", "faulty-channels", "oddball-mastoids", "clean-rest")
DETECTORS = ("deviation", "hf_noise", "correlation", "dropout", "ransac")
"""Of pyprep; what its others (SNR, spectrum, flat) flag is not counted."""

_FAULTS = ("flat_channels", "drifting_channels", "decoy_channels", "clipped_channels")


@dataclass(frozen=True)
class Planted:
    """One recording as its file holds it, and what was planted in it.

    Attributes
    ----------
    id : str
    raw : mne.io.RawArray
        Scalp channels with positions, in V.
    eyes : ndarray, shape (n_times,) or None
        The vertical EOG in V.
    onsets : mapping
        Event to the samples at which it was written.
    truth : mapping
    """

    id: str
    raw: mne.io.BaseRaw
    eyes: Array | None
    onsets: Mapping[str, list[int]]
    truth: Mapping[str, Any]


def planted(recipe: str, salt: bytes = b"") -> Iterator[Planted]:
    """Yield the recordings of a shipped recipe, one after the other, without writing files.

    Parameters
    ----------
    recipe : str
        Its id.
    salt : bytes
        Empty for the public draws.
    """
    doc = json.loads((builtin() / "generators" / f"{recipe}.json").read_text(encoding="utf-8"))
    whole = plan(doc, salt)
    for one in whole.recordings:
        canvas, truth = paint(whole, one)
        x: Array = np.multiply(quantise(canvas.recorded_uv), LSB_UV * 1e-6, dtype=np.float64)
        rows = dict(zip(canvas.ch_types, x, strict=True))
        names = [name for name, kind in canvas.ch_types.items() if kind == "EEG"]
        info = mne.create_info(names, one.sfreq, "eeg", verbose="error")
        raw = mne.io.RawArray(np.array([rows[name] for name in names]), info, verbose="error")
        places = {name: HEAD_RADIUS * np.array(POSITIONS[name]) for name in names}
        raw.set_montage(mne.channels.make_dig_montage(places, coord_frame="head"))
        onsets: dict[str, list[int]] = {}
        for event in canvas.events:
            onsets.setdefault(event.trial_type, []).append(event.sample)
        yield Planted(one.id, raw, rows.get("VEOG"), onsets, truth)


@dataclass(frozen=True)
class Flagged:
    """What detectors flagged in one recording, or in several.

    Attributes
    ----------
    found, planted : int
        Planted channels that were flagged, and all of them.
    false, good : int
        Faultless channels that were flagged, and all of them.
    """

    found: int
    planted: int
    false: int
    good: int

    def __add__(self, other: Flagged) -> Flagged:
        return Flagged(
            self.found + other.found,
            self.planted + other.planted,
            self.false + other.false,
            self.good + other.good,
        )


NOTHING = Flagged(0, 0, 0, 0)


def pyprep_flags(one: Planted) -> dict[str, Flagged]:
    """Return what each detector of pyprep flags by itself, and ``"any"`` of them.

    Parameters
    ----------
    one : Planted
        Its truth has ``noisy_channels``. Channels with another fault, and the livelier one that
        a user keeps, count neither as found nor as false.
    """
    from pyprep import NoisyChannels

    noisy = set(one.truth.get("noisy_channels", ()))
    other = {name for fault in _FAULTS for name in one.truth.get(fault, ())}
    good = set(one.raw.ch_names) - noisy - other
    flags: dict[str, set[str]] = {}
    with mne.utils.use_log_level("error"):
        for detector in ("deviation", "hfnoise", "correlation", "ransac"):
            # Each on its own: a channel that one has flagged is not shown to the next.
            fresh = NoisyChannels(one.raw, random_state=1)
            getattr(fresh, f"find_bad_by_{detector}")()
            for kind in DETECTORS:
                flags.setdefault(kind, set()).update(
                    map(str, fresh.get_bads(as_dict=True).get(f"bad_by_{kind}", ()))
                )
    flags["any"] = set().union(*flags.values())
    return {
        name: Flagged(len(noisy & seen), len(noisy), len(good & seen), len(good))
        for name, seen in flags.items()
    }


@dataclass(frozen=True)
class Rejected:
    """What autoreject makes of planted artefacts.

    Attributes
    ----------
    n_planted, n_good : int
        Epochs with a planted artefact, and the others.
    limit_uv : float
        Peak-to-peak limit that it chose for all channels.
    above, above_good : int
        Planted and other epochs above that limit.
    handled, rejected_good : int
        Planted epochs that the local variant rejects or repairs, others that it rejects.
    """

    n_planted: int
    n_good: int
    limit_uv: float
    above: int
    above_good: int
    handled: int
    rejected_good: int


def autoreject_epochs(one: Planted, event: str = "picture") -> Rejected:
    """Let autoreject choose, globally and locally.

    Parameters
    ----------
    one : Planted
        Its truth has ``artefact_epochs``, places among the events from 0.
    event : str
    """
    from autoreject import AutoReject, get_rejection_threshold

    epochs = _epochs(one, event, -0.2, 1.0)
    spoilt = np.isin(np.arange(len(epochs)), one.truth["artefact_epochs"])
    limit = get_rejection_threshold(epochs, random_state=1, verbose=False)["eeg"]
    above = np.ptp(epochs.get_data(), axis=2).max(axis=1) > limit
    local = AutoReject(
        n_interpolate=[1, 4],
        consensus=[0.3, 1.0],
        cv=5,
        thresh_method="random_search",
        random_state=1,
        verbose=False,
    )
    with mne.utils.use_log_level("error"):
        coarse = epochs.resample(100.0)
        local.fit(coarse)
        log = local.get_reject_log(coarse)
    handled = log.bad_epochs | (log.labels == 2).any(axis=1)
    return Rejected(
        int(spoilt.sum()),
        int((~spoilt).sum()),
        float(limit) * 1e6,
        int((above & spoilt).sum()),
        int((above & ~spoilt).sum()),
        int((handled & spoilt).sum()),
        int((log.bad_epochs & ~spoilt).sum()),
    )


@dataclass(frozen=True)
class Recovered:
    """How well a decomposition recovers the blinks.

    Attributes
    ----------
    time, place : float
        Absolute correlation of the component with the vertical EOG (1-15 Hz), and of its map with
        the planted size of a blink in each channel.
    second : float
        Largest correlation of any other component with the vertical EOG.
    """

    time: float
    place: float
    second: float


def blink_component(one: Planted) -> Recovered:
    """Decompose by MNE's extended infomax, 15 components, 1 Hz high-pass, fixed seed."""
    assert one.eyes is not None
    with mne.utils.use_log_level("error"):
        raw = one.raw.copy().filter(1.0, None)
        ica = mne.preprocessing.ICA(
            15, method="infomax", fit_params={"extended": True}, random_state=1
        )
        ica.fit(raw, decim=2)
        sources = ica.get_sources(raw).get_data()
        eyes = mne.filter.filter_data(one.eyes, raw.info["sfreq"], 1.0, 15.0)
    r = [abs(float(np.corrcoef(eyes, source)[0, 1])) for source in sources]
    best = int(np.argmax(r))
    gains = [one.truth["blink_gains"][name] for name in raw.ch_names]
    place = abs(float(np.corrcoef(ica.get_components()[:, best], gains)[0, 1]))
    return Recovered(r[best], place, sorted(r)[-2])


@dataclass(frozen=True)
class Amplitude:
    """A planted amplitude and how it is measured, in µV.

    Attributes
    ----------
    planted, measured, sme : float
        The standardized measurement error is the SD over trials by the root of their number.
    n : int
        Trials.
    """

    planted: float
    measured: float
    sme: float
    n: int

    @property
    def error(self) -> float:
        """Measured minus planted in units of the standardized measurement error."""
        return (self.measured - self.planted) / self.sme


def p3_amplitude(one: Planted, n: int = 40) -> Amplitude:
    """Measure the mean of 300-600 ms at Pz over targets, baseline 200 ms, recorded reference."""
    epochs = _epochs(one, "target", -0.2, 0.8, n)
    window = epochs.get_data(picks="Pz", tmin=0.3, tmax=0.6)[:, 0].mean(axis=1) * 1e6
    return Amplitude(
        float(one.truth["measured"]["p3"]["mean_amplitude_uv"]),
        float(window.mean()),
        float(window.std(ddof=1) / np.sqrt(len(window))),
        len(window),
    )


def _epochs(one: Planted, event: str, tmin: float, tmax: float, n: int | None = None) -> mne.Epochs:
    samples = np.array(one.onsets[event][:n])
    events = np.column_stack([samples, np.zeros_like(samples), np.ones_like(samples)])
    return mne.Epochs(
        one.raw, events, tmin=tmin, tmax=tmax, baseline=(-0.2, 0), preload=True, verbose="error"
    )


def section(salts: Sequence[bytes] = SALTS) -> list[str]:
    """Return the lines of the document that these measures make."""
    return [
        "## Methods of other people",
        "",
        f"Over {len(salts)} realisations (one without a salt) of the recipes named.",
        "",
        *_pyprep_lines(salts),
        "",
        *_autoreject_lines(salts),
        "",
        *_ica_lines(salts),
        "",
        *_p3_lines(salts),
    ]


def _pyprep_lines(salts: Sequence[bytes]) -> list[str]:
    lines = [
        "**Noisy channels, by pyprep.** Each detector by itself; *any* of the five. A channel with "
        "another planted fault counts neither way.",
        "",
        "| recipe | detector | planted channels found | faultless channels flagged |",
        "|---|---|---|---|",
    ]
    whole = dict.fromkeys((*DETECTORS, "any"), NOTHING)
    for recipe in NOISY_RECIPES:
        total = dict.fromkeys(whole, NOTHING)
        for salt in salts:
            for one in planted(recipe, salt):
                flags = pyprep_flags(one)
                total = {name: total[name] + flags[name] for name in total}
        whole = {name: whole[name] + total[name] for name in whole}
        lines.append(_flag_row(recipe, "any", total["any"]))
    lines += [_flag_row("all", name, flagged) for name, flagged in whole.items()]
    return [
        *lines,
        "",
        "Dropouts (stretches without a signal) are not what noise makes, so that detector finds "
        "none. What is flagged in oddball-mastoids are mostly neighbours of its reference FCz, "
        "which record little else than noise.",
    ]


def _flag_row(recipe: str, name: str, flagged: Flagged) -> str:
    return (
        f"| {recipe} | {name} | {_share(flagged.found, flagged.planted)} "
        f"| {_share(flagged.false, flagged.good)} |"
    )


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / whole:.1f} %)" if whole else "–"


def _autoreject_lines(salts: Sequence[bytes]) -> list[str]:
    rows = [autoreject_epochs(one) for s in salts for one in planted("epochs-with-artefacts", s)]
    spoilt, good = sum(row.n_planted for row in rows), sum(row.n_good for row in rows)
    limits = [row.limit_uv for row in rows]
    return [
        "**Spoilt epochs, by autoreject** (`epochs-with-artefacts`). The limit that it chooses "
        f"for all channels ({min(limits):.0f} to {max(limits):.0f} µV) finds "
        f"{_share(sum(r.above for r in rows), spoilt)} of the planted ones and "
        f"{_share(sum(r.above_good for r in rows), good)} of the others. Its local variant rejects "
        f"or repairs {_share(sum(r.handled for r in rows), spoilt)} of the planted ones and "
        f"rejects {_share(sum(r.rejected_good for r in rows), good)} of the others.",
    ]


def _ica_lines(salts: Sequence[bytes]) -> list[str]:
    rows = [blink_component(one) for salt in salts for one in planted("blinks-ica", salt)]
    return [
        f"**Blinks, by MNE's ICA** (`blinks-ica`, extended infomax). In {len(rows)} recordings one "
        f"component follows the vertical EOG with |r| of {min(r.time for r in rows):.3f} or more "
        f"and has the planted topography with |r| of {min(r.place for r in rows):.4f} or more; no "
        f"other component exceeds |r| = {max(r.second for r in rows):.3f}.",
    ]


def _p3_lines(salts: Sequence[bytes]) -> list[str]:
    rows = [p3_amplitude(one) for salt in salts for one in planted("oddball-p3", salt)]
    errors = [abs(row.error) for row in rows]
    return [
        f"**P3, at {rows[0].n} trials** (`oddball-p3`, mean of 300-600 ms at Pz). In "
        f"{_share(sum(error <= 2 for error in errors), len(rows))} of the recordings the measured "
        f"amplitude lies within twice its standardized measurement error "
        f"({min(r.sme for r in rows):.2f} to {max(r.sme for r in rows):.2f} µV) of the planted "
        f"one; the largest distance is {max(errors):.2f} such errors.",
    ]
