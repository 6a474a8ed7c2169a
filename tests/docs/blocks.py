"""What the documentation tells its readers to type: blocks of code, and commands in the text.

A comment on the line before a block says what a test cannot know:

``<!-- not run: why -->``
    It needs what a test must not have: a network, a cluster, hours. Its options are read all the
    same.
``<!-- slow -->``
    It takes more than a moment; it and everything below it on its page is left to the slow tests.
``<!-- file: NAME -->``
    A file to be saved; what follows finds it there.
``<!-- session: TASK/INSTANCE -->``
    The inside of an agent's ``solve``; it is run in a session on that instance. With `` code``
    behind it the session is one of the paradigm ``code``, which takes more than a moment.
``<!-- exit: N -->``
    The last command of the block ends with this exit code.

Anywhere on a page ``<!-- after: PAGE.md -->`` says that the files of another one are there.
"""

from __future__ import annotations

import itertools
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

REPOSITORY = Path(__file__).parents[2]
#: Languages of blocks that are carried out, or saved.
SHELL, PYTHON = frozenset({"sh", "bash", "console"}), frozenset({"python"})
_REMARK = re.compile(r"<!-- (not run|slow|file|session|exit)(?:: (.+?))? -->\s*\Z")
_SISTER = re.compile(r"[a-z][a-z-]*(?: [A-Z]+)?$")
_PROGRAM = re.compile(r"(?:^|.*/)(?:braino|make|python3?)$")


@dataclass(frozen=True)
class Block:
    """One block of code.

    Parameters
    ----------
    page : str
        The page, relative to the repository.
    line : int
        Of its first line of code.
    language : str
        As written behind the fence.
    text : str
        The code.
    remark, value : str
        What the comment before it says; empty without one.
    """

    page: str
    line: int
    language: str
    text: str
    remark: str = ""
    value: str = ""

    @property
    def place(self) -> str:
        """Page and line, as editors take it."""
        return f"{self.page}:{self.line}"

    @property
    def slow(self) -> bool:
        """Whether it is left to the slow tests, with all that follows on its page."""
        return self.remark == "slow" or (self.remark == "session" and " code" in self.value)

    @property
    def runs(self) -> bool:
        """Whether it is carried out by a test."""
        return self.language in SHELL | PYTHON and self.remark not in ("not run", "file")


@dataclass(frozen=True)
class Command:
    """One command with what is printed below it.

    Parameters
    ----------
    place : str
    text : str
        As it stands there, continuation lines joined.
    shown : tuple of str
        Lines of its output, ``…`` standing for anything.
    """

    place: str
    text: str
    shown: tuple[str, ...] = ()

    @property
    def words(self) -> list[str]:
        """The words of a plain command; comments are left out."""
        return shlex.split(self.text, comments=True)


def pages(*, history: bool = False) -> list[Path]:
    """Return the pages that people write; those made from entries hold nothing to type.

    Parameters
    ----------
    history : bool
        Whether changelog and decisions are among them, which may name what is gone.
    """
    docs = REPOSITORY / "docs"
    past = () if history else (docs / "decisions", REPOSITORY / "CHANGELOG.md")
    left_out = {docs / "tasks", docs / "_build", docs / "reference", *past}
    found = [*sorted(REPOSITORY.glob("*.md")), *sorted(docs.rglob("*.md"))]
    return [path for path in found if not {path, *path.parents} & left_out]


def blocks(path: Path) -> list[Block]:
    """Return the blocks of a page, in their order."""
    page = path.relative_to(REPOSITORY).as_posix()
    return read(path.read_text(encoding="utf-8"), page)


def files_of_others(path: Path) -> list[Block]:
    """Return the files that a page takes over from those it says it comes after."""
    names = re.findall(r"<!-- after: (\S+) -->", path.read_text(encoding="utf-8"))
    earlier = [block for name in names for block in blocks(path.parent / name)]
    return [block for block in earlier if block.remark == "file"]


def read(text: str, page: str = "page.md") -> list[Block]:
    """Return the blocks of a text."""
    found, remark = [], ("", "")
    for token in MarkdownIt().parse(text):
        if token.type == "html_block":
            known = _REMARK.search(token.content)
            remark = (known[1], known[2] or "") if known else ("", "")
        elif token.type == "fence":
            line = (token.map or [0])[0] + 2
            found.append(Block(page, line, token.info.strip(), token.content, *remark))
            remark = ("", "")
        elif token.nesting >= 0 and token.type != "inline":
            remark = ("", "")
    return found


def commands(block: Block) -> Iterator[Command]:
    """Yield the commands of a block for a shell, or of a workflow."""
    lines = list(_joined(block.text.splitlines()))
    if block.language == "yaml":  # steps of a workflow
        found = (re.search(r"\brun: (.+)", line) for line in lines)
        yield from (Command(block.place, step[1]) for step in found if step)
        return
    if block.language != "console":
        for line in lines:
            if line.strip() and not line.lstrip().startswith("#"):
                yield Command(block.place, line)
        return
    started: str | None = None
    shown: list[str] = []
    for line in lines:
        if not line.startswith("$ "):
            shown.append(line)
            continue
        if started is not None:
            yield Command(block.place, started, tuple(shown))
        started, shown = line.removeprefix("$ "), []
    if started is not None:
        yield Command(block.place, started, tuple(shown))


def _joined(lines: list[str]) -> Iterator[str]:
    """Yield lines, those that end in a backslash with what follows them."""
    whole = ""
    for line in lines:
        if line.endswith("\\"):
            whole += line[:-1].rstrip() + " "
            continue
        yield whole + (line.strip() if whole else line)
        whole = ""


def named(path: Path) -> Iterator[Command]:
    """Yield the commands of this project that a page names between backticks.

    In a list such as ```braino eval show``, ``report`` and ``serve``` the last ones are short
    for ``braino eval report`` and ``braino eval serve``.
    """
    page = path.relative_to(REPOSITORY).as_posix()
    for token in MarkdownIt().enable("table").parse(path.read_text(encoding="utf-8")):
        place = f"{page}:{(token.map or [0])[0] + 1}"
        group: list[str] = []
        for child in token.children or ():
            if child.type == "code_inline" and re.match(r"(braino|make) \S", child.content):
                yield Command(place, child.content)
                names = itertools.takewhile(re.compile("[a-z]").match, child.content.split())
                group = list(names)[:-1]
            elif child.type == "code_inline" and group and _SISTER.match(child.content):
                yield Command(place, " ".join([*group, child.content]))
            elif child.type != "text" or child.content.strip() not in (",", "and", "or"):
                group = []


def programs(command: Command) -> Iterator[list[str]]:
    """Yield each call of ``braino``, ``make`` or ``python`` in a command, as words.

    Pipes and lists are taken apart; assignments before a program and redirections are left out.
    """
    lexer = shlex.shlex(command.text, posix=True, punctuation_chars="|&;()<>")
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError as error:
        raise ValueError(f"{command.place}: {command.text}: {error}") from error
    call: list[str] = []
    skip = False
    for word in [*words, ";"]:
        if skip:
            skip = False
        elif set(word) <= set("<>") and word:
            skip = True
        elif set(word) <= set("|&;()") and word:
            while call and re.match(r"[A-Za-z_]+=", call[0]):
                del call[0]
            if call and _PROGRAM.match(call[0]):
                yield [Path(call[0]).name, *call[1:]]
            call = []
        else:
            call.append(word)
