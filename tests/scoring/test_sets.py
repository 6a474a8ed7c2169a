"""How answers phrase sets of channels and of labels."""

from __future__ import annotations

from typing import Any

import pytest

from braino_registry.scoring import Reading, read
from tests.scoring.evidence import BAD, call, evidence

# what the answer says, and the channels that it singles out; "-" is the empty set, None is unread
ONE: list[tuple[str, str | None]] = [
    ("Marked T8 as bad in subject 02.", "T8"),
    ("Marked **T8** as bad in subject 02.", "T8"),
    ("bad channels: T8, Fp1", "T8 Fp1"),
    ("Bad channels: T8/Fp1", "T8 Fp1"),
    ("bad_channels: ['T8', 'Fp1']", "T8 Fp1"),
    ("bad_channels = []", "-"),
    ("T8", "T8"),
    ("t8, fp1.", "T8 Fp1"),
    ("T8 is bad in subject 02.", "T8"),
    ("T8, Fp1 is bad in subject 02.", "T8 Fp1"),
    ("Only T8 is bad.", "T8"),
    ("T8 → bad", "T8"),
    ("| T8 | bad |\n| T7 | good |", "T8"),
    ("Subject 02's T8 is noisy; I marked it.", "T8"),
    ("T8 was rejected as noisy.", "T8"),
    ("The channel T8 cannot be used.", "T8"),
    ("T8 is not usable.", "T8"),
    ("T8 (noisy), Fp1 (flat) and O2 (drift) cannot be used.", "T8 Fp1 O2"),
    ("T8, which lies over the right temporal lobe, is bad.", "T8"),
    ("Bad channels are T8, probably loose, and Fp1.", "T8 Fp1"),
    ("Bad channels:\n- T8\n- Fp1\n\nKept:\n- T7", "T8 Fp1"),
    ("Bad: T8\nKept: T7, Cz", "T8"),
    # denied and kept
    ("T8 is bad; T7 was left as is", "T8"),
    ("T8 is bad, T7 was left as is.", "T8"),
    ("The bad channel is T8, T7 was left as is", "T8"),
    ("T8 is bad and T7 is fine", "T8"),
    ("T8 is bad, but T7 is fine.", "T8"),
    ("I marked T8 as bad but kept T7.", "T8"),
    ("Marked T8, not T7, as bad.", "T8"),
    ("Marked not T7 but T8 as bad.", "T8"),
    ("I marked T8 instead of T7.", "T8"),
    ("Neither T7 nor T8 is bad; Fp1 is.", "Fp1"),
    ("T7 and P7 are good. T8 is not.", "T8"),
    ("T7 looked suspicious at first, but T7 is fine. T8 is bad.", "T8"),
    ("T8 and Fp1 are bad. The other channels, such as T7 and O1, are fine.", "T8 Fp1"),
    ("T8 isn't bad", None),
    ("You declined, so T8 was not marked.", None),
    # proposed
    ("I proposed T8 and Fp1, but only T8 was marked.", "T8"),
    ("I suggested marking T8 and T7; you edited this to T8. T8 has been marked bad.", "T8"),
    ("T8 shows broadband noise and was marked bad; F4 was proposed too, but you kept it.", "T8"),
    ("Channels T8 & Fp1 were marked as bad, while F4 was kept at your request.", "T8 Fp1"),
    (
        "After filtering, quality.bad_channels flagged T8 and F4; you removed F4 from my proposal, "
        "so T8 was marked.",
        "T8",
    ),
    (
        "Following your edit, T8 (and only T8) is now marked bad in subject 02; T7, which I had "
        "also proposed, stays good.",
        "T8",
    ),
    # only looked at
    ("I re-referenced to Cz and marked T8.", "T8"),
    ("T8 is noisy compared with its neighbours T7 and P8.", "T8"),
    # except
    ("No bad channels other than T8.", "T8"),
    ("All channels are good except T8.", "T8"),
    ("All channels except T8 are good.", "T8"),
    ("All channels are bad except T8", None),
    # none
    ("No bad channels", "-"),
    ("No channels are bad.", "-"),
    ("I found no bad channels in subject 01.", "-"),
    ("I could not find any bad channels.", "-"),
    ("Every channel is fine.", "-"),
    ("Nothing was marked.", "-"),
    ("None.", "-"),
    # unread
    ("", None),
    ("There are bad channels.", None),
    ("T8 is bad. T8 is fine.", None),
]

