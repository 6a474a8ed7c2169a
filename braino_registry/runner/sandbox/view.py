"""What an agent in a sandbox can see: a list of mounts, the same for every engine.

Nothing is visible that is not listed: the interpreter with the packages of its environment, the
agent's own module, the agent interface, the read-only data and the workspace. Entries, expected
values, the cache, the folder of the run, other trials and the home directory are not.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

INPUTS = "/input"
WORKSPACE = "/workspace"
CODE = "/agent"
TEMPORARY = "/tmp"
SHARED = "/dev/shm"

#: Environment variables that an agent may see, beside those that its caller passes on by name.
ALLOWED = (
    "LANG", "LC_ALL", "TZ", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS", "PYTHONHASHSEED",
)  # fmt: skip
#: Parts of the system that programs need to run at all.
_SYSTEM = ("/usr", "/etc/ld.so.cache", "/etc/localtime", "/etc/ssl/certs", "/etc/alternatives")
_LINKS = ("/lib", "/lib64", "/bin", "/sbin")
_REGISTRY = "braino_registry"


@dataclass(frozen=True)
class Bind:
    """A file or folder of the host, and where the agent finds it.

    Parameters
    ----------
    host : Path
        It exists.
    inside : str
        Absolute path in the sandbox.
    writable : bool
        Whether the agent may write there.
    """

    host: Path
    inside: str
    writable: bool = False


@dataclass(frozen=True)
class View:
    """All that an agent sees, and how its interpreter is started.

    Parameters
    ----------
    binds : tuple of Bind
        In the order in which they are mounted; a later one may cover part of an earlier one.
    links : mapping of str to str
        Symbolic links by their path.
    hidden : tuple of str
        Folders inside binds in whose place an empty one is shown.
    environ : mapping
        The whole environment.
    command : tuple of str
        Interpreter and arguments.
    secrets : tuple of str
        Variables of `environ` whose values must not stand on a command line, which every user of
        the computer can read.
    """

    binds: tuple[Bind, ...]
    links: Mapping[str, str]
    hidden: tuple[str, ...]
    environ: Mapping[str, str]
    command: tuple[str, ...]
    secrets: tuple[str, ...] = ()


def view_of(
    inputs: Path,
    workspace: Path,
    factory: str,
    path: Iterable[str],
    *,
    arguments: tuple[str, ...],
    passed: Iterable[str] = (),
    environ: Mapping[str, str] | None = None,
) -> View:
    """Return what an agent sees.

    Parameters
    ----------
    inputs, workspace : Path
        The BIDS copy and the folder that it may write to.
    factory : str
        The agent as ``module:factory``; its top-level module is made visible.
    path : iterable of str
        Folders in which local modules are looked for, before the environment's packages; for an
        agent of this package, files that it is shown.
    arguments : tuple of str
        What the interpreter is given.
    passed : iterable of str
        Names of further environment variables that the agent needs, for example a model's key.
    environ : mapping | None
        The environment to choose from; by default that of this process.
    """
    given = os.environ if environ is None else environ
    own = tuple(_own_code(factory, path))
    binds = [
        *(Bind(Path(name), name) for name in _SYSTEM if os.path.exists(name)),
        *(Bind(prefix, str(prefix)) for prefix in _prefixes(sys.executable, sys.prefix)),
        *own,
        Bind(_interface(), f"{CODE}/braino/agent.py"),
        Bind(inputs, INPUTS),
        Bind(workspace, WORKSPACE, writable=True),
    ]
    chosen = {name: given[name] for name in (*ALLOWED, *passed) if name in given}
    environment = {
        **chosen,
        "PATH": f"{sys.prefix}/bin:/usr/bin:/bin",
        "HOME": WORKSPACE,
        "TMPDIR": TEMPORARY,
        "PYTHONPATH": CODE,
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    environment.setdefault("LANG", "C.UTF-8")
    return View(
        tuple(binds),
        {name: os.readlink(name) for name in _LINKS if os.path.islink(name)},
        tuple(sorted({*_hidden(own)})),
        environment,
        (str(_canonical(sys.executable)), *arguments),
        tuple(name for name in passed if name in environment),
    )


@cache
def _canonical(executable: str) -> Path:
    """Return an interpreter by a path without links and detours on the way to it.

    The last part stays as it is: a link to the interpreter of another environment is what makes
    a virtual environment.
    """
    program = Path(executable)
    return program.parent.resolve() / program.name


@cache
def _prefixes(executable: str, prefix: str) -> tuple[Path, ...]:
    """Return the folders of an interpreter and of its virtual environment."""
    interpreter = _canonical(executable)
    homes = (sys.base_prefix, prefix, interpreter.parents[1], interpreter.resolve().parents[1])
    found = dict.fromkeys(Path(home).resolve() for home in homes)
    return tuple(folder for folder in found if not folder.is_relative_to("/usr"))


def _interface() -> Path:
    """Return the file of the agent interface."""
    import braino.agent

    return Path(_file(braino.agent))


def _own_code(factory: str, path: Iterable[str]) -> Iterator[Bind]:
    """Yield what belongs to the agent: its top-level package or module, and modules beside that.

    A package is shown whole. Of the folder in which a local module lies only Python files are
    shown, because that folder may hold anything: a checkout with all entries, the folder of runs.
    """
    top = factory.partition(":")[0].partition(".")[0]
    if top == _REGISTRY:
        yield Bind(_package(), f"{CODE}/{_REGISTRY}")
        yield from _files(path)
        return
    for folder in map(Path, path):
        package, module = folder / top, folder / f"{top}.py"
        if not package.is_dir() and not module.is_file():
            continue
        if package.is_dir():
            yield Bind(package, f"{CODE}/{top}")
        for file in sorted(folder.glob("*.py")):
            yield Bind(file, f"{CODE}/{file.name}")
        return


def _files(path: Iterable[str]) -> Iterator[Bind]:
    """Yield the files that an agent of this package is shown, with what they may import."""
    named = {f"{CODE}/{_REGISTRY}", f"{CODE}/braino"}
    for file in filter(Path.is_file, map(Path, path)):
        beside = sorted(file.parent.glob("*.py")) if file.suffix == ".py" else []
        for each in (file, *beside):
            inside = f"{CODE}/{each.name}"
            if inside not in named:
                named.add(inside)
                yield Bind(each, inside)


def _package() -> Path:
    import braino_registry

    return Path(_file(braino_registry)).parent


def _hidden(own: Iterable[Bind]) -> Iterator[str]:
    """Yield the folders of binds in which entries lie, or code that would lead to them."""
    for bind in own:
        if bind.inside == f"{CODE}/{_REGISTRY}":
            entries = bind.host / "_entries"
            if entries.is_dir():
                yield f"{bind.inside}/_entries"
    for folder in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}:
        for name in (_REGISTRY, "braino"):
            if Path(folder, name).is_dir():
                yield str(Path(folder, name))
    prefixes = _prefixes(sys.executable, sys.prefix)
    for place in _announced(tuple(sys.path)):
        if any(place.is_relative_to(prefix) for prefix in prefixes):
            yield str(place)


@cache
def _announced(path: tuple[str, ...]) -> tuple[Path, ...]:
    """Return the folders of entries that other packages on this path announce, found out once."""
    from importlib.metadata import distributions
    from importlib.util import find_spec

    found: list[str] = []
    for distribution in distributions(path=list(path)):
        for point in distribution.entry_points.select(group="braino.registry"):
            spec = find_spec(point.module.partition(".")[0])
            found += (spec.submodule_search_locations or ()) if spec else ()
    return tuple(map(Path, found))


def _file(module: ModuleType) -> str:
    if module.__file__ is None:
        raise ImportError(f"{module.__name__} has no file")
    return module.__file__
