"""What the participant was shown and did."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from braino_registry.synthesis.canvas import Canvas, Event
from braino_registry.synthesis.component import (
    POSITIVE,
    TEXT,
    Params,
    Setting,
    layer,
    number,
    record,
    refuse,
    take_event,
)
from braino_registry.synthesis.streams import Stream

_CODE = {"type": "integer", "minimum": 1, "maximum": 255}
_COUNT = {"type": "integer", "minimum": 0}
_NOTES = {"code": _CODE, "description": TEXT, "hed": TEXT}
_NAME = {"type": "string", "pattern": "^[A-Za-z][A-Za-z0-9_-]*$"}


def _length(params: Params) -> float:
    """Return the seconds from the start of the recording to the latest possible last onset."""
    total = sum(stimulus["count"] for stimulus in params["stimuli"].values())
    return float(params["start"] + (total - 1) * params["interval"] + params.get("jitter", 0.0))


def _check(params: Params, setting: Setting, where: str) -> None:
    tail = params.get("tail", 1.5)
    end = _length(params) + tail
    # The last two samples are left free, because onsets are rounded to samples.
    if end + 2 / setting.sfreq > setting.duration:
        raise refuse(
            f"the sequence needs {end:g} s, the recording has {setting.duration:g} s",
            where,
            "Fewer stimuli, a shorter interval, or a longer recording.",
        )
    total = sum(shown["count"] for shown in params["stimuli"].values())
    if total > 1 and params["interval"] * setting.sfreq < 1:
        raise refuse(
            f"stimuli every {params['interval']:g} s come faster than samples",
            f"{where}.interval",
            f"At least {1 / setting.sfreq:g} s.",
        )
    if params["start"] < params.get("jitter", 0.0):
        raise refuse(
            "the jitter may put the first stimulus before the recording",
            f"{where}.start",
            f"Start at {params['jitter']:g} s or later.",
        )
    for name, shown in params["stimuli"].items():
        if shown["duration"] > tail:
            raise refuse(
                f"{name!r} may last beyond the end of the recording",
                f"{where}.stimuli.{name}.duration",
                f"Not longer than the tail of {tail:g} s.",
            )
    if params.get("jitter", 0.0) * 2 >= params["interval"]:
        raise refuse(
            "the jitter lets two stimuli change places",
            f"{where}.jitter",
            "Keep it below half the interval.",
        )
    given = [name for name, _ in _described(params)[len(params["stimuli"]) :]]
    for name in [*params["stimuli"], *dict.fromkeys(given)]:
        if name in setting.tails:
            raise refuse(
                f"the event {name!r} is presented twice", where, "Give each event its own name."
            )
        setting.tails[name] = tail
        setting.heads[name] = params["start"] - params.get("jitter", 0.0)
    for name, shown in params["stimuli"].items():
        setting.counts[name] = shown["count"]
        take_event(setting, name, shown["code"], shown["count"], f"{where}.stimuli.{name}")
    for number_, response in enumerate(params.get("responses", [])):
        here = f"{where}.responses[{number_}]"
        shown = params["stimuli"].get(response["to"])
        if shown is None or response["missed"] > shown["count"]:
            raise refuse(
                f"{response['missed']} responses to {response['to']!r} cannot be missed",
                f"{here}.missed",
                f"Stimuli: {', '.join(params['stimuli'])}.",
            )
        _check_timing(response, here)
        slips = response.get("slips", {"count": 0})["count"]
        given = shown["count"] - response["missed"] - slips
        take_event(setting, response["name"], response["code"], given, here)
        if "slips" in response:
            wrong = response["slips"]
            take_event(setting, wrong["name"], wrong["code"], slips, f"{here}.slips")
        if slips + response["missed"] > shown["count"]:
            raise refuse(
                f"{slips} of the responses to {response['to']!r} cannot be wrong",
                f"{here}.slips.count",
                f"{shown['count'] - response['missed']} are given.",
            )
        if response["latest"] > tail:
            raise refuse(
                "a response may come after the end of the recording",
                f"{here}.latest",
                f"Not later than the tail of {tail:g} s.",
            )
    rare = params.get("apart")
    if rare is not None:
        others = sum(s["count"] for name, s in params["stimuli"].items() if name != rare)
        if rare not in params["stimuli"] or params["stimuli"][rare]["count"] > others + 1:
            raise refuse(
                f"{rare!r} cannot be kept apart by {others} other stimuli",
                f"{where}.apart",
                "Fewer of them, or more of the others.",
            )


def _check_timing(response: Params, where: str) -> None:
    earliest, median, latest = (response[key] for key in ("earliest", "median", "latest"))
    if not earliest <= median <= latest:
        raise refuse(
            f"responses come after {median:g} s, which is not within {earliest:g} to {latest:g} s",
            f"{where}.earliest" if earliest > latest else f"{where}.median",
            "Give earliest, median and latest in rising order.",
        )


def _order(params: Params, stream: Stream) -> list[str]:
    """Return the stimuli in random order; those of ``apart`` never follow one another."""
    rare = params.get("apart")
    deck = [
        name for name, s in params["stimuli"].items() if name != rare for _ in range(s["count"])
    ]
    deck = stream.shuffled(deck)
    if rare is None:
        return deck
    gaps = stream.shuffled(range(len(deck) + 1))[: params["stimuli"][rare]["count"]]
    chosen = set(gaps)
    order = []
    for position in range(len(deck) + 1):
        if position in chosen:
            order.append(rare)
        order.extend(deck[position : position + 1])
    return order


@layer(
    "trials",
    parameters=record(
        {
            "start": number(0),
            "interval": POSITIVE,
            "stimuli": {
                "type": "object",
                "propertyNames": _NAME,
                "minProperties": 1,
                "additionalProperties": record({"count": _COUNT, "duration": POSITIVE, **_NOTES}),
            },
        },
        {
            "jitter": number(0),
            "tail": POSITIVE,
            "apart": TEXT,
            "responses": {
                "type": "array",
                "items": record(
                    {
                        "name": _NAME,
                        "to": TEXT,
                        "missed": _COUNT,
                        "median": POSITIVE,
                        "spread": number(0, 1),
                        "earliest": POSITIVE,
                        "latest": POSITIVE,
                        **_NOTES,
                    },
                    {"slips": record({"name": _NAME, "count": _COUNT, **_NOTES})},
                ),
            },
        },
    ),
    check=_check,
    empty={"events": {}, "n_stimulus": 0, "n_response": 0},
)
def trials(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Stimuli at jittered intervals in random order, with responses to some of them.

    Stimulus i comes at ``start + i * interval``, give or take ``jitter`` (s). A response comes
    a lognormal time after its stimulus (``median``, ``spread``, within ``earliest`` and
    ``latest``); ``missed`` of them never come, and ``slips`` are given under another name, as
    an error is. Truth: counts by name.
    """
    sfreq = canvas.sfreq
    jitter = round(params.get("jitter", 0.0) * sfreq)
    onsets: dict[str, list[int]] = {name: [] for name in params["stimuli"]}
    for number_, name in enumerate(_order(params, stream.child("order"))):
        shown = params["stimuli"][name]
        sample = round((params["start"] + number_ * params["interval"]) * sfreq)
        sample += stream.integer(-jitter, jitter)
        onsets[name].append(sample)
        duration = round(shown["duration"] * sfreq)
        canvas.events.append(Event(sample, duration, name, shown["code"], "stimulus"))
    counts = {name: len(samples) for name, samples in onsets.items()}
    n_response = 0
    for response in params.get("responses", []):
        given = _respond(canvas, response, onsets[response["to"]], stream.child(response["name"]))
        for name in given:
            counts[name] = counts.get(name, 0) + 1
        counts.setdefault(response["name"], 0)
        n_response += len(given)
    canvas.events.sort(key=lambda event: (event.sample, event.value))
    for name, notes in _described(params):
        canvas.notes[name] = {"description": notes["description"], "hed": notes["hed"]}
    n_stimulus = sum(len(samples) for samples in onsets.values())
    return {"events": counts, "n_stimulus": n_stimulus, "n_response": n_response}


