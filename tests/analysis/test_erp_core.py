"""The P3 of five participants of ERP CORE, whose averages others computed and gave out."""

from __future__ import annotations

import pytest

from braino_registry.analysis.erp import mean_amplitude
from tests.shared import shared

#: µV at Pz, mean of 300 to 600 ms, target minus non-target, as first measured.
DIFFERENCES = {"015": 2.1, "016": 6.2, "017": 3.5, "018": 2.6, "019": 5.4}
#: Whoever measured them took samples 38 to 76 at 128 Hz: 300 ms is 38.4 samples, cut to 38.
TMIN, TMAX = 38 / 128, 0.6
#: The window as it is said, without the sample before it.
STRICT = {"015": 2.206, "016": 6.446, "017": 3.537, "018": 2.629, "019": 5.543}


@pytest.mark.parametrize("label", sorted(DIFFERENCES))
def test_the_p3_is_as_large_as_it_was_measured(label: str) -> None:
    assert _difference(label, TMIN) == pytest.approx(DIFFERENCES[label], abs=0.05)


@pytest.mark.parametrize("label", sorted(STRICT))
def test_one_sample_more_or_less_changes_the_p3_by_a_tenth_of_a_microvolt(label: str) -> None:
    assert _difference(label, 0.3) == pytest.approx(STRICT[label], abs=0.001)
    assert abs(_difference(label, 0.3) - _difference(label, TMIN)) < 0.25


def _difference(label: str, tmin: float) -> float:
    import mne

    folder = shared("realdata", "erp-core-p3-evoked")
    (path,) = folder.rglob(f"sub-{label}_ses-P3_task-P3_ave.fif")
    target, standard, *_ = mne.read_evokeds(path, verbose="error")
    assert (target.nave, standard.nave) == (40, 160)
    amplitudes = [
        mean_amplitude(one.data, one.times, one.ch_names, channel="Pz", tmin=tmin, tmax=TMAX)
        for one in (target, standard)
    ]
    return float(amplitudes[0]["amplitude_uv"] - amplitudes[1]["amplitude_uv"])
