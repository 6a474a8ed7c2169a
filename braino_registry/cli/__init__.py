"""The command line. It is thin: every command reads options, calls one function, and prints.

``braino --help`` must be instant, so nothing but click is imported before a command is known.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import signal
import sys
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from braino_registry.errors import BrainoError

#: Groups and the module that holds each of them, with its line in ``braino --help``.
GROUPS = {
    "cite": ("braino_registry.cli.cite", "How to cite a release and its datasets."),
    "data": ("braino_registry.cli.data", "Datasets: list, fetch, build, verify, cite."),
    "eval": ("braino_registry.cli.evaluate", "Measure an agent, and compare reports."),
    "import": ("braino_registry.cli.importing", "Cases of others, as tasks that run here."),
    "leaderboard": ("braino_registry.cli.leaderboard", "A page of what can be compared."),
    "mcp": ("braino_registry.cli.mcp", "Tasks for clients of the Model Context Protocol."),
    "release": ("braino_registry.cli.release", "Locks by which results stay comparable."),
    "score": ("braino_registry.cli.score", "One score, from JSON on standard input."),
    "task": ("braino_registry.cli.task", "Begin a task, check it, try it."),
    "tools": ("braino_registry.cli.tools", "The tools that agents can call."),
}

#: Exit code of what a person, or a scheduler, has interrupted.
INTERRUPTED = 130


class LazyGroup(click.Group):
    """A group whose subcommands are imported when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the subcommands."""
        return sorted(GROUPS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a subcommand."""
        if cmd_name not in GROUPS:
            return None
        module = importlib.import_module(GROUPS[cmd_name][0])
        command: click.Command = module.group
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the subcommand, or fail with the name that was probably meant."""
        name = args[0]
        if name not in GROUPS and not name.startswith("-"):
            from braino_registry.errors import likely

            near = likely(name, sorted(GROUPS))
            meant = "" if near is None else f" Did you mean {near!r}?"
            ctx.fail(f"No such command {name!r}.{meant}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the subcommands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, GROUPS[name][1]) for name in sorted(GROUPS)])


def _version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        from braino_registry import __version__

        click.echo(f"braino-registry {__version__}")
        ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_version,
    help="Print the version and exit.",
)  # fmt: skip
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def braino(debug: bool) -> None:
    """EEG-analysis tasks on BIDS datasets, and a runner that measures AI agents on them."""


def main(args: list[str] | None = None) -> None:
    """Run the command line and exit.

    Exit codes: 0 all is well; 1 below ``--fail-under``, or a regression; 2 usage or an invalid
    entry; 3 incomplete, an error of harness or environment, nothing comparable; 130 interrupted.
    """
    arguments = sys.argv[1:] if args is None else args
    # Schedulers end a job with SIGTERM; it shall leave a valid report as Ctrl-C does.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _interrupt)
    sys.exit(_run(arguments))


def _interrupt(number: int, frame: Any) -> None:
    """Let the command end in order; whoever asks again wants it to end now."""
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, _leave)
    raise KeyboardInterrupt


def _leave(number: int, frame: Any) -> None:
    # Workers see their pipes closed, end their agents and remove what they have made; the
    # journal holds what has finished.
    os._exit(INTERRUPTED)


def _run(arguments: list[str]) -> int:
    debug, as_json = "--debug" in arguments, "--json" in arguments
    # `--debug` may stand anywhere; click knows it only at the front.
    rest = ["--debug"] * debug + [each for each in arguments if each != "--debug"]
    try:
        code: Any = braino.main(rest, prog_name="braino", standalone_mode=False)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        told = _clearer(error)
        if as_json:
            context = getattr(told, "ctx", None)
            place = context.command_path if context else "braino"
            tell_json(told.format_message(), place, f"See `{place} --help`.")
        else:
            told.show()
        return told.exit_code
    except (click.Abort, KeyboardInterrupt):
        tell_json("interrupted") if as_json else click.echo("interrupted", err=True)
        return INTERRUPTED
    except BrokenPipeError:
        return _pipe_closed()
    except Exception as error:  # the traceback is for --debug; the exit code is the same
        if debug:
            import traceback

            # The agent's own traceback, where it has one, is a note of the error.
            traceback.print_exception(error)
        return _explain(error, as_json)
    return code if isinstance(code, int) else 0


def _clearer(error: click.ClickException) -> click.ClickException:
    """Return an error that tells an argument taken for an option, as in ``eval run --task ID``."""
    if not isinstance(error, click.NoSuchOption) or error.ctx is None:
        return error
    context, name = error.ctx, error.option_name
    for parameter in context.command.params:
        metavar = str(parameter.metavar or parameter.name).upper()
        words = re.findall("[a-z]+", metavar.casefold())
        if isinstance(parameter, click.Argument) and name.lstrip("-").casefold() in words:
            usage = f"{context.command_path} {metavar}"
            text = f"No such option: {name}. It is an argument: `{usage}`."
            return click.UsageError(text, ctx=context)
    return error


def _explain(error: Exception, as_json: bool) -> int:
    """Print an error in three lines, or as JSON, and return its exit code."""
    from braino_registry.errors import BrainoError, HostError

    if not isinstance(error, BrainoError):
        error = HostError(
            f"{type(error).__name__}: {error}",
            where="This is a fault of braino-registry, not of what you typed.",
            hint="Run again with --debug and report what it prints.",
        )
    tell(error, as_json)
    return error.exit_code


def tell(error: BrainoError, as_json: bool) -> None:
    """Print an error for a person, or for a program, to standard error."""
    from braino_registry.reports.printing import clean

    if as_json:
        tell_json(error.problem, error.where, error.hint)
    else:
        click.echo(f"braino: {clean(str(error))}", err=True)


def tell_json(problem: str, where: str = "", hint: str = "") -> None:
    """Print an error as one line of JSON to standard error."""
    document = {"error": {"problem": problem, "where": where, "hint": hint}}
    click.echo(json.dumps(document, ensure_ascii=False), err=True)


def _pipe_closed() -> int:
    """Whoever read the output has seen enough, as in ``braino eval list | head``."""
    # Python would complain once more when it flushes standard output at its end.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