THREE: list[tuple[str, str]] = [
    ("flat: O1; noisy: T8, drifting: F3 and F4", "O1/T8/F3 F4"),
    ("O1 is flat, T8 is noisy and F3 and F4 drift", "O1/T8/F3 F4"),
    ("O1 (flat), T8 (noisy), F3 and F4 (drifting)", "O1/T8/F3 F4"),
    ("Flat: O1\nNoisy: T8\nDrifting: F3, F4", "O1/T8/F3 F4"),
    ("Flat channels:\n- O1\n- P3\nNoisy channels:\n- T8\nDrifting channels: none", "O1 P3/T8/-"),
    ("No flat or drifting channels; T8 is noisy", "-/T8/-"),
    ("flat_channels: [O1], noisy_channels: [T8], drifting_channels: []", "O1/T8/-"),
    ("| O1 | flat |\n| T8 | noisy |\n| F3 | drift |", "O1/T8/F3"),
    ("T8 has broadband noise, F3 shows a slow drift, and there is no signal at O1 (flat).",
     "O1/T8/F3"),
    ("T8 is noisy (not flat). O1 is flat; F3 drifts", "O1/T8/F3"),
    ("O1 is a flatline. T8 is bad because of high-frequency noise. F3 drifts slowly.", "O1/T8/F3"),
    ("Channel O1 is flat (zero variance), channel T8 is noisy and channels F3, F4 drift.",
     "O1/T8/F3 F4"),
    ("Three channels cannot be used: O1 is flat, T8 is noisy, F3 is drifting. The rest are fine.",
     "O1/T8/F3"),
    ("flat O1; noisy T8; drifting F3", "O1/T8/F3"),
    ("T8 is noisy and also drifts; O1 is flat.", "O1/T8/T8"),
    ("Noisy: T8, drifting: none, flat: O1", "O1/T8/-"),
    ("T8 is noisy.", "?/T8/?"),
    ("O1, T8 and F3 are flat, noisy and drifting.", "?/?/?"),
    ("T8", "?/?/?"),
]  # fmt: skip

BANDS: list[tuple[str, str | None]] = [
    (
        "Only alpha differs between the groups after Holm correction (t = 5.1, p = 0.0003); theta "
        "and beta do not differ.",
        "alpha",
    ),
    ("Neither theta nor beta differed; alpha did.", "alpha"),
    ("Alpha was higher in patients, while theta and beta showed no difference.", "alpha"),
    ("After Holm correction at alpha = 0.05 only beta differs.", "beta"),
    ("I compared theta, alpha and beta between groups. Only alpha differs.", "alpha"),
    ("alpha: significant (p = 0.001); theta: not significant; beta: n.s.", "alpha"),
    ("The groups differ in alpha power only.", "alpha"),
    ("The bands that differ after correction: alpha.", "alpha"),
    ("Alpha and beta differ significantly; theta does not.", "alpha beta"),
    ("alpha", "alpha"),
    ("No band differs after correction.", "-"),
    ("None of the bands survive.", "-"),
    ("I ran three t-tests.", None),
]

KINDS = ("flat_channels", "noisy_channels", "drifting_channels")


def _names(text: str | None) -> frozenset[str] | None:
    return None if text in (None, "?") else frozenset(str(text).replace("-", "").split())


