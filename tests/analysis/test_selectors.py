from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from braino_registry.analysis import judging, selectors, thresholds
from braino_registry.analysis.errors import SignalError

TABLE = {"Fp1": 1.0, "Fz": -5.0, "Cz": 3.0, "Pz": 2.95, "O1": 4.0}
VALUES = st.dictionaries(
    st.text(min_size=1, max_size=3),
    st.floats(-1e6, 1e6, allow_nan=False).map(lambda v: round(v, 3)),
    min_size=1,
    max_size=8,
)


def test_ranks():
    assert selectors.rank(TABLE)["names"] == ["O1", "Cz", "Pz", "Fp1", "Fz"]
    assert selectors.rank(TABLE, order="ascending", n=2)["names"] == ["Fz", "Fp1"]
    assert selectors.rank(TABLE, by="absolute", n=2)["names"] == ["Fz", "O1"]
    assert selectors.top(TABLE, n=2)["values"] == {"O1": 4.0, "Cz": 3.0}
    assert selectors.argmax(TABLE) == {"name": "O1", "value": 4.0, "runner_up": "Cz"}
    assert selectors.argmin(TABLE) == {"name": "Fz", "value": -5.0, "runner_up": "Fp1"}
    assert selectors.argmax({"a": 1.0})["runner_up"] is None


@pytest.mark.parametrize(
    "choose",
    [
        lambda t, **given: selectors.rank(t, **given),
        lambda t, **given: selectors.top(t, n=2, **given),
        lambda t, **given: selectors.top(t, n=2, ordered=False, **given),
        lambda t, **given: selectors.top(t, n=3, **given),
    ],
)
def test_what_is_too_close_is_refused_naming_both(choose):
    with pytest.raises(SignalError, match=r"Cz \(3\) and Pz \(2\.95\)") as error:
        choose(TABLE, margin=0.02)
    assert error.value.hint
    assert choose(TABLE, margin=0.01)
    with pytest.raises(SignalError, match="Cz"):
        choose(TABLE, absolute_margin=0.1)
    with pytest.raises(SignalError, match="too close"):
        choose({**TABLE, "Pz": 3.0})  # a tie needs no margin to be refused


def test_only_the_gaps_that_decide_are_guarded():
    assert selectors.top(TABLE, n=1, margin=0.02)["names"] == ["O1"]
    assert selectors.top(TABLE, n=3, ordered=False, margin=0.02)["names"] == ["O1", "Cz", "Pz"]
    assert selectors.argmax(TABLE, margin=0.2)["name"] == "O1"
    with pytest.raises(SignalError, match="O1"):
        selectors.argmax(TABLE, margin=0.3)
    tied = {"a": 1.0, "b": 1.0, "c": 2.0}
    assert selectors.argmax(tied)["name"] == "c"
    assert selectors.rank(tied, ties="first")["names"] == ["c", "a", "b"]
    assert selectors.rank(dict(reversed(tied.items())), ties="first")["names"] == ["c", "b", "a"]


@given(values=VALUES)
def test_ranks_are_permutations_in_order(values):
    found = selectors.rank(values, ties="first")
    assert sorted(found["names"]) == sorted(values)
    numbers = list(found["values"].values())
    assert numbers == sorted(numbers, reverse=True)


@given(values=VALUES, margin=st.floats(0, 0.5))
def test_a_choice_that_stands_is_wide_enough(values, margin):
    first, *rest = sorted(values.values(), reverse=True)
    size = max(abs(first), abs(rest[0])) if rest else 0.0
    if rest and first - rest[0] <= max(margin, 1e-9) * size - 1e-9:
        with pytest.raises(SignalError, match="too close"):
            selectors.argmax(values, margin=margin)
    elif not rest or first - rest[0] > max(margin, 1e-9) * size + 1e-9:
        assert selectors.argmax(values, margin=margin)["value"] == first


def test_means():
    assert selectors.mean_over(TABLE, names=["Cz", "Fp1"])["mean"] == 2.0
    assert selectors.mean_over({"a": 1, "b": 4})["mean"] == 2.5
    groups = {"front": ["Fp1", "Fz"], "back": ["O1"], "none": []}
    assert selectors.mean_over(TABLE, groups=groups)["values"] == {"front": -2.0, "back": 4.0}
    with pytest.raises(SignalError, match="every group is empty"):
        selectors.mean_over(TABLE, groups={"a": []})
    with pytest.raises(SignalError, match="no value of 'Ox'"):
        selectors.mean_over(TABLE, names=["Ox"])
    with pytest.raises(SignalError, match="exclude each other"):
        selectors.mean_over(TABLE, names=["Cz"], groups=groups)
    with pytest.raises(SignalError, match="nothing to average"):
        selectors.mean_over(TABLE, names=[])


def test_parts():
    assert selectors.keep(TABLE, ["Pz", "Fp1"])["values"] == {"Pz": 2.95, "Fp1": 1.0}
    assert list(selectors.without(TABLE, ["Pz", "X"])["values"]) == ["Fp1", "Fz", "Cz", "O1"]
    lists = [["a", "b", "b"], ["b", "c"], ["c", "b"]]
    assert selectors.common(lists) == {"names": ["b", "c"], "counts": {"a": 1, "b": 3, "c": 2}}
    assert selectors.common(lists, at_least=3)["names"] == ["b"]
    with pytest.raises(SignalError, match="4 of 3 lists"):
        selectors.common(lists, at_least=4)


