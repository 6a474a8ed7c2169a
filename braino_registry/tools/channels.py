"""Which channels a recording has, and what their names tell."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from braino_registry.tools.decorator import Result, tool
from braino_registry.tools.recording import View
from braino_registry.tools.state import ToolState

EEG = ("eeg", "ecog", "seeg")


class Channels(Result, frozen=True, kw_only=True):
    """Channels by type, region and side."""

    eeg: Annotated[list[str], Meta(description="EEG channels, spelled as the recording does.")]
    other: Annotated[dict[str, list[str]], Meta(description="All others, by type.")]
    n_eeg: int
    system: Annotated[
        str | None, Meta(description="10-20, 10-10, 10-05 or other; null without EEG channels.")
    ]
    outside: Annotated[list[str], Meta(description="EEG channels that are no site of it.")]
    regions: Annotated[
        dict[str, list[str]],
        Meta(description="frontal, central, temporal, parietal, occipital."),
    ]
    prefrontal: Annotated[list[str], Meta(description="Rows Fp and AF, which are frontal, too.")]
    left: list[str]
    right: list[str]
    midline: list[str]
    homologous: Annotated[
        list[list[str]], Meta(description="Pairs that mirror each other, the left one first.")
    ]


@tool("channels.inspect", version="1.0.0", aliases=("ChannelInspector",))
def inspect(state: ToolState, *, view: View) -> Channels:
    """Say what kind each channel is of, and which region and side it belongs to by its name.

    Names are given exactly as the recording spells them. Whatever is not listed is not there.

    Definition: Types from channels.tsv, else the label. Sites: case, a prefix EEG, dots around and
    a reference after a hyphen are overlooked; T3, T4, T5, T6 are T7, T8, P7, P8. system: the
    smallest that holds 80 % of the EEG channels; 10-20 has 21 sites and A1, A2, M1, M2. Regions by
    the letters as written: frontal Fp, AF, F; central FC, C; temporal FT, T, TP; parietal CP, P;
    occipital PO, O, I. Odd numbers left, even right, z midline.

    Example: {"view": "sub-01_task-rest"}
    """
    from braino_registry.analysis.montage import classify, regions

    chosen = state.view(view)
    pairs = list(zip(chosen.ch_names, chosen.ch_types, strict=True))
    eeg = [name for name, kind in pairs if kind in EEG]
    other: dict[str, list[str]] = {}
    for name, kind in pairs:
        if kind not in EEG:
            other.setdefault(kind, []).append(name)
    placement = classify(eeg) if eeg else {"system": None, "outside": []}
    return Channels(
        eeg=eeg,
        other=other,
        n_eeg=len(eeg),
        system=placement["system"],
        outside=placement["outside"],
        **regions(eeg),
    )