def _read(text: Any, fields: dict[str, Any], name: str, **more: Any) -> Reading:
    given = evidence(text, call("quality.bad_channels", {}), fields=fields, **more)
    return read(fields[name], name, given)


@pytest.mark.parametrize(("text", "names"), ONE)
def test_one_set_of_channels(text: str, names: str | None) -> None:
    reading = _read(text, BAD, "bad_channels")
    assert reading.value == _names(names), reading.reason
    assert bool(reading.reason) is (reading.value is None)


@pytest.mark.parametrize(("text", "names"), THREE)
def test_three_sets_of_channels(text: str, names: str) -> None:
    fields = {name: {"type": "set", "of": "channel"} for name in KINDS}
    found = [_read(text, fields, name).value for name in KINDS]
    assert found == [_names(part) for part in names.split("/")]


@pytest.mark.parametrize(("text", "names"), BANDS)
def test_set_of_labels(text: str, names: str | None) -> None:
    fields = {"significant_bands": {"type": "set", "labels": ["theta", "alpha", "beta"]}}
    assert _read(text, fields, "significant_bands").value == _names(names)


def test_subjects() -> None:
    fields = {"excluded": {"type": "set", "of": "subject"}}
    reading = _read("Excluded sub-02; subject 01 was kept.", fields, "excluded")
    assert reading.value == {"02"}


def test_json_block_is_data() -> None:
    text = 'Here it is.\n```json\n{"bad_channels": ["t8"]}\n```'
    reading = _read(text, BAD, "bad_channels")
    assert (reading.value, reading.where) == (frozenset({"T8"}), "data")
    assert _read('{"bad_channels": ["T8"]}', BAD, "bad_channels").value == {"T8"}


def test_data_wins_and_agrees() -> None:
    reading = _read("T8 is bad.", BAD, "bad_channels", data={"bad_channels": ["T8"]})
    assert (reading.value, reading.where, reading.conflict) == ({"T8"}, "data", False)
    silent = _read("See the data.", BAD, "bad_channels", data={"Bad-Channels": ["T8"]})
    assert silent.value == {"T8"}


def test_data_against_text_is_null() -> None:
    reading = _read("Fp1 is bad.", BAD, "bad_channels", data={"bad_channels": ["T8"]})
    assert reading.value is None
    assert reading.conflict
    assert "T8" in reading.reason
    assert "Fp1" in reading.reason


def test_two_data_objects_that_disagree_are_null() -> None:
    text = '```json\n{"bad_channels": ["Fp1"]}\n```'
    assert _read(text, BAD, "bad_channels", data={"bad_channels": ["T8"]}).conflict


def test_old_channel_names_only_where_declared() -> None:
    assert _read("T4 is bad.", BAD, "bad_channels").value is None
    declared = {"bad_channels": {"type": "set", "of": "channel", "aliases": {"T8": ["T4"]}}}
    assert _read("T4 is bad.", declared, "bad_channels").value == {"T8"}
    assert _read("", declared, "bad_channels", data={"bad_channels": ["t4"]}).value == {"T8"}


def test_a_field_is_named_by_what_it_is_said_as() -> None:
    fields = {
        "quiet": {"type": "set", "of": "channel", "said_as": ["flat", "dead"]},
        "loud": {"type": "set", "of": "channel", "said_as": ["noisy"]},
    }
    text = "O1 is dead; T8 is noisy."
    assert [_read(text, fields, name).value for name in fields] == [{"O1"}, {"T8"}]


def test_names_that_are_words_count_only_as_written() -> None:
    context = {"ch_names": ["A", "I", "T8"]}
    given = evidence("I found a bad channel: T8.", context=context)
    assert read(BAD["bad_channels"], "bad_channels", given).value == {"I", "T8"}
    lower = evidence("we marked a bad channel: T8.", context=context)
    assert read(BAD["bad_channels"], "bad_channels", lower).value == {"T8"}
