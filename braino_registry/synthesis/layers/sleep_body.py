"""The body during a night: eyes, chin, arousals and movements, breath and temperature."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.synthesis.component import Params, Setting, long_layer, record, take_name
from braino_registry.synthesis.filters import band, edge, resonator
from braino_registry.synthesis.flow import Filtered, by_second
from braino_registry.synthesis.layers.sleep_stages import after_stages
from braino_registry.synthesis.reel import Piece, Reel, Strip, add_at
from braino_registry.synthesis.sleep.gains import gains
from braino_registry.synthesis.sleep.night import Night
from braino_registry.synthesis.streams import Stream
from braino_registry.synthesis.waves import Sizes, Wave, moments, remembering, within

Array = NDArray[np.float64]


@long_layer("sleep_arousals", parameters=record({}), check=after_stages)
def sleep_arousals(reel: Reel, params: Params, stream: Stream) -> dict[str, Any]:
    """Arousals of 3 to 12 s, alpha with muscle, and movements while awake.

    More with age and fragmentation; none changes the stage. Place it before the chin. Truth:
    ``arousals``, a list of onset and duration in s.
    """
    night: Night = reel.facts["night"]
    sizes = Sizes(stream.child("sizes"))
    often = night.sleeper.fragmentation * (1 + night.sleeper.ageing)
    rate = night.by_stage((0, 0, 0.22, 0.05, 0.25)) * often
    level = np.zeros(night.seconds)
    facts = []
    for onset in moments(stream.child("times"), rate, apart=40):
        seconds = round(sizes.uniform(3, 12))
        place = slice(int(onset), int(onset) + seconds)
        level[place] = sizes.lognormal(1.0, 0.25)
        facts.append({"onset": int(onset), "duration": seconds})
    moved = np.zeros(night.seconds)
    for onset in moments(stream.child("moves"), night.by_stage((0.35, 0.03, 0.02, 0, 0.02))):
        moved[int(onset) : int(onset) + round(sizes.uniform(2, 7))] = sizes.lognormal(1.0, 0.4)
    reel.facts["arousal"], reel.facts["movement"] = level, moved
    alpha = Filtered(stream.child("alpha"), resonator(9.5, 2.0, reel.sfreq))
    muscle = Filtered(stream.child("muscle"), band(20.0, 110.0, reel.sfreq))
    slow = Filtered(stream.child("slow"), resonator(1.0, 1.0, reel.sfreq))
    seen = gains("alpha", reel.leads)

    def paint(piece: Piece) -> None:
        n = piece.n_times
        roused, moving = by_second(level, piece), by_second(moved, piece)
        wave = 10.0 * roused * alpha(n)
        both = (4.0 * roused + 12.0 * moving) * muscle(n) + 60.0 * moving * slow(n)
        piece.leads_uv += seen[:-1, None] * wave + both
        piece.shared["frontal"] += seen[-1] * wave + both

    reel.painters.append(paint)
    return {"arousals": facts}


def _step(sfreq: int, decay: float, seconds: float) -> Array:
    """Return a movement of the eyes: a quick step that the amplifier lets fade."""
    t = np.arange(round(seconds * sfreq)) / sfreq
    wave: Array = (1 - np.exp(-t / 0.02)) * np.exp(-t / decay)
    return wave


def _lid(sfreq: int) -> Array:
    n = max(6, round(0.3 * sfreq))
    wave: Array = np.sin(np.pi * (np.arange(n) + 0.5) / n) ** 2
    return wave


_PLACES = {
    # channels, and how each sees saccades, rolling, blinks and the front of the brain
    "pair": (("LOC", "ROC"), ((1.0, -0.95), (1.0, -0.95), (-0.35, 0.8), (0.75, 0.75))),
    "horizontal": (("EOG horizontal",), ((1.6,), (1.6,), (0.35,), (0.45,))),
}


def _eyes(params: Params, setting: Setting, where: str) -> None:
    after_stages(params, setting, where)
    for name in _PLACES[params["channels"]][0]:
        take_name(setting, name, f"{where}.channels")


@long_layer(
    "sleep_eyes",
    parameters=record({"channels": {"enum": sorted(_PLACES)}}),
    check=_eyes,
)
def sleep_eyes(reel: Reel, params: Params, stream: Stream) -> dict[str, Any]:
    """Channels beside the eyes: rapid movements, slow rolling, blinks, and the front of the brain.

    ``channels`` is ``pair``, each eye against a mastoid, or ``horizontal``, one against the
    other. Place it after all layers of the EEG.
    """
    names, (jumps, rolls, lids, front) = _PLACES[params["channels"]]
    for name in names:
        seen = "left minus right outer corner" if len(names) == 1 else "outer corner of the eye"
        reel.strips[name] = Strip(name, "EOG", "µV", seen, reel.sfreq)
    waves = _eye_waves(reel, stream, np.array([jumps, rolls, lids]))
    longest = max((len(wave.samples) for wave in waves), default=0) / reel.sfreq
    ordered = tuple(sorted(waves, key=lambda wave: wave.onset))
    noise = [Filtered(stream.child(name), edge(0.3, reel.sfreq, True)) for name in names]
    on_scalp = gains("blink", reel.leads)[:-1]

    def paint(piece: Piece) -> None:
        moved = np.zeros((len(names), piece.n_times))
        for wave in within(ordered, piece, longest):
            first = round((wave.onset - piece.start) * piece.sfreq)
            add_at(moved, wave.gains[: len(names), None] * wave.samples, first)
            if wave.gains[-1]:
                seen = wave.gains[-1] * on_scalp
                add_at(piece.leads_uv, seen[:, None] * wave.samples, first)
        for row, name in enumerate(names):
            piece.strips[name] += moved[row] + front[row] * piece.shared["frontal"]
            piece.strips[name] += 0.35 * noise[row](piece.n_times)

    reel.painters.append(paint)
    return {}


def _eye_waves(reel: Reel, stream: Stream, seen: Array) -> list[Wave]:
    """Return what the eyes do; the last gain tells whether the scalp sees it too."""
    night: Night = reel.facts["night"]
    sizes = Sizes(stream.child("sizes"))
    sfreq = reel.sfreq
    lively = np.exp(night.signs["eyes"])
    bursts = np.exp(1.3 * remembering(stream.child("bursts"), 12.0, night.seconds) - 0.4)
    opened = 1.6 - reel.facts.get("eyes_closed", np.full(night.seconds, 0.6))
    rapid = night.by_stage((0, 1, 0, 0, 0)) + 9.0 * night.weights[:, 4] * bursts
    rapid = (rapid + 14.0 * night.weights[:, 0] * opened) * lively
    waves = []

    def add(onset: float, size: float, shape: Array, kind: int) -> None:
        # Shapes are shared, or a day of blinks would fill the memory.
        waves.append(Wave(onset, shape, size * np.append(seen[kind], float(kind == 2))))

    jump = _step(sfreq, 1.2, 4.0)
    for onset in moments(stream.child("rapid"), rapid):
        size = sizes.lognormal(55.0, 0.5) * (1 if sizes.chance(0.5) else -1)
        add(onset, size, jump, 0)
        if sizes.chance(0.55):
            add(onset + sizes.uniform(0.25, 0.9), -size * sizes.uniform(0.7, 1.1), jump, 0)
    lid = _lid(sfreq)
    blinks = (night.by_stage((0, 0.6, 0, 0, 0.5)) + 11.0 * night.weights[:, 0] * opened) * lively
    for onset in moments(stream.child("blinks"), blinks, apart=0.6):
        add(onset, sizes.lognormal(90.0, 0.3), lid, 2)
    for onset in moments(stream.child("rolling"), night.by_stage((1.5, 6, 0, 0, 0)), apart=2):
        f = sizes.uniform(0.2, 0.5)
        t = np.arange(round(sfreq / f)) / sfreq
        add(onset, sizes.lognormal(45.0, 0.3), np.sin(2 * math.pi * f * t), 1)
    return waves


def _chin_level(reel: Reel, stream: Stream) -> Array:
    """Return the RMS of the chin's muscle in µV, once a second."""
    night: Night = reel.facts["night"]
    sizes = Sizes(stream.child("subject"))
    tone = np.exp(night.by_stage(np.log((14, 7.5, 4.5, 3.6, 1.5)).tolist()))
    wander = remembering(stream.child("wander"), 120.0, night.seconds)
    level = tone * sizes.lognormal(1.0, 0.3) * np.exp(0.36 * wander + night.signs["tone"])
    none = np.zeros(night.seconds)
    level += 12.0 * reel.facts.get("arousal", none) + 30.0 * reel.facts.get("movement", none)
    return np.asarray(level)


