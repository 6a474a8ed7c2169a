"""Two seconds of one channel: clean, or with the eyes or a muscle in them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.synthesis.canvas import Canvas
from braino_registry.synthesis.component import (
    SIZE,
    Params,
    Setting,
    layer,
    number,
    record,
    refuse,
)
from braino_registry.synthesis.filters import band, edge, one_over_f, resonator, run, shaped
from braino_registry.synthesis.streams import Stream
from braino_registry.synthesis.waves import Sizes

Array = NDArray[np.float64]

LABELS = ("clean", "ocular_contaminated", "muscle_contaminated")


def _one_channel(params: Params, setting: Setting, where: str) -> None:
    if len(setting.ch_names) != 1 or setting.sfreq < 200:
        raise refuse(
            "an epoch of this kind has one channel and 200 samples per second at least",
            where,
            "Let the montage be one channel, and sample faster.",
        )
    if (params["label"] == "clean") == ("snr_db" in params):
        raise refuse(
            f"an epoch that is {params['label']} "
            + ("has nothing to be stronger than" if "snr_db" in params else "needs a ratio"),
            f"{where}.snr_db",
            "Give snr_db for contaminated epochs, and leave it out for clean ones.",
        )
    if setting.kinds:
        raise refuse("an epoch is made by one layer", where, "Leave the other layers out.")


@layer(
    "short_epoch",
    parameters=record(
        {"label": {"enum": list(LABELS)}, "rms_uv": SIZE},
        {"snr_db": number(-20, 20), "difficulty": number(0, 1)},
    ),
    check=_one_channel,
)
def short_epoch(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Make an epoch of EEG alone, or with an ocular or muscle artefact of a stated strength.

    ``snr_db`` is ten times the decadic logarithm of the ratio of the RMS of the EEG and that of
    the artefact, the convention of published mixtures of this kind; the ratio of the powers is
    twice as many dB. The result is scaled to ``rms_uv``, so that size alone tells nothing. With
    ``difficulty``, 0.5 by default, every epoch holds some of both artefacts from the beginning,
    as real ones do. Truth: ``label``, ``snr_db`` and ``snr_power_db`` (None in clean ones).
    """
    n, sfreq = canvas.n_times, canvas.sfreq
    sizes = Sizes(stream.child("sizes"))
    eeg = _brain(n, sfreq, stream.child("brain"))
    natural = 2 * params.get("difficulty", 0.5)
    for part, share, make in (("muscle", 0.6, _muscle), ("ocular", 0.5, _ocular)):
        much = natural * share * sizes.lognormal(1.0, 0.6)
        if much:
            eeg += _rms(eeg) * much * make(n, sfreq, stream.child(f"always {part}"))
    signal, ratio = eeg, params.get("snr_db")
    if ratio is not None:
        make = _muscle if params["label"] == "muscle_contaminated" else _ocular
        artefact = make(n, sfreq, stream.child("artefact"))
        signal = eeg + _rms(eeg) / (_rms(artefact) * 10 ** (ratio / 10)) * artefact
    canvas.signal_uv[0] += params["rms_uv"] * signal / _rms(signal)
    return {
        "label": params["label"],
        "snr_db": ratio,
        "snr_power_db": None if ratio is None else 2 * ratio,
    }


def _rms(wave: Array) -> float:
    return math.sqrt(float(np.mean(wave * wave)))


def _unit(wave: Array) -> Array:
    wave = wave - wave.mean()
    return np.asarray(wave / max(_rms(wave), 1e-9))


# Frequencies and slopes stand on a grid, so that their filters are computed once.
def _brain(n: int, sfreq: float, stream: Stream) -> Array:
    """Return an epoch of EEG between 1 and 80 Hz, RMS 1."""
    sizes = Sizes(stream.child("sizes"))
    # Steep enough for the steepest epochs takes two filters, each for half of the exponent.
    half = one_over_f(round(sizes.uniform(1.3, 2.7), 1) / 2, sfreq)
    wave = _unit(shaped(stream.child("slope"), half + half, n, sfreq))
    alpha = resonator(round(2 * sizes.uniform(8, 12)) / 2, 1.4, sfreq)
    wave += 1.6 * sizes.uniform() ** 2 * shaped(stream.child("alpha"), alpha, n, sfreq)
    beta = band(14.0, 28.0, sfreq)
    wave += 0.35 * sizes.uniform() * shaped(stream.child("beta"), beta, n, sfreq)
    wave += 0.06 * stream.child("white").gaussian(n)
    return _unit(run(edge(1.0, sfreq, True) + edge(80.0, sfreq, False), wave))


def _muscle(n: int, sfreq: float, stream: Stream) -> Array:
    """Return muscle of some band with an envelope that comes and goes, RMS 1."""
    sizes = Sizes(stream.child("sizes"))
    low, high = sizes.uniform(12, 30), sizes.uniform(60, 110)
    sos = band(6.0 * round(low / 6), 10.0 * round(high / 10), sfreq)
    wave = shaped(stream.child("noise"), sos, n, sfreq)
    slow = shaped(stream.child("envelope"), edge(1.5, sfreq, False), n, sfreq)
    return _unit(wave * np.exp(0.6 * _unit(slow)))


def _ocular(n: int, sfreq: float, stream: Stream) -> Array:
    """Return one or two blinks or saccades on some slow wander, RMS 1."""
    sizes = Sizes(stream.child("sizes"))
    wave = np.zeros(n)
    for _ in range(1 + sizes.chance(0.5)):
        first = int(sizes.uniform(0.05, 0.75) * n)
        size = sizes.lognormal(1.0, 0.3)
        if sizes.chance(0.7):
            length = round(sizes.uniform(0.25, 0.5) * sfreq)
            lid = np.sin(np.pi * (np.arange(length) + 0.5) / length) ** 2
            wave[first : first + length] += size * lid[: n - first]
        else:
            wave[first:] += size if sizes.chance(0.5) else -size
    wave = run(edge(12.0, sfreq, False), wave)
    wave += 0.12 * _unit(shaped(stream.child("slow"), one_over_f(1.9, sfreq), n, sfreq))
    return _unit(run(edge(0.3, sfreq, True), wave))
