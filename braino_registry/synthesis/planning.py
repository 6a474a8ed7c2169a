"""From a recipe to a plan: every draw resolved, every impossibility refused.

A plan holds plain values only. It costs milliseconds and needs no signal, so that a recipe can
be checked, and its truth foreseen in part, before anything is built.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from braino_registry.errors import EntryError, UsageError, close_matches
from braino_registry.registry import schemas
from braino_registry.registry.jsonpath import path_text, walk
from braino_registry.registry.problems import Problem
from braino_registry.synthesis import bounds, montage
from braino_registry.synthesis.component import LAYERS, Setting
from braino_registry.synthesis.draws import Scope, Values, form_of, label
from braino_registry.synthesis.leads import LEADS, Lead
from braino_registry.synthesis.limits import check_parameters

ENTITY_ORDER = ("bids_subject", "bids_session", "bids_task", "bids_run")
_SHORT = {"bids_subject": "sub", "bids_session": "ses", "bids_task": "task", "bids_run": "run"}


@dataclass(frozen=True)
class LayerPlan:
    """One layer of one recording, with plain parameters.

    Attributes
    ----------
    kind : str
        Name of the layer.
    part : str
        Key of its random stream within the recording.
    params : mapping
    path : str
        Its place in the recipe.
    """

    kind: str
    part: str
    params: Mapping[str, Any]
    path: str


@dataclass(frozen=True)
class RecordingPlan:
    """One recording, with plain values.

    Attributes
    ----------
    id : str
        BIDS entities joined, ``sub-01_task-rest``.
    entities : mapping
        ``bids_*`` to label.
    ch_names : tuple of str
    sfreq, duration, line_frequency : float
        Hz, s, Hz.
    reference, ground : str
        Where the reference and ground electrodes were.
    layers : tuple of LayerPlan
    truth : mapping
        What the recipe says about the recording beside what its layers plant.
    leads : tuple of Lead
        The channels of a long recording, which is made in pieces; empty for others.
    datatype : str
        ``"eeg"``, or ``"ieeg"`` where the electrodes lie within the skull.
    """

    id: str
    entities: Mapping[str, str]
    ch_names: tuple[str, ...]
    sfreq: float
    duration: float
    line_frequency: float
    reference: str
    ground: str
    layers: tuple[LayerPlan, ...]
    truth: Mapping[str, Any]
    leads: tuple[Lead, ...] = ()
    datatype: str = "eeg"

    @property
    def n_times(self) -> int:
        """Number of samples."""
        return round(self.duration * self.sfreq)


@dataclass(frozen=True)
class Plan:
    """A recipe with everything drawn.

    Attributes
    ----------
    recipe : mapping
        The recipe document.
    values : Values
        Gives each part its random stream.
    participants : mapping
        Label to its columns.
    recordings : tuple of RecordingPlan
    truth : mapping
        What the recipe says about the dataset.
    """

    recipe: Mapping[str, Any]
    values: Values
    participants: Mapping[str, Mapping[str, Any]]
    recordings: tuple[RecordingPlan, ...]
    truth: Mapping[str, Any]


def plan(recipe: Mapping[str, Any], salt_material: bytes = b"") -> Plan:
    """Resolve a recipe without building it.

    Parameters
    ----------
    recipe : mapping
        A document that follows the schema ``recipe/1``.
    salt_material : bytes
        Secret that changes every draw; empty for the public data.

    Raises
    ------
    EntryError
        If the recipe asks for something impossible: a channel that the montage lacks, two
        faults on one channel, an effect outside the recording, an unknown layer, draw or
        parameter. The message names the JSON path.
    """
    for problem in schemas.check(recipe, "recipe-1") or _malformed(recipe):
        place = f"recipe {recipe.get('id', '?')}: {problem.path}"
        raise EntryError(problem.message, where=place, hint=problem.hint)
    named, known = recipe.get("draws", {}), _labels(recipe)
    values = Values(recipe["id"], recipe["seed"], salt_material, named, known)
    _draw_participants(recipe, values)
    blocks = [
        (path, block, list(_combinations(recipe, block, path, values)))
        for path, block in _numbered(recipe["recordings"], "$.recordings")
    ]
    # Before anything of a recording is resolved: cards are dealt to all of them.
    values.recordings = tuple(recording_id(one) for _, _, each in blocks for one in each)
    recordings: dict[str, RecordingPlan] = {}
    samples = 0
    for path, block, combinations in blocks:
        for entities in combinations:
            recording = _plan_recording(block, entities, path, values)
            if recording.id in recordings:
                raise EntryError(
                    f"the recording {recording.id} is described twice",
                    where=values.where(path),
                    hint="Give each recording one place.",
                )
            recordings[recording.id] = recording
            samples += len(recording.ch_names) * recording.n_times
            bounds.check_disk(samples, values.where(path))
    truth = values.resolve(recipe.get("truth", {}), "$.truth", Scope())
    return Plan(recipe, values, values.participants, tuple(recordings.values()), truth)


def _numbered(items: Sequence[Any], path: str) -> list[tuple[str, Any]]:
    return [(f"{path}[{number}]", item) for number, item in enumerate(items)]


def _labels(recipe: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the labels of each entity in any recording, and the levels of each column."""
    found: dict[str, list[str]] = {"bids_subject": list(recipe["participants"]["labels"])}
    for block in recipe["recordings"]:
        for entity, labels in block["over"].items():
            found[entity] = list(dict.fromkeys([*found.get(entity, ()), *labels]))
    columns = recipe["participants"].get("columns", {})
    return found | {name: list(c["levels"]) for name, c in columns.items() if "levels" in c}