def _chin(params: Params, setting: Setting, where: str) -> None:
    after_stages(params, setting, where)
    take_name(setting, "EMG submental", f"{where}.envelope")


@long_layer("chin_emg", parameters=record({"envelope": {"enum": [True, False]}}), check=_chin)
def chin_emg(reel: Reel, params: Params, stream: Stream) -> dict[str, Any]:
    """Muscle of the chin: tense when awake, loose in REM sleep except for twitches.

    As an ``envelope`` it is kept once a second, as old recorders did; otherwise at the rate of
    the EEG.
    """
    night: Night = reel.facts["night"]
    level = _chin_level(reel, stream)
    sizes = Sizes(stream.child("twitches"))
    times = moments(stream.child("times"), night.by_stage((0, 0.1, 0.1, 0, 2.5)))
    lengths = [sizes.uniform(0.08, 0.3) for _ in times]
    name = "EMG submental"
    if params["envelope"]:
        reel.strips[name] = Strip(name, "EMG", "µV", "chin, rectified and smoothed", 1)
        for onset, seconds in zip(times, lengths, strict=True):
            level[int(onset)] += 7.0 * seconds
        kept = level * np.exp(0.08 * stream.child("read").gaussian(night.seconds))

        def paint_envelope(piece: Piece) -> None:
            piece.strips[name] += kept[piece.start : piece.start + piece.seconds]

        reel.painters.append(paint_envelope)
        return {}
    reel.strips[name] = Strip(name, "EMG", "µV", "chin", reel.sfreq)
    noise = Filtered(stream.child("noise"), band(12.0, 95.0, reel.sfreq))
    hum = Filtered(stream.child("slow"), edge(2.0, reel.sfreq, False))
    bursts = tuple(
        Wave(onset, 7.0 * np.hanning(max(4, round(seconds * reel.sfreq)) + 2)[1:-1], np.ones(1))
        for onset, seconds in zip(times, lengths, strict=True)
    )

    def paint(piece: Piece) -> None:
        tense = by_second(level, piece)
        for wave in within(bursts, piece, 0.4):
            add_at(tense, wave.samples, round((wave.onset - piece.start) * piece.sfreq))
        made = tense * noise(piece.n_times) + 0.8 * hum(piece.n_times)
        piece.strips[name] += made + 0.04 * piece.shared["frontal"]

    reel.painters.append(paint)
    return {}


