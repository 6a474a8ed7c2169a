"""What a check, a layer or a conversion takes: their own schemas, applied to entries.

The registry knows these groups by the names of their packages only, and uses two attributes of
what is registered there: ``parameters``, a JSON Schema, and ``version``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from braino_registry.registry import plugins, schemas
from braino_registry.registry.jsonpath import Steps, path_text, walk
from braino_registry.registry.problems import Problem, choice

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

#: The forms of an expected value, each alone in its object (``args`` beside ``workflow``).
EXPECTED = ("literal", "truth", "label", "instance", "pipeline", "workflow")
#: The forms of a value that a recipe draws, takes from elsewhere or chooses.
DRAWN = frozenset({"draw", "drawn", "case", "entity", "column"})
#: What every check has beside the parameters of its kind.
CHECK_COMMON = frozenset({"id", "kind", "required"})


@dataclass(frozen=True)
class Groups:
    """Where things with parameters or versions of their own are registered.

    Parameters
    ----------
    checks, layers, conversions : str
        Packages of a `plugins.PluginGroup`.
    operations : str
        ``module:function`` that returns the version of every operation of pipelines by name.
    """

    checks: str = "braino_registry.scoring.checks"
    layers: str = "braino_registry.synthesis.layers"
    conversions: str = "braino_registry.datasets.conversions"
    operations: str = "braino_registry.recordings.operations:versions"


def is_expected(value: Any) -> bool:
    """Tell whether a value of a check says where an expected value comes from."""
    if not isinstance(value, dict):
        return False
    keys = set(value)
    return (len(keys) == 1 and keys <= set(EXPECTED)) or keys == {"workflow", "args"}


def is_deferred(value: Any) -> bool:
    """Tell whether a value of a check is not known yet: expected, or ``{"$": expression}``."""
    return is_expected(value) or (isinstance(value, dict) and set(value) == {"$"})


def is_drawn(value: Any) -> bool:
    """Tell whether a value of a recipe is drawn, taken from elsewhere or chosen by a case."""
    return isinstance(value, dict) and len(DRAWN & value.keys()) == 1


def check_versions(groups: Groups) -> dict[str, str]:
    """Return the version of every check kind by its name."""
    return {name: str(item.version) for name, item in plugins.find(groups.checks)}


def operation_versions(groups: Groups) -> dict[str, str]:
    """Return the version of every operation of pipelines by its name."""
    found: dict[str, str] = resolve_name(groups.operations)()
    return found


def check_problems(doc: Mapping[str, Any], groups: Groups) -> list[Problem]:
    """Return what is wrong with the parameters of a task's checks."""
    group = plugins.find(groups.checks)
    problems: list[Problem] = []
    for i, check in enumerate(doc["checks"]):
        steps: Steps = ("checks", i)
        if check["kind"] not in group:
            message = f"there is no check of the kind {check['kind']!r}"
            problems.append(choice((*steps, "kind"), message, check["kind"], group.names()))
            continue
        parameters = {key: value for key, value in check.items() if key not in CHECK_COMMON}
        schema = group.get(check["kind"]).parameters
        problems += parameter_problems(schema, parameters, steps, is_deferred)
        for name, value in parameters.items():
            if value in ([], {}, ""):
                message = f"the criterion {name!r} is empty, so nothing can fail it"
                problems.append(Problem(path_text((*steps, name)), message))
        for place, value in expected_values(parameters, steps):
            problems += place_problems("#/$defs/expected", value, place)
    return problems


def tool_problems(
    doc: Mapping[str, Any], toolset: str, tools: Sequence[str], groups: Groups
) -> list[Problem]:
    """Return the parameters of checks that name a tool, or a pattern, which agents do not have.

    A parameter names tools if its schema says so by ``"names"``, which lists ``tool`` and, where
    it may be a decision as well, ``decision``.

    Parameters
    ----------
    doc : mapping
        A task that is valid by its schema.
    toolset : str
        Name of its toolset.
    tools : sequence of str
        ``tool@version`` of everything in it.
    groups : Groups
        Where check kinds are registered.
    """
    kinds = plugins.find(groups.checks)
    known = {
        "tool": sorted(tool.partition("@")[0] for tool in tools),
        "decision": schemas.document("task-1")["$defs"]["decision_kind"]["enum"],
    }
    problems: list[Problem] = []
    for i, check in enumerate(doc["checks"]):
        schema = kinds.get(check["kind"]).parameters if check["kind"] in kinds else {}
        for name, sub in schema.get("properties", {}).items():
            given = check.get(name)
            allowed = [each for what in _names_of(sub) for each in known[what]]
            for pattern in given if isinstance(given, list) else [given]:
                if not allowed or not isinstance(pattern, str):
                    continue
                if any(fnmatchcase(each, pattern) for each in allowed):
                    continue
                message = f"the toolset {toolset!r} has no tool {pattern!r}"
                problems.append(choice(("checks", i, name), message, pattern, allowed))
    return problems


