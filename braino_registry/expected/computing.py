"""Values that are computed on the pristine data: pipelines and workflows, kept by digest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from braino_registry.errors import BrainoError, EntryError, close_matches, nearest
from braino_registry.expected import memory
from braino_registry.expected.plain import finite
from braino_registry.registry.digests import digest
from braino_registry.registry.templates import fill, lookup

_STEP_KEYS = {"do", "args", "as"}


class Bench:
    """Where the expected values of one instance are computed.

    Parameters
    ----------
    tree : Path | None
        BIDS root of the pristine data.
    context : mapping
        Names that ``{"$": …}`` in arguments may use: entities, parameters, ``recording``.
    cache : Path | None
        Folder that keeps values, where it can; see `memory`.
    dataset_digest : str | None
        Digest of the bytes in ``tree``; without it nothing is kept.
    """

    def __init__(
        self,
        tree: Path | None,
        context: Mapping[str, Any],
        cache: Path | None = None,
        dataset_digest: str | None = None,
    ) -> None:
        self.tree = tree
        self.context = dict(context)
        self.cache = cache if dataset_digest is not None else None
        self.dataset_digest = dataset_digest

    def pipeline(self, definition: Mapping[str, Any], where: str) -> Any:
        """Return the value of a pipeline.

        Parameters
        ----------
        definition : mapping
            ``{"steps": [{"do": operation, "args": {…}, "as": name}, …], "value": JMESPath}``.
            Arguments may hold ``{"$": expression}`` over the context and earlier results.
        where : str
            Which entry it stands in.

        Raises
        ------
        EntryError
            If it names an unknown operation, a step fails, or ``value`` finds nothing.
        """
        steps = _checked(definition, where)
        versions = self._versions(steps, where)
        key = {"pipeline": definition, "context": self.context, "operations": versions}
        return self._kept(key, lambda: self._run(steps, definition["value"], where))

    def workflow(self, ref: str, args: Mapping[str, Any], where: str) -> Any:
        """Return the value of a workflow.

        Parameters
        ----------
        ref : str
            ``name@version``.
        args : mapping
            Its arguments; they may hold ``{"$": expression}`` over the context.
        where : str
            Which entry names it.

        Raises
        ------
        EntryError
            If it does not exist or fails.
        """
        from braino_registry.workflows import workflows

        if ref not in workflows:
            raise EntryError(
                f"there is no workflow {ref!r}",
                where=where,
                hint=close_matches(ref, workflows.names()),
            )
        given = fill(dict(args), self.context)
        key = {"workflow": ref, "args": given, "context": self.context}
        function = workflows.get(ref).function
        recording = self.context.get("recording")
        return self._kept(
            key,
            lambda: _called(function, where, ref, self._data(where), recording=recording, **given),
        )

    def _data(self, where: str) -> Path:
        if self.tree is None:
            raise EntryError(
                "a value is to be computed, but the instance has no dataset",
                where=where,
                hint="Name a dataset in the instance, or give the value literally.",
            )
        return self.tree

    def _versions(self, steps: list[Mapping[str, Any]], where: str) -> dict[str, str]:
        from braino_registry.recordings.operations import versions

        known = versions()
        for step in steps:
            if step["do"] not in known:
                raise EntryError(
                    f"there is no operation {step['do']!r}",
                    where=where,
                    hint=nearest(step["do"], sorted(known)),
                )
        return {step["do"]: known[step["do"]] for step in steps}

    def _run(self, steps: list[Mapping[str, Any]], value: str, where: str) -> Any:
        from braino_registry.recordings.operations import operations

        known = operations(self._data(where))
        names: dict[str, Any] = dict(self.context)
        for number, step in enumerate(steps, start=1):
            place = f"{where}, pipeline step {number} ({step['do']})"
            args = _in_place(fill, place, dict(step.get("args", {})), names)
            result = _called(known[step["do"]], place, step["do"], **args)
            if "as" in step:
                names[step["as"]] = result
        found = _in_place(lookup, f"{where}, pipeline value {value!r}", value, names)
        if found is None:
            raise EntryError(
                f"the pipeline has no value at {value!r}",
                where=where,
                hint=f"Names: {', '.join(sorted(set(names) - set(self.context)))}.",
            )
        return found

    def _kept(self, key: Mapping[str, Any], compute: Callable[[], Any]) -> Any:
        if self.cache is None:
            return finite(compute(), "a computed value")
        name = digest({**key, "dataset": self.dataset_digest}).partition(":")[2]
        path = self.cache / f"{name}.json"
        known = memory.recall(path, name)
        if known is not None:
            return known["value"]
        value = finite(compute(), "a computed value")
        memory.keep(path, {"key": name, "value": value, "of": key})
        return value


def _checked(definition: Mapping[str, Any], where: str) -> list[Mapping[str, Any]]:
    """Return the steps of a pipeline whose form is right."""
    steps = definition.get("steps")
    problem = ""
    if set(definition) != {"steps", "value"}:
        problem = "a pipeline has steps and value, and nothing else"
    elif not isinstance(steps, list) or not steps:
        problem = "the steps of a pipeline are a list of at least one"
    elif not isinstance(definition["value"], str):
        problem = "the value of a pipeline is a JMESPath expression"
    else:
        for step in steps:
            if not isinstance(step, Mapping) or not isinstance(step.get("do"), str):
                problem = "each step of a pipeline names an operation in do"
            elif set(step) - _STEP_KEYS:
                extra = sorted(set(step) - _STEP_KEYS)[0]
                problem = f"a step of a pipeline has no property {extra!r}"
    if problem or not isinstance(steps, list):
        raise EntryError(
            problem,
            where=where,
            hint='Example: {"steps": [{"do": "recordings.open", "args": {"recording": '
            '{"$": "recording"}}, "as": "raw"}], "value": "raw.sfreq"}.',
        )
    return steps


def _in_place(compute: Callable[..., Any], where: str, *args: Any) -> Any:
    try:
        return compute(*args)
    except BrainoError as error:
        raise EntryError(error.problem, where=where, hint=error.hint) from error


def _called(
    function: Callable[..., Any], where: str, name: str, /, *args: Any, **given: Any
) -> Any:
    """Call an operation; a wrong argument is the entry's fault and says where."""
    try:
        return function(*args, **given)
    except BrainoError as error:
        raise EntryError(error.problem, where=where, hint=error.hint) from error
    except (TypeError, ValueError, KeyError, IndexError) as error:
        raise EntryError(
            f"{name} fails with {type(error).__name__}: {error}",
            where=where,
            hint="Check the arguments of the step against the operation's parameters.",
        ) from error
