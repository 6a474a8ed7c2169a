"""The JSON Schemas of all documents: found offline, strict, with formats asserted.

``urn:braino:schema:task:1`` is the file ``schemas/task-1.json``. Schemas refer to each other by
these names, and nothing is ever looked up elsewhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from braino_registry.errors import HostError, UsageError
from braino_registry.registry import roots
from braino_registry.registry.jsonpath import Steps, path_text, walk
from braino_registry.registry.problems import Problem, choice, useful_first

if TYPE_CHECKING:
    import referencing
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

#: Most problems of one document that are looked for.
EXPLAINED = 200

_STEM = re.compile(r"(?P<kind>[a-z]+(?:-[a-z]+)*)-(?P<number>[1-9][0-9]*)")
_FIELD = re.compile(r"(?P<kind>[a-z]+(?:-[a-z]+)*)/(?P<number>[1-9][0-9]*)")


def folder() -> Path:
    """Return the folder that holds the schemas."""
    return roots.builtin() / "schemas"


def names() -> tuple[str, ...]:
    """Return the names of all schemas, for example ``task-1``."""
    return _names(folder())


def document(name: str) -> Mapping[str, Any]:
    """Return the schema called ``name``, for example ``task-1``.

    Raises
    ------
    UsageError
        If there is no such schema.
    """
    return _document(folder(), name)


def validator(name: str) -> Draft202012Validator:
    """Return the validator of the schema called ``name``, for example ``task-1``.

    Raises
    ------
    UsageError
        If there is no such schema.
    HostError
        If a format that a schema asserts cannot be checked on this machine.
    """
    return _validator(folder(), name)


# A process reads the schemas of one folder, once.


@cache
def _names(folder: Path) -> tuple[str, ...]:
    return tuple(sorted(file.stem for file in folder.glob("*.json") if _STEM.fullmatch(file.stem)))


@cache
def _document(folder: Path, name: str) -> Mapping[str, Any]:
    if name not in _names(folder):
        hint = choice((), "", name, _names(folder)).hint
        raise UsageError(f"there is no schema {name!r}", where=str(folder), hint=hint)
    loaded: dict[str, Any] = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    return loaded


@cache
def _resources(folder: Path) -> referencing.Registry[Any]:
    """Return all schemas by their ``$id``; a name outside of them is an error, not a download."""
    from referencing import Registry
    from referencing.jsonschema import DRAFT202012

    schemas = [_document(folder, name) for name in _names(folder)]
    registry: referencing.Registry[Any] = Registry()
    return registry.with_resources(
        [(schema["$id"], DRAFT202012.create_resource(schema)) for schema in schemas]
    )


@cache
def _validator(folder: Path, name: str) -> Draft202012Validator:
    return compiled(_document(folder, name))


def compiled(schema: Mapping[str, Any]) -> Draft202012Validator:
    """Return a validator that resolves references offline and asserts formats.

    Parameters
    ----------
    schema : mapping
        JSON Schema 2020-12. It may refer to ``urn:braino:schema:<kind>:<number>``.
    """
    from jsonschema import Draft202012Validator

    checker = Draft202012Validator.FORMAT_CHECKER
    for steps, value in walk(schema):
        # Without its library the validator would pass over a format in silence.
        is_format = steps and steps[-1] == "format" and isinstance(value, str)
        if is_format and not _inside_data(steps) and value not in checker.checkers:
            raise HostError(
                f"the format {value!r} cannot be checked here",
                where=f"{schema.get('$id', 'schema')}: {path_text(steps)}",
                hint="Install jsonschema[format].",
            )
    return Draft202012Validator(schema, registry=_resources(folder()), format_checker=checker)


def _inside_data(steps: Steps) -> bool:
    """Tell whether a place in a schema holds data or a property's name, not a keyword."""
    return len(steps) > 1 and steps[-2] in ("properties", "const", "default", "enum", "examples")


def check(doc: Any, name: str) -> list[Problem]:
    """Return what is wrong in a document, in its own order; empty if nothing is.

    Parameters
    ----------
    doc : JSON value
        The document.
    name : str
        Name of the schema, for example ``task-1``.
    """
    return explained(validator(name).iter_errors(doc))


def explained(errors: Iterator[ValidationError]) -> list[Problem]:
    """Return the problems behind validation errors, each once, the most useful ones first.

    No more than `EXPLAINED` problems are looked for: nobody mends a million places one by one.
    """
    from braino_registry.registry.schema_errors import explain

    every = (problem for error in errors for problem in explain(error))
    found = dict.fromkeys(islice(every, EXPLAINED))
    return useful_first(found)


def name_of(doc: Any) -> str | Problem:
    """Return the schema name that a document declares in its field ``schema``, or the problem."""
    if not isinstance(doc, dict):
        return Problem("$", "an entry has to be an object")
    declared = doc.get("schema")
    known = tuple(f"{m['kind']}/{m['number']}" for m in map(_STEM.fullmatch, names()) if m)
    if declared is None:
        return Problem("$", "the property 'schema' is missing", known)
    form = _FIELD.fullmatch(declared) if isinstance(declared, str) else None
    if form is not None and declared in known:
        return f"{form['kind']}-{form['number']}"
    versions = [
        int(name.split("/")[1]) for name in known if form and name.split("/")[0] == form["kind"]
    ]
    if form is not None and versions and int(form["number"]) > max(versions):
        return Problem(
            "$.schema",
            f"this entry has the newer schema {declared!r}: upgrade braino-registry, "
            f"this version reads up to '{form['kind']}/{max(versions)}'",
        )
    return choice(("schema",), f"unknown schema {declared!r}", declared, known)