def _names_of(schema: Any) -> Sequence[str]:
    return schema.get("names", ()) if isinstance(schema, dict) else ()


def recipe_problems(doc: Mapping[str, Any], groups: Groups) -> list[Problem]:
    """Return what is wrong with the parameters of a recipe's layers, wherever they stand."""
    problems: list[Problem] = []
    for steps, value in walk(dict(doc)):
        # What a layer looks like is for the recipe's own schema to say.
        if steps[-2:-1] != ("layers",) or not isinstance(value, dict) or "layer" not in value:
            continue
        group = plugins.find(groups.layers)
        kind = value["layer"]
        if kind not in group:
            message = f"there is no layer {kind!r}"
            problems.append(choice((*steps, "layer"), message, kind, group.names()))
            continue
        schema = group.get(kind).parameters
        parameters = value.get("with", {})
        # parameters that are drawn as a whole are checked when the recipe is planned
        if not is_drawn(parameters):
            problems += parameter_problems(schema, parameters, (*steps, "with"), is_drawn)
    return problems


def dataset_problems(doc: Mapping[str, Any], groups: Groups) -> list[Problem]:
    """Return what is wrong with the conversion that a public dataset names."""
    conversion = doc.get("conversion")
    if not isinstance(conversion, dict) or "use" not in conversion:
        return []
    group = plugins.find(groups.conversions)
    name = conversion["use"]
    if name not in group:
        message = f"there is no conversion {name!r}"
        return [choice(("conversion", "use"), message, name, group.names())]
    parameters = conversion.get("parameters", {})
    steps: Steps = ("conversion", "parameters")
    return parameter_problems(group.get(name).parameters, parameters, steps, lambda _: False)


def expected_values(value: Any, at: Steps = ()) -> Iterator[tuple[Steps, dict[str, Any]]]:
    """Yield every expected value in a check or in an instance's ``expected``, with its place."""
    if is_expected(value):
        yield at, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from expected_values(item, (*at, key))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from expected_values(item, (*at, i))


def place_problems(fragment: str, value: Any, at: Steps) -> list[Problem]:
    """Return what is wrong in a part of a task by a definition of its schema."""
    checker = schemas.compiled({"$ref": f"urn:braino:schema:task:1{fragment}"})
    return schemas.explained(_placed(checker, value, at))


def parameter_problems(
    schema: Mapping[str, Any],
    parameters: Mapping[str, Any],
    at: Steps,
    is_open: Callable[[Any], bool],
) -> list[Problem]:
    """Return what is wrong with parameters by the schema of what takes them.

    Parameters
    ----------
    schema : mapping
        JSON Schema of the parameters; unknown properties are refused unless it allows them.
    parameters : mapping
        What an entry says.
    at : tuple
        Where it says so.
    is_open : callable
        Tells of a value that it stands for another one, which is not known yet. The schema may
        describe either, so it is not held against such a value.
    """
    strict = dict(schema)
    if "unevaluatedProperties" not in strict:
        strict.setdefault("additionalProperties", False)
    checker = schemas.compiled(strict)
    given = dict(parameters)
    places = [place for place, value in walk(given, at) if place != at and is_open(value)]
    found = (
        error
        for error in _placed(checker, given, at)
        if not any(tuple(error.absolute_path)[: len(place)] == place for place in places)
    )
    return schemas.explained(found)


def _placed(checker: Draft202012Validator, value: Any, at: Steps) -> Iterator[ValidationError]:
    """Yield the errors of a part of a document with their places in the whole."""
    for error in checker.iter_errors(value):
        error.path.extendleft(reversed(at))
        yield error
