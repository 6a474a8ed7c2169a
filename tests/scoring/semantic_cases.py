"""How reports draw conclusions, and how they evade, contradict themselves or only repeat."""

from __future__ import annotations

from typing import Any

from tests.scoring.case import Case, cases
from tests.scoring.evidence import call, evidence

POSTERIOR = {
    "says": ["posterior|posteriorly|occipital + dominant|strongest|highest|maximal|peaks + alpha"],
    "opposite": ["frontal|anterior + dominant|strongest|highest|maximal + alpha"],
}
RATIO: dict[str, Any] = {
    "of": ["alpha/beta ratio", "ratio"],
    "from": ["first window", "window 1"],
    "to": ["second window", "window 2"],
}
BAND = {
    "among": {"delta": [], "theta": [], "alpha": [], "beta": []},
    "about": ["dominant band", "dominant synchronization", "dominant"],
}
PLACE = {
    "among": {"central": [], "occipital": []},
    "about": ["largest", "strongest"],
    "is": "central",
}
CLAIM = {"on": ["claim", "premise"]}
LACKING = {"lacks": ["Fz9", "channel Fz9"]}


def rubric(*findings: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a check of some findings."""
    return {"kind": "semantic", "findings": list(findings), **more}


def texts(check: dict[str, Any], accepted: list[str], refused: list[str]) -> list[Case]:
    """Return the cases of one check by the texts that it takes and those that it does not."""
    rows = [(text, True, evidence(text)) for text in accepted]
    return cases(check, *rows, *((text, False, evidence(text)) for text in refused))


SEMANTIC: list[Case] = [
    *texts(
        rubric({**POSTERIOR, "is": True}),
        [
            "Alpha is posterior dominant.",
            "Alpha power is strongest over the occipital region (0.42).",
            "Over the occipital channels, alpha was highest, followed by parietal ones.",
            "Ranking: occipital > parietal > frontal. Conclusion: posterior alpha dominance.",
            "The alpha rhythm peaks over posterior electrodes, whereas frontal channels are low.",
            "**Conclusion:** alpha is *posteriorly dominant*; it is not frontally dominant.",
            "The alpha distribution shows a clear posterior maximum with occipital sites highest.",
            "Posterior alpha dominance: yes",
            "There is no doubt that alpha is strongest at occipital sites.",
            "You asked whether alpha is posterior dominant. It is: alpha is highest over the "
            "occipital region.",
            '{"conclusion": "alpha is strongest over occipital sites", "ratio": 1.4}',
            "| Posterior alpha dominance | yes |",
        ],
        [
            "Alpha is not posterior dominant.",
            "Alpha is far from dominant over posterior sites.",
            "Alpha is anything but strongest over occipital sites.",
            "Alpha is strongest over frontal sites.",
            "Is alpha posterior dominant?",
            "Alpha might be posterior dominant.",
            "Alpha is posterior dominant. Alpha is not posterior dominant.",
            "Alpha is strongest over frontal sites and alpha is strongest over occipital sites.",
            "If alpha were dominant over posterior sites we would see it.",
            "Determine whether alpha is posterior dominant.",
            "You said that alpha is posterior dominant.",
            "There is no evidence that alpha is strongest over occipital channels.",
            "The claim that alpha is posterior dominant is wrong.",
            "Posterior alpha dominance: no",
            "Posterior alpha dominance",
            "Usually alpha is strongest over occipital sites.",
            "Alpha fails to be dominant over posterior areas.",
            "It is false that alpha is strongest over occipital sites.",
            "I looked at the recording.",
        ],
    ),
    *texts(
        rubric({**POSTERIOR, "is": False}),
        ["Alpha is not posterior dominant.", "Alpha is strongest over the frontal channels."],
        ["Alpha is posterior dominant.", "Alpha was analysed over posterior sites.", ""],
    ),
    *texts(
        rubric({**RATIO, "direction": "down"}),
        [
            "The alpha/beta ratio decreased from 1.4 to 0.9.",
            "The ratio fell while beta rose.",
            "The alpha/beta ratio is higher in the first window than in the second window.",
            "Alpha/beta ratio was lower in window 2.",
            "Ratio: 1.40 (window 1) -> 0.90 (window 2), a decrease of 0.5",
            "The ratio shows a decline from window 1 to window 2, i.e. a reduction.",
        ],
        [
            "The ratio rose. The ratio fell.",
            "The ratio did not decrease.",
            "The ratio could increase or decrease.",
            "Did the ratio decrease?",
            "The ratio might fall.",
            "The ratio did not change.",
            "In window 2 the ratio is larger than in window 1.",
            "Beta power fell.",
        ],
    ),
    *texts(
        rubric({**RATIO, "direction": "same"}),
        ["The ratio did not change.", "The ratio remained stable across both windows."],
        ["The ratio rose.", "The ratio remained stable. The ratio fell."],
    ),
    *texts(
        rubric({**CLAIM, "verdict": False}),
        [
            "The claim is wrong.",
            "The premise does not hold.",
            "The data contradict the claim.",
            "The claim that beta dominates is not supported by the data.",
            "I cannot confirm the claim.",
            "The supplied claim is incorrect: alpha dominates.",
            "Claim: not supported",
            "The claim is far from correct.",
            "The claim is anything but correct.",
            "The claim is hardly right.",
            "The claim is by no means true.",
            "The claim is in no way supported.",
            "The claim is nowhere near correct.",
            "I doubt that the claim is correct.",
        ],
        [
            "The claim is correct.",
            "The claim is not far from correct.",
            "The claim is far from wrong.",
            "There is no doubt that the claim is correct.",
            "The claim is right and wrong.",
            "The premise is supported.",
            "Is the claim wrong?",
            "Something is wrong.",
        ],
    ),
    *texts(
        rubric({**BAND, "is": "alpha"}),
        [
            "The dominant band is alpha.",
            "Alpha is the dominant band over beta (0.4 vs 0.3).",
            "Global PLV was delta 0.31, theta 0.33, alpha 0.45 and beta 0.28. The dominant band is "
            "therefore alpha.",
            "The dominant synchronization band is alpha, not beta.",
            "Phase locking is dominant in the alpha band, compared with theta and beta.",
        ],
        [
            "The dominant band is beta.",
            "Alpha and beta are dominant.",
            "The dominant band is alpha. The dominant band is beta.",
            "delta theta alpha beta",
        ],
    ),
    *texts(
        rubric(PLACE),
        [
            "Alpha is largest over the central region.",
            "Alpha is largest over the central region, followed by the occipital region.",
            "Central alpha is strongest compared with occipital.",
        ],
        [
            "Alpha is largest over the occipital region.",
            "The largest is central. The largest is occipital.",
        ],
    ),
    *texts(
        rubric(LACKING, forbids=["strong|high + power"]),
        [
            "There is no channel Fz9 in this recording.",
            "Channel Fz9 is not available, so I cannot compute its power.",
        ],
        [
            "Channel Fz9 is there and shows strong power.",
            "There is no channel Fz9. Its power is high.",
            "There is no channel Fz9, no ECG, no eyes closed run, and the window is beyond the end "
            "of the recording.",
            "Fz9 is not missing.",
        ],
    ),
    *cases(
        rubric({**POSTERIOR, "is": True}, grounded=True),
        ("a number with a source", True, evidence(
            "Alpha is strongest over occipital sites (0.4217).", call("x.y", {"share": 0.4217}))),
        ("an invented number", False, evidence(
            "Alpha is strongest over occipital sites (0.4217)."), "no source"),
        ("no answer", False, evidence(answered=False)),
    ),
    *cases(
        rubric({**POSTERIOR, "when": False}, {**LACKING, "when": True}),
        ("what does not apply is not asked", True, evidence("There is no channel Fz9.")),
        ("what applies is", False, evidence("Alpha is strongest over occipital sites.")),
    ),
    *cases(
        rubric({**POSTERIOR, "when": False}),
        ("nothing applies", False, evidence("Alpha is posterior dominant."), "no finding"),
    ),
    *cases(
        rubric(LACKING, no_values_of=["power"]),
        ("refuses", True, evidence("There is no channel Fz9, so its power cannot be computed.",
            fields={"power": {"type": "number", "unit": "µV²"}})),
        ("refuses and answers", False, evidence(
            "There is no channel Fz9. The power is 12.3 µV².",
            fields={"power": {"type": "number", "unit": "µV²"}}), "value after all"),
        ("refuses in words and answers in data", False, evidence(
            "There is no channel Fz9.", data={"power": 12.3},
            fields={"power": {"type": "number", "unit": "µV²"}}), "value after all"),
    ),
]  # fmt: skip