def _inside(params: Params, setting: Setting, where: str) -> None:
    for number_, segment in enumerate(params["segments"]):
        end = segment["onset"] + segment["duration"]
        if end > setting.duration:
            raise refuse(
                f"the segment ends at {end:g} s, the recording at {setting.duration:g} s",
                f"{where}.segments[{number_}]",
                "Shorten the segment, or lengthen the recording.",
            )
        name, here = segment["name"], f"{where}.segments[{number_}]"
        setting.tails[name] = min(segment["duration"], setting.tails.get(name, math.inf))
        setting.heads[name] = min(segment["onset"], setting.heads.get(name, math.inf))
        take_event(setting, name, segment["code"], 1, here)


@layer(
    "segments",
    parameters=record(
        {
            "segments": {
                "type": "array",
                "minItems": 1,
                "items": record(
                    {"name": _NAME, "onset": number(0), "duration": POSITIVE, **_NOTES}
                ),
            }
        }
    ),
    check=_inside,
    empty={"segments": []},
)
def segments(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Stretches of the recording with a name, such as a rest with eyes closed.

    ``onset`` and ``duration`` are in s.
    """
    for segment in params["segments"]:
        onset, length = (round(segment[key] * canvas.sfreq) for key in ("onset", "duration"))
        canvas.events.append(Event(onset, length, segment["name"], segment["code"], "segment"))
        canvas.notes[segment["name"]] = {key: segment[key] for key in ("description", "hed")}
    canvas.events.sort(key=lambda event: (event.sample, event.value))
    counts: dict[str, int] = {}
    for segment in params["segments"]:
        counts[segment["name"]] = counts.get(segment["name"], 0) + 1
    facts = [
        {key: segment[key] for key in ("name", "onset", "duration")}
        for segment in params["segments"]
    ]
    return {"segments": facts, "events": counts}


def _described(params: Params) -> list[tuple[str, Mapping[str, Any]]]:
    responses = params.get("responses", [])
    slips = [response["slips"] for response in responses if "slips" in response]
    return [*params["stimuli"].items(), *((given["name"], given) for given in [*responses, *slips])]


def _respond(canvas: Canvas, response: Params, onsets: list[int], stream: Stream) -> list[str]:
    """Enter the responses to some stimuli and return their names."""
    answered = stream.shuffled(onsets)[response["missed"] :]
    slips = response.get("slips", {"count": 0})
    wrong = set(answered[: slips["count"]])
    names = []
    for onset in sorted(answered):
        delay = response["median"] * math.exp(response["spread"] * stream.normal())
        delay = min(response["latest"], max(response["earliest"], delay))
        sample = onset + round(delay * canvas.sfreq)
        given = slips if onset in wrong else response
        canvas.events.append(Event(sample, 1, given["name"], given["code"], "response"))
        names.append(given["name"])
    return names
