"""Options and output that several commands share."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from braino_registry.datasets import Store
    from braino_registry.registry import Registry
    from braino_registry.registry.salt import Salt
    from braino_registry.reports.printing import Printer

Command = TypeVar("Command", bound=Callable[..., Any])

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
registry_folders = click.option(
    "--registry",
    "folders",
    multiple=True,
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="A further folder of entries; may be given several times.",
)
salt_file = click.option(
    "--salt",
    "salt_file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="A secret that changes every draw of synthetic data.",
)
cache_folder = click.option(
    "--cache",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Where datasets are kept; by default BRAINO_DATA or the platform's folder.",
)

key_variable = click.option(
    "--key-env",
    "key_variable",
    metavar="NAME",
    default="OPENAI_API_KEY",
    show_default=True,
    help="Environment variable with the key of the models' server.",
)


def emit(document: Any) -> None:
    """Print a document as JSON."""
    import msgspec

    # Laid out by msgspec, for json itself indents a hundred times slower than it encodes.
    # Half a letter, which no stream takes, is told as JSON's escape of it.
    text = json.dumps(document, ensure_ascii=False)
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    with suppress(msgspec.DecodeError):  # NaN, which is shown as it is rather than not at all
        text = msgspec.json.format(text, indent=1)
    sys.stdout.write(text + "\n")


def printer(*, err: bool = False) -> Printer:
    """Return what prints tables to standard output, or to standard error."""
    from braino_registry.reports.printing import Printer

    return Printer(sys.stderr if err else sys.stdout)


def open_registry(folders: tuple[Path, ...]) -> Registry:
    """Open the registry with further folders."""
    from braino_registry.registry import Registry

    return Registry.open(folders)


def open_store(cache: Path | None) -> Store:
    """Open the dataset cache."""
    from braino_registry.datasets import Store

    return Store(cache)


def read_salt(path: Path | None) -> Salt:
    """Read the salt, if one was given."""
    from braino_registry.registry.salt import Salt

    return Salt.none() if path is None else Salt.read(path)


def size(count: int) -> str:
    """Return a number of bytes for people."""
    value = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000:
            return f"{value:.3g} {unit}"
        value /= 1000
    return f"{value:.3g} TB"
