from __future__ import annotations

import mne
import pytest

from braino_registry.analysis import montage
from braino_registry.analysis.errors import SignalError


def template(system: str) -> list[str]:
    # releases of MNE differ in what they call it
    known = mne.channels.get_builtin_montages()
    name = f"colin27_{system}" if f"colin27_{system}" in known else f"standard_{system}"
    return list(mne.channels.make_standard_montage(name).ch_names)


NINETEEN = "Fp1 Fp2 F7 F3 Fz F4 F8 T7 C3 Cz C4 T8 P7 P3 Pz P4 P8 O1 O2".split()


@pytest.mark.parametrize(
    ("name", "site"),
    [
        ("Fp1", "Fp1"), ("EEG Fp1-Ref", "Fp1"), ("FP1.", "Fp1"), ("Fc5.", "FC5"), ("Cz..", "Cz"),
        ("T3", "T7"), ("EEG T6-LE", "P8"), ("AFZ", "AFz"), ("AFp1", "AFP1"), ("FCC3h", "FCC3H"),
        ("X1", None), ("VEOG", None), ("EMG", None), ("F11", None), ("A1", "A1"), ("", None),
    ],
)  # fmt: skip
def test_sites(name, site):
    assert montage.site_of(name) == site


def test_sites_are_those_of_mne():
    for known, at_least in (("1020", 85), ("1005", 300)):
        names = template(known)
        found = [montage.site_of(name) for name in names]
        assert sum(site is not None for site in found) >= at_least
    biosemi = mne.channels.make_standard_montage("biosemi64").ch_names
    assert all(montage.site_of(name) for name in biosemi)


def test_systems():
    found = montage.classify(NINETEEN)
    assert (found["system"], found["outside"], found["n_known"]) == ("10-20", [], 19)
    extra = montage.classify([*NINETEEN, "AFz", "X1"])
    assert (extra["system"], extra["outside"]) == ("10-20", ["AFz", "X1"])
    strict = montage.classify([*NINETEEN, "AFz", "X1"], share=0.95)
    assert (strict["system"], strict["outside"]) == ("10-10", ["X1"])
    biosemi = mne.channels.make_standard_montage("biosemi64").ch_names
    assert montage.classify(biosemi)["system"] == "10-10"
    dense = [name for name in template("1005") if "h" in name]
    assert montage.classify(dense)["system"] == "10-05"
    net = [f"E{k}" for k in range(1, 65)]
    other = montage.classify([*net, "Cz"])
    assert (other["system"], other["outside"]) == ("other", net)


def test_the_older_names_are_10_20():
    assert montage.classify("Fp1 F3 C3 P3 O1 T3 T5 A1".split())["system"] == "10-20"


def test_regions_sides_and_pairs():
    names = "Fp1 Fp2 AF3 F3 Fz FC1 C3 C4 T3 T5 TP7 P7 CP2 PO3 O1 Iz M1 X1".split()
    found = montage.regions(names)
    assert found["regions"] == {
        "frontal": ["Fp1", "Fp2", "AF3", "F3", "Fz"],
        "central": ["FC1", "C3", "C4"],
        "temporal": ["T3", "T5", "TP7"],
        "parietal": ["P7", "CP2"],
        "occipital": ["PO3", "O1", "Iz"],
    }
    assert found["prefrontal"] == ["Fp1", "Fp2", "AF3"]
    assert found["midline"] == ["Fz", "Iz"]
    assert found["right"] == ["Fp2", "C4", "CP2"]
    assert found["homologous"] == [["Fp1", "Fp2"], ["C3", "C4"]]
    assert montage.regions([])["regions"]["frontal"] == []


def test_pairs_go_by_site_and_keep_the_names():
    found = montage.regions(["EEG T3-LE", "EEG T4-LE", "O1", "EEG O2"])
    assert found["homologous"] == [["EEG T3-LE", "EEG T4-LE"], ["O1", "EEG O2"]]


def test_every_site_has_one_region_and_one_side():
    for name in template("1005"):
        if montage.site_of(name) is None or name in ("A1", "A2", "M1", "M2"):
            continue
        assert montage.region_of(name) in montage.REGIONS, name
        assert montage.side_of(name) in ("left", "right", "midline"), name


def test_refusals():
    with pytest.raises(SignalError, match="no channel"):
        montage.classify([])
    with pytest.raises(SignalError, match="no share"):
        montage.classify(NINETEEN, share=0)


@pytest.mark.parametrize(
    ("name", "sites"),
    [
        ("Fp1", ("Fp1",)), ("EEG FP2-REF", ("Fp2",)), ("EEG T6-LE", ("P8",)), ("t3", ("T7",)),
        ("FZ-CZ", ("Fz", "Cz")), ("FP1-F7", ("Fp1", "F7")), ("EEG Fpz-Cz", ("Fpz", "Cz")),
        ("T8-P8-0", ("T8", "P8")),  # a number behind tells apart what has the same name
        ("Fp1_REF", ("Fp1",)), ("T3/A1", ("T7",)), ("T3-lamp", ()), ("EMG chin", ()),
        ("Temp rectal", ()), ("EEG", ()), ("", ()),
    ],
)  # fmt: skip
def test_sites_of_bipolar_derivations(name, sites):
    assert montage.sites_of(name) == sites


def test_the_lobe_below_a_site():
    names = "F7 T5 P7 T8 F3 FC1 CP2 AF4 POz FT9 VEOG".split()
    assert [montage.lobe_of(name) for name in names] == [
        "temporal", "temporal", "temporal", "temporal", "frontal", "central", "parietal",
        "frontal", "occipital", "temporal", None,
    ]  # fmt: skip
    differs = [name for name in NINETEEN if montage.lobe_of(name) != montage.region_of(name)]
    assert differs == ["F7", "F8", "P7", "P8"]


@pytest.mark.parametrize("spell", [str, str.upper, str.lower, "EEG {}-REF".format])
@pytest.mark.parametrize("names", [("T3", "T4", "T5", "T6"), ("T7", "T8", "P7", "P8")])
def test_ten_twenty_pairs_in_both_namings(spell, names):
    given = [spell(name) for name in (*names, "C3", "C4", "Cz")]
    found = montage.ten_twenty_pairs(given)
    assert [pair for pair, _, _ in found] == ["C3-C4", "T7-T8", "P7-P8"]
    assert found[1][1:] == (spell(names[0]), spell(names[1]))
    assert montage.ten_twenty_pairs(["FP1-F7", "FP2-F8"]) == []
