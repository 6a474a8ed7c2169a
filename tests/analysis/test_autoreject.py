"""What recipes plant in epochs and components is found by autoreject, MNE's ICA and the SME."""

from __future__ import annotations

from itertools import islice

import pytest

from benchmarks.independent import autoreject_epochs, blink_component, p3_amplitude, planted

SOME = [
    (b"", 1),
    pytest.param(b"", 2, marks=pytest.mark.slow),
    pytest.param(b"salt 1", 2, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("salt", "n"), SOME)
def test_autoreject_flags_the_planted_epochs_and_few_others(salt: bytes, n: int) -> None:
    for one in islice(planted("epochs-with-artefacts", salt), n):
        found = autoreject_epochs(one)
        assert found.n_planted >= 7
        assert found.n_good >= 40
        assert found.above >= 0.9 * found.n_planted
        assert found.above_good <= 0.05 * found.n_good
        assert found.handled == found.n_planted
        assert found.rejected_good <= 0.05 * found.n_good


@pytest.mark.slow
@pytest.mark.parametrize(("salt", "n"), SOME)
def test_ica_recovers_the_planted_blinks_in_one_component(salt: bytes, n: int) -> None:
    for one in islice(planted("blinks-ica", salt), n):
        found = blink_component(one)
        assert found.time >= 0.9
        assert found.place >= 0.9
        assert found.second < 0.3


@pytest.mark.parametrize("salt", [b"", b"salt 1", b"salt 2"])
def test_the_planted_p3_is_measured_within_twice_its_error_at_40_trials(salt: bytes) -> None:
    for one in planted("oddball-p3", salt):
        found = p3_amplitude(one)
        assert found.n == 40
        assert found.planted > 3
        assert 0.5 < found.sme < 3
        assert abs(found.error) <= 2
