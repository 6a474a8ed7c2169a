"""Reading reports and files as BrainBench's released scorer takes them.

The released pipeline has a language model fill in the keys that a case names. Here the keys are
looked for where a report gives them as such; a report that gives none scores nothing, which a
model's extraction, handed over as data, mends.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, Final

from braino_registry.scoring.answers.prose import MAX_TEXT
from braino_registry.scoring.files.errors import UnreadableFileError
from braino_registry.scoring.files.places import regular
from braino_registry.scoring.model import Evidence
from braino_registry.scoring.units import score_artifact

#: What a report that does not give a key is read as.
MISSING: Final = object()
#: The key that stands for the report as a whole.
FULL_TEXT = "full_text"
_FENCE = re.compile(r"```[ \t]*\w*[ \t]*\n(.{0,100000}?)```", re.DOTALL)
_WORKSPACE = re.compile(r"^/?workspace/")
_DEEPEST = 8


def extract(key: str, evidence: Evidence) -> Any:
    """Return what a report gives for a key, or `MISSING`.

    Data of the answer come first, then the last JSON object of the text that has the key, then the
    only line ``key: value``. Two lines that differ give nothing.
    """
    answer = evidence.answer
    if answer is None:
        return MISSING
    text = answer.text[:MAX_TEXT]
    if key == FULL_TEXT:
        return text if text.strip() else MISSING
    for source in (answer.data, *reversed(list(_objects(text)))):
        found = _find(source, key)
        if found is not MISSING:
            return found
    values = {value for name, value in _lines(text) if name == _plain(key)}
    return _typed(values.pop()) if len(values) == 1 else MISSING


def _objects(text: str) -> Iterator[Any]:
    """Yield the JSON objects of a text: fenced, or the text as a whole."""
    for piece in (*(match.group(1) for match in _FENCE.finditer(text)), text):
        try:
            value = json.loads(piece.strip(), parse_constant=lambda _: None)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, Mapping):
            yield value


def _find(value: Any, key: str, depth: int = _DEEPEST) -> Any:
    if isinstance(value, Mapping) and depth:
        for name, item in value.items():
            if isinstance(name, str) and _plain(name) == _plain(key):
                return MISSING if item is None else item
        for item in value.values():
            found = _find(item, key, depth - 1)
            if found is not MISSING:
                return found
    return MISSING


def _lines(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        name, colon, value = re.sub(r"[*`#|]", " ", line).partition(":")
        if colon and value.strip():
            yield _plain(name.strip(" -•\t")), value.strip()


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]+", "_", name.strip().casefold())


def _typed(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return text.rstrip(".")


def score_file(said: Any, params: Mapping[str, Any], evidence: Evidence) -> float:
    """Return the score of the file that a report names, or of the only one that there is.

    Parameters
    ----------
    said : JSON value
        The path in the report, absolute below ``/workspace`` or relative; None for none.
    params : mapping
        ``match_mode``, ``file_name``, ``validator_config`` as a case has them.
    evidence : Evidence
        Its folder of artifacts is the workspace.

    Notes
    -----
    Of ``bandpass_hz`` the released scorer reads the header of the file; the profile ``strict``
    measures the spectrum.
    """
    answer = evidence.answer
    if said is None and answer is not None and len(answer.artifacts) == 1:
        said = answer.artifacts[0]
    if not isinstance(said, str):
        return 0.0
    path = _WORKSPACE.sub("", said.strip().strip("'\""))
    problem, status = regular(evidence.artifacts, path)
    wanted = params.get("file_name")
    name_ok = wanted in (None, "") or PurePosixPath(path).name == wanted
    if problem or status is None:
        return 0.0
    checks: list[tuple[float, bool]] = []
    mode = params.get("match_mode", "")
    try:
        if mode == "eeg_file_match" and params.get("validator_config"):
            checks = _fields(evidence, path, params["validator_config"])
        elif mode == "image_file_match" and evidence.profile == "strict":
            from braino_registry.scoring.files.images import open_picture

            if open_picture(evidence.artifacts / path).blank:
                return 0.0
    except UnreadableFileError:
        return 0.0
    return score_artifact(
        path_ok=True, exists=True, name_ok=name_ok, size=status.st_size, checks=checks
    )


def _fields(evidence: Evidence, path: str, config: Mapping[str, Any]) -> list[tuple[float, bool]]:
    from braino_registry.scoring.files.measures import measure
    from braino_registry.scoring.files.signals import open_signal

    file = evidence.artifacts / path
    signal = open_signal(file)
    found = []
    for name, field in config.items():
        weight = float(field.get("weight", 1)) if isinstance(field, Mapping) else 1.0
        value = field.get("value") if isinstance(field, Mapping) else field
        if name == "signal_rms":
            passed = _overall_rms(signal, value, field)
        elif name == "bandpass_hz" and evidence.profile == "published":
            passed = _header_says(file, value)
        else:
            known = _FIELDS.get(name)
            wanted = {known: {"is": value, **_tolerance(field)}} if known else {}
            passed = all(each.passed for each in measure(signal, wanted)) and bool(known)
        found.append((weight, passed))
    return found


_FIELDS: Mapping[str, str] = {
    "channel_count": "n_channels",
    "npy_shape": "shape",
    "duration_sec": "duration",
    "sfreq_hz": "sfreq",
    "channel_names": "channels",
    "reference_mode": "reference",
    "bandpass_hz": "passband",
}


def _tolerance(field: Any) -> dict[str, float]:
    given = field.get("tolerance") if isinstance(field, Mapping) else None
    return {} if given is None else {"tolerance": float(given)}


def _overall_rms(signal: Any, value: Any, field: Any) -> bool:
    """Compare the RMS over all samples, in V or in µV, whichever the case was written in."""
    import numpy as np

    share = _tolerance(field).get("tolerance", 0.1)
    rms = math.sqrt(float(np.mean(np.square(signal.data))))
    scales = (1.0, 1e-6) if signal.in_uv else (1.0,)
    return any(abs(rms * scale - value) <= share * abs(value) for scale in scales)


def _header_says(file: Any, value: Any) -> bool:
    """Tell whether the header of an EDF or FIF file names the corners of a filter."""
    low, high = (float(corner or 0) for corner in value)
    if file.suffix.lower() == ".edf":
        import edfio

        text = edfio.read_edf(file).signals[0].prefiltering
        found = [float(number) for number in re.findall(r"\d+(?:\.\d+)?", text)]
        return low in found and high in found
    if file.suffix.lower() == ".fif":
        import mne

        info = mne.io.read_info(file, verbose="error")
        return math.isclose(info["highpass"], low) and math.isclose(info["lowpass"], high)
    return False
