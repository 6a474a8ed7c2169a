"""The commands that findings name: whole, with every option that they need, and quoted."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from braino_registry.cli import braino
from braino_registry.runner.contributing.commands import Commands

FULL = Commands("my task.json", (Path("a b"), Path("c")), Path("kept"), Path("secret"))


def test_every_option_with_which_a_task_was_found_is_there() -> None:
    where = ["--registry", "a b", "--registry", "c", "--cache", "kept", "--salt", "secret"]
    assert shlex.split(FULL.check("--stage", "built twice")) == [
        "braino", "task", "check", "my task.json", "--stage", "built twice", *where,
    ]  # fmt: skip
    assert shlex.split(FULL.trial("--instance", "one"))[-8:] == where
    assert FULL.trial(salt="FILE").endswith("--cache kept --salt FILE")
    assert FULL.among("braino data fetch x").endswith("x --registry 'a b' --registry c")
    assert Commands("mine").among("braino data fetch x") == "braino data fetch x"
    assert Commands("mine").check() == "braino task check mine"


@pytest.mark.parametrize(
    "command",
    [FULL.check("--stage", "BIDS"), FULL.trial("--instance", "x"), FULL.build("x"),
     FULL.verify("2026.1"), FULL.among("braino data fetch x")],
)  # fmt: skip
def test_the_command_line_takes_each_of_them(command: str) -> None:
    done = CliRunner().invoke(braino, [*shlex.split(command)[1:], "--help"])
    assert done.exit_code == 0, done.output
