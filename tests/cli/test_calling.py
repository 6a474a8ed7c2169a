"""Tools from the shell."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from braino_registry.cli.tools import group
from braino_registry.errors import BrainoError
from tests import tiny

ID = "sub-01_task-oddball"


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return tiny.write(tmp_path_factory.mktemp("calling") / "bids", {"01": tiny.Faults()}).root


def run(*args):
    return CliRunner().invoke(group, ["call", *map(str, args)], catch_exceptions=False)


@pytest.mark.parametrize("name", ["channels.inspect", "channels.inspect@1.0.0", "ChannelInspector"])
def test_a_call_prints_the_result(root, name):
    done = run(name, "--data", root, "--args", json.dumps({"view": ID}))
    assert done.exit_code == 0
    assert json.loads(done.stdout)["eeg"] == list(tiny.EEG)


def test_files_go_to_the_workspace(root, tmp_path):
    args = {"file": "x.edf", "format": "edf", "view": ID, "channels": ["O1"]}
    done = run("export.data", "--data", root, "--workspace", tmp_path, "--args", json.dumps(args))
    assert json.loads(done.stdout)["file"] == "x.edf"
    assert (tmp_path / "x.edf").stat().st_size > 30_000


@pytest.mark.parametrize(
    ("name", "args", "problem"),
    [
        ("channels.inspect", "{", "no JSON"),
        ("channels.inspect", "[]", "no object"),
        ("channels.inspect", '{"view": "sub-09"}', "no view or recording"),
        ("channels.look", "{}", "no tool called"),
    ],
)
def test_mistakes_are_told(root, name, args, problem):
    with pytest.raises(BrainoError, match=problem) as error:
        run(name, "--data", root, "--args", args)
    assert error.value.hint


def test_help_and_a_dataset_that_is_not_there(tmp_path):
    assert "print its result as JSON" in run("--help").output
    assert run("calc", "--data", tmp_path / "none").exit_code == 2
