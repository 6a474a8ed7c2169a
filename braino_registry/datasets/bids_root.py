"""The files at the root of a converted dataset: what it is, where it comes from, who is in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from braino_registry.datasets.bids_files import write_json, write_tsv

BIDS_VERSION = "1.11.1"


def write_root(
    root: Path, doc: Mapping[str, Any], facts: Mapping[str, Any], subjects: Iterable[str]
) -> None:
    """Write ``dataset_description.json``, ``README.md`` and the participants.

    Parameters
    ----------
    root : Path
        The BIDS root.
    doc : Mapping
        The dataset entry: title, upstream, licence, citation, conversion.
    facts : Mapping
        The conversion's parameter ``bids``: see `FACTS_SCHEMA`.
    subjects : iterable of str
        Labels of the subjects that are there, without ``sub-``.
    """
    write_json(root / "dataset_description.json", _description(doc, facts))
    (root / "README.md").write_text(_readme(doc, facts), encoding="utf-8", newline="\n")
    _write_participants(root, facts.get("participants", {}), sorted(set(subjects)))


def _write_participants(root: Path, said: Mapping[str, Any], labels: list[str]) -> None:
    columns, known = said.get("columns", {}), said.get("values", {})
    rows = [{"participant_id": f"sub-{label}", **known.get(label, {})} for label in labels]
    write_tsv(root / "participants.tsv", ["participant_id", *columns], rows)
    about = said.get("about", "Label of the participant.")
    write_json(root / "participants.json", {"participant_id": {"Description": about}, **columns})


def _description(doc: Mapping[str, Any], facts: Mapping[str, Any]) -> dict[str, Any]:
    name, _, version = doc["conversion"]["use"].partition("@")
    upstream = doc["upstream"]
    source = {"URL": upstream["url"], "Version": upstream["version"]}
    if "doi" in upstream:
        source["DOI"] = f"doi:{upstream['doi']}"
    return {
        "Name": doc["title"],
        "BIDSVersion": BIDS_VERSION,
        "DatasetType": "raw",
        "License": doc["licence"]["spdx"],
        "Authors": list(upstream["authors"]),
        **facts["dataset"],
        "ReferencesAndLinks": [c["text"] for c in doc["citation"]] + [upstream["url"]],
        "GeneratedBy": [
            {
                "Name": f"braino-registry {name}",
                "Version": version,
                "Description": f"Made from the upstream files of {doc['id']}@{doc['version']}.",
            }
        ],
        "SourceDatasets": [source],
    }


def _readme(doc: Mapping[str, Any], facts: Mapping[str, Any]) -> str:
    upstream, licence = doc["upstream"], doc["licence"]
    lines = [f"# {doc['title']}", ""]
    for paragraph in facts["readme"]:
        lines += [paragraph, ""]
    lines += ["## Source", ""]
    lines += [f"{upstream['name']}, version {upstream['version']}: {upstream['url']}", ""]
    lines += [f"Converted to BIDS by braino-registry ({doc['conversion']['use']}).", ""]
    lines += ["## Licence", "", f"{licence['spdx']}. {licence['statement']}", ""]
    lines += [f"- {conflict['says']} ({conflict['source']})" for conflict in licence["conflicts"]]
    lines += [""] if licence["conflicts"] else []
    lines += ["## Please cite", ""]
    lines += [f"- {c['text']}" for c in doc["citation"]]
    if doc["defects"]:
        lines += ["", "## Known defects of the source", ""]
        lines += [f"- {defect['about']}" for defect in doc["defects"]]
    return "\n".join(lines) + "\n"


FACTS_SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "What is known about the source; what is not known is 'n/a' or absent.",
    "properties": {
        "dataset": {
            "type": "object",
            "description": "Further fields of dataset_description.json.",
        },
        "sidecar": {"type": "object", "description": "Fields of every *_eeg.json."},
        "tasks": {
            "type": "object",
            "description": "TaskName and further fields of *_eeg.json by bids_task.",
            "additionalProperties": {"type": "object", "required": ["TaskName"]},
        },
        "events": {
            "type": "object",
            "description": "The *_events.json: a description of each column and level.",
        },
        "participants": {
            "type": "object",
            "description": "What participants.tsv says besides the labels.",
            "properties": {
                "about": {"type": "string", "description": "What a label stands for."},
                "columns": {"type": "object", "description": "participants.json by column."},
                "values": {"type": "object", "description": "Values of the columns by label."},
            },
            "additionalProperties": False,
        },
        "readme": {"type": "array", "items": {"type": "string"}, "minItems": 1},
    },
    "required": ["dataset", "sidecar", "tasks", "events", "readme"],
    "additionalProperties": False,
}
