"""What a layer is and how it joins: one decorated function in a module of ``layers``.

A layer adds one thing to a recording: a background, a rhythm, an artifact, a fault, a sidecar
that says something else. Its parameters have a JSON Schema, in which the keyword ``means`` says
what a value stands for, so that an impossible plan is refused before anything is built:

``channel``
    a channel of the montage
``fault``
    a channel of the montage that no other fault has taken
``site``
    a name of the 10-10 system, recorded or not
``frequency``
    a frequency in Hz below half the sampling frequency
``event``
    an event that an earlier layer of the recording presents
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from braino_registry.errors import EntryError
from braino_registry.registry.plugins import PluginGroup
from braino_registry.synthesis.canvas import Canvas
from braino_registry.synthesis.leads import Lead
from braino_registry.synthesis.reel import Reel
from braino_registry.synthesis.streams import Stream

Params = Mapping[str, Any]
Apply = Callable[[Canvas, Params, Stream], Mapping[str, Any]]
ApplyLong = Callable[[Reel, Params, Stream], Mapping[str, Any]]


@dataclass
class Setting:
    """What is known about a recording while it is being planned.

    Attributes
    ----------
    ch_names : tuple of str
    sfreq : float
        In Hz.
    duration : float
        In s.
    faults : dict
        Channel name to the place in the recipe that spoils it.
    tails : dict
        Event name to the seconds of recording that follow its last presentation at least.
    counts : dict
        Event name to how often it is presented, for stimuli.
    happens : dict
        Event name to how often it happens at least: stimuli, responses and segments.
    heads : dict
        Event name to the seconds of recording that precede its first one at least.
    codes : dict
        Trigger code to the event that has it, and where that stands.
    stretches : list of (float, float, str)
        Stretches that something else has taken: first and last second, and where it stands.
    body : set of str
        Names of the channels that are not on the scalp.
    kinds : set of str
        Names of the layers so far.
    leads : tuple of Lead
        The channels of a long recording, which is made in pieces; empty for others.
    """

    ch_names: tuple[str, ...]
    sfreq: float
    duration: float
    faults: dict[str, str] = field(default_factory=dict)
    tails: dict[str, float] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    happens: dict[str, int] = field(default_factory=dict)
    heads: dict[str, float] = field(default_factory=dict)
    codes: dict[int, tuple[str, str]] = field(default_factory=dict)
    stretches: list[tuple[float, float, str]] = field(default_factory=list)
    body: set[str] = field(default_factory=set)
    kinds: set[str] = field(default_factory=set)
    leads: tuple[Lead, ...] = ()


@dataclass(frozen=True)
class Layer:
    """A registered layer.

    Attributes
    ----------
    name : str
        What recipes call it.
    parameters : mapping
        JSON Schema of its parameters.
    apply : callable
        ``apply(canvas, params, stream)`` changes the canvas and returns what it planted; that of
        a layer for long recordings is given a `Reel` and leaves a painter there.
    check : callable | None
        ``check(params, setting, where)`` refuses what the schema cannot, with `EntryError`.
    empty : mapping
        Truth of a recording that has no such layer, for example ``{"flat_channels": []}``.
    summary : str
        First line of the docstring.
    is_long : bool
        Whether it is one for long recordings.
    """

    name: str
    parameters: Mapping[str, Any]
    apply: Callable[..., Mapping[str, Any]]
    check: Callable[[Params, Setting, str], None] | None
    empty: Mapping[str, Any]
    summary: str
    is_long: bool = False


LAYERS: PluginGroup[Layer] = PluginGroup(
    "braino_registry.synthesis.layers", "layer", entry_points="braino.layers"
)


def layer(
    name: str,
    *,
    parameters: Mapping[str, Any],
    check: Callable[[Params, Setting, str], None] | None = None,
    empty: Mapping[str, Any] | None = None,
) -> Callable[[Apply], Apply]:
    """Register the decorated function as the layer ``name``.

    Parameters
    ----------
    name : str
        What recipes call it.
    parameters : mapping
        JSON Schema of its parameters; see `record`.
    check : callable | None
        Refuses, before building, plans that the schema cannot refuse.
    empty : mapping | None
        Truth of a recording without this layer.
    """

    def keep(apply: Apply) -> Apply:
        _register(Layer(name, parameters, apply, check, dict(empty or {}), ""))
        return apply

    return keep


def long_layer(
    name: str,
    *,
    parameters: Mapping[str, Any],
    check: Callable[[Params, Setting, str], None] | None = None,
    empty: Mapping[str, Any] | None = None,
) -> Callable[[ApplyLong], ApplyLong]:
    """Register the decorated function as the layer ``name`` of long recordings; see `layer`."""

    def keep(apply: ApplyLong) -> ApplyLong:
        _register(Layer(name, parameters, apply, check, dict(empty or {}), "", is_long=True))
        return apply

    return keep


def _register(made: Layer) -> None:
    apply = made.apply
    summary = (apply.__doc__ or "").strip().partition("\n")[0]
    LAYERS.add(made.name, replace(made, summary=summary), apply.__module__)


def record(
    required: Mapping[str, Any], optional: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the schema of an object with exactly these properties.

    Parameters
    ----------
    required, optional : mapping
        Property name to its schema.
    """
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": sorted(required),
        "additionalProperties": False,
    }


