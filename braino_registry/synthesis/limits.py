"""What a layer may be given: its JSON Schema, and what its values stand for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from braino_registry.errors import EntryError, close_matches
from braino_registry.synthesis.component import Layer, Setting
from braino_registry.synthesis.montage import POSITIONS


def check_parameters(layer: Layer, params: Any, setting: Setting, where: str) -> None:
    """Refuse parameters that the layer or the recording does not allow.

    Parameters
    ----------
    layer : Layer
    params : JSON value
        Resolved parameters.
    setting : Setting
        The recording so far; faults and events are entered into it.
    where : str
        JSON path of the parameters.

    Raises
    ------
    EntryError
        With the JSON path of the value in question.
    """
    from braino_registry.registry import schemas

    _fits(layer, setting, where)
    found = schemas.explained(schemas.compiled(layer.parameters).iter_errors(params))
    if found:
        raise EntryError(
            f"layer {layer.name!r}: {found[0].message}",
            where=where + found[0].path.removeprefix("$"),
            hint=found[0].hint,
        )
    for meaning, value, path in meanings(layer.parameters, params, where):
        _CHECKS[meaning](value, setting, path)
    if layer.check is not None:
        layer.check(params, setting, where)
    setting.kinds.add(layer.name)


def _fits(layer: Layer, setting: Setting, where: str) -> None:
    if layer.is_long == bool(setting.leads):
        return
    made = "in pieces" if setting.leads else "whole"
    raise EntryError(
        f"the layer {layer.name!r} is not one for recordings that are made {made}",
        where=where.removesuffix(".with") + ".layer",
        hint="Recordings of a bipolar montage are made in pieces, and have layers of their own.",
    )


def meanings(schema: Mapping[str, Any], value: Any, path: str) -> Iterator[tuple[str, Any, str]]:
    """Yield what the values stand for that a schema marks with ``means``.

    Parameters
    ----------
    schema : mapping
        JSON Schema made of properties, additionalProperties, propertyNames and items.
    value : JSON value
        Valid against it.
    path : str
        JSON path of the value.

    Yields
    ------
    (str, JSON value, str)
        Meaning, value and its path.
    """
    if "means" in schema:
        yield schema["means"], value, path
    if isinstance(value, Mapping):
        properties = schema.get("properties", {})
        others = schema.get("additionalProperties", {})
        for key, item in value.items():
            yield from meanings(schema.get("propertyNames", {}), key, f"{path}.{key}")
            inner = properties.get(key, others)
            if isinstance(inner, Mapping):
                yield from meanings(inner, item, f"{path}.{key}")
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from meanings(schema.get("items", {}), item, f"{path}[{number}]")


def _channel(value: str, setting: Setting, path: str) -> None:
    if value not in setting.ch_names:
        raise EntryError(
            f"the montage has no channel {value!r}",
            where=path,
            hint=close_matches(value, setting.ch_names),
        )


def _fault(value: str, setting: Setting, path: str) -> None:
    _channel(value, setting, path)
    if value in setting.faults:
        raise EntryError(
            f"two faults on one channel, {value!r}",
            where=path,
            hint=f"The other one stands at {setting.faults[value]}. Choose another channel.",
        )
    setting.faults[value] = path


def _site(value: str, setting: Setting, path: str) -> None:
    if value not in POSITIONS:
        raise EntryError(
            f"{value!r} is not a site of the 10-10 system",
            where=path,
            hint=close_matches(value, list(POSITIONS)),
        )


def _frequency(value: float, setting: Setting, path: str) -> None:
    if not value < setting.sfreq / 2:
        raise EntryError(
            f"{value:g} Hz cannot be recorded at {setting.sfreq:g} samples per second",
            where=path,
            hint=f"Stay below {setting.sfreq / 2:g} Hz, or sample faster.",
        )


def _event(value: str, setting: Setting, path: str) -> None:
    if value not in setting.tails:
        raise EntryError(
            f"no earlier layer presents the event {value!r}",
            where=path,
            hint=close_matches(value, sorted(setting.tails)),
        )


_CHECKS: Mapping[str, Callable[[Any, Setting, str], None]] = {
    "channel": _channel,
    "fault": _fault,
    "site": _site,
    "frequency": _frequency,
    "event": _event,
}
