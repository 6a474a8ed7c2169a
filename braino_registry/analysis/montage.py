"""What channel names tell: the system of placement, region and side of each, and pairs.

The one place that knows what an electrode's name says. Letters tell the region and numbers the side
(Jasper, 1958; Acharya et al., 2016); each function states its rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.neighbours import OLD_NAMES, label_of, standard_positions
from braino_registry.analysis.operation import operation

Region = Literal["prefrontal", "frontal", "central", "temporal", "parietal", "occipital"]
Side = Literal["left", "right", "midline"]

SYSTEMS = ("10-20", "10-10", "10-05")
REGIONS: tuple[Region, ...] = ("frontal", "central", "temporal", "parietal", "occipital")

_TEN_TWENTY = (
    "Fp1 Fpz Fp2 F7 F3 Fz F4 F8 T7 C3 Cz C4 T8 P7 P3 Pz P4 P8 O1 Oz O2 A1 A2 M1 M2".split()
)
# rows of the 10-10 system (Acharya et al. 2016) with the largest number on the left
_ROWS = {
    "Fp": 1, "AF": 7, "F": 9, "FC": 5, "C": 5, "CP": 5, "P": 9, "PO": 9, "O": 1, "I": 1,
}  # fmt: skip
_FLANKS = {"FT": (7, 9), "T": (7, 9), "TP": (7, 9)}
# The second letter of two decides, and T always does: FC is central, CP parietal, TP temporal.
_REGION_OF: Mapping[str, Region] = {
    **dict.fromkeys(("FP", "AF", "AFP", "AFF", "F", "FFT", "FFC", "N"), "frontal"),
    **dict.fromkeys(("FC", "FCC", "C", "CCP"), "central"),
    **dict.fromkeys(("FT", "FTT", "T", "TTP", "TP", "TPP"), "temporal"),
    **dict.fromkeys(("CP", "CPP", "P", "PPO"), "parietal"),
    **dict.fromkeys(("PO", "POO", "O", "OI", "I"), "occipital"),
}
_PREFRONTAL = ("FP", "AF", "AFP")
# sites of the 10-20 system that lie over the temporal lobe or at its edge
_LATERAL = frozenset(("F7", "F8", "T7", "T8", "P7", "P8"))
_TEN_TWENTY_PAIRS = (
    ("Fp1", "Fp2"), ("F3", "F4"), ("C3", "C4"), ("P3", "P4"), ("O1", "O2"),
    ("F7", "F8"), ("T7", "T8"), ("P7", "P8"),
)  # fmt: skip
_REFERENCE = re.compile(r"[-_ /](?:REF|LE|AV|AVG|AVE|CAR|A1|A2|A1A2|M1|M2|CZREF|0)$", re.IGNORECASE)


def _ten_ten() -> Iterator[str]:
    yield from ("Nz", *_TEN_TWENTY)
    for row, outermost in _ROWS.items():
        yield f"{row}z"
        for odd in range(1, outermost + 1, 2):
            yield from (f"{row}{odd}", f"{row}{odd + 1}")
    for row, numbers in _FLANKS.items():
        for odd in numbers:
            yield from (f"{row}{odd}", f"{row}{odd + 1}")


_NAMES: Mapping[str, frozenset[str]] = {
    "10-20": frozenset(name.upper() for name in _TEN_TWENTY),
    "10-10": frozenset(name.upper() for name in _ten_ten()),
}
_SPELLED = {name.upper(): name for name in _ten_ten()}


def site_of(name: str) -> str | None:
    """Return the site that a channel's name stands for, or None.

    Parameters
    ----------
    name : str
        As the recording spells it; T3, T4, T5 and T6 are T7, T8, P7 and P8.

    Returns
    -------
    str | None
        As the 10-10 system spells it, in capitals if it belongs to the 10-05 system alone.
    """
    label = label_of(name)
    label = OLD_NAMES.get(label, label)
    if label in _SPELLED:
        return _SPELLED[label]
    # the names of 10-05 are read from MNE, which takes long to load
    looks_like_one = re.fullmatch(r"[AFTCPOIN]{1,3}(\d{1,2}H?|Z)", label)
    return label if looks_like_one and label in standard_positions() else None


def sites_of(name: str) -> tuple[str, ...]:
    """Return the sites in a channel's name: one, two of a bipolar derivation, or none.

    Parameters
    ----------
    name : str
        For example ``"EEG T3-REF"`` (T7) or ``"FP1-F7"`` (Fp1 and F7). A reference such as REF, LE,
        AVG, A1 or M2 behind the name is none of its sites.

    Returns
    -------
    tuple of str
        As in :func:`site_of`; empty if either part is no site.
    """
    bare = _REFERENCE.sub("", re.sub(r"^EEG[ _-]*", "", name.strip(), flags=re.IGNORECASE))
    # a third part numbers channels of the same name and says nothing of the site
    found = [site_of(part) for part in re.split(r"[-–/]", bare)[:2]]
    sites = [site for site in found if site is not None]
    return tuple(sites) if len(sites) == len(found) else ()


def region_of(name: str) -> Region | None:
    """Return the region of a channel by the letters of its name, or None if it is no site.

    The letters as they are written: T5 is temporal and P7 parietal, though they are one site. Of
    two letters the second decides (FC central, CP parietal, PO occipital), but T always does (FT
    and TP temporal), and AF is frontal.
    """
    if site_of(name) is None:
        return None
    letters = re.match(r"[A-Z]*?(?=\d|Z$)", label_of(name))
    return _REGION_OF.get(letters.group()) if letters else None


def lobe_of(name: str) -> Region | None:
    """Return the region of a site by the lobe below it, or None if it is no site.

    That of :func:`region_of`, but F7, F8, T7, T8, P7 and P8, in either naming, are temporal: so
    has it the tool ``get_channel_list`` of EEGAgentBench (Wu et al., 2026).
    """
    return "temporal" if site_of(name) in _LATERAL else region_of(name)


def side_of(name: str) -> Side | None:
    """Return the side of a channel: odd numbers left, even ones right, z on the midline."""
    if site_of(name) is None:
        return None
    label = label_of(name)
    number = re.search(r"\d+", label)
    if number is None:
        return "midline"
    return "left" if int(number.group()) % 2 else "right"


def is_prefrontal(name: str) -> bool:
    """Tell whether a channel lies in the rows Fp or AF."""
    letters = re.match(r"[A-Z]*?(?=\d|Z$)", label_of(name))
    return site_of(name) is not None and letters is not None and letters.group() in _PREFRONTAL


@operation("montage.classify", version="1.0.0")
def classify(ch_names: Sequence[str], *, share: float = 0.8) -> dict[str, Any]:
    """Return the system of placement that channels follow, and those that lie outside of it.

    The system is the smallest of 10-20, 10-10 and 10-05 that holds at least ``share`` of the
    channels, else ``other``. The 10-20 system has 21 sites and A1, A2, M1, M2; the 10-10 system
    those of Acharya et al. (2016); the 10-05 system those of Oostenveld and Praamstra (2001).
    Spelling as in :func:`label_of`; T3 to T6 are the older names of T7, T8, P7, P8.

    Parameters
    ----------
    ch_names : sequence of str
        EEG channels.
    share : float
        Above 0, at most 1.

    Returns
    -------
    dict
        ``system``, ``outside`` (as named, in the order given; all that have no site if the system
        is ``other``), ``sites`` by channel (None without one), ``n_channels``, ``n_known`` and
        ``shares`` by system.
    """
    if not ch_names:
        raise SignalError("there is no channel", hint="Pass the names of channels.")
    if not 0 < share <= 1:
        raise SignalError(f"{share:g} is no share", hint="Pass share above 0, at most 1.")
    sites = {name: site_of(name) for name in ch_names}
    held = {system: [name for name in ch_names if _in(sites[name], system)] for system in SYSTEMS}
    shares = {system: len(names) / len(ch_names) for system, names in held.items()}
    system = next((known for known in SYSTEMS if shares[known] >= share), "other")
    inside = held["10-05" if system == "other" else system]
    return {
        "system": system,
        "outside": [name for name in ch_names if name not in inside],
        "sites": sites,
        "n_channels": len(ch_names),
        "n_known": sum(site is not None for site in sites.values()),
        "shares": shares,
    }


def _in(site: str | None, system: str) -> bool:
    return site is not None and (system == "10-05" or site.upper() in _NAMES[system])


@operation("montage.regions", version="1.0.0")
def regions(ch_names: Sequence[str]) -> dict[str, Any]:
    """Return the channels of each region and side, and the pairs that mirror each other.

    Regions by the letters of the label as it is written: frontal Fp, AF, F; central FC, C; temporal
    FT, T, TP; parietal CP, P; occipital PO, O, I. Odd numbers lie left, even ones right, z on the
    midline. Earlobes, mastoids and channels that are no site belong to no region. Homologous: an
    odd number and the even one that follows it.

    Parameters
    ----------
    ch_names : sequence of str
        EEG channels.

    Returns
    -------
    dict
        ``regions`` (frontal, central, temporal, parietal, occipital), ``prefrontal`` (Fp and AF),
        ``left``, ``right``, ``midline``: names as given, in the order given; ``homologous``:
        ``[left, right]`` pairs.
    """
    placed = [name for name in ch_names if region_of(name) is not None]
    return {
        "regions": {
            region: [name for name in placed if region_of(name) == region] for region in REGIONS
        },
        "prefrontal": [name for name in placed if is_prefrontal(name)],
        **{
            side: [name for name in placed if side_of(name) == side]
            for side in ("left", "right", "midline")
        },
        "homologous": _mirrored(placed),
    }


def _mirrored(placed: Sequence[str]) -> list[list[str]]:
    sites = {(site_of(name) or "").upper(): name for name in placed}
    pairs = []
    for name in placed:
        number = re.search(r"\d+", site := (site_of(name) or "").upper())
        if number is None or int(number.group()) % 2 == 0:
            continue
        other = site[: number.start()] + str(int(number.group()) + 1) + site[number.end() :]
        if other in sites:
            pairs.append([name, sites[other]])
    return pairs


def ten_twenty_pairs(ch_names: Sequence[str]) -> list[tuple[str, str, str]]:
    """Return the mirrored pairs of the 10-20 system that are among channels.

    Parameters
    ----------
    ch_names : sequence of str
        Channel names. Bipolar derivations have no single site and make no pair.

    Returns
    -------
    list of (str, str, str)
        What the pair is called (``"C3-C4"``), its left and its right channel as named, in the order
        Fp, F, C, P, O, F7, T7, P7; of several channels of one site the first.
    """
    single: dict[str, str] = {}
    for name in ch_names:
        sites = sites_of(name)
        if len(sites) == 1:
            single.setdefault(sites[0], name)
    return [
        (f"{left}-{right}", single[left], single[right])
        for left, right in _TEN_TWENTY_PAIRS
        if left in single and right in single
    ]
