"""What tools say to arguments that are wrong, and how results are shown."""

from __future__ import annotations

import math
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta, field

from braino_registry.tools import decorator
from braino_registry.tools.decorator import Result, Shared, ToolGroup, tool
from braino_registry.tools.errors import ToolError
from braino_registry.tools.presenting import bounded, rounded

ID = "sub-01_task-oddball"


@pytest.mark.parametrize(
    ("args", "problem", "instead"),
    [
        ({"view": ID, "lfreq": 1}, "no argument 'lfreq'", "Did you mean 'l_freq'"),
        ({"view": ID, "l_freq": "1"}, "got `str`", "[l_freq: number|null]"),
        ({"l_freq": 1.0}, "missing required field `view`", "view: string"),
        ({"view": ID, "l_freq": True}, "got `bool`", "number"),
        ({"view": ID, "l_freq": math.nan}, "not finite", "l_freq"),
        ({"view": ID, "l_freq": math.inf}, "not finite", "l_freq"),
        ({"view": 7}, "expected `str`", "view: string"),
        ({"view": "view-9", "l_freq": 1.0}, "no view or recording 'view-9'", ID),
        ({"view": ID}, "needs l_freq", "between 0 and 125 Hz"),
        ({"view": ID, "l_freq": 125.0}, "outside the range", "below 125 Hz"),
        ({"view": ID, "l_freq": 40.0, "h_freq": 1.0}, "band-stop", "preprocess.notch"),
    ],
)
def test_wrong_arguments(refused, args, problem, instead):
    error = refused("preprocess.filter", **args)
    assert problem in error.problem
    assert instead in error.instead


@pytest.mark.parametrize(
    ("tool", "args", "instead"),
    [
        ("spectrum.band_power", {"view": ID, "band": "mu"}, "alpha|beta|delta"),
        ("spectrum.band_power", {"view": ID}, "delta, theta, alpha"),
        ("spectrum.band_power", {"view": ID, "band": "alpha", "fmin": 3.0}, "both edges"),
        ("spectrum.band_power", {"view": ID, "band": "alpha", "channels": ["OZ"]}, "'Oz'"),
        ("spectrum.band_power", {"view": ID, "fmin": 8.0, "fmax": 800.0}, "125 Hz"),
        ("spectrum.band_power", {"view": ID, "band": "alpha", "relative_to": [1.0]}, "relative_to"),
        ("epochs.make", {"view": ID, "event": "Target"}, "'target'"),
        ("epochs.make", {"view": ID, "event": "target", "reject_uv": -5.0}, "reject_uv"),
        ("erp.average", {"view": ID}, "epochs.make"),
        ("erp.measure", {"erp": "result-1", "channel": "Pz", "tmin": 0.0, "tmax": 1.0}, "nothing"),
        ("preprocess.notch", {"view": ID, "freq": 125.0}, "below 125 Hz"),
        ("preprocess.notch", {"view": ID, "freq": -5.0}, "at least 2 Hz"),
        ("preprocess.resample", {"view": ID, "sfreq": 0.0}, "sfreq: number"),
        ("preprocess.crop", {"view": ID}, "seconds"),
        ("preprocess.crop", {"view": ID, "tmin": 70.0}, "between 0 and 60 s"),
        ("results.page", {"result": "result-1"}, "nothing"),
        ("results.page", {"result": "result-1", "limit": 5000}, "limit"),
        ("dataset.query", {"bids_subject": "7"}, "01, 02"),
        ("dataset.query", {"suffix": "meg"}, "eeg"),
        ("dataset.participants", {"columns": ["groups"]}, "'group'"),
        ("stats.correct", {"p_values": [], "method": "holm"}, "p_values"),
        ("stats.correct", {"p_values": [0.1], "method": "tukey"}, "holm"),
    ],
)
def test_every_refusal_says_what_to_pass(refused, tool, args, instead):
    assert instead in refused(tool, **args).instead


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_rounding_keeps_six_digits_and_four_decimals(x):
    y = rounded(x)
    if not math.isfinite(x):
        assert y is None
    else:
        assert math.isclose(x, y, rel_tol=5.1e-6, abs_tol=0) or abs(x - y) <= 0.51e-4
        assert abs(x - y) <= max(abs(x) * 5.1e-6, 0)


