"""One recording as a file of its own: the same samples at the same rates, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import edfio
import numpy as np
import pytest
from numpy.typing import NDArray

from braino_registry.recordings.alone import write_alone
from braino_registry.recordings.errors import RecordingError


@dataclass
class Held:
    """A recording in memory, as far as writing asks of one."""

    channels: dict[str, tuple[str, float, NDArray[np.float64]]]

    @property
    def ch_names(self) -> tuple[str, ...]:
        return tuple(self.channels)

    @property
    def ch_types(self) -> tuple[str, ...]:
        return tuple(kind for kind, _, _ in self.channels.values())

    @property
    def duration(self) -> float:
        _, rate, data = next(iter(self.channels.values()))
        return len(data) / rate

    def length_of(self, name: str) -> int:
        return len(self.channels[name][2])

    def read(self, names: list[str]) -> NDArray[np.float64]:
        return np.stack([self.channels[name][2] for name in names])


def noise(n: int, seed: int = 0) -> NDArray[np.float64]:
    return np.random.default_rng(seed).normal(0, 20e-6, n)


def written(held: Held, folder: Path) -> edfio.Edf:
    path = folder / "record.edf"
    write_alone(held, path)  # type: ignore[arg-type]
    return edfio.read_edf(path)


def test_rates_of_their_own_are_kept(tmp_path: Path) -> None:
    held = Held(
        {
            "EEG Fpz-Cz": ("eeg", 100.0, noise(3000)),
            "EMG submental": ("emg", 1.0, noise(30, 1)),
            "Temp rectal": ("temperature", 1.0, 37 + noise(30, 2) * 1e4),
        }
    )
    edf = written(held, tmp_path)
    assert [signal.sampling_frequency for signal in edf.signals] == [100, 1, 1]
    assert [signal.physical_dimension for signal in edf.signals] == ["uV", "uV", ""]
    for signal, (kind, _, data) in zip(edf.signals, held.channels.values(), strict=True):
        wanted = data if kind == "temperature" else data * 1e6
        assert signal.data == pytest.approx(wanted, abs=np.ptp(wanted) / 65_000)


@pytest.mark.parametrize(
    ("n", "rate"), [(4097, 173.61), (1001, 1000 / 3), (7919, 511.9), (512, 256)]
)
def test_odd_rates_and_lengths_are_as_near_as_the_header_can_tell(
    n: int, rate: float, tmp_path: Path
) -> None:
    held = Held({"C3": ("eeg", rate, noise(n)), "C4": ("eeg", rate, noise(n, 1))})
    first, second = written(held, tmp_path).signals
    assert len(first.data) == len(second.data) == n
    assert first.sampling_frequency == pytest.approx(rate, rel=1e-6)


def test_the_only_channel_tells_no_electrode(tmp_path: Path) -> None:
    edf = written(Held({"Intracranial A7": ("ecog", 200.0, noise(400))}), tmp_path)
    assert [signal.label for signal in edf.signals] == ["EEG"]
    raw = (tmp_path / "record.edf").read_bytes()
    assert b"Intra" not in raw
    assert raw[8:168].split() == [b"X"] * 4 + [b"Startdate"] + [b"X"] * 4
    assert raw[168:184] == b"01.01.8500.00.00"


def test_a_flat_channel_is_written_flat(tmp_path: Path) -> None:
    held = Held({"C3": ("eeg", 100.0, np.full(300, 5e-6)), "C4": ("eeg", 100.0, noise(300))})
    assert written(held, tmp_path).signals[0].data == pytest.approx(np.full(300, 5.0), abs=1e-4)


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("C3", np.full(100, np.nan), "not finite"),
        ("a name of more than sixteen", noise(100), "no label for EDF"),
    ],
)
def test_what_edf_cannot_hold_is_refused(
    name: str, data: NDArray[np.float64], why: str, tmp_path: Path
) -> None:
    held = Held({name: ("eeg", 100.0, data), "C4": ("eeg", 100.0, noise(100))})
    with pytest.raises(RecordingError, match=why):
        written(held, tmp_path)
    assert not (tmp_path / "record.edf").exists()
