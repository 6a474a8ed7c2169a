"""Whether a documented command can be typed: its names and options exist."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
from types import ModuleType
from typing import Any

import click

from tests.docs.blocks import REPOSITORY, Block

_PLACEHOLDER = re.compile(r"^[A-Z][A-Z_/|-]*$|[…$]")


def problem(words: list[str]) -> str:
    """Return why a call cannot be typed as it stands; nothing if it can.

    Parameters
    ----------
    words : list of str
        The program and its arguments. Words in capitals, and ``…``, stand for something else.
    """
    program, *rest = words
    if program == "make":
        return _make(rest)
    if program.startswith("python"):
        return _module(rest)
    return _braino([word for word in rest if word != "…"])


def python(block: Block) -> list[str]:
    """Return what keeps Python code from running: syntax, names of this project that are gone."""
    try:
        code = ast.parse(block.text)
    except SyntaxError as error:
        return [error.msg]
    found: list[str] = []
    for node in ast.walk(code):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("braino"):
            module = _imported(node.module or "")
            names = [each.name for each in node.names]
            if module is None:
                found.append(f"there is no module {node.module}")
            else:
                found += [f"{node.module} has no {n}" for n in names if not hasattr(module, n)]
        elif isinstance(node, ast.Import):
            own = [each.name for each in node.names if each.name.startswith("braino")]
            found += [f"there is no module {name}" for name in own if _imported(name) is None]
    return found


def _imported(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        return None


def _make(words: list[str]) -> str:
    rules = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    targets = [word for word in words if "=" not in word]
    gone = [name for name in targets if not re.search(rf"^{re.escape(name)}:", rules, re.MULTILINE)]
    return f"the Makefile has no {', '.join(gone)}" if gone else ""


def _module(words: list[str]) -> str:
    if words[:1] == ["-m"]:
        try:
            found = importlib.util.find_spec(words[1]) is not None
        except ModuleNotFoundError:
            found = False
        return "" if found or words[1] == "venv" else f"there is no module {words[1]}"
    if words and words[0].startswith(("benchmarks/", "docs/")):
        return "" if (REPOSITORY / words[0]).is_file() else f"there is no {words[0]}"
    return ""


def _braino(words: list[str]) -> str:
    from braino_registry.cli import braino

    command: click.Command = braino
    context = click.Context(braino, info_name="braino")
    try:
        while isinstance(command, click.Group):
            _, words, _ = command.make_parser(context).parse_args(args=list(words))
            if not words or _PLACEHOLDER.search(words[0]):
                return ""
            name, found, words = command.resolve_command(context, list(words))
            assert found is not None
            command, context = found, click.Context(found, context, name)
        given, left, order = command.make_parser(context).parse_args(args=list(words))
        if left:
            return f"{context.command_path} takes no {' '.join(map(str, left))}"
        for parameter in order:
            _choice(parameter, given.get(parameter.name or ""), context)
    except click.ClickException as error:
        return error.format_message()
    return ""


def _choice(parameter: click.Parameter, value: Any, context: click.Context) -> None:
    """Refuse what is none of an option's choices."""
    if isinstance(parameter.type, click.Choice) and isinstance(value, str):
        if not _PLACEHOLDER.search(value):
            parameter.type.convert(value, parameter, context)
