"""A page per task, made from its entry: what is asked, scored and forbidden.

``python -m braino_registry.reports.pages`` writes them, ``--check`` compares them: those of the
suite ``braino`` in ``docs/tasks``, those of any other in a folder of its own below. They tell
where what is right comes from, not what it is: neither expected values nor what the user says are
read. What the author says about the task stands as it is.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from braino_registry.errors import BrainoError, EntryError, HostError
from braino_registry.registry import Registry, roots
from braino_registry.registry.entries import Instance, PublicDataset, Recipe, Suite, Task
from braino_registry.reports.questions import baselines
from braino_registry.reports.wording import forbids, in_words, number_of_unit, where_from

COMMAND = "python -m braino_registry.reports.pages"
_NOTE = f"Made from the entry by `{COMMAND}`; edit the entry, not this page."
_KINDS = {"public": "public recording", "twin": "synthetic twin"}
_LIMITS = {
    "seconds": "{:g} s",
    "tool_calls": "{:g} tool calls",
    "questions": "{:g} questions",
    "decisions": "{:g} decisions",
    "output_mb": "{:g} MB of output",
}
#: How the checks make a trial's score, by the suite's rule.
_RULES = {
    "brainbench": "In the order in which reports list them. Those with a weight make the score, "
    "and all of them must pass; the others stand beside it.",
    "eegagentbench": "What an answer is worth to the corpus metrics; a single label passes or "
    "fails, events and stages do neither.",
}
_RULE = "In the order in which reports list them; all that are required must pass."
#: Most instances that are listed one by one; of more, their number by dataset.
MOST_LISTED = 60


def page(task: Task, digests: Mapping[str, str]) -> str:
    """Return the page of a task.

    Parameters
    ----------
    task : Task
    digests : mapping
        Its digests, ``work`` and ``scoring``.

    Returns
    -------
    str
        Markdown.
    """
    facts = (
        f"`{task.id}` {task.version} · {task.category} · {task.difficulty} · suite `{task.suite}`"
    )
    lines = [f"# {task.doc['title']}", "", facts, ""]
    if about := task.doc.get("about"):
        lines += [_line(about), ""]
    for title, part in (
        ("What is asked", _asked(task)),
        ("What the answer holds", _answer(task)),
        ("What is scored", _scored(task)),
        ("What is forbidden", _forbidden(task)),
        ("The user", _user(task)),
        ("Limits and tools", _limits(task)),
        ("Instances", _instances(task)),
        ("Identity and citation", _identity(task, digests)),
    ):
        lines += [f"## {title}", "", *part, ""]
    return "\n".join([*lines, f"*{_NOTE}*", ""])


def contents(suite: Suite, tasks: Sequence[Task]) -> str:
    """Return the table of contents of a suite's tasks, by category."""
    lines = [f"# Tasks of the suite `{suite.id}`", "", str(suite.doc["title"]) + ".", ""]
    order = [*suite.doc.get("categories", ()), *sorted({task.category for task in tasks})]
    for category in dict.fromkeys(order):
        inside = [task for task in tasks if task.category == category]
        if not inside:
            continue
        lines += [f"## {category.capitalize()}", "", "| task | difficulty | instances | what |"]
        lines += ["|---|---|---|---|"]
        lines += [
            f"| [{task.id}]({task.id}.md) | {task.difficulty} | {len(task.instances)} "
            f"| {_cell(task.doc['title'])} |"
            for task in inside
        ]
        lines.append("")
    return "\n".join([*lines, f"*{_NOTE}*", ""])


def wrong_ways(suite: Suite, tasks: Sequence[Task]) -> str:
    """Return the list of wrong ways that each task is known to catch, and by which checks.

    The conformance suite runs every one of them, on the first instances and under another salt.
    """
    lines = [f"# Wrong ways that fail, in the suite `{suite.id}`", ""]
    lines += [
        "Each is tried on several instances and under another salt, and fails exactly the checks "
        "with these numbers on the page of the task.",
        "",
    ]
    for task in tasks:
        places = {check["id"]: number for number, check in enumerate(task.checks, 1)}
        lines += [f"## [{task.id}]({task.id}.md)", ""]
        for example in task.counterexamples:
            numbers = ", ".join(str(places[name]) for name in example["fails"])
            lines.append(f"- {_line(example['why'])} ({numbers})")
        lines.append("")
    return "\n".join([*lines, f"*{_NOTE}*", ""])


