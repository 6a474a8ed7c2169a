"""What keeps a tool from being offered to every model: its name, its words, its schemas.

Providers of models take less than JSON Schema. What is held to here is what the strict ones among
them take: an object of described properties at the top; types, ``enum``, ``anyOf`` of two or more,
lists that say what they hold, and bounds; no references, no conditions, no lists whose places
differ. Names have up to 64 characters with dots doubled, and descriptions up to 1024.

A *strict mode* asks more: no object may have names of the caller's choosing. Such a tool works
everywhere else; `open_maps` tells where it does that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from braino_registry.tools.decorator import TOOLS, Tool
from braino_registry.tools.errors import ToolError

# numbers that are pure by nature, beside those whose names say so
PURE = frozenset(
    "t df cohen_d value values a b mean_a mean_b mean_difference items alpha threshold z_threshold "
    "correlation min_correlation r ocular_r cardiac_r neighbour_r expected_r agreement coherence "
    "f eta_squared means hedges_g detectable_d achieved_power r_squared exponent offset slope "
    "muscle_slope t_sum ci_low ci_high x y covariate covariate_a covariate_b groups "
    "adjusted_difference unadjusted_difference covariate_difference adjusted_mean_a "
    "mean quality degree group_means "
    "adjusted_mean_b r_unadjusted blinks_per_minute area_uv_s skewness kurtosis hjorth_mobility "
    "hjorth_complexity amplitude_asymmetry band_power_asymmetry total_power_asymmetry "
    "amplitude_to_rms_ratio_mean amplitude_to_rms_ratio_max age_years".split()
)
# an interval or a table by name may tell its unit in its description
UNIT_WORDS = re.compile(r"\b(?:Hz|[Ss]econds|µV)\b")
#: Characters of a description that the strictest providers take.
MOST_DESCRIPTION = 1024
MOST_NAME = 64
MOST_DEPTH = 5  # of objects within each other
MOST_CHOICES = 100
#: Parts of letters, digits and hyphens: what maps one-to-one onto names without dots.
NAME = re.compile(r"[A-Za-z0-9-]+(?:[._][A-Za-z0-9-]+)*")
PROPERTY = re.compile(r"[A-Za-z0-9_-]{1,64}")
TYPES = frozenset({"string", "number", "integer", "boolean", "object", "array", "null"})
KEYWORDS = frozenset(
    "type description default enum anyOf properties required additionalProperties items "
    "minItems maxItems minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength "
    "pattern".split()
)


def lint(tools: Sequence[Tool] | None = None) -> list[str]:
    """Return what is wrong with the tools; an empty list if nothing is.

    Parameters
    ----------
    tools : sequence of Tool | None
        Tools to look at, by default all.
    """
    chosen = [tool for _, tool in TOOLS] if tools is None else tools
    return [f"{tool.key}: {problem}" for tool in chosen for problem in _problems(tool)]


def open_maps(schema: Mapping[str, Any], at: str = "") -> list[str]:
    """Return the paths of objects whose names the caller chooses, which strict modes refuse."""
    found = [at] if isinstance(schema.get("additionalProperties"), Mapping) else []
    for place, sub in _inside(schema, at):
        found += open_maps(sub, place)
    return found


def _problems(tool: Tool) -> Iterator[str]:
    spec = tool.spec
    yield from _of_words(tool)
    yield from _of_example(tool)
    yield from _of_schema(spec.arguments, "", 1)
    if spec.arguments.get("type") != "object":
        yield "its arguments are no object"
    for key in ("$ref", "$defs", "oneOf"):
        if _holds(spec.result, key):
            yield f"the schema of its result holds {key}"
    if spec.arguments.get("additionalProperties") is not False:
        yield "its arguments allow other properties"
    for name, sub in spec.arguments.get("properties", {}).items():
        if not sub.get("description"):
            yield f"its argument {name} has no description"
    numbers = sorted(set(_measured(spec.result, "")))
    if numbers and not tool.definition:
        yield f"reports {', '.join(numbers)} without a Definition paragraph"
    for side, schema in (("argument", spec.arguments), ("result", spec.result)):
        for name in sorted(set(_measured(schema, ""))):
            described = str(schema.get("properties", {}).get(name, {}).get("description", ""))
            if not _has_unit(name) and not UNIT_WORDS.search(described):
                yield f"the {side} {name} does not tell its unit"


def _of_words(tool: Tool) -> Iterator[str]:
    """Yield what is wrong with name and description."""
    wire = len(tool.name) + tool.name.count(".")
    if not NAME.fullmatch(tool.name) or wire > MOST_NAME:
        yield (
            f"its name is not made of letters, digits and hyphens joined by single dots or "
            f"underscores, at most {MOST_NAME} characters with dots doubled"
        )
    if not tool.summary:
        yield "has no description"
    size = len(tool.spec.description)
    if size > MOST_DESCRIPTION:
        yield f"its description has {size} characters; providers take {MOST_DESCRIPTION}"


def _of_example(tool: Tool) -> Iterator[str]:
    """Yield what is wrong with the example of a call."""
    if not tool.example:
        yield "has no Example paragraph with the arguments of a call"
        return
    try:
        args = json.loads(tool.example)
    except ValueError as error:
        yield f"its example is no JSON ({error})"
        return
    if not isinstance(args, dict):
        yield "its example is no JSON object"
        return
    try:
        tool.convert(args)
    except ToolError as error:
        yield f"its example would be refused: {error.problem}"


def _of_schema(schema: Mapping[str, Any], at: str, depth: int) -> Iterator[str]:
    """Yield what a strict provider would refuse in the schema of an argument."""
    where = f"the schema of its argument {at}" if at else "the schema of its arguments"
    for key in sorted(set(schema) - KEYWORDS):
        yield f"{where} holds {key}"
    kinds = schema.get("type", [])
    named = {kinds} if isinstance(kinds, str) else set(kinds)
    if not named and "anyOf" not in schema and "enum" not in schema:
        yield f"{where} names no type"
    for kind in sorted(named - TYPES):
        yield f"{where} names the type {kind}"
    if "anyOf" in schema and (not at or len(schema["anyOf"]) < 2):
        yield f"{where} has an anyOf " + ("of less than two" if at else "at the top")
    if "array" in named and not isinstance(schema.get("items"), Mapping):
        yield f"{where} is a list that does not say what it holds"
    if len(schema.get("enum", ())) > MOST_CHOICES:
        yield f"{where} has more than {MOST_CHOICES} choices"
    if depth > MOST_DEPTH:
        yield f"{where} lies more than {MOST_DEPTH} deep"
        return
    yield from (
        f"{where} has a property called {name!r}"
        for name in schema.get("properties", ())
        if not PROPERTY.fullmatch(name)
    )
    for place, sub in _inside(schema, at):
        yield from _of_schema(sub, place, depth + (place != at))


def _inside(schema: Mapping[str, Any], at: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the schemas directly inside another one, and where they stand."""
    for name, sub in schema.get("properties", {}).items():
        yield f"{at}.{name}" if at else name, sub
    for key, mark in (("items", "[]"), ("additionalProperties", ".*")):
        if isinstance(schema.get(key), Mapping):
            yield at + mark, schema[key]
    for sub in schema.get("anyOf", ()):
        yield at, sub


def _has_unit(name: str) -> bool:
    from braino_registry.numbers import unit_of

    return name in PURE or name.endswith("_z") or unit_of(name) is not None


def _holds(node: Any, key: str) -> bool:
    if isinstance(node, Mapping):
        return key in node or any(_holds(sub, key) for sub in node.values())
    return isinstance(node, list) and any(_holds(sub, key) for sub in node)


def _measured(node: Any, name: str) -> Iterator[str]:
    """Yield the names of fields that hold numbers which are not counts."""
    kinds = node.get("type")
    if kinds == "number" or (isinstance(kinds, list) and "number" in kinds):
        yield name
    for sub_name, sub in node.get("properties", {}).items():
        yield from _measured(sub, sub_name)
    inner = [node.get("items"), node.get("additionalProperties")]
    for sub in [*inner, *node.get("anyOf", []), *(node.get("prefixItems") or [])]:
        if isinstance(sub, Mapping):
            yield from _measured(sub, name)
