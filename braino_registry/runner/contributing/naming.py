"""Names that a task uses: operations of pipelines, workflows, and arguments of these and of tools.

Only names are looked at, for values may be filled in while a trial runs. This needs every
operation, workflow and tool, which loading an entry does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Any

from braino_registry.errors import likely, nearest
from braino_registry.registry import Task
from braino_registry.registry.jsonpath import Steps, path_text, walk
from braino_registry.registry.kinds import expected_values


@dataclass(frozen=True)
class Misnamed:
    """A name that is not known, or one that is missing.

    Parameters
    ----------
    path : str
        JSON path of it, for example ``$.reference.steps[0].args.fmi``.
    message : str
        What is wrong.
    hint : str
        What was probably meant, and at most 12 of the names that are allowed.
    """

    path: str
    message: str
    hint: str


def misnamed(task: Task) -> list[Misnamed]:
    """Return what is wrong with the names in a task's pipelines, workflows and calls of tools."""
    return [*_in_pipelines(task), *_in_workflows(task), *_in_calls(task)]


def _in_pipelines(task: Task) -> Iterator[Misnamed]:
    from braino_registry.recordings import manual
    from braino_registry.recordings.operations import versions

    known = sorted(versions())
    for place, step in _steps_of_pipelines(task):
        name = step.get("do")
        if not isinstance(name, str):
            continue
        if name not in known:
            message = f"there is no operation {name!r}"
            yield Misnamed(path_text((*place, "do")), message, nearest(name, known))
            continue
        rows = manual.page(name)["arguments"]
        needed = [row["name"] for row in rows if row["required"]]
        allowed = [row["name"] for row in rows]
        yield from _arguments(place, step, f"the operation {name!r}", allowed, needed)


def _steps_of_pipelines(task: Task) -> Iterator[tuple[Steps, Mapping[str, Any]]]:
    for place, value in walk(task.doc):
        pipeline = value.get("pipeline") if isinstance(value, Mapping) else None
        steps = pipeline.get("steps") if isinstance(pipeline, Mapping) else None
        for number, step in enumerate(steps if isinstance(steps, list) else ()):
            if isinstance(step, Mapping):
                yield (*place, "pipeline", "steps", number), step


def _in_workflows(task: Task) -> Iterator[Misnamed]:
    from braino_registry.workflows import workflows

    known, given = workflows.names(), ("recording",)
    for part in ("instances", "checks"):
        for place, value in expected_values(task.doc[part], (part,)):
            name = value.get("workflow")
            if name is None:
                continue
            if name not in known:
                message = f"there is no workflow {name!r}"
                yield Misnamed(path_text((*place, "workflow")), message, nearest(name, known))
                continue
            # the tree comes first; the trial says it, and the recording
            taken = list(signature(workflows.get(name).function).parameters.values())[1:]
            named = [each for each in taken if each.kind is Parameter.KEYWORD_ONLY]
            needed = [p.name for p in named if p.default is Parameter.empty and p.name not in given]
            allowed = [each.name for each in named if each.name not in given]
            if len(named) < len(taken):  # it takes others as well, to pass them on
                allowed += value.get("args", {})
            yield from _arguments(place, value, f"the workflow {name!r}", allowed, needed)


def _in_calls(task: Task) -> Iterator[Misnamed]:
    from braino_registry.tools.catalog import Toolset

    specs = {spec.name: spec for spec in Toolset(task.tools).specs()}
    for part in ("reference", "counterexamples"):
        for place, step in walk(task.doc[part], (part,)):
            spec = specs.get(step.get("call", "")) if _is_step(place, step) else None
            if spec is not None:
                allowed = list(spec.arguments.get("properties", ()))
                needed = spec.arguments.get("required", ())
                yield from _arguments(place, step, f"the tool {spec.name!r}", allowed, needed)


def _is_step(place: Steps, value: Any) -> bool:
    """Tell whether a value is a step, and no argument that looks like one."""
    return isinstance(value, Mapping) and place[-2:-1] == ("steps",) and "args" not in place


def _arguments(
    place: Steps, step: Mapping[str, Any], what: str, allowed: Sequence[str], needed: Sequence[str]
) -> Iterator[Misnamed]:
    """Yield the arguments that are not known, and those missing that no such one stands for."""
    given = step.get("args", {})
    if not isinstance(given, Mapping) or "$" in given:
        return
    wrong = [name for name in given if name not in allowed]
    for name in wrong:
        message = f"{what} has no argument {name!r}"
        yield Misnamed(path_text((*place, "args", name)), message, nearest(name, allowed))
    meant = {likely(name, allowed) for name in wrong}
    for name in needed:
        if name not in given and name not in meant:
            path = path_text((*place, "args") if "args" in step else place)
            hint = f"Add it to the args: {', '.join(needed)} must be there."
            yield Misnamed(path, f"{what} needs the argument {name!r}", hint)
