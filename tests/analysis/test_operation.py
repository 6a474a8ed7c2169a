from __future__ import annotations

import pytest

from braino_registry.analysis.operation import OPERATIONS, operation
from braino_registry.errors import EntryError, UsageError


def test_every_operation_is_documented_and_versioned():
    names = OPERATIONS.names()
    assert {"spectra.band_power", "erp.peak", "quality.bad_channels", "stats.ttest"} <= set(names)
    for name, item in OPERATIONS:
        assert item.name == name
        assert item.version.count(".") == 2
        assert item.function.__doc__
        assert not set(item.parameters) & {"data", "sfreq", "ch_names", "times"}


def test_signal_parameters_are_told_from_arguments():
    peak = OPERATIONS.get("erp.peak")
    assert peak.signal == {"data", "times", "ch_names"}
    assert peak.parameters == ("channel", "tmin", "tmax", "polarity", "rule")
    assert OPERATIONS.get("stats.correct").signal == frozenset()


def test_unknown_and_duplicate_names():
    with pytest.raises(UsageError, match=r"erp\.peek") as error:
        OPERATIONS.get("erp.peek")
    assert "erp.peak" in error.value.hint
    with pytest.raises(EntryError, match="two operations"):

        @operation("erp.peak", version="9.9.9")
        def other(value: float) -> float:
            return value