def _malformed(recipe: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what is wrong with draws inside parameters, where the recipe's schema is open."""
    drawn = schemas.compiled({"$ref": "urn:braino:schema:recipe:1#/$defs/drawn"})
    columns = recipe["participants"].get("columns", {})
    everywhere = {
        "participants": {"columns": {name: {"value": c["value"]} for name, c in columns.items()}},
        "recordings": recipe["recordings"],
        "truth": recipe.get("truth", {}),
    }
    for steps, value in walk(everywhere):
        if form_of(value) is not None:
            for problem in schemas.explained(drawn.iter_errors(value)):
                place = path_text(steps) + problem.path.removeprefix("$")
                yield replace(problem, path=place)


def _draw_participants(recipe: Mapping[str, Any], values: Values) -> None:
    labels = recipe["participants"]["labels"]
    values.participants.update({subject: {} for subject in labels})
    for name, column in recipe["participants"].get("columns", {}).items():
        path = f"$.participants.columns.{name}.value"
        # A deal within a group needs that group known for everybody, so columns go one by one.
        drawn = {subject: _cell(column["value"], path, values, subject) for subject in labels}
        for subject, value in drawn.items():
            values.participants[subject][name] = value


def _cell(value: Any, path: str, values: Values, subject: str) -> Any:
    who = {"bids_subject": subject}
    scope = Scope(subject=subject, entities=who, columns=values.participants[subject])
    drawn = values.resolve(value, path, scope)
    if isinstance(drawn, dict | list):
        raise EntryError(
            "a cell of a table holds one text or number",
            where=values.where(path, scope),
            hint='Draw one, for example by {"draw": {"choice": …}}.',
        )
    return bounds.printable(drawn, values.where(path, scope))


def _combinations(
    recipe: Mapping[str, Any], block: Mapping[str, Any], path: str, values: Values
) -> Iterator[dict[str, str]]:
    labels = recipe["participants"]["labels"]
    over = {"bids_subject": labels, **block["over"]}
    names = [name for name in ENTITY_ORDER if name in over]
    for subject in over["bids_subject"]:
        if subject not in labels:
            raise EntryError(
                f"there is no participant {subject!r}",
                where=values.where(f"{path}.over.bids_subject"),
                hint=close_matches(subject, labels),
            )
    for task in over["bids_task"]:
        if task not in recipe["tasks"]:
            raise EntryError(
                f"the task {task!r} is not described",
                where=values.where(f"{path}.over.bids_task"),
                hint=close_matches(task, sorted(recipe["tasks"])),
            )
    count = math.prod(len(over[name]) for name in names)
    bounds.check_count(count, values.where(f"{path}.over"))
    for combination in product(*(over[name] for name in names)):
        yield dict(zip(names, combination, strict=True))


def recording_id(entities: Mapping[str, str]) -> str:
    """Return the entities joined as BIDS does, ``sub-01_task-rest``."""
    return "_".join(f"{_SHORT[name]}-{entities[name]}" for name in ENTITY_ORDER if name in entities)


def _plan_recording(
    block: Mapping[str, Any], entities: Mapping[str, str], path: str, values: Values
) -> RecordingPlan:
    subject = entities["bids_subject"]
    scope = Scope(
        recording=recording_id(entities),
        subject=subject,
        entities=entities,
        columns=values.participants[subject],
    )

    def value(key: str, default: Any = None) -> Any:
        return values.resolve(block.get(key, default), f"{path}.{key}", scope)

    def at(key: str) -> str:
        return values.where(f"{path}.{key}", scope)

    montage_doc = value("montage")
    leads = LEADS.get(montage_doc, ()) if isinstance(montage_doc, str) else ()
    ch_names = tuple(lead.name for lead in leads) or _channels(
        montage_doc, f"{path}.montage", values, scope
    )
    sfreq = bounds.between(value("sfreq"), bounds.SLOWEST, bounds.FASTEST, "Hz", at("sfreq"))
    duration = bounds.between(
        value("duration"), bounds.SHORTEST, bounds.LONGEST, "s", at("duration")
    )
    mains = value("line_frequency")
    if leads:
        # Recorders of whole nights may be too slow for the hum, which is there all the same.
        mains = bounds.positive(mains, at("line_frequency"))
        bounds.whole(sfreq, "samples per second", at("sfreq"))
        bounds.whole(duration, "s", at("duration"))
    else:
        mains = bounds.mains(mains, sfreq, at("line_frequency"))
        bounds.check_memory(len(ch_names), round(duration * sfreq), at("duration"))
    setting = Setting(ch_names, sfreq, duration, leads=leads)
    return RecordingPlan(
        id=scope.recording,
        entities=entities,
        ch_names=ch_names,
        sfreq=sfreq,
        duration=duration,
        line_frequency=mains,
        reference=_text(value("reference", "linked earlobes"), at("reference")),
        ground=_text(value("ground", "AFz"), at("ground")),
        layers=tuple(_plan_layers(block, path, values, scope, setting)),
        truth=value("truth", {}),
        leads=leads,
        datatype=block.get("datatype", "eeg"),
    )


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value:
        raise EntryError(f"{value!r} is not a text", where=where, hint="Name a place on the head.")
    return str(bounds.printable(value, where))


def _channels(value: Any, path: str, values: Values, scope: Scope) -> tuple[str, ...]:
    try:
        names = montage.cap(value) if isinstance(value, str) else _listed(value)
    except UsageError as error:
        raise EntryError(error.problem, where=values.where(path, scope), hint=error.hint) from None
    for number, name in enumerate(names):
        known = isinstance(name, str) and name in montage.POSITIONS
        if not known or name in names[:number]:
            raise EntryError(
                f"{str(name)[:80]!r} is not a site of the 10-10 system, or stands there twice",
                where=values.where(f"{path}.channels[{number}]", scope),
                hint=close_matches(str(name)[:80], list(montage.POSITIONS)),
            )
    return names


def _listed(montage_doc: Any) -> tuple[Any, ...]:
    listed = montage_doc.get("channels") if isinstance(montage_doc, Mapping) else None
    if not isinstance(listed, list) or not listed:
        raise UsageError(
            "a montage is a cap, or a list of channels",
            hint=f'Allowed: {", ".join(sorted(montage.CAPS))}, {{"channels": […]}}.',
        )
    return tuple(listed)


def _plan_layers(
    block: Mapping[str, Any],
    path: str,
    values: Values,
    scope: Scope,
    setting: Setting,
) -> Iterator[LayerPlan]:
    seen: dict[str, int] = {}
    for number, doc in enumerate(block["layers"]):
        here = f"{path}.layers[{number}]"
        kind = doc["layer"]
        name = doc.get("as", kind)
        seen[name] = seen.get(name, 0) + 1
        if not _applies(doc.get("only", {}), f"{here}.only", values, scope):
            continue
        try:
            layer = LAYERS.get(kind)
        except UsageError as error:
            raise EntryError(
                error.problem, where=values.where(f"{here}.layer", scope), hint=error.hint
            ) from None
        params = values.resolve(doc.get("with", {}), f"{here}.with", scope)
        try:
            check_parameters(layer, params, setting, f"{here}.with")
        except EntryError as error:
            raise EntryError(
                error.problem, where=values.where(error.where, scope), hint=error.hint
            ) from None
        yield LayerPlan(kind, f"{name}#{seen[name]}", params, here)


def _applies(only: Mapping[str, Any], path: str, values: Values, scope: Scope) -> bool:
    found = {}
    for name, allowed in only.items():
        kind = "entity" if name.startswith("bids_") else "column"
        found[name] = values.resolve({kind: name}, f"{path}.{name}", scope)
        known = values.known(name)
        for number, each in enumerate(allowed):
            # Levels are names, whatever the values are; entities are texts in any case.
            name_of = each if kind == "entity" else label(each)
            if known is not None and name_of not in known:
                raise EntryError(
                    f"no recording has {name} {each!r}",
                    where=values.where(f"{path}.{name}[{number}]"),
                    hint=close_matches(str(each), known),
                )
    return all(found[name] in allowed for name, allowed in only.items())
