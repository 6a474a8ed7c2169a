"""Every command and every block of code in README and docs does what it says.

How a page tells what a test cannot know stands in `tests.docs.blocks`.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from tests.docs import blocks, reading
from tests.docs.blocks import REPOSITORY, Block, Command
from tests.docs.running import Page, unprinted

PAGES = blocks.pages()
WITH_CODE = [path for path in PAGES if any(block.runs for block in blocks.blocks(path))]

#: Lines that somebody is meant to type, whatever the block around them is called.
TYPED = re.compile(r"\s*(?:\$ |(?:\.venv/bin/)?(?:braino|make|pip|python3?) )")


def _name(path: Path) -> str:
    return path.relative_to(REPOSITORY).as_posix()


@pytest.fixture
def page(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Page:
    """Return a reader in an empty folder, with a cache of what needs no download.

    It is not the cache of the conformance suite: what that holds depends on which recordings are
    beside the project, and what a page says must not.
    """
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    folder = tmp_path / "reader"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("BRAINO_DATA", str(shared / "readers-cache"))
    monkeypatch.setenv("BRAINO_OFFLINE", "1")
    monkeypatch.setenv("COLUMNS", "200")
    for name in ("BRAINO_REGISTRY", "BRAINO_MIRRORS", "BRAINO_SHARED_DATA"):
        monkeypatch.delenv(name, raising=False)
    return Page(folder)


def _quick(path: Path) -> list[Block]:
    """Return the blocks above the first slow one; what follows may need what that one makes."""
    found = []
    for block in blocks.blocks(path):
        if block.slow:
            break
        found.append(block)
    return found


QUICK = [path for path in WITH_CODE if any(block.runs for block in _quick(path))]
SLOW = [path for path in WITH_CODE if len(_quick(path)) < len(blocks.blocks(path))]


@pytest.mark.parametrize("path", QUICK, ids=_name)
def test_quick_blocks_do_what_they_say(path: Path, page: Page) -> None:
    _do(page, [*blocks.files_of_others(path), *_quick(path)])


@pytest.mark.slow
@pytest.mark.parametrize("path", SLOW, ids=_name)
def test_all_blocks_do_what_they_say(path: Path, page: Page) -> None:
    _do(page, [*blocks.files_of_others(path), *blocks.blocks(path)])


def _do(page: Page, steps: list[Block]) -> None:
    for block in steps:
        if block.runs or block.remark == "file":
            page.do(block)


@pytest.mark.parametrize("path", PAGES, ids=_name)
def test_all_commands_can_be_typed(path: Path) -> None:
    written = [
        command
        for block in blocks.blocks(path)
        if block.language in blocks.SHELL | {"yaml"}
        for command in blocks.commands(block)
    ]
    problems = [
        f"{command.place}: {' '.join(call)}: {why}"
        for command in written
        for call in blocks.programs(command)
        if (why := reading.problem(call))
    ]
    problems += [
        f"{command.place}: {command.text}: {why}"
        for command in blocks.named(path)
        for call in blocks.programs(command)
        if (why := reading.problem(call)) and reading.problem([*call, "VALUE"])
    ]
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("path", PAGES, ids=_name)
def test_what_is_not_run_says_why_and_nothing_hides_from_being_run(path: Path) -> None:
    for block in blocks.blocks(path):
        if block.remark == "not run":
            assert len(block.value.split()) >= 2, f"{block.place}: why is it not run?"
        if block.language not in blocks.SHELL | blocks.PYTHON:
            typed = [line for line in block.text.splitlines() if TYPED.match(line)]
            saved = block.remark == "file"
            assert saved or not typed, f"{block.place}: mark it as console or sh: {typed[0]}"
        if block.language == "console":
            assert block.text.startswith("$ "), f"{block.place}: commands begin with a dollar"


@pytest.mark.parametrize("path", PAGES, ids=_name)
def test_what_is_called_json_is(path: Path) -> None:
    for block in blocks.blocks(path):
        if block.language == "json":
            json.loads(block.text)


@pytest.mark.parametrize("path", PAGES, ids=_name)
def test_python_that_is_not_run_could_be(path: Path) -> None:
    """It has to be valid, and what it imports of this project has to be there."""
    for block in blocks.blocks(path):
        if block.language in blocks.PYTHON:
            problems = reading.python(block)
            assert not problems, f"{block.place}: {', '.join(problems)}"


def test_python_that_could_not_be_run_is_noticed() -> None:
    good = "from braino.agent import Session\nimport braino_registry\nawait x\n"
    bad = "from braino.agent import Sesion\nimport braino_registry.gone\n"
    assert [reading.python(Block("p.md", 1, "python", text)) for text in (good, bad)] == [
        [],
        ["braino.agent has no Sesion", "there is no module braino_registry.gone"],
    ]
    assert reading.python(Block("p.md", 1, "python", "x = = 1")) == ["invalid syntax"]


def test_a_renamed_option_command_target_or_module_is_noticed() -> None:
    assert reading.problem(["braino", "eval", "run", "TASK", "--agent", "oracle", "…"]) == ""
    assert "--agnet" in reading.problem(["braino", "eval", "run", "--agnet", "oracle"])
    assert "evaluate" in reading.problem(["braino", "evaluate", "run"])
    assert "go" in reading.problem(["braino", "eval", "go"])
    assert "takes no" in reading.problem(["braino", "data", "path", "one", "two"])
    assert "lunch" in reading.problem(["make", "lunch"])
    assert reading.problem(["make", "test-task", "K=x"]) == ""
    assert "benchmarks.gone" in reading.problem(["python", "-m", "benchmarks.gone"])
    assert reading.problem(["python", "-m", "benchmarks.scale"]) == ""
    assert "gone.py" in reading.problem(["python", "docs/gone.py"])


TEXT = """
<!-- not run: needs a network -->
```console
$ A=1 braino data fetch X | tee "a b"; make test > out
shown
$ braino eval run --agent a \\
    --jobs 2   # note
```