_SLOW = {
    "Resp oro-nasal": Strip("Resp oro-nasal", "RESP", "n/a", "airflow at nose and mouth", 1),
    "Temp rectal": Strip("Temp rectal", "TEMP", "oC", "body temperature", 1, 0.002),
    "Marker": Strip("Marker", "MISC", "n/a", "button of the recorder", 1, 1.0),
    "Event marker": Strip("Event marker", "MISC", "n/a", "button of the recorder", 1, 1.0),
}


def _named(params: Params, setting: Setting, where: str) -> None:
    after_stages(params, setting, where)
    for place, name in enumerate(params["channels"]):
        take_name(setting, name, f"{where}.channels[{place}]")


@long_layer(
    "slow_channels",
    parameters=record(
        {
            "channels": {
                "type": "array",
                "items": {"enum": sorted(_SLOW)},
                "minItems": 1,
                "uniqueItems": True,
            }
        }
    ),
    check=_named,
)
def slow_channels(reel: Reel, params: Params, stream: Stream) -> dict[str, Any]:
    """Add what old recorders kept once a second: airflow, temperature, a marker that stays at 0."""
    made = {
        "Resp oro-nasal": _breath(reel.seconds, stream.child("breath")),
        "Temp rectal": _warmth(reel.seconds, stream.child("warmth")),
        "Event marker": np.zeros(reel.seconds),
        "Marker": np.zeros(reel.seconds),
    }
    kept = {name: made[name] for name in params["channels"]}
    reel.strips.update({name: _SLOW[name] for name in kept})

    def paint(piece: Piece) -> None:
        for name, values in kept.items():
            piece.strips[name] += values[piece.start : piece.start + piece.seconds]

    reel.painters.append(paint)
    return {}


def _breath(seconds: int, stream: Stream) -> Array:
    turns = np.cumsum(0.25 * np.exp(0.12 * remembering(stream.child("rate"), 20.0, seconds)))
    depth = np.exp(0.25 * remembering(stream.child("depth"), 40.0, seconds))
    wave = 300 * depth * np.sin(2 * math.pi * turns)
    return np.asarray(wave + 20 * stream.child("noise").gaussian(seconds))


def _warmth(seconds: int, stream: Stream) -> Array:
    hours = np.arange(seconds) / 3600
    day = 36.9 - 0.4 * np.sin(2 * math.pi * (hours + 1) / 24)
    return np.asarray(day + 0.03 * remembering(stream, 1800.0, seconds))