def pages(registry: Registry, suite: str) -> dict[str, str]:
    """Return all pages of a suite by file name.

    Parameters
    ----------
    registry : Registry
    suite : str
        Its id.
    """
    tasks = registry.tasks(suite)
    made = {f"{task.id}.md": page(task, registry.digests(task)) for task in tasks}
    home = registry.suite(suite)
    return {
        "README.md": contents(home, tasks),
        "wrong-ways.md": wrong_ways(home, tasks),
        **made,
    }


def _asked(task: Task) -> list[str]:
    first = task.instances[0]
    lines = [f"> {_line(task.request_for(first))}"]
    varied = [instance for instance in task.instances if _shown(task, instance)]
    if len(task.instances) > 1 and varied:
        lines += ["", f"This is the instance `{first.id}`; the table below says what varies."]
    return lines


def _answer(task: Task) -> Iterator[str]:
    told = "is told" if task.home.tell_fields else "is not told"
    yield f"The agent {told} these fields; words are read where `data` does not hold them."
    yield from ("", "| field | what | type |", "|---|---|---|")
    for name, field in task.fields.items():
        yield f"| `{name}` | {_cell(field.get('description', ''))} | {_type(field)} |"


def _type(field: Mapping[str, Any]) -> str:
    kind = str(field.get("type"))
    if kind == "number":
        return f"number{' in' + unit if (unit := number_of_unit(field)) else ''}"
    of = f" of {field['of']}s" if field.get("of") else ""
    labels = f": {', '.join(map(str, field['labels']))}" if field.get("labels") else ""
    return _cell(f"{kind}{of}{labels}")


def _scored(task: Task) -> Iterator[str]:
    yield _RULES.get(task.home.rule, _RULE)
    yield ""
    for number, check in enumerate(task.checks, 1):
        source = where_from(check, [one.expected for one in task.instances])
        right = f" What is right is {source}." if source else ""
        yield f"{number}. {in_words(check, task.fields)}{right}{_standing(task, check)}"


def _standing(task: Task, check: Mapping[str, Any]) -> str:
    if task.home.rule == "brainbench":
        return f" (weight {check['weight']:g})" if "weight" in check else " (beside the score)"
    return "" if check["required"] else " (counts, but is not required)"


def _forbidden(task: Task) -> Iterator[str]:
    said = [text for check in task.checks if (text := forbids(check))]
    if any(check["kind"] == "grounded" for check in task.checks):
        said.append("A number that nobody reported: estimated, remembered, or calculated by hand.")
    said.append(
        "Changing the data, the records or the limits in any other way than by the session."
    )
    yield from (f"- {text}" for text in dict.fromkeys(said))


def _user(task: Task) -> Iterator[str]:
    users = [task.user_for(instance) for instance in task.instances]
    topics = dict.fromkeys(answer["about"] for user in users for answer in user["answers"])
    rulings: dict[str, set[str]] = {}
    for user in users:
        for rule in user["decisions"]:
            rulings.setdefault(str(rule["kind"]), set()).add(str(rule["respond"]))
    if topics:
        yield f"Can be asked about: {', '.join(topic.replace('-', ' ') for topic in topics)}."
    else:
        yield "Adds nothing to the request, whatever is asked."
    words = {"approve": "approve it", "edit": "change it", "reject": "reject it"}
    for kind, responses in rulings.items():
        may = " or ".join(words.get(one, one) for one in sorted(responses))
        yield f"\nIf a proposal for `{kind}` is put to the user, the user may {may}."


def _limits(task: Task) -> Iterator[str]:
    limits = {**task.limits, "output_mb": task.limits.get("output_bytes", 0) / 1e6}
    known = [form.format(limits[n]) for n, form in _LIMITS.items() if limits.get(n)]
    yield f"{', '.join(known)}."
    yield f"Toolset `{task.toolset}` with {len(task.tools)} tools, all in `braino tools list`."


def _instances(task: Task) -> Iterator[str]:
    yield from (_listed if len(task.instances) <= MOST_LISTED else _counted)(task)
    yield ""
    yield (
        "Synthetic data are drawn anew under a salt."
        if task.saltable
        else "Not saltable: what is right stands in public, so the task is never ranked."
    )
    known = ", ".join(f"{each.name} {each.accuracy:.3f}" for each in baselines(task))
    if known:
        yield f"\nShare of questions that are answered rightly by always choosing {known}."


def _listed(task: Task) -> Iterator[str]:
    yield "| instance | data | recording | what varies in the request | chance |"
    yield "|---|---|---|---|---|"
    for one in task.instances:
        varies = ", ".join(f"{key}: {_cell(value)}" for key, value in _shown(task, one).items())
        yield (
            f"| `{one.id}` | {_data(one)} "
            f"| {one.recording_id or 'the dataset as a whole'} | {varies or '–'} "
            f"| {one.chance:g} |"
        )