@pytest.mark.parametrize(
    ("x", "shown"),
    [(31.2345678, 31.2346), (1234.56789, 1234.5679), (0.000123456789, 0.000123457), (250.0, 250.0),
     (-0.0, 0.0), (0.1 + 0.2, 0.3), (12345678.9, 12345678.9)],
)  # fmt: skip
def test_rounding_examples(x, shown):
    assert rounded(x) == shown


def test_rounding_walks_everything_and_keeps_integers():
    value = {"a": [1, 0.123456789, True], "b": {"c": (2.0, None, "0.123456789")}}
    assert rounded(value) == {"a": [1, 0.123457, True], "b": {"c": [2.0, None, "0.123456789"]}}


def test_lists_end_after_twenty_different_numbers():
    value = {
        "series": [float(k) for k in range(100)],
        "same": [{"sfreq": 250.0, "name": str(k)} for k in range(30)],
        "names": [str(k) for k in range(500)],
        "table": {f"c{k}": k + 0.5 for k in range(64)},
        "rows": [{"x": float(k), "y": k + 0.5} for k in range(30)],
        "wide": [{"x": [float(i) for i in range(64)]}],
    }
    shown, truncated = bounded(value)
    sizes = {name: len(part) for name, part in shown.items()}
    assert sizes == {"series": 20, "same": 30, "names": 200, "table": 20, "rows": 10, "wide": 1}
    assert truncated == {"series": 80, "names": 300, "table": 44, "rows": 20}


def test_short_results_are_shown_whole():
    value = {"a": 1.0, "b": {"c": [1.0, 2.0]}, "d": []}
    assert bounded(value) == (value, {})


def test_what_is_cut_can_be_paged(call):
    found = call("spectrum.band_power", view=ID, band="alpha")
    assert found["truncated"] == {"per_channel": 6}
    page = call(
        "results.page", result=found["result"], path="per_channel",
        offset=len(found["per_channel"]),
    )  # fmt: skip
    assert page["more"] is False
    names = [row["channel"] for row in [*found["per_channel"], *page["items"]]]
    assert len(set(names)) == 16


class Marks(Shared, frozen=True, kw_only=True):
    """What two tools take."""

    view: Annotated[str, Meta(description="A view.")]
    names: Annotated[list[str], Meta(description="Names.")] = field(default_factory=list)
    least: Annotated[float, Meta(description="A bound.", ge=1)] = 1.0


class Marked(Result, frozen=True, kw_only=True):
    """What was given."""

    given: list[Any]


def test_what_several_tools_take_is_given_one_by_one(state, monkeypatch):
    monkeypatch.setattr(decorator, "TOOLS", ToolGroup("braino_registry.tools", "tool"))

    @tool("marks.make", version="1.0.0")
    def make(
        state: Any,
        *,
        first: Annotated[int, Meta(description="Before.")] = 1,
        marks: Marks,
        last: Annotated[int, Meta(description="Behind.")] = 3,
    ) -> Marked:
        """Give back what was given."""
        return Marked(given=[first, marks.view, marks.names, marks.least, last])

    made = decorator.TOOLS._items["marks.make@1.0.0"]
    schema = made.spec.arguments
    assert list(schema["properties"]) == ["first", "view", "names", "least", "last"]
    assert schema["required"] == ["view"]
    assert schema["properties"]["view"] == {"type": "string", "description": "A view."}
    assert made.run({"view": "a"}, state) == {"given": [1, "a", [], 1.0, 3]}
    given = {"view": "a", "names": ["b"], "least": 2.5, "first": 0}
    assert made.run(given, state) == {"given": [0, "a", ["b"], 2.5, 3]}
    for wrong, told in (
        ({}, "missing required field `view`"),
        ({"view": "a", "least": 0.5}, ">= 1"),
        ({"view": "a", "marks": {}}, "no argument 'marks'"),
    ):
        with pytest.raises(ToolError, match=told):
            made.run(wrong, state)
