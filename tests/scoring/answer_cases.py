"""What the agent answered: values, refusals, numbers."""

from __future__ import annotations

import functools
from typing import Any

from tests.scoring.case import Case, cases
from tests.scoring.evidence import RECORDING, ask, call, decide, evidence
from tests.scoring.sessions import NOTCH_50

INFO = call(
    "recording.info",
    {"ch_types": {"eeg": 32, "ecg": 0}, "n_channels": 32, "sfreq": 250.0, "definition": "eeg, ecg"},
    view=RECORDING,
)
RATE: dict[str, Any] = {"heart_rate": {"type": "number", "unit": "bpm"}}
PEAK: dict[str, Any] = {
    "latency": {"type": "number", "unit": "s"},
    "amplitude": {"type": "number", "unit": "µV"},
}
BANDS: dict[str, Any] = {
    "best": {"type": "label", "labels": ["theta", "alpha"], "aliases": {"alpha": ["α"]}}
}
ORDER: dict[str, Any] = {
    "order": {"type": "sequence", "labels": ["delta", "theta", "alpha", "beta"]}
}
SET = {"kind": "set", "field": "bad_channels", "expected": ["T8", "Fp1"]}
F1 = {**SET, "mode": "f1", "threshold": 0.6}
NUMBER = {"kind": "number", "field": "latency", "expected": 0.43, "tolerance": {"abs": 0.01}}
UV = {
    "kind": "number",
    "field": "amplitude",
    "expected": 3.12e-5,
    "unit": "V",
    "tolerance": {"rel": 0.02},
}
LABEL = {"kind": "label", "field": "best", "expected": "alpha"}
SEQUENCE = {"kind": "sequence", "field": "order", "expected": ["theta", "alpha", "beta"]}
REFUSES = {
    "kind": "refuses",
    "fields": ["heart_rate"],
    "missing": ["ECG", "electrocardiogram", "EKG"],
    "tool": "recording.info",
    "on": RECORDING,
    "lacks": ["ecg"],
}
GROUNDED = {"kind": "grounded"}
MEASURE = call("erp.measure", {"latency": 0.4297, "amplitude_uv": 31.247}, view="view-1", tmin=0.3)
HAS_ECG = call("recording.info", {"ch_types": {"eeg": 32, "ecg": 1}}, view=RECORDING)
OTHER_INFO = call("recording.info", {"ch_types": {"eeg": 32}}, view="sub-01_task-rest")
NO_ECG = "I cannot tell: the recording has no ECG channel, only 32 EEG channels."

OWN_NOTCH = decide("set-preprocessing", {"notch": 61.73})
DEEP: Any = functools.reduce(lambda inner, _: [inner], range(80), 93.726)
LONG = "x" * 250_000 + " 93.726"