def _counted(task: Task) -> Iterator[str]:
    yield from (f"{len(task.instances)} in all; the entry lists them.", "")
    yield "| data | instances | what varies in the request | chance |"
    yield "|---|---|---|---|"
    rows: dict[tuple[str, float], list[Instance]] = {}
    for one in task.instances:
        rows.setdefault((_data(one), one.chance), []).append(one)
    for (data, chance), inside in rows.items():
        varies = dict.fromkeys(key for one in inside for key in _shown(task, one))
        yield f"| {data} | {len(inside)} | {', '.join(varies) or '–'} | {chance:g} |"


def _data(one: Instance) -> str:
    kind = f" ({_KINDS[one.data]})" if one.data in _KINDS else ""
    needs = "".join(f"; needs `{need}`" for need in one.needs)
    return f"{f'`{one.dataset}`' if one.dataset else '`none`'}{kind}{needs}"


def _shown(task: Task, instance: Instance) -> dict[str, str]:
    """Return the parameters that the request itself shows, and the window."""
    from jinja2 import Environment, meta

    named = meta.find_undeclared_variables(Environment(autoescape=False).parse(task.request))
    shown = {
        key: ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        for key, value in instance.params.items()
        if key in named
    }
    if instance.window is not None:
        shown["window"] = f"{instance.window[0]:g} to {instance.window[1]:g} s"
    return shown


def _identity(task: Task, digests: Mapping[str, str]) -> Iterator[str]:
    for name, text in digests.items():
        yield f"- {name}: `{text}`"
    for entry in task.datasets.values():
        yield f"- {_source(entry)}"
    yield (
        f"- Cite as: braino-registry contributors, task {task.id} {task.version} of the suite "
        f"{task.suite} {task.home.version}, braino-registry; with the data above."
    )


def _source(entry: Recipe | PublicDataset) -> str:
    name = f"`{entry.id}` {entry.version}"
    if isinstance(entry, Recipe):
        return f"{name}: synthetic, built from its recipe."
    cited = [
        text["text"] + (f" doi:{text['doi']}" if text.get("doi") else "")
        for text in entry.doc["citation"]
    ]
    return f"{name}: {entry.doc['licence']['spdx']}. {' '.join(cited)}"


def _line(text: str) -> str:
    return " ".join(text.split())


def _cell(value: Any) -> str:
    return _line(str(value)).replace("|", "\\|")


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check the pages; return 0, 1 if they are out of date, 2 if an entry is broken."""
    parser = argparse.ArgumentParser(prog=COMMAND, description="Write docs/tasks from the entries.")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("--suite", action="append", help="whose tasks (default: every suite's)")
    options = parser.parse_args(arguments)
    registry = Registry([roots.builtin()], use_index=False)
    for problem in registry.problems:
        sys.stderr.write(f"{problem}\n")
    if registry.problems:
        return EntryError.exit_code
    try:
        for suite in options.suite or [entry.id for entry in registry.suites()]:
            made = pages(registry, suite)
            (compare if options.check else write)(folder_of(suite), made)
    except BrainoError as error:
        sys.stderr.write(f"{error}\n")
        return 1 if options.check else error.exit_code
    return 0


def folder_of(suite: str) -> Path:
    """Return the folder of a suite's pages."""
    folder = roots.builtin() / "docs" / "tasks"
    return folder if suite == "braino" else folder / suite


def compare(folder: Path, made: Mapping[str, str]) -> None:
    """Raise if the pages in a folder are not those that were made.

    Parameters
    ----------
    folder : Path
    made : mapping
        File name to text.

    Raises
    ------
    EntryError
        If one is missing, differs, or is no task's.
    """
    found = {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.md"))}
    wrong = sorted(name for name in {*found, *made} if found.get(name) != made.get(name))
    if wrong:
        raise EntryError(
            f"{len(wrong)} pages are out of date: {', '.join(wrong[:5])}",
            where=str(folder),
            hint=f"Run `make pages` ({COMMAND}) and commit the files.",
        )


def write(folder: Path, made: Mapping[str, str]) -> None:
    """Write the pages and remove those that are no task's any more.

    Parameters
    ----------
    folder : Path
    made : mapping
        File name to text.

    Raises
    ------
    HostError
        If the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in sorted(folder.glob("*.md")):
            if path.name not in made:
                path.unlink()
        for name, text in made.items():
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise HostError(
            f"the pages cannot be written: {error.strerror}",
            where=str(folder),
            hint="Check the permissions of the folder and the space on the disk.",
        ) from error


if __name__ == "__main__":
    sys.exit(main())