<!-- file: x.py -->

```python
x = 1
```

A paragraph.

```json
{}
```
"""


def test_blocks_commands_and_calls_are_told_apart() -> None:
    shell, python, plain = blocks.read(TEXT)
    assert (shell.remark, shell.value, shell.runs) == ("not run", "needs a network", False)
    assert (python.remark, python.value) == ("file", "x.py")
    assert (plain.language, plain.remark, plain.runs) == ("json", "", False)
    first, second = blocks.commands(shell)
    assert first.shown == ("shown",)
    assert list(blocks.programs(first)) == [["braino", "data", "fetch", "X"], ["make", "test"]]
    assert second.words == ["braino", "eval", "run", "--agent", "a", "--jobs", "2"]


def test_lists_of_commands_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "REPOSITORY", tmp_path)
    file = tmp_path / "page.md"
    file.write_text("`braino eval show`, `report` and `serve`: not `this`; `braino cite X`, `y`\n")
    assert [each.text for each in blocks.named(file)] == [
        "braino eval show", "braino eval report", "braino eval serve", "braino cite X", "braino y",
    ]  # fmt: skip


def test_steps_of_a_workflow_are_commands() -> None:
    (block,) = blocks.read("```yaml\nsteps:\n  - run: braino eval list\n  - uses: x\n```\n")
    assert [step.text for step in blocks.commands(block)] == ["braino eval list"]
    assert not block.runs


def test_a_remark_belongs_to_the_block_below_it_only() -> None:
    text = "<!-- slow -->\n\nBetween.\n\n```sh\nbraino eval list\n```\n"
    assert [block.remark for block in blocks.read(text)] == [""]


@pytest.mark.parametrize(
    ("shown", "missing"),
    [
        (("one  two", "…", "three"), ""),
        (("on… two",), ""),
        (("three", "one two"), "one two"),
        (("four",), "four"),
    ],
)
def test_documented_output_is_held_against_what_was_printed(
    shown: tuple[str, ...], missing: str
) -> None:
    assert unprinted(shown, "one two\n\n three\n") == missing


@pytest.mark.parametrize(
    "text",
    [
        "```console\n$ braino eval show nowhere.json\n```\n",  # ends with an error
        "```console\n$ braino --version\nbraino-registry 99\n```\n",  # prints something else
        "```python\nraise SystemError\n```\n",
        "```sh\nfalse\n```\n",
    ],
)
def test_a_block_that_does_something_else_fails(text: str, page: Page) -> None:
    (block,) = blocks.read(text)
    with pytest.raises((AssertionError, pytest.fail.Exception, SystemError)):
        page.do(block)


def test_the_words_of_a_command_leave_comments_out() -> None:
    assert Command("here", "make eval   # sets up, then 'runs'").words == ["make", "eval"]