def number(low: float | None = None, high: float | None = None, **more: Any) -> dict[str, Any]:
    """Return the schema of a number between two inclusive limits."""
    limits = {"minimum": low, "maximum": high}
    return {"type": "number", **{k: v for k, v in limits.items() if v is not None}, **more}


POSITIVE: Mapping[str, Any] = {"type": "number", "exclusiveMinimum": 0}
#: Sizes in µV; the 16-bit grid on which samples are kept ends at 3277 µV.
SIZE: Mapping[str, Any] = {**POSITIVE, "maximum": 10_000}
#: Fall-off of a source over the scalp, in degrees of arc.
WIDTH: Mapping[str, Any] = number(1, 180)
#: Time over which something waxes, wanes or fades, in s.
TIME: Mapping[str, Any] = number(0.01, 600)
#: Width of a rhythm in Hz.
BANDWIDTH: Mapping[str, Any] = number(0.05, 100)
CHANNELS: Mapping[str, Any] = {
    "type": "array",
    "items": {"type": "string", "means": "channel"},
    "minItems": 1,
    "uniqueItems": True,
}
FAULTS: Mapping[str, Any] = {
    "type": "array",
    "items": {"type": "string", "means": "fault"},
    "minItems": 1,
    "uniqueItems": True,
}
SITES: Mapping[str, Any] = {
    "type": "array",
    "items": {"type": "string", "means": "site"},
    "minItems": 1,
}
CHANNEL: Mapping[str, Any] = {"type": "string", "means": "channel"}
EVENT: Mapping[str, Any] = {"type": "string", "means": "event"}
COUNT: Mapping[str, Any] = {"type": "integer", "minimum": 0}
LIMITS: Mapping[str, Any] = {
    "type": "array",
    "items": {"type": "number"},
    "minItems": 2,
    "maxItems": 2,
}
FREQUENCY: Mapping[str, Any] = {"type": "number", "exclusiveMinimum": 0, "means": "frequency"}
TEXT: Mapping[str, Any] = {"type": "string", "minLength": 1}
#: Name of a channel: it stands in tables and headers, which commas and line ends would break.
CH_NAME: Mapping[str, Any] = {
    "type": "string",
    "maxLength": 30,
    "pattern": r"^[A-Za-z0-9][A-Za-z0-9 ._+-]*$(?!\n)",
    "description": "letters and digits, then also spaces and . _ + -",
}


def refuse(problem: str, where: str, hint: str) -> EntryError:
    """Return the error for an impossible plan."""
    return EntryError(problem, where=where, hint=hint)


def take_stretch(setting: Setting, onset: float, duration: float, where: str) -> None:
    """Enter a stretch of the recording that a layer spoils.

    Parameters
    ----------
    setting : Setting
    onset, duration : float
        In s.
    where : str
        JSON path of the layer's parameters.

    Raises
    ------
    EntryError
        If it does not lie within the recording, or overlaps with another one.
    """
    end = onset + duration
    if end > setting.duration:
        raise refuse(
            f"the stretch ends at {end:g} s, the recording at {setting.duration:g} s",
            f"{where}.onset",
            "Begin earlier, or lengthen the recording.",
        )
    for first, last, other in setting.stretches:
        if onset < last and first < end:
            raise refuse(
                f"the stretch overlaps with another one, {first:g} to {last:g} s",
                f"{where}.onset",
                f"The other one stands at {other}. Choose another time.",
            )
    setting.stretches.append((onset, end, where))


def take_name(setting: Setting, name: str, where: str) -> None:
    """Enter a channel that is not on the scalp.

    Raises
    ------
    EntryError
        If there is a channel of that name already.
    """
    if name in setting.body or name in setting.ch_names:
        raise refuse(
            f"there are two channels called {name!r}", where, "Give each channel its own name."
        )
    setting.body.add(name)


def take_event(setting: Setting, name: str, code: int, count: int, where: str) -> None:
    """Enter an event that happens ``count`` times and is written with a trigger code.

    Raises
    ------
    EntryError
        If another event has this code: nobody could tell the two apart in the marker file.
    """
    other, place = setting.codes.setdefault(code, (name, where))
    if other != name:
        raise refuse(
            f"the events {other!r} and {name!r} have one code, {code}",
            f"{where}.code",
            f"The other one stands at {place}. Give each event a code of its own.",
        )
    setting.happens[name] = setting.happens.get(name, 0) + count


def check_window(setting: Setting, event: str, limits: Sequence[float], where: str) -> None:
    """Refuse a window around an event that is none, or may leave the recording.

    Raises
    ------
    EntryError
        If it does.
    """
    first, last = limits
    head, tail = setting.heads[event], setting.tails[event]
    if first >= last or last > tail or -first > head:
        raise refuse(
            f"{first:g} to {last:g} s after {event!r} is no stretch of the recording",
            where,
            f"Give the earlier limit first; {head:g} s precede the first {event!r} and {tail:g} s "
            "follow the last.",
        )


def enough(setting: Setting, event: str, count: int, where: str) -> None:
    """Refuse to change more presentations of an event than there are."""
    shown = setting.counts.get(event, 0)
    if count > shown:
        raise refuse(
            f"{count} presentations of {event!r} cannot be chosen from {shown}",
            where,
            "Choose fewer, or present it more often.",
        )