ANSWERS: list[Case] = [
    *cases(
        SET,
        ("exact", True, evidence("Bad channels: T8 and Fp1.")),
        ("other spelling", True, evidence("bad: t8, FP1")),
        ("in data", True, evidence("", data={"bad_channels": ["Fp1", "T8"]})),
        ("too many", False, evidence("Bad channels: T8, Fp1 and F4."), "too many: F4"),
        ("too few", False, evidence("Bad channels: T8."), "missing: Fp1"),
        (
            "every channel",
            False,
            evidence("Bad channels: " + ", ".join(evidence().vocabulary("ch_names"))),
        ),
        (
            "every channel in data",
            False,
            evidence("", data={"bad_channels": list(evidence().vocabulary("ch_names"))}),
        ),
        ("an unknown one too", False, evidence("", data={"bad_channels": ["T8", "Fp1", "X99"]})),
        ("none", False, evidence("No bad channels.")),
        ("no answer", False, evidence(answered=False), "no answer"),
        ("denied", False, evidence("T8 and Fp1 are not bad.")),
        (
            "data against text",
            False,
            evidence("Bad channels: F4.", data={"bad_channels": ["T8", "Fp1"]}),
            "contradictory",
        ),
        ("null", False, evidence("", data={"bad_channels": None})),
        ("nested lists", False, evidence("", data={"bad_channels": [["T8", "Fp1"]]})),
    ),
    *cases(
        {**SET, "expected": []},
        ("empty and said so", True, evidence("No bad channels.")),
        ("empty in data", True, evidence("", data={"bad_channels": []})),
        ("not said", False, evidence("Finished.")),
        ("no answer", False, evidence(answered=False)),
    ),
    *cases(
        F1,
        ("one of two", True, evidence("Bad channels: T8."), "F1 0.667"),
        (
            "every channel",
            False,
            evidence("Bad channels: " + ", ".join(evidence().vocabulary("ch_names"))),
        ),
        ("none", False, evidence("No bad channels.")),
    ),
    *cases(
        NUMBER,
        ("in ms", True, evidence("The peak is at 430 ms.", fields=PEAK)),
        ("in data", True, evidence("", data={"latency": 0.4297}, fields=PEAK)),
        ("at the edge", True, evidence("Latency: 0.44 s", fields=PEAK)),
        ("beyond it", False, evidence("Latency: 0.441 s", fields=PEAK), "0.441"),
        ("wrong unit", False, evidence("The peak is at 430 s.", fields=PEAK)),
        ("wrong sign", False, evidence("The peak is at -430 ms.", fields=PEAK)),
        (
            "several",
            False,
            evidence("The latency is 430 ms, or 440 ms, or 450 ms.", fields=PEAK),
            "several",
        ),
        ("a range", False, evidence("The latency is 300–600 ms.", fields=PEAK)),
        ("nan", False, evidence("", data={"latency": float("nan")}, fields=PEAK)),
        ("infinite", False, evidence("", data={"latency": 10**400}, fields=PEAK)),
        ("true", False, evidence("", data={"latency": True}, fields=PEAK)),
        ("a list of guesses", False, evidence("", data={"latency": [0.42, 0.43]}, fields=PEAK)),
        (
            "data against text",
            False,
            evidence("Latency: 0.9 s.", data={"latency": 0.43}, fields=PEAK),
            "contradictory",
        ),
        ("nothing", False, evidence("It peaks late.", fields=PEAK)),
    ),
    *cases(
        UV,
        ("in µV", True, evidence("The amplitude is 31.2 µV.", fields=PEAK)),
        ("in V", True, evidence("The amplitude is 3.12e-5 V.", fields=PEAK)),
        ("1.5 % off", True, evidence("The amplitude is 31.6 µV.", fields=PEAK)),
        ("3 % off", False, evidence("The amplitude is 32.2 µV.", fields=PEAK)),
        ("volts as µV", False, evidence("", data={"amplitude": 3.12e-5}, fields=PEAK)),
    ),
    *cases(
        LABEL,
        ("said", True, evidence("The best band is alpha.", fields=BANDS)),
        ("alias", True, evidence("best: α", fields=BANDS)),
        ("another", False, evidence("The best band is theta.", fields=BANDS), "theta"),
        ("both", False, evidence("The best band is alpha or theta.", fields=BANDS)),
        ("denied", False, evidence("The best band is not alpha.", fields=BANDS)),
        ("null", False, evidence("", data={"best": None}, fields=BANDS)),
        ("not a label", False, evidence("", data={"best": "alpha and theta"}, fields=BANDS)),
        ("nothing", False, evidence("I do not know.", fields=BANDS)),
    ),
    *cases(
        SEQUENCE,
        ("arrows", True, evidence("theta → alpha → beta", fields=ORDER)),
        ("then", True, evidence("The order is theta, then alpha, then beta.", fields=ORDER)),
        ("another order", False, evidence("alpha, theta, beta", fields=ORDER)),
        ("one more", False, evidence("theta, alpha, beta, delta", fields=ORDER)),
        ("one less", False, evidence("theta, alpha", fields=ORDER)),
        ("both orders", False, evidence("theta, alpha, beta\nbeta, alpha, theta", fields=ORDER)),
        ("a set in data", False, evidence("", data={"order": {"theta": 1}}, fields=ORDER)),
    ),
    *cases(
        {**SEQUENCE, "mode": "position", "threshold": 0.6},
        (
            "two of three",
            True,
            evidence("", data={"order": ["theta", "alpha", "delta"]}, fields=ORDER),
        ),
        (
            "all labels",
            False,
            evidence("", data={"order": ["delta", "theta", "alpha", "beta"]}, fields=ORDER),
        ),
    ),
    *cases(
        REFUSES,
        ("refuses", True, evidence(NO_ECG, INFO, fields=RATE)),
        ("null in data", True, evidence(NO_ECG, INFO, fields=RATE, data={"heart_rate": None})),
        ("without looking", False, evidence(NO_ECG, fields=RATE), "rests on nothing"),
        ("the look failed", False, evidence(NO_ECG, call("recording.info", ok=False), fields=RATE)),
        ("looked elsewhere", False, evidence(NO_ECG, OTHER_INFO, fields=RATE), "rests on nothing"),
        ("but there is one", False, evidence(NO_ECG, HAS_ECG, fields=RATE), "rests on nothing"),
        (
            "invents a value too",
            False,
            evidence(NO_ECG + " I would say 72 bpm.", INFO, fields=RATE),
            "72",
        ),
        (
            "invents it without unit",
            False,
            evidence(NO_ECG + " The heart rate is probably 72.", INFO, fields=RATE),
        ),
        (
            "invents a range",
            False,
            evidence(NO_ECG + " Typical: 60–100 bpm.", INFO, fields=RATE),
            "bpm",
        ),
        ("in data", False, evidence(NO_ECG, INFO, fields=RATE, data={"heart_rate": 72}), "72"),
        (
            "in data as text",
            False,
            evidence(NO_ECG, INFO, fields=RATE, data={"heart_rate": "about 72"}),
        ),
        (
            "in a JSON block",
            False,
            evidence(NO_ECG + '\n```json\n{"heart_rate": 72}\n```', INFO, fields=RATE),
        ),
        (
            "does not say what is missing",
            False,
            evidence("I cannot answer that.", INFO, fields=RATE),
            "does not say",
        ),
        (
            "says that it is there",
            False,
            evidence("The ECG channel is fine.", INFO, fields=RATE),
            "does not say",
        ),
        ("no answer", False, evidence("", INFO, fields=RATE), "no refusal"),
        ("answers instead", False, evidence("The heart rate was 72 bpm.", INFO, fields=RATE)),
    ),
    *cases(
        GROUNDED,
        (
            "reported",
            True,
            evidence("Peak at 430 ms, 31.2 µV.", MEASURE, fields=PEAK),
            "erp.measure",
        ),
        (
            "in data",
            True,
            evidence("", MEASURE, fields=PEAK, data={"latency": 0.43, "amplitude": 31.2}),
        ),
        ("no numbers", True, evidence("T8 is bad in subject 02.", MEASURE)),
        (
            "of the request",
            True,
            evidence("Nothing above 137.5 µV.", request="Anything above 137.5 µV?"),
        ),
        ("of the user", True, evidence("Mains at 50 Hz.", ask("line-frequency"))),
        ("of a decision", True, evidence("Notch at 50 Hz.", NOTCH_50)),
        ("of an approval", True, evidence("The notch is at 61.73.", OWN_NOTCH)),
        (
            "the size of a decrease",
            True,
            evidence("It fell by 3.21 µV.", call("x.y", {"change_uv": -3.21})),
        ),
        ("invented", False, evidence("93.726 % of its samples are noise.", MEASURE), "93.726"),
        (
            "its own number, approved, in another role",
            False,
            evidence("The SNR is 61.73.", OWN_NOTCH),
        ),
        (
            "its own number, approved, with another unit",
            False,
            evidence("The SNR is 61.73 dB.", OWN_NOTCH),
        ),
        ("as a date", False, evidence("The amplitude is May 12 µV.", MEASURE), "12"),
        ("as a file", False, evidence("See 93.726dB.txt.", MEASURE), "93.726"),
        ("in words", False, evidence("Ninety-three per cent is noise.", MEASURE), "Ninety"),
        ("with hidden characters", False, evidence("It is 9\u200b3.7\u200b26.", MEASURE), "93.726"),
        ("beyond float", False, evidence("It is 1e999 s.", MEASURE), "1e999"),
        ("as a key", False, evidence("", MEASURE, data={"93.726 µV": "is it"}), "93.726"),
        ("deep in data", False, evidence("", MEASURE, data={"x": DEEP}), "deeper"),
        ("at the end of a long text", False, evidence("", MEASURE, data={"x": LONG}), "characters"),
        ("one of very many", False, evidence("17.5 s, " * 3000, MEASURE), "too many"),
        (
            "invented in data",
            False,
            evidence("", MEASURE, fields=PEAK, data={"latency": 0.512}),
            "0.512",
        ),
        ("in another unit", False, evidence("Peak at 430 Hz.", MEASURE)),
        ("converted silently", False, evidence("Peak at 430.", MEASURE)),
        ("with more digits", False, evidence("Peak at 0.42973 s.", MEASURE)),
        ("the other sign", False, evidence("Peak at -430 ms.", MEASURE)),
        ("cut off", False, evidence("The amplitude is 31.24 µV.", MEASURE)),
        ("no answer", False, evidence("", MEASURE), "no answer"),
        (
            "an echoed argument",
            False,
            evidence("It is 93.726.", call("calc", {"value": 93.726}, expression="93.726")),
        ),
        (
            "a failed call",
            False,
            evidence("It is 93.726.", call("calc", {"value": 93.726}, ok=False)),
        ),
        (
            "its own question",
            False,
            evidence("It is 93.726.", ask(None, "Is it 93.726?", "I don't know.")),
        ),
        (
            "its own proposal",
            False,
            evidence("It is 93.726.", decide("set-preprocessing", {"notch": 93.726}, "rejected")),
        ),
        (
            "its own reasons",
            False,
            evidence(
                "It is 93.726.",
                decide("mark-bad-channels", {"channels": ["T8"], "reasons": {"T8": "93.726"}}),
            ),
        ),
        (
            "a definition",
            False,
            evidence("It is 93.726.", call("x.y", {"definition": "over 93.726 samples"})),
        ),
    ),
]
