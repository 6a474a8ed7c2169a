"""Whether nothing that an agent gets tells the truth."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from braino_registry.registry import kinds
from braino_registry.runner.contributing import leaks
from braino_registry.runner.contributing.desk import Desk, field_of
from braino_registry.runner.contributing.findings import Finding, counted, stage

if TYPE_CHECKING:
    from braino_registry.registry.entries import Instance

#: Tokens that may stand in the description of a tool, where they tell nothing.
_LONG = 40


@stage("leaks", order=40, needs=("schema", "built twice"))
def look(desk: Desk) -> Iterator[Finding]:
    """Show that no truth stands in the request, the names, the files, or a session's words."""
    for instance in desk.several:
        yield from _in_words(desk, instance)
    for instance in desk.chosen:
        yield from _in_draws(desk, instance)
        yield from _in_files(desk, instance)


def _in_words(desk: Desk, instance: Instance) -> Iterator[Finding]:
    """Look for the expected values in everything that names the work."""
    what = "the request and the names do not tell the answer"
    words = {
        "the request": desk.task.request_for(instance),
        "the id of the task": desk.task.id,
        "the id of the instance": instance.id,
        "the name of the dataset": str(instance.dataset or ""),
    }
    found = []
    offered = _offered(desk, instance, words["the request"])
    for check, field, value in expected_values(desk, instance):
        told = leaks.told_values(value)
        # Where more is offered than is right, naming it tells nothing.
        if _is_choice(field, words["the request"]) or (_is_named(value) and offered - set(told)):
            continue
        for name, text in words.items():
            if told and all(_stands_in(each, text) for each in told):
                found.append(f"{name} holds {', '.join(told)}, which check {check!r} expects")
    if found:
        hint = f"Change it in {desk.task.file}, or let the truth be drawn."
        yield Finding(instance.id, what, False, "; ".join(found), hint=hint)
    else:
        yield Finding(instance.id, what, True, "they hold no expected value")


def _offered(desk: Desk, instance: Instance, request: str) -> set[str]:
    """Return the names of channels, people, recordings and events that a request mentions."""
    known = desk.vocabulary(instance)
    names = [name for kind in known.values() if isinstance(kind, list) for name in kind]
    return {name for name in names if _stands_in(name, request)}


def expected_values(desk: Desk, instance: Instance) -> Iterator[tuple[str, dict[str, Any], Any]]:
    """Yield id, field and expected value of each check that has them."""
    for check in desk.expect(instance, desk.salt).checks:
        name = field_of(desk.task, check)
        value = check.get("expected", check.get("truth"))
        if name is not None and value is not None:
            yield check["id"], dict(desk.task.fields[name]), value


def _is_named(value: Any) -> bool:
    members = value if isinstance(value, list) else [value]
    return all(isinstance(each, str) for each in members)


def _is_choice(field: dict[str, Any], request: str) -> bool:
    """Tell whether the request offers several labels, so that naming the right one tells nothing.

    A yes or a no is offered by the question itself.
    """
    labels = field.get("labels", ())
    return bool(labels) and sum(_stands_in(label, request) for label in labels) != 1


def _stands_in(token: str, text: str) -> bool:
    if token.lower() in ("yes", "no", "none", ""):
        return False
    return re.search(rf"(?<![\w.]){re.escape(token)}(?![\w]|\.\d)", text, re.IGNORECASE) is not None


def _in_draws(desk: Desk, instance: Instance) -> Iterator[Finding]:
    """Look whether a salt changes what is expected: a public seed is a public answer key."""
    what = "a salt changes what is expected"
    if not desk.saltable or not desk.salts:
        return
    ids = {check["id"] for check in desk.task.doc["checks"] if any(kinds.expected_values(check))}
    if not ids:
        yield Finding(instance.id, what, None, "no check expects a value")
        return
    public, *others = (
        [check for check in each.expect(instance, each.salt).checks if check["id"] in ids]
        for each in (desk, *(_salted(desk, salt) for salt in desk.salts))
    )
    salts = counted(len(desk.salts), "salt", "salts")
    if any(each != public for each in others):
        yield Finding(instance.id, what, True, f"under {salts} it is another one")
        return
    values = list(expected_values(desk, instance))
    # Of a few labels the same one may be drawn each time, and nothing where little is planted.
    few = values and all("labels" in field or value == [] for _, field, value in values)
    always = [value for _, _, value in values] or f"the same in {', '.join(sorted(ids))}"
    hint = f'Draw it in the recipe, or say "saltable": false in {desk.task.file}.'
    yield Finding(
        instance.id,
        what,
        None if few else False,
        f"under {salts} it is always {always}",
        hint=hint,
    )


def _salted(desk: Desk, salt: Any) -> Desk:
    from dataclasses import replace

    return replace(desk, salt=salt)


def _in_files(desk: Desk, instance: Instance) -> Iterator[Finding]:
    """Look for truth in the copy that an agent gets, and in what a session says."""
    from braino_registry.datasets import fresh_copy
    from braino_registry.registry import Recipe

    if instance.dataset is None:
        return
    recipe = desk.registry.dataset(instance.dataset)
    if not isinstance(recipe, Recipe):
        yield Finding(instance.id, "no truth in the files", None, "nothing is planted in them")
        return
    salt = desk.salts[0] if desk.salts else desk.salt
    tokens = leaks.tokens_of(recipe, salt, desk.store)
    copy = desk.scratch / f"copy-{instance.id}"
    fresh_copy(desk.store.build_or_find(recipe, salt), copy)
    found = leaks.scan_tree(copy, tokens)
    times = leaks.distinct_times(copy)
    found += [f"{len(times)} different times of files"] if len(times) > 1 else []
    yield Finding(
        instance.id,
        "no truth in the files",
        not found,
        "; ".join(found[:5]) or f"none of {len(tokens)} texts was found",
        hint="" if not found else f"Look at {recipe.file}: what it writes beside signals.",
    )
    agent = leaks.Collector()
    desk.attempt(instance, salt=salt, agent=agent)
    # Names of truth keys may stand in a tool's own description, e.g. flat_channels.
    short = ("decoy", "excess_sd", leaks.seed_of(recipe))
    secret = [token for token in tokens if token in short or len(token) > _LONG]
    said = leaks.scan_values(agent.seen, secret)
    yield Finding(
        instance.id,
        "no truth in what a session says",
        not said,
        "; ".join(said[:5]) or f"none of {len(agent.seen)} messages holds any",
        hint="" if not said else "Look at the tool, or the scripted user, that says it.",
    )
