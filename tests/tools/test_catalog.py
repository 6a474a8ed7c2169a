from __future__ import annotations

import subprocess
import sys

import jsonschema
import pytest

from braino_registry.errors import UsageError
from braino_registry.recordings.results import ResultStore
from braino_registry.tools.catalog import Toolset, catalog
from braino_registry.tools.decorator import Result, Tool, tool
from braino_registry.tools.errors import ToolError
from braino_registry.tools.linting import lint
from braino_registry.tools.state import ToolState

ID = "sub-01_task-oddball"
EXPECTED = {
    "dataset.inspect", "dataset.query", "recording.info", "preprocess.filter",
    "preprocess.resample", "preprocess.reference", "preprocess.notch", "quality.bad_channels",
    "epochs.make", "erp.average", "erp.measure", "spectrum.band_power", "spectrum.peak",
    "spectrum.line_noise", "stats.ttest", "stats.correct", "results.page", "calc",
}  # fmt: skip


def test_all_tools_are_there_and_clean():
    names = {key.partition("@")[0] for key in catalog().names()}
    assert names >= EXPECTED
    assert lint() == []


@pytest.mark.parametrize("key", catalog().names())
def test_schemas_are_plain_and_valid(key):
    spec = catalog().get(key).spec
    for schema in (spec.arguments, spec.result):
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
        assert schema["additionalProperties"] is False
    assert len(spec.description) > 40
    assert "  " not in spec.description
    assert "Parameters" not in spec.description


def test_specs_need_no_heavy_library():
    code = (
        "import sys; from braino_registry.tools.catalog import Toolset, catalog; "
        "Toolset(catalog().names()).specs(); "
        "heavy = {'mne', 'scipy', 'bids', 'pandas', 'mne_bids'} & set(sys.modules); "
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_results_satisfy_their_schemas(call):
    view = call("preprocess.filter", view=ID, l_freq=0.5, h_freq=40.0)["view"]
    epochs = call("epochs.make", view=view, event="target")["view"]
    average = call("erp.average", view=epochs)
    band = call("spectrum.band_power", view=ID, band="alpha")
    results = {
        "dataset.inspect": call("dataset.inspect"),
        "dataset.participants": call("dataset.participants"),
        "dataset.query": call("dataset.query", suffix="eeg"),
        "recording.info": call("recording.info", view=epochs),
        "quality.bad_channels": call("quality.bad_channels", view=view),
        "erp.average": average,
        "erp.measure": call("erp.measure", erp=average["erp"], channel="Pz", tmin=0, tmax=0.5),
        "spectrum.band_power": band,
        "spectrum.peak": call("spectrum.peak", view=ID, fmin=7, fmax=14),
        "spectrum.line_noise": call("spectrum.line_noise", view=ID),
        "results.page": call("results.page", result=band["result"], path="per_channel"),
        "calc": call("calc", expression="a * 2", values={"a": band["relative"]}),
    }
    for name, result in results.items():
        jsonschema.validate(result, catalog().get(name).spec.result)
        measured = catalog().get(name).definition
        assert (result.get("definition") == measured) if measured else "definition" not in result


def test_toolsets_are_exact():
    assert Toolset(["calc@1.0.0", "dataset.inspect@1.0.0"]).names() == ["calc", "dataset.inspect"]
    with pytest.raises(UsageError, match=r"no version '9\.0\.0'") as error:
        Toolset(["calc@9.0.0"])
    assert "calc@1.0.0" in error.value.hint
    with pytest.raises(UsageError, match="without a version"):
        Toolset(["calc"])
    with pytest.raises(UsageError, match="no tool called 'clac'") as error:
        Toolset(["clac@1.0.0"])
    assert "calc" in error.value.hint
    with pytest.raises(UsageError, match="twice"):
        Toolset(["calc@1.0.0", "calc@1.0.0"])


def test_a_toolset_offers_nothing_else(state):
    small = Toolset(["calc@1.0.0"])
    assert small.version("calc") == "1.0.0"
    assert small.version("dataset.inspect") is None
    with pytest.raises(ToolError, match=r"no tool 'dataset\.inspect'") as error:
        small.run("dataset.inspect", {}, state)
    assert "calc" in error.value.instead


def test_a_bare_name_gives_the_newest_version():
    assert catalog().get("calc").key == "calc@1.0.0"


class _Odd(Result, frozen=True, kw_only=True):
    """A result without units."""

    power: float


def _odd(state: ToolState, *, cutoff: float) -> _Odd:
    return _Odd(power=cutoff)


def test_lint_finds_what_is_missing():
    from braino_registry.registry.plugins import PluginGroup
    from braino_registry.tools import decorator

    group: PluginGroup[Tool] = PluginGroup("braino_registry.tools", "tool")
    original = decorator.TOOLS
    decorator.TOOLS = group  # type: ignore[assignment]
    try:
        tool("odd.tool", version="1.0.0")(_odd)
    finally:
        decorator.TOOLS = original
    problems = "\n".join(lint([group._items["odd.tool@1.0.0"]]))
    for part in (
        "has no description",
        "argument cutoff has no description",
        "reports power without a Definition",
        "argument cutoff does not tell its unit",
        "result power does not tell its unit",
    ):
        assert part in problems


def test_a_new_tool_is_one_function(state):
    code = '''
from typing import Annotated
from msgspec import Meta
from braino_registry.tools.catalog import Toolset
from braino_registry.tools.linting import lint
from braino_registry.tools.decorator import Result, tool
from braino_registry.tools.state import ToolState

class Count(Result, frozen=True, kw_only=True):
    """How many."""
    n_letters: int

@tool("text.letters", version="2.1.0")
def letters(state: ToolState, *, text: Annotated[str, Meta(description="A text.")]) -> Count:
    """Count the letters of a text.

    Example: {"text": "abc"}
    """
    return Count(n_letters=len(text))

tools = Toolset(["text.letters@2.1.0"])
assert tools.run("text.letters", {"text": "abc"}, None) == {"n_letters": 3}
assert lint() == []
'''
    subprocess.run([sys.executable, "-c", code], check=True)


def test_results_of_a_session_are_its_own(state, toolset, dataset, tmp_path):
    toolset.run("spectrum.band_power", {"view": ID, "band": "alpha"}, state)
    assert ResultStore().put("x", 1) == "result-1"
    with pytest.raises(ToolError, match="no result"):
        toolset.run(
            "results.page",
            {"result": "result-1"},
            ToolState.open(dataset.root, tmp_path, state.ledger),
        )