def test_outliers_are_tukey_s():
    values = {f"c{k}": float(k) for k in range(10)} | {"loud": 100.0, "low": -50.0}
    found = thresholds.iqr_outliers(values)
    first, third = np.quantile(list(values.values()), [0.25, 0.75])
    assert found["outliers"] == ["loud", "low"]
    assert found["low"] == first - 1.5 * (third - first)
    assert found["high"] == third + 1.5 * (third - first)
    assert len(found["kept"]) == 10
    near = {**values, "loud": found["high"] + 0.5}
    assert thresholds.iqr_outliers(near)["outliers"] == ["loud", "low"]
    with pytest.raises(SignalError, match=r"loud \(.*\) is too close to the fence"):
        thresholds.iqr_outliers(near, margin=0.05)
    with pytest.raises(SignalError, match="3 values are too few"):
        thresholds.iqr_outliers({"a": 1, "b": 2, "c": 3})


def test_limits():
    assert thresholds.above(TABLE, limit=2.5)["names"] == ["Cz", "Pz", "O1"]
    assert thresholds.below(TABLE, limit="mean") == {"names": ["Fp1", "Fz"], "limit": 1.19}
    assert thresholds.above(TABLE, limit="median")["limit"] == 2.95
    assert thresholds.above(TABLE, limit=3.0)["names"] == ["O1"]  # strictly
    with pytest.raises(SignalError, match=r"Cz \(3\) is too close"):
        thresholds.above(TABLE, limit=2.99, margin=0.01)
    with pytest.raises(SignalError, match="no limit 'mode'"):
        thresholds.above(TABLE, limit="mode")


def test_channels():
    names = ["EEG Fp1-Ref", "F3", "fz", "FC1", "O1", "O2", "VEOG"]
    like = selectors.channels_like
    assert like(names, like=["F?", "FP*"])["channels"] == ["EEG Fp1-Ref", "F3", "fz"]
    assert like(names, region="frontal")["channels"] == ["EEG Fp1-Ref", "F3", "fz"]
    assert like(names, region="prefrontal")["channels"] == ["EEG Fp1-Ref"]
    assert like(names, region="frontal", side="left")["channels"] == ["EEG Fp1-Ref", "F3"]
    assert like(names, side="midline")["channels"] == ["fz"]
    assert like(names)["channels"] == names
    with pytest.raises(SignalError, match="no channel fits temporal"):
        like(names, region="temporal")


def test_windows():
    assert selectors.window(60, length=20, n=3)["windows"] == [[0, 20], [20, 40], [40, 60]]
    assert selectors.window(60, length=10, start=5, n=2, step=15)["windows"] == [[5, 15], [20, 30]]
    with pytest.raises(SignalError, match="beyond the 59 s"):
        selectors.window(59, length=20, n=3)
    with pytest.raises(SignalError, match="no window"):
        selectors.window(60, length=0)


def test_words():
    assert judging.ratio(6, 3) == {"value": 2.0}
    assert judging.difference(6, 3) == {"value": 3}
    with pytest.raises(SignalError, match="second number is 0"):
        judging.ratio(1, 0)
    frontal = {"labels": ["frontal", "occipital"]}
    assert judging.compare(2, 1, **frontal) == {"label": "frontal"}
    assert judging.compare(1, 2, **frontal) == {"label": "occipital"}
    with pytest.raises(SignalError, match="too close to compare"):
        judging.compare(1.0, 1.01, margin=0.05)
    assert judging.compare(1.0, 1.01, margin=0.05, tie="same") == {"label": "same"}
    with pytest.raises(SignalError, match="2 labels do not suit"):
        judging.compare(1, 2, labels=["a", "b"], tie="same")
    classes = {"limits": [10, 30], "labels": ["low", "moderate", "severe"]}
    assert [judging.label(v, **classes)["label"] for v in (9, 10, 29.9, 31)] == [
        "low", "moderate", "moderate", "severe",
    ]  # fmt: skip
    with pytest.raises(SignalError, match="to tell 'low' from 'moderate'"):
        judging.label(10.4, **classes, margin=0.05)
    with pytest.raises(SignalError, match="do not make 2 classes"):
        judging.label(1, limits=[3, 2], labels=["a", "b"])
    assert judging.member("O1", among=["O1"])["label"] == "yes"
    assert judging.member("O1", among=[], labels=["posterior", "other"])["label"] == "other"
    with pytest.raises(SignalError, match="two labels"):
        judging.member("O1", among=[], labels=["a"])


@pytest.mark.parametrize(
    "values",
    [{}, {"a": "x"}, {"a": float("nan")}, {"a": True}, [1, 2], {"a": {"b": 1}}, {"a": None}],
)
def test_rubbish_is_refused(values):
    for choose in (selectors.rank, selectors.argmax, lambda v: thresholds.above(v, limit=1)):
        with pytest.raises(SignalError) as error:
            choose(values)
        assert error.value.hint


def test_all_of_them_can_be_called_in_a_pipeline():
    from braino_registry.recordings.operations import operations

    known = operations()
    found = known["select.top"](values=TABLE, n=1)
    assert found["names"] == ["O1"]
    assert {name for name in known if name.startswith("select.")} >= {
        "select.rank", "select.argmax", "select.argmin", "select.ratio", "select.mean_over",
        "select.iqr_outliers", "select.window", "select.channels_like", "select.common",
    }  # fmt: skip
