"""The steps that make a view of another: what each checks, and what it changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from braino_registry.analysis import filters
from braino_registry.analysis.epochs import complete, event_samples, subtract_baseline
from braino_registry.analysis.windows import window_to_samples
from braino_registry.recordings.errors import RecordingError, unknown
from braino_registry.recordings.recording import event_name
from braino_registry.recordings.signal import Signal, Step
from braino_registry.recordings.views import Epochs, View

Params = dict[str, Any]

#: Screens and loudspeakers are late by milliseconds; more than this is another event.
MAX_DELAY = 1.0


@dataclass(frozen=True)
class Change:
    """What a step makes of a view.

    Parameters
    ----------
    signal : Signal
        The processed recording.
    window : (float, float) | None
        Half-open window in seconds from the recording's start.
    epochs : Epochs | None
        Set if the new view consists of epochs.
    params : mapping
        The step's parameters as they were applied, for the history.
    """

    signal: Signal
    window: tuple[float, float] | None
    epochs: Epochs | None
    params: Mapping[str, Any]


def _continuous(view: View, step: str) -> None:
    if view.epochs is not None:
        raise RecordingError(
            f"{view.id} consists of epochs, which cannot go through {step}",
            hint="Do that first, then make epochs of the result.",
        )


def _append(view: View, op: str, params: Params, **changes: Any) -> Change:
    signal = view.signal.then(Step.of(op, params), **changes)
    return Change(signal, view.window, None, params)


def _pick(view: View, params: Params) -> Change:
    """Keep channels: ``channels``. A raw recording also gives channels of another rate."""
    channels: list[str] = list(params["channels"])
    shown = {"channels": channels}
    if len(set(channels)) != len(channels) or not channels:
        raise RecordingError("channels must be given once each", hint="Pass one or more names.")
    if not view.signal.steps:
        return Change(Signal.raw(view.recording, channels), view.window, view.epochs, shown)
    types = dict(zip(view.ch_names, view.ch_types, strict=True))
    names = view.pick(channels)
    signal = view.signal.then(
        Step.of("pick", shown), ch_names=names, ch_types=tuple(types[name] for name in names)
    )
    return Change(signal, view.window, view.epochs, shown)


def _window(view: View, params: Params) -> Change:
    """Look at ``[tmin, tmax)``, seconds from the recording's start; None leaves a side open."""
    _continuous(view, "a window")
    first, stop = view.samples
    begin, end = first / view.sfreq, stop / view.sfreq
    tmin = begin if params.get("tmin") is None else float(params["tmin"])
    tmax = end if params.get("tmax") is None else float(params["tmax"])
    allowed = f"Pass times between {begin:g} and {end:g} s."
    if not begin <= tmin < end or tmax > end + 1e-6 / view.sfreq:
        raise RecordingError(f"{tmin:g} to {tmax:g} s is not inside {view.id}", hint=allowed)
    window_to_samples(tmin, tmax, view.sfreq)
    return Change(view.signal, (tmin, tmax), None, {"tmin": tmin, "tmax": tmax})


def _filter(view: View, params: Params) -> Change:
    """Zero-phase FIR filter with pass-band edges ``l_freq`` and ``h_freq`` (Hz or None)."""
    _continuous(view, "a filter")
    l_freq, h_freq = params.get("l_freq"), params.get("h_freq")
    filters.check_length(
        filters.filter_length(view.sfreq, l_freq, h_freq), view.signal.n_times, view.sfreq
    )
    return _append(view, "filter", {"l_freq": l_freq, "h_freq": h_freq})


def _notch(view: View, params: Params) -> Change:
    """Remove narrow bands at ``freqs`` (Hz)."""
    _continuous(view, "a filter")
    freqs = [float(freq) for freq in params["freqs"]]
    filters.check_notch(view.sfreq, freqs, view.signal.n_times)
    return _append(view, "notch", {"freqs": freqs})


def _resample(view: View, params: Params) -> Change:
    """Change the rate to ``sfreq`` (Hz)."""
    _continuous(view, "resampling")
    sfreq = float(params["sfreq"])
    filters.check_rate(view.recording.sfreq, view.sfreq, sfreq, view.signal.n_times)
    n_times = round(view.signal.n_times * sfreq / view.sfreq)
    return _append(view, "resample", {"sfreq": sfreq}, sfreq=sfreq, n_times=n_times)


def _reference(view: View, params: Params) -> Change:
    """Subtract the mean of channels: ``reference`` is ``"average"`` or a list of names.

    The average is over the EEG channels that are not marked bad; it is subtracted from all EEG
    channels, and from no other type.
    """
    _continuous(view, "a new reference")
    eeg = view.pick()
    reference = params["reference"]
    if reference == "average":
        bads = set(view.recording.bads)
        sources: Sequence[str] = [name for name in eeg if name not in bads]
        if len(sources) < 2:
            raise RecordingError(
                "an average reference needs two good EEG channels", hint="Pass channel names."
            )
    else:
        sources = view.pick([reference] if isinstance(reference, str) else list(reference))
    change = _append(view, "reference", {"channels": list(sources), "applies_to": list(eeg)})
    return replace(change, params={"reference": reference, "channels": list(sources)})


