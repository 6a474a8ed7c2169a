"""What a schema cannot say of a task: rules that hold between its parts.

Each rule is a function from a task to problems. `task_problems` applies all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from braino_registry.registry.entries import Recipe, Task
from braino_registry.registry.jsonpath import Steps, path_text, walk
from braino_registry.registry.kinds import expected_values
from braino_registry.registry.problems import Problem, choice
from braino_registry.registry.templates import TemplateProblem, names_in, render, roots

#: Steps that act, by the property that says so; ``without`` may name them.
STEP_KINDS = ("call", "ask", "decide", "for_each")
#: Name of what only the evaluator knows.
SECRETS = frozenset({"truth"})
#: Kinds of check that look at what an agent did, whatever it answered.
PROCESS = (
    "asked",
    "called",
    "called_before",
    "decided",
    "not_called",
    "not_decided",
    "refuses",
)


def task_problems(task: Task) -> list[Problem]:
    """Return what is wrong with a task whose schema and check kinds are right."""
    return [problem for rule in _RULES for problem in rule(task)]


def _check_ids(task: Task) -> Iterator[Problem]:
    seen: set[str] = set()
    for i, check in enumerate(task.checks):
        if check["id"] in seen:
            yield Problem(f"$.checks[{i}].id", f"two checks are called {check['id']!r}")
        seen.add(check["id"])
    if not any(check["required"] for check in task.checks):
        yield Problem("$.checks", "no check is required, so nobody can fail the task")


def _counterexamples(task: Task) -> Iterator[Problem]:
    """Check that every check is failed by a counterexample, and that these name checks."""
    known = [check["id"] for check in task.checks]
    failed: set[str] = set()
    for i, counterexample in enumerate(task.counterexamples):
        for j, name in enumerate(counterexample["fails"]):
            failed.add(name)
            if name not in known:
                place: Steps = ("counterexamples", i, "fails", j)
                yield choice(place, f"there is no check {name!r}", name, known)
    for i, check_id in enumerate(known):
        if check_id not in failed:
            yield Problem(
                f"$.checks[{i}]",
                f"no counterexample fails the check {check_id!r}; "
                "add one to show that it can be failed",
            )


def _without(task: Task) -> Iterator[Problem]:
    """Check that what a counterexample leaves out is there to be left out."""
    steps = [step for _, step in _all_steps(task.reference.get("steps", ()), ())]
    used = {kind for step in steps for kind in STEP_KINDS if kind in step}
    used |= {step[kind] for step in steps for kind in ("call", "decide") if kind in step}
    for i, counterexample in enumerate(task.counterexamples):
        for j, pattern in enumerate(counterexample.get("without", ())):
            if not any(fnmatchcase(name, pattern) for name in used):
                place: Steps = ("counterexamples", i, "without", j)
                message = f"the reference has no step {pattern!r} that could be left out"
                yield choice(place, message, pattern, sorted(used))


def _tools(task: Task) -> Iterator[Problem]:
    """Check that steps call tools of the toolset only."""
    known = sorted(tool.partition("@")[0] for tool in task.tools)
    for place, step in _step_lists(task):
        if "call" in step and step["call"] not in known:
            message = f"the toolset {task.toolset!r} has no tool {step['call']!r}"
            yield choice((*place, "call"), message, step["call"], known)


def _fields(task: Task) -> Iterator[Problem]:
    """Check that checks read fields of the answer, and that labels say what they may be."""
    for i, check in enumerate(task.checks):
        name = check.get("field")
        if isinstance(name, str) and name not in task.fields:
            message = f"the answer has no field {name!r}"
            yield choice(("checks", i, "field"), message, name, sorted(task.fields))
    for name, spec in task.fields.items():
        path = path_text(("answer", "fields", name))
        if spec["type"] == "label" and not ("labels" in spec or "of" in spec):
            yield Problem(path, "a label needs its allowed 'labels', or 'of' what it is")
        for label in spec.get("aliases", {}):
            if label not in spec.get("labels", ()):
                place = ("answer", "fields", name, "aliases", label)
                yield choice(place, f"there is no label {label!r}", label, spec.get("labels", ()))


def _said_as(task: Task) -> Iterator[Problem]:
    """Check that the phrases that name a field can be filled in for every instance."""
    for name, spec in task.fields.items():
        for i, phrase in enumerate(spec.get("said_as", ())):
            path = path_text(("answer", "fields", name, "said_as", i))
            for instance in task.instances:
                try:
                    said = render(phrase, instance.context())
                except TemplateProblem as error:
                    message = f"in the instance {instance.id!r}, {error.problem}"
                    yield Problem(path, f"{message}. {error.hint}")
                    break
                if not said.strip():
                    yield Problem(path, f"in the instance {instance.id!r}, the phrase is empty")
                    break


def _expected(task: Task) -> Iterator[Problem]:
    """Check that values which instances bring are there, and that literal truth is declared."""
    literals: list[Steps] = []
    for i, check in enumerate(task.checks):
        for place, value in expected_values(dict(check), ("checks", i)):
            if "literal" in value:
                literals.append(place)
            elif isinstance(value.get("instance"), str):
                yield from _brought(task, value["instance"], (*place, "instance"))
            yield from _expressions(value, place)
    for instance in task.instances:
        synthetic = instance.dataset is not None and _is_synthetic(task, instance.dataset)
        for name, value in instance.expected.items():
            at: Steps = ("instances", instance.id, "expected", name)
            if "instance" in value:
                yield Problem(path_text(at), "an instance's value cannot refer to another one")
            if "literal" in value and synthetic:
                literals.append(at)
            yield from _expressions(value, at)
    if task.saltable and literals and any(_is_synthetic(task, ref) for ref in task.datasets):
        path = path_text(literals[0])
        yield Problem(
            path,
            "the truth stands here literally, so no salt can change it: "
            'refer to what is planted by {"truth": path}, or set "saltable": false',
        )


def _questions(task: Task) -> Iterator[Problem]:
    """Check that a bank of questions is not taken for something that a salt makes secret."""
    if task.saltable and any(instance.shuffled for instance in task.instances):
        message = "a salt changes the order of the options, not what is right: say false here"
        yield Problem("$.saltable", message)


def _is_synthetic(task: Task, ref: str) -> bool:
    return isinstance(task.datasets.get(ref), Recipe)


def _brought(task: Task, name: str, place: Steps) -> Iterator[Problem]:
    for instance in task.instances:
        if name not in instance.expected:
            message = f"the instance {instance.id!r} has no expected value {name!r}"
            yield choice(place, message, name, sorted(instance.expected))
            return


def _user(task: Task) -> Iterator[Problem]:
    scripts: list[tuple[Steps, Mapping[str, Any]]] = [(("user",), task.doc.get("user", {}))]
    scripts += [(("instances", each.id, "user"), each.user or {}) for each in task.instances]
    scripts += [
        (("counterexamples", i, "user"), each.get("user", {}))
        for i, each in enumerate(task.counterexamples)
    ]
    for place, script in scripts:
        count = Counter(answer["about"] for answer in script.get("answers", ()))
        for about in sorted(name for name, n in count.items() if n > 1):
            message = f"two answers of the user are about {about!r}"
            yield Problem(path_text((*place, "answers")), message)
        for at, value in walk(dict(script), place):
            if isinstance(value, dict) and set(value) == {"truth"}:
                yield from _expression(value["truth"], (*at, "truth"))


def _subset(task: Task) -> Iterator[Problem]:
    if task.subset is not None and task.subset not in task.home.subsets:
        message = f"the suite {task.suite!r} has no subset {task.subset!r}"
        yield choice(("subset",), message, task.subset, sorted(task.home.subsets))
    if task.subset is None and task.home.subsets:
        message = f"the suite {task.suite!r} has subsets, and the task names none"
        yield choice(("subset",), message, "", sorted(task.home.subsets))


def _category(task: Task) -> Iterator[Problem]:
    known = task.home.categories
    if known and task.category not in known:
        message = f"the suite {task.suite!r} has no category {task.category!r}"
        yield choice(("category",), message, task.category, known)


def _process(task: Task) -> Iterator[Problem]:
    """Check that a task of the rule ``braino`` looks at what was done and at every number."""
    if task.home.rule != "braino":
        return
    kinds = [check["kind"] for check in task.checks]
    if "grounded" not in kinds:
        yield Problem("$.checks", "no check is of the kind 'grounded', so numbers can be made up")
    if not any(check["required"] and check["kind"] in PROCESS for check in task.checks):
        message = "no required check looks at what was done, so an answer alone would pass"
        yield Problem("$.checks", message, PROCESS)


def _weights(task: Task) -> Iterator[Problem]:
    """Check that something counts under the rule ``brainbench``, and weights nowhere else."""
    weighted = [i for i, check in enumerate(task.checks) if "weight" in check]
    if task.home.rule == "brainbench" and not weighted:
        yield Problem("$.checks", "no check has a 'weight', so every trial would score 0")
    if task.home.rule != "brainbench" and weighted:
        message = f"the rule {task.home.rule!r} knows no weights"
        yield Problem(f"$.checks[{weighted[0]}].weight", message)


def _request(task: Task) -> Iterator[Problem]:
    """Check that the request can be filled in for every instance."""
    for instance in task.instances:
        try:
            render(task.request, instance.context())
        except TemplateProblem as error:
            message = f"in the instance {instance.id!r}, {error.problem}"
            yield Problem("$.request", f"{message}. {error.hint}")
            return


def _texts(task: Task) -> Iterator[Problem]:
    """Check the names in templates and expressions of reference and counterexamples."""
    reference = task.reference
    known = {name for each in task.instances for name in each.context()}
    named = known | _named(reference.get("steps", ()))
    # A reference that may look the truth up would show nothing about the task.
    allowed = named if reference["kind"] == "steps" else named | SECRETS
    yield from _names(reference, ("reference",), allowed)
    if reference["kind"] == "steps":
        yield from _truth_in(reference)
    for i, check in enumerate(task.checks):
        # A pipeline has names of its own, which only its operations know.
        shown = {key: item for key, item in check.items() if not _has_pipeline(item)}
        yield from _names(shown, ("checks", i), known)
    for i, each in enumerate(task.counterexamples):
        more = _named(each.get("steps", ()))
        part = {key: each[key] for key in ("answer", "data", "steps") if key in each}
        yield from _names(part, ("counterexamples", i), named | more | SECRETS)


def _names(
    value: Mapping[str, Any], at: Steps, allowed: set[str] | frozenset[str]
) -> Iterator[Problem]:
    """Yield problems with the templates and expressions somewhere in a value."""
    for place, item in walk(dict(value), at):
        is_expression = isinstance(item, dict) and set(item) == {"$"}
        if not (is_expression or _is_template(place, item)):
            continue
        if is_expression:
            place = (*place, "$")
            if not isinstance(item["$"], str):
                yield Problem(path_text(place), "an expression is a text")
                continue
        try:
            needed = roots(item["$"]) if is_expression else names_in(item)
        except TemplateProblem as error:
            yield Problem(path_text(place), f"{error.problem} ({error.where})")
            continue
        for name in sorted(needed - allowed):
            message = f"the name {name!r} is not known here"
            yield choice(place, message, name, sorted(allowed))


def _truth_in(reference: Mapping[str, Any]) -> Iterator[Problem]:
    for place, item in walk(dict(reference), ("reference",)):
        if isinstance(item, dict) and set(item) == {"truth"}:
            message = "a reference that is told the truth shows nothing about the task"
            yield Problem(path_text(place), message)


def _has_pipeline(value: Any) -> bool:
    return any("pipeline" in document for _, document in expected_values(value))


def _is_template(place: Steps, item: Any) -> bool:
    """Tell whether a text is filled in by Jinja2: an answer, its data, what a step says."""
    if not isinstance(item, str) or place[0] == "checks" or "args" in place:
        return False
    return place[-1] in ("answer", "ask", "why") or ("data" in place and "{" in item)


def _expressions(value: Mapping[str, Any], place: Steps) -> Iterator[Problem]:
    for form in ("truth", "label"):
        if form in value:
            yield from _expression(value[form], (*place, form))


def _expression(text: Any, place: Steps) -> Iterator[Problem]:
    if not isinstance(text, str):
        yield Problem(path_text(place), "a path to the truth is a text")
        return
    try:
        roots(text)
    except TemplateProblem as error:
        yield Problem(path_text(place), f"{error.problem} ({error.where})")


def _named(steps: Any) -> set[str]:
    """Return the names that steps give to their results."""
    found = [step for _, step in _all_steps(steps, ())]
    return {step[key] for step in found for key in ("as", "collect") if key in step}


def _step_lists(task: Task) -> Iterator[tuple[Steps, Mapping[str, Any]]]:
    """Yield every step of the reference and of the counterexamples with its place."""
    yield from _all_steps(task.reference.get("steps", ()), ("reference", "steps"))
    for i, counterexample in enumerate(task.counterexamples):
        place: Steps = ("counterexamples", i, "steps")
        yield from _all_steps(counterexample.get("steps", ()), place)


def _all_steps(steps: Any, at: Steps) -> Iterator[tuple[Steps, Mapping[str, Any]]]:
    for i, step in enumerate(steps):
        yield (*at, i), step
        yield from _all_steps(step.get("steps", ()), (*at, i, "steps"))


_RULES: tuple[Callable[[Task], Iterator[Problem]], ...] = (
    _subset,
    _category,
    _request,
    _user,
    _fields,
    _said_as,
    _check_ids,
    _process,
    _weights,
    _expected,
    _questions,
    _tools,
    _texts,
    _counterexamples,
    _without,
)
