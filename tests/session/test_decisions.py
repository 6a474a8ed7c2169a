"""What each kind of decision writes, read back with mne-bids, and what it refuses."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from braino_registry.numbers import Number, read_numbers
from braino_registry.recordings.tree import BidsTree
from braino_registry.session import TrialSession, bids_files
from braino_registry.session.decision import KINDS, specs
from tests.session.support import CHANNELS, check_events, copy_dataset, open_session

APPROVE: dict[str, Any] = {
    "decisions": [{"kind": kind, "respond": "approve", "say": "Yes."} for kind in KINDS.names()]
}


def decide(session: TrialSession, kind: str, proposal: dict[str, Any]) -> dict[str, Any]:
    number = 1 + len(session.transcript.events)
    reply = session.handle(
        {"type": "decide", "id": number, "kind": kind, "proposal": proposal, "why": "w"}
    )
    check_only_events(session)
    return reply


def check_only_events(session: TrialSession) -> None:
    from braino_registry.registry import schemas

    validator = schemas.validator("event-1")
    for event in session.transcript.events:
        assert validator.is_valid(event), event


def bads(root: Path, subject: str = "02") -> list[str]:
    from mne_bids import BIDSPath, read_raw_bids

    path = BIDSPath(root=root, subject=subject, task="rest", datatype="eeg", suffix="eeg")
    found: list[str] = read_raw_bids(path, verbose="ERROR").info["bads"]
    return found


def table(path: Path) -> list[dict[str, str]]:
    head, *lines = path.read_text(encoding="utf-8-sig").splitlines()
    return [dict(zip(head.split("\t"), line.split("\t"), strict=True)) for line in lines]


def test_the_five_kinds() -> None:
    assert KINDS.names() == [
        "choose-correction",
        "exclude-components",
        "mark-bad-channels",
        "reject-epochs",
        "set-preprocessing",
    ]
    for name, kind in KINDS:
        assert kind.version
        Draft202012Validator.check_schema(kind.schema)
        validator = Draft202012Validator(kind.schema)
        assert validator.is_valid(dict(kind.example)), name
        assert not validator.is_valid({**kind.example, "colour": 1}), name
    assert [each["kind"] for each in specs()] == KINDS.names()


def test_every_property_is_described_and_no_docstring_gets_through() -> None:
    text = json.dumps([*specs(), *(dict(kind.example) for _, kind in KINDS)])
    for leaked in ("Parameters", "----", "T8", "Cz", "msgspec"):
        assert leaked not in text
    for spec in specs():
        whole = spec["proposal"]
        for part in (whole, *whole.get("$defs", {}).values()):
            assert part["description"].count(".") == 1
            for name, sub in part["properties"].items():
                assert sub["description"].endswith("."), (spec["kind"], name)


def test_marking_after_an_edit_reports_what_was_applied(root: Path, tmp_path: Path) -> None:
    session = open_session(tmp_path / "t", root)
    proposal = {"channels": ["Cz", "T8"], "reasons": {"Cz": "drift", "T8": "noise\tand\nhum"}}
    reply = decide(session, "mark-bad-channels", proposal)
    assert reply["result"]["status"] == "edited"
    assert reply["result"]["applied"] == {"channels": ["T8"], "reasons": {"T8": "noise\tand\nhum"}}
    assert bads(root) == ["T8"]
    assert bads(root, "01") == []
    event = session.transcript.events[-1]
    assert event["written"] == ["sub-02/eeg/sub-02_task-rest_channels.tsv"]
    assert (event["recording"], event["rule"]) == ("sub-02_task-rest", 0)
    rows = {row["name"]: row for row in table(root / event["written"][0])}
    assert rows["T8"]["status_description"] == "noise and hum"
    assert rows["Cz"]["status"] == "good"
    assert session._state.tree.open("sub-02_task-rest").bads == ("T8",)  # the tools see it too


def test_marking_adds_to_what_is_marked(root: Path, tmp_path: Path) -> None:
    session = open_session(tmp_path / "t", root, script=APPROVE)
    decide(session, "mark-bad-channels", {"channels": ["T8"]})
    decide(session, "mark-bad-channels", {"channels": ["Fp1"]})
    decide(session, "mark-bad-channels", {"channels": []})
    assert bads(root) == ["Fp1", "T8"]


def test_marking_another_recording(root: Path, tmp_path: Path) -> None:
    session = open_session(tmp_path / "t", root, script=APPROVE)
    proposal = {"channels": ["O1"], "recording": "sub-01_task-rest"}
    reply = decide(session, "mark-bad-channels", proposal)
    assert reply["result"]["applied"] == proposal
    assert (bads(root, "01"), bads(root)) == (["O1"], [])


def test_a_missing_table_is_made_from_the_header(root: Path, tmp_path: Path) -> None:
    path = root / "sub-02/eeg/sub-02_task-rest_channels.tsv"
    path.unlink()
    session = open_session(tmp_path / "t", root, script=APPROVE)
    decide(session, "mark-bad-channels", {"channels": ["Cz"]})
    rows = table(path)
    assert [row["name"] for row in rows] == list(CHANNELS)
    assert {row["type"] for row in rows} == {"EEG"}
    assert {row["units"] for row in rows} == {"µV"}
    assert {row["sampling_frequency"] for row in rows} == {"100"}
    assert [row["status"] for row in rows] == ["good", "bad", "good", "good"]
    assert bads(root) == ["Cz"]


def test_an_inherited_table_is_not_changed(root: Path, tmp_path: Path) -> None:
    shared = root / "task-rest_channels.tsv"
    for subject in ("01", "02"):
        own = root / f"sub-{subject}/eeg/sub-{subject}_task-rest_channels.tsv"
        text = own.read_text(encoding="utf-8-sig")
        own.unlink()
    shared.write_text(text, encoding="utf-8")
    session = open_session(tmp_path / "t", root, script=APPROVE)
    decide(session, "mark-bad-channels", {"channels": ["Cz"]})
    assert shared.read_text(encoding="utf-8") == text
    tree = BidsTree(root)
    assert tree.open("sub-02_task-rest").bads == ("Cz",)
    assert tree.open("sub-01_task-rest").bads == ()


def test_a_read_only_copy_keeps_its_modes(pristine: Path, tmp_path: Path) -> None:
    root = copy_dataset(pristine, tmp_path / "bids", read_only=True)
    modes = {path: path.stat().st_mode for path in (root, *root.rglob("*"))}
    session = open_session(tmp_path / "t", root, script=APPROVE)
    decide(session, "mark-bad-channels", {"channels": ["Cz"]})
    decide(session, "reject-epochs", {"epochs": [{"onset": 1, "duration": 1}]})
    assert bads(root) == ["Cz"]
    assert {path: path.stat().st_mode for path in modes} == modes
    root.chmod(0o755)


def test_rejection_changes_nothing(root: Path, tmp_path: Path) -> None:
    before = sorted(root.rglob("*"))
    session = open_session(tmp_path / "t", root)
    reply = decide(session, "reject-epochs", {"epochs": [{"onset": 1.0, "duration": 1.0}]})
    assert reply["result"] == {"status": "rejected", "applied": {}, "say": "Keep them."}
    assert sorted(root.rglob("*")) == before
    assert session.transcript.events[-1]["written"] == []


def test_rejected_epochs(root: Path, tmp_path: Path) -> None:
    session = open_session(tmp_path / "t", root, script=APPROVE)
    epochs = [
        {"onset": 3.25, "duration": 0.5, "epoch": 7, "reason": "blink\n0\t1\tforged"},
        {"onset": -0.1, "duration": 0.5},
    ]
    decide(session, "reject-epochs", {"epochs": epochs})
    decide(session, "reject-epochs", {"epochs": [{"onset": 2, "duration": 1}]})
    written = session.transcript.events[-1]["written"]
    assert written == ["derivatives/braino/sub-02/eeg/sub-02_task-rest_desc-rejected_events.tsv"]
    rows = table(root / written[0])
    assert [(row["onset"], row["duration"], row["epoch"], row["reason"]) for row in rows] == [
        ("-0.1", "0.5", "n/a", "n/a"),
        ("2", "1", "n/a", "n/a"),
        ("3.25", "0.5", "7", "blink 0 1 forged"),
    ]
    description = json.loads((root / "derivatives/braino/dataset_description.json").read_text())
    assert description["DatasetType"] == "derivative"
    assert bads(root) == []  # the dataset can still be read


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(10 * 2**30)


@pytest.mark.parametrize(
    "spoil",
    [
        _pipe,
        _sparse,
        Path.unlink,
        lambda path: path.write_text("{"),
        lambda path: path.write_text("[1]"),
        lambda path: path.write_text("[" * 100_000),
        lambda path: path.write_text('{"BIDSVersion": 7}'),
    ],
)
def test_a_description_that_cannot_be_read_forbids_no_decision(
    spoil: Callable[[Path], Any], tmp_path: Path
) -> None:
    description = tmp_path / "dataset_description.json"
    description.write_text('{"BIDSVersion": "1.2.3"}')
    spoil(description)
    path = tmp_path / bids_files.PIPELINE / "sub-02" / "eeg" / "x_desc-preproc.json"
    assert len(bids_files.write_derivative(tmp_path, path, "{}")) == 2
    written = tmp_path / bids_files.PIPELINE / "dataset_description.json"
    assert json.loads(written.read_text())["BIDSVersion"] == bids_files.BIDS_VERSION


@pytest.mark.parametrize("spoil", [_pipe, _sparse])
def test_a_table_that_is_no_file_is_refused_and_nothing_waits(
    spoil: Callable[[Path], Any], tmp_path: Path
) -> None:
    path = tmp_path / "table.tsv"
    path.write_text("onset\n1\n")
    assert bids_files.read_table(path) == [{"onset": "1"}]
    spoil(path)
    with pytest.raises(OSError, match=r"a pipe|larger than"):
        bids_files.read_table(path)


def test_excluded_components(root: Path, tmp_path: Path) -> None:
    session = open_session(tmp_path / "t", root, script=APPROVE)
    proposal = {"components": [2, 0], "reasons": {"0": "blinks"}, "decomposition": "result-1"}
    decide(session, "exclude-components", proposal)
    decide(session, "exclude-components", {"components": [1]})
    path = "derivatives/braino/sub-02/eeg/sub-02_task-rest_desc-ica_components.tsv"
    assert session.transcript.events[-1]["written"] == [path]
    rows = table(root / path)
    assert [(row["component"], row["status"], row["status_description"]) for row in rows] == [
        ("0", "bad", "blinks"),
        ("1", "bad", "n/a"),
        ("2", "bad", "n/a"),
    ]


def test_preprocessing(root: Path, tmp_path: Path) -> None:
    session = open_session(tmp_path / "t", root)
    reply = decide(session, "set-preprocessing", {"notch": 25, "l_freq": 1.0, "reference": "Cz"})
    assert reply["result"]["say"] == "Go ahead."
    decide(session, "set-preprocessing", {"l_freq": None, "h_freq": 40, "sfreq": 100})
    path = root / "derivatives/braino/sub-02/eeg/sub-02_task-rest_desc-preproc_eeg.json"
    sidecar = json.loads(path.read_text())
    assert sidecar["SoftwareFilters"] == {
        "Notch": {"frequency (Hz)": 25.0},
        "Low-pass": {"cutoff (Hz)": 40.0},
    }
    assert (sidecar["EEGReference"], sidecar["SamplingFrequency"]) == ("Cz", 100.0)
    assert sidecar["Sources"] == ["bids:raw:sub-02/eeg/sub-02_task-rest_eeg.vhdr"]


def test_choice_of_a_correction_is_recorded_only(root: Path, tmp_path: Path) -> None:
    before = sorted(root.rglob("*"))
    session = open_session(tmp_path / "t", root, script=APPROVE)
    reply = decide(session, "choose-correction", {"method": "holm", "alpha": 0.05})
    assert reply["result"]["applied"] == {"method": "holm", "alpha": 0.05}
    assert sorted(root.rglob("*")) == before
    assert session.transcript.events[-1]["recording"] is None


REFUSED = [
    ("mark-bad-channels", {"channels": ["t8"]}, "no channel called 't8'", "Did you mean 'T8'?"),
    ("mark-bad-channels", {"channels": ["Fp2"]}, "channel called 'Fp2'", "Did you mean 'Fp1'?"),
    ("mark-bad-channels", {"channels": ["T8", "T8"]}, "named 2 times", "once"),
    ("mark-bad-channels", {"channels": "T8"}, "Expected `array`", '{"channels":["<channel>"]'),
    ("mark-bad-channels", {}, "missing required field `channels`", "Pass for example"),
    ("mark-bad-channels", {"channels": [], "x": 1}, "unknown field `x`", "Pass for example"),
    ("mark-bad-channels", {"channels": [], "reasons": {"T8": "n"}}, "not proposed", "only for"),
    (
        "mark-bad-channels",
        {"channels": ["T8"], "recording": "view-1"},
        "no recording called 'view-1'",
        "as an id, not a view",
    ),
    ("reject-epochs", {"epochs": [{"onset": 99.0, "duration": 1}]}, "lies outside", "5 s long"),
    ("reject-epochs", {"epochs": [{"onset": 1.0, "duration": 0}]}, "> 0", "Pass for example"),
    ("reject-epochs", {"epochs": [3]}, "Expected `object`", "onset"),
    ("exclude-components", {"components": [4]}, "cannot have a component 4", "0 to 3"),
    ("exclude-components", {"components": [1, 1]}, "named 2 times", "once"),
    ("exclude-components", {"components": [1], "reasons": {"2": "x"}}, "not proposed", "only"),
    ("set-preprocessing", {}, "no setting is given", "l_freq, h_freq, notch"),
    ("set-preprocessing", {"notch": 50.0, "l_freq": 60.0}, "60 Hz is not below half", "50 Hz"),
    ("set-preprocessing", {"notch": [10.0, 70.0]}, "70 Hz is not below half", "50 Hz"),
    ("set-preprocessing", {"l_freq": 5.0, "h_freq": 4.0}, "is empty", "l_freq below h_freq"),
    ("set-preprocessing", {"reference": ["Cz", "M1"]}, "'M1' is no reference", "Cz"),
    ("choose-correction", {"method": "hol"}, "Invalid enum value 'hol'", "holm"),
    ("mark-bad-chanels", {}, "no kind of decision called", "Did you mean 'mark-bad-channels'?"),
]


@pytest.mark.parametrize(("kind", "proposal", "problem", "instead"), REFUSED)
def test_refused_before_the_user_sees_it(
    pristine: Path, tmp_path: Path, kind: str, proposal: dict[str, Any], problem: str, instead: str
) -> None:
    before = sorted(pristine.rglob("*"))
    session = open_session(tmp_path / "t", pristine, script=APPROVE)
    reply = decide(session, kind, proposal)
    assert not reply["ok"]
    assert problem in reply["error"]["problem"]
    assert instead in reply["error"]["instead"]
    event = session.transcript.events[-1]
    assert (event["type"], event["status"], event["applied"]) == ("decide", "invalid", {})
    assert sorted(pristine.rglob("*")) == before
    check_events(session)


def test_without_a_recording_the_proposal_must_name_one(root: Path, tmp_path: Path) -> None:
    session = open_session(tmp_path / "t", root, script=APPROVE, recording=None)
    reply = decide(session, "mark-bad-channels", {"channels": ["T8"]})
    assert "sub-01_task-rest, sub-02_task-rest" in reply["error"]["instead"]
    named = {"channels": ["T8"], "recording": "sub-01_task-rest"}
    assert decide(session, "mark-bad-channels", named)["ok"]
    assert bads(root, "01") == ["T8"]


def test_a_script_that_cannot_be_applied_is_refused_and_noted(root: Path, tmp_path: Path) -> None:
    edit = {"kind": "mark-bad-channels", "respond": "edit", "to": {"channels": ["Nz"]}}
    session = open_session(tmp_path / "t", root, script={"decisions": [edit]})
    reply = decide(session, "mark-bad-channels", {"channels": ["T8"]})
    assert "failed unexpectedly (EntryError)" in reply["error"]["problem"]
    assert "Nz" not in str(reply)
    note, event = session.transcript.events[-2:]
    assert (note["source"], note["data"]) == ("harness", {"fault": "EntryError"})
    assert "no channel called 'Nz'" in note["message"]
    assert (event["type"], event["status"], event["applied"]) == ("decide", "invalid", {})
    check_events(session)


def test_the_ledger_hears_results_replies_and_decisions(root: Path, tmp_path: Path) -> None:
    session = open_session(
        tmp_path / "t",
        root,
        script={
            **APPROVE,
            "answers": [{"about": "rate", "asked_as": ["rate"], "say": "It was 512 Hz."}],
        },
    )
    session.begin(session.start_message("Use 777 samples.", factory="", model=None))
    ledger = session._state.ledger

    def grounded(text: str) -> bool:
        number: Number = read_numbers(text)[0]
        return ledger.grounds(number) is not None

    assert grounded("777")
    assert not grounded("12.345 µV")
    session.handle({"type": "call", "id": 1, "tool": "measure", "args": {}})
    assert grounded("12.345 µV")
    assert not grounded("512 Hz")
    session.handle({"type": "ask", "id": 2, "question": "Which rate?"})
    assert grounded("512 Hz")
    assert not grounded("33.5 Hz")
    decide(session, "set-preprocessing", {"h_freq": 33.5})
    assert grounded("33.5 Hz")
    check_events(session)