def _epochs(view: View, params: Params) -> Change:
    """Cut epochs ``[tmin, tmax)`` around ``event``; see :class:`Epochs`.

    ``event`` is one name, or several that count as one kind. ``delay`` is added to every onset, in
    seconds. ``baseline`` is an interval or None. ``reject_uv`` drops epochs in which an EEG channel
    that is not marked bad has a larger peak-to-peak amplitude.
    """
    _continuous(view, "epoching")
    names, delay = _names(params["event"]), _delay(params.get("delay"))
    onsets = [float(e["onset"]) + delay for e in matching_any(view.events, names)]
    start, stop = window_to_samples(float(params["tmin"]), float(params["tmax"]), view.sfreq)
    first, last = view.samples
    samples = [s - first for s in event_samples(onsets, view.sfreq)]
    kept = [s + first for s in complete(samples, start, stop, last - first)]
    given = params.get("baseline")
    baseline = None if given is None else (float(given[0]), float(given[1]))
    plan = Epochs(
        names, tuple(kept), start, stop, baseline, len(onsets), len(onsets) - len(kept), 0,
        round(delay * view.sfreq),
    )  # fmt: skip
    if not kept:
        raise RecordingError(
            f"no epoch of {' or '.join(map(repr, names[:5]))} lies completely inside {view.id}",
            hint="Pass a shorter epoch, or a view of the whole recording.",
        )
    if baseline is not None:
        _check_baseline(plan, view.sfreq)
    reject_uv = params.get("reject_uv")
    if reject_uv is not None:
        plan = _reject(view, plan, float(reject_uv))
    shown = {"event": params["event"], "delay": delay or None, "tmin": params["tmin"],
             "tmax": params["tmax"], "baseline": baseline, "reject_uv": reject_uv}  # fmt: skip
    return Change(view.signal, view.window, plan, shown)


def _names(event: str | Sequence[str]) -> tuple[str, ...]:
    names = (event,) if isinstance(event, str) else tuple(str(name) for name in event)
    if not names or len(set(names)) != len(names):
        raise RecordingError(
            "the names of events must be given once each", hint="Pass one name or more."
        )
    return names


def _delay(given: float | None) -> float:
    """Return the seconds from an event to what it stands for, where they can be a delay."""
    delay = 0.0 if given is None else float(given)
    if not abs(delay) <= MAX_DELAY:
        raise RecordingError(
            f"{delay:g} s is too long for a delay between an event and its stimulus",
            hint=f"Pass seconds, {-MAX_DELAY:g} to {MAX_DELAY:g}: 0.026 for 26 ms.",
        )
    return delay


def _check_baseline(plan: Epochs, sfreq: float) -> None:
    import numpy as np

    assert plan.baseline is not None
    subtract_baseline(np.zeros((1, plan.stop - plan.start)), plan.start, sfreq, plan.baseline)


def _reject(view: View, plan: Epochs, limit_uv: float) -> Epochs:
    bads = set(view.recording.bads)
    channels = [name for name in view.pick() if name not in bads]
    worst = replace(view, epochs=plan).worst(channels)
    samples = tuple(s for s, w in zip(plan.samples, worst, strict=True) if w <= limit_uv)
    if not samples:
        raise RecordingError(
            f"every epoch exceeds {limit_uv:g} µV peak to peak",
            hint=f"The quietest reaches {worst.min():.4g} µV: pass a higher reject_uv, or filter.",
        )
    return replace(plan, samples=samples, n_rejected=len(plan.samples) - len(samples))


def _drop(view: View, params: Params) -> Change:
    """Leave out epochs by their numbers, counted from 0 in the view: ``epochs``."""
    plan = view.epochs
    if plan is None:
        raise RecordingError(
            f"{view.id} does not consist of epochs",
            hint="Make epochs of it first with epochs.make.",
        )
    numbers = sorted({int(k) for k in params["epochs"]})
    count = len(plan.samples)
    if numbers and not 0 <= numbers[0] <= numbers[-1] < count:
        wrong = numbers[0] if numbers[0] < 0 else numbers[-1]
        raise RecordingError(
            f"{view.id} has no epoch {wrong}", hint=f"Its epochs are 0 to {count - 1}."
        )
    if len(numbers) == count:
        raise RecordingError("no epoch would be left", hint="Drop fewer epochs.")
    out = set(numbers)
    samples = tuple(s for k, s in enumerate(plan.samples) if k not in out)
    kept = replace(plan, samples=samples, n_rejected=plan.n_rejected + len(numbers))
    return Change(view.signal, view.window, kept, {"epochs": numbers})


def _subtract(view: View, params: Params) -> Change:
    """Take components out: ``channels``, ``mixing``, ``unmixing`` and their numbers, ``exclude``.

    ``unmixing`` has a row per component, ``mixing`` a row per channel.
    """
    _continuous(view, "the removal of components")
    matrices = {key: params[key] for key in ("channels", "mixing", "unmixing")}
    change = _append(view, "subtract", matrices)
    return replace(change, params={"components": list(params["exclude"])})


def matching(events: Sequence[Mapping[str, Any]], name: str) -> list[Mapping[str, Any]]:
    """Return events whose trial_type is the name, or else whose value is.

    Raises
    ------
    RecordingError
        If there is none; with the names and values there are.
    """
    for column in ("trial_type", "value"):
        found = [event for event in events if str(event.get(column)) == name]
        if found:
            return found
    names = {event_name(event) for event in events}
    names |= {str(event["value"]) for event in events if event.get("value") is not None}
    raise unknown("event", name, sorted(names))


def matching_any(
    events: Sequence[Mapping[str, Any]], names: Sequence[str]
) -> list[Mapping[str, Any]]:
    """Return events that have one of several names, each event once and in their order.

    Raises
    ------
    RecordingError
        If there is none of one of the names; with those there are.
    """
    found = {id(event) for name in names for event in matching(events, name)}
    return [event for event in events if id(event) in found]


TRANSFORMS: Mapping[str, Callable[[View, Params], Change]] = {
    "pick": _pick,
    "window": _window,
    "filter": _filter,
    "notch": _notch,
    "resample": _resample,
    "reference": _reference,
    "epochs": _epochs,
    "drop": _drop,
    "subtract": _subtract,
}
