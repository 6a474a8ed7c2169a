"""`braino task`: for whoever writes tasks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from braino_registry.cli import options
from braino_registry.cli.manual import kinds, operations

if TYPE_CHECKING:
    from braino_registry.reports.printing import Printer
    from braino_registry.runner.contributing.trial import Tried

FILE = click.Path(path_type=Path)
#: Instances whose names are printed.
MOST_LISTED = 8
MARKS = {True: "ok", False: "WRONG", None: "not checked"}


@click.group()
def group() -> None:
    """Begin a task, show it, check it, try it, and see what it may be made of."""


group.add_command(kinds)


group.add_command(operations)


@group.command()
@click.argument("name")
@click.option("--from", "pattern", required=True, metavar="TASK", help="The task that it is like.")
@click.option("-o", "--out", type=FILE, help="Its file; tasks/SUITE/NAME.json otherwise.")
@options.registry_folders
@options.as_json
def new(
    name: str, pattern: str, out: Path | None, folders: tuple[Path, ...], as_json: bool
) -> None:
    """Begin task NAME as a copy of another one, which holds from the first moment.

    It is written to the first --registry folder, or to the checkout. Change it step by step, and
    check it after each.
    """
    from braino_registry.runner.contributing.commands import Commands
    from braino_registry.runner.contributing.scaffold import new_task

    file = new_task(name, pattern, folders=folders, out=out)
    if as_json:
        options.emit({"id": name, "file": str(file.absolute()), "from": pattern})
        return
    commands = Commands(str(file) if out else name, folders)
    printer = options.printer()
    printer.line(f"Task: {file}")
    printer.line("Change title, request, instances, reference, checks, counterexamples; then:")
    printer.line(f"  {commands.check()}")
    printer.line(f"  {commands.trial()}")


@group.command()
@click.argument("task", metavar="TASK|FILE")
@click.option("--instance", help="Which instance's request is shown; the first one otherwise.")
@options.registry_folders
@options.as_json
def show(task: str, instance: str | None, folders: tuple[Path, ...], as_json: bool) -> None:
    """Show a task, by its id or its FILE: request, instances, checks, wrong ways.

    It tells how answers are judged, and is for people: never for an agent.
    """
    from braino_registry.runner.contributing import open_task

    registry, entry = open_task(task, folders)
    chosen = entry.instance(instance or entry.instances[0].id)
    row = {
        **registry.row(entry),
        "file": str(entry.file),
        "request": entry.request_for(chosen),
        "checks": [
            {name: check.get(name) for name in ("id", "kind", "required", "weight")}
            for check in entry.checks
        ],
        "counterexamples": [
            {"why": each["why"], "fails": each["fails"]} for each in entry.counterexamples
        ],
    }
    if as_json:
        options.emit(row)
        return
    printer = options.printer()
    printer.line(f"{row['id']} {row['version']}, suite {row['suite']}: {row['title']}")
    printer.line(f"File: {row['file']}")
    printer.line(f"Request of {chosen.id}: {row['request']}")
    names = row["instances"]
    more = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
    printer.line(f"Instances: {', '.join(names[:MOST_LISTED])}{more}")
    printer.line(f"Datasets: {', '.join(row['datasets']) or 'none'}")
    counted = [
        (each["id"], each["kind"], each["weight"] if each["weight"] else each["required"] or "")
        for each in row["checks"]
    ]
    printer.table("Checks", ("check", "kind", "required, or weight"), counted)
    wrong = [(number, each["why"], ", ".join(each["fails"]))
             for number, each in enumerate(row["counterexamples"])]  # fmt: skip
    printer.table("Counterexamples", ("number", "what is wrong", "fails"), wrong)


@group.command()
@click.argument("task", metavar="TASK|FILE")
@click.option("--stage", "stages", multiple=True, help="Only this stage; may be repeated.")
@click.option(
    "--salts", default=2, show_default=True, metavar="N",
    help="Salts under which the reference has to pass, beside none.",
)  # fmt: skip
@click.option(
    "--thorough", is_flag=True, help="Every instance through every stage, large ones too."
)
@options.registry_folders
@options.salt_file
@options.cache_folder
@options.as_json
def check(
    task: str,
    stages: tuple[str, ...],
    salts: int,
    thorough: bool,
    folders: tuple[Path, ...],
    salt_file: Path | None,
    cache: Path | None,
    as_json: bool,
) -> int:
    """Check a task, by its id or its FILE, stage by stage.

    The entry is valid; its datasets come out the same twice and are valid BIDS; nothing tells the
    truth; the reference passes under several salts; null and the exploit agents fail; each
    counterexample fails exactly what it says; wrong answers after the right work fail; hostile
    ones do no harm; the version says what changed. Exit code 2 if any of this is not so.
    """
    from braino_registry import runner
    from braino_registry.runner.contributing.commands import Commands
    from braino_registry.runner.contributing.findings import counted

    commands = Commands(task, folders, cache, salt_file)
    printer = options.printer()

    def tell(stage: str, seconds: float, rows: list[dict[str, Any]]) -> None:
        if as_json:
            return
        _show_stage(printer, stage, seconds, rows)
        if any(row["ok"] is False for row in rows):
            printer.line(f"  then: {commands.check('--stage', stage)}")

    rows = runner.check_task(
        task,
        registry_folders=folders,
        store=options.open_store(cache),
        salt=options.read_salt(salt_file),
        commands=commands,
        salts=salts,
        stages=stages,
        thorough=thorough,
        tell=tell,
    )
    wrong = sum(row["ok"] is False for row in rows)
    if as_json:
        options.emit(rows)
    else:
        held = sum(row["ok"] is True for row in rows)
        noted = len(rows) - held - wrong
        holds = counted(held, "thing holds", "things hold")
        printer.line()
        printer.line(f"{task}: {holds}, {counted(wrong, 'does', 'do')} not, {noted} noted.")
    return 2 if wrong else 0


def _show_stage(printer: Printer, stage: str, seconds: float, rows: list[dict[str, Any]]) -> None:
    """Print one stage: a line, and what is wrong in it or was not checked at full length."""
    wrong = sum(row["ok"] is False for row in rows)
    done = sum(row["ok"] is True for row in rows)
    verdict = MARKS[False] if wrong else MARKS[True] if done else MARKS[None]
    noted = len(rows) - done - wrong
    says = [f"{done} of {done + wrong} hold"] if done + wrong else []
    says += [f"{noted} noted"] if noted else []
    printer.line(f"{verdict:12}{stage:16}{', '.join([*says, f'{seconds:.1f} s'])}")
    for row in rows:
        if row["ok"] is False:
            _show_wrong(printer, row)
        elif row["ok"] is None:
            place = f"{row['instance']}, " if row["instance"] else ""
            printer.line(f"  noted: {place}{row['what']}: {row['says']}")


def _show_wrong(printer: Printer, row: dict[str, Any]) -> None:
    """Print what is wrong in one row: what happened, what should have, what to do next."""
    place = f"{row['instance']}, " if row["instance"] else ""
    printer.line(f"  WRONG {place}{row['what']}: {row['says']}")
    if row["expected"] is not None:
        printer.line(f"    expected: {row['expected']}")
    for each in row["differs"]:
        verdict = "passes" if each["passed"] else "fails"
        printer.line(f"    {each['id']} {verdict}: {each['evidence']}")
    if row["hint"]:
        printer.line(f"    next: {row['hint']}")


@group.command("try")
@click.argument("task", metavar="TASK|FILE")
@click.option("--instance", help="Which instance; the first one otherwise.")
@click.option("--agent", default="oracle", show_default=True, help="Who works on it.")
@click.option(
    "--counterexample", type=int, metavar="N",
    help="Play counterexample N, counted from 0, instead of an agent; `braino task show` has them.",
)  # fmt: skip
@click.option(
    "--answer", metavar="TEXT",
    help="Read TEXT as the answer after the reference's work, to try other words; nothing is kept.",
)  # fmt: skip
@click.option("--run-dir", type=FILE, metavar="DIR", help="Folder to keep the trial in.")
@click.option(
    "--open/--no-open", "opens", default=None,
    help="Open the page of the trial; by default where standard output is a terminal.",
)  # fmt: skip
@options.registry_folders
@options.salt_file
@options.cache_folder
@options.as_json
def try_(
    task: str,
    instance: str | None,
    agent: str,
    counterexample: int | None,
    answer: str | None,
    run_dir: Path | None,
    opens: bool | None,
    folders: tuple[Path, ...],
    salt_file: Path | None,
    cache: Path | None,
    as_json: bool,
) -> None:
    """Run one trial of a task, by its id or its FILE, and show what came of it."""
    from braino_registry.reports.showing import show_trials, told
    from braino_registry.runner.contributing.trial import read_answer, try_once

    if answer is not None:
        read = read_answer(
            task, answer, folders=folders, instance=instance, salt=salt_file, cache=cache
        )
        if as_json:
            options.emit({"run_dir": None, "page": None, "trial": read})
        else:
            show_trials(options.printer(), [read])
        return
    tried = try_once(
        task, folders=folders, instance=instance, agent=agent, counterexample=counterexample,
        salt=salt_file, cache=cache, run_dir=run_dir,
    )  # fmt: skip
    trial = told(tried.record, tried.run_dir)
    page = _page(tried, folders, cache, salt_file) if tried.whole else None
    if as_json:
        shown = None if page is None else str(page)
        options.emit({"run_dir": str(tried.run_dir), "page": shown, "trial": trial})
        return
    printer = options.printer()
    show_trials(printer, [trial])
    if page is not None:
        printer.line(f"Page: {page}")
        if sys.stdout.isatty() if opens is None else opens:
            click.launch(str(page))


def _page(
    tried: Tried, folders: tuple[Path, ...], cache: Path | None, salt_file: Path | None
) -> Path:
    """Write the page of a trial into its folder."""
    from braino_registry.cli.evaluate.reporting import locator
    from braino_registry.reports.files import write_atomic
    from braino_registry.reports.html import build, open_source

    page = tried.run_dir / "page.html"
    write_atomic(
        page, build([open_source(tried.run_dir)], locate=locator(folders, cache, salt_file))
    )
    return page
