"""Damage of every kind to every entry: loading gives the entry or errors, and nothing else."""

from __future__ import annotations

import copy
import json
import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from braino_registry.errors import BrainoError, EntryError
from braino_registry.registry import Recipe, Registry, Task, schemas
from braino_registry.registry.catalog import digests
from braino_registry.registry.entries import Entry
from braino_registry.registry.files import KINDS, Unreadable, examine
from braino_registry.registry.jsonpath import walk
from braino_registry.registry.loading import Loader
from braino_registry.registry.roots import builtin
from braino_registry.synthesis.planning import plan
from tests.registry.test_jsonfile import JSON

FUZZ = settings(
    max_examples=50,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
#: Values that have upset readers before: extremes, empty things, other types, forms of values.
NASTY = [
    None, True, 0, -1, 1e-300, 1e300, 2**53 - 1, -0.0, "", " ", "\x00", "a" * 1000, "../..",
    "{{ x }}", "{% for a in range(10**9) %}", "99999999999999999999.0.0", [], {}, [[]], [{}],
    {"": None},
    {"draw": {}}, {"draw": {"choice": []}}, {"draw": {"uniform": [1, 0], "step": 1e-300}},
    {"draw": {"uniform": [0, 1e300], "step": 1e-300}}, {"draw": {"lognormal": [1, 1e300]}},
    {"draw": {"integer": [0, 1e300]}}, {"draw": {"integer": [0.5, 1]}}, {"drawn": "nothing"},
    {"case": {"of": {"entity": "bids_run"}, "when": {"a": 1}}}, {"column": "a"}, {"truth": "a.b"},
    {"draw": {"deal": [1]}}, {"$": "]["}, {"literal": None}, {"pipeline": {}}, {"workflow": "a"},
]  # fmt: skip


@cache
def registry() -> Registry:
    return Registry([builtin()])


@cache
def entries() -> dict[str, bytes]:
    """Return the bytes of every entry that ships, by its path."""
    found = {each.name: each.file.read_bytes() for each in registry().candidates()}
    assert {json.loads(raw)["schema"].partition("/")[0] for raw in found.values()} >= {
        "task", "suite", "recipe", "dataset",
    }  # fmt: skip
    return found


def loaded(raw: bytes, folder: Path) -> Entry | None:
    """Return the entry in some bytes, or None; anything but errors that name the file fails."""
    file = folder / "entry.json"
    file.write_bytes(raw)
    found = examine(folder, file.name, None)
    if isinstance(found, Unreadable):
        entry, errors = None, list(found.errors)
    else:
        here = registry()
        entry, errors = Loader(here._find, here._names, here.groups).load(found)
    assert (entry is None) == bool(errors)
    assert all(isinstance(error, EntryError) for error in errors)
    assert all(error.where.startswith(f"{file}: $") for error in errors)
    return entry


def used(entry: Entry | None) -> None:
    """Do with an entry what follows loading; it works, or is refused."""
    if isinstance(entry, Task):
        assert set(digests(entry, registry().groups)) == {"work", "scoring"}
        assert entry.instances
    if isinstance(entry, Recipe):
        refused = None
        try:
            assert plan(entry.doc, b"another salt of the test").recordings
        except BrainoError as error:
            refused = error
        assert refused is None or refused.where.startswith(f"recipe {entry.id}: $")


@pytest.mark.parametrize("name", entries())
def test_every_entry_cut_short_or_with_other_bytes(name: str, tmp_path: Path) -> None:
    raw, dice = entries()[name], random.Random(name)
    text = raw.rstrip()
    for end in (0, 1, len(text) - 1, *(dice.randrange(len(text)) for _ in range(3))):
        assert loaded(text[:end], tmp_path) is None
    for _ in range(3):
        place = dice.randrange(len(raw))
        flipped = raw[place] ^ (1 << dice.randrange(8))
        used(loaded(raw[:place] + bytes([flipped]) + raw[place + 1 :], tmp_path))


@FUZZ
@given(st.data())
def test_any_bytes_in_any_entry(tmp_path: Path, data: st.DataObject) -> None:
    raw = entries()[data.draw(st.sampled_from(sorted(entries())))]
    first = data.draw(st.integers(0, len(raw)))
    last = data.draw(st.integers(first, min(len(raw), first + 40)))
    used(loaded(raw[:first] + data.draw(st.binary(max_size=20)) + raw[last:], tmp_path))


def damaged(doc: Any, place: tuple[str | int, ...], value: Any) -> Any:
    """Return a document in which a value stands at a place, or nothing if it is ``...``."""
    changed = copy.deepcopy(doc)
    holder = changed
    for step in place[:-1]:
        holder = holder[step]
    if value is ...:
        del holder[place[-1]]
    else:
        holder[place[-1]] = value
    return changed


def places(doc: Any) -> list[tuple[str | int, ...]]:
    return [steps for steps, _ in walk(doc) if steps]


@settings(FUZZ, max_examples=150)
@given(st.data())
def test_any_value_anywhere_in_any_entry(tmp_path: Path, data: st.DataObject) -> None:
    doc = json.loads(entries()[data.draw(st.sampled_from(sorted(entries())))])
    place = data.draw(st.sampled_from(places(doc)))
    value = data.draw(st.one_of(st.just(...), st.sampled_from(NASTY), JSON))
    used(loaded(json.dumps(damaged(doc, place, value)).encode(), tmp_path))


def shaped(schema: Any, depth: int = 0) -> st.SearchStrategy[Any]:
    """Return values that resemble what a schema describes, and some that do not."""
    if not isinstance(schema, dict) or depth > 4:
        return JSON
    names = [*schema.get("properties", {})]
    forms: list[st.SearchStrategy[Any]] = [st.sampled_from(NASTY)]
    if "const" in schema:
        forms.append(st.just(schema["const"]))
    if "enum" in schema:
        forms.append(st.sampled_from(schema["enum"]))
    if names:
        fields = {name: shaped(schema["properties"][name], depth + 1) for name in names}
        required = [name for name in schema.get("required", ()) if name in fields]
        rest = {name: each for name, each in fields.items() if name not in required}
        forms.append(
            st.fixed_dictionaries({name: fields[name] for name in required}, optional=rest)
        )
    if "items" in schema:
        forms.append(st.lists(shaped(schema["items"], depth + 1), max_size=3))
    return st.one_of(*reversed(forms))


@pytest.mark.parametrize("kind", KINDS)
def test_random_documents_of_every_kind(kind: str, tmp_path: Path) -> None:
    schema = schemas.document(f"{kind}-1")

    @FUZZ
    @given(shaped(schema))
    def check(doc: Any) -> None:
        named = {**doc, "schema": f"{kind}/1"} if isinstance(doc, dict) else doc
        used(loaded(json.dumps(named).encode(), tmp_path))

    check()


@pytest.mark.parametrize("name", schemas.names())
def test_no_document_upsets_a_schema(name: str) -> None:
    @FUZZ
    @given(st.one_of(JSON, shaped(schemas.document(name))))
    def check(doc: Any) -> None:
        for problem in schemas.check(doc, name):
            assert problem.path.startswith("$")
            assert problem.message

    check()


@pytest.mark.parametrize("value", [[], {}, None, 7, "Czz", "Fp2"])
def test_a_channel_that_is_drawn_is_held_to_what_a_channel_is(tmp_path: Path, value: Any) -> None:
    doc = json.loads(entries()["generators/partial-caps.json"])
    doc = damaged(doc, ("draws", "cap", "draw", "deal", 0, "channels", 0), value)
    entry = loaded(json.dumps(doc).encode(), tmp_path)
    assert isinstance(entry, Recipe)
    with pytest.raises(BrainoError, match="is not a site of the 10-10 system, or stands there"):
        plan(entry.doc, b"")
