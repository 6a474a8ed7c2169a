"""Plain functions over the formats of shared test vectors; they call the product and no more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from braino_registry.scoring import units

_NONFINITE = "__float__"


def plain(value: Any) -> Any:
    """Return a vector's value with encoded non-finite numbers as floats."""
    if isinstance(value, Mapping):
        if set(value) == {_NONFINITE}:
            return float(value[_NONFINITE])
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def unit(vector: Mapping[str, Any], profile: units.Profile = "strict") -> float | None:
    """Return the score of one vector of ``validation_units.json``."""
    inputs, config = plain(vector["inputs"]), plain(vector["config"])
    return _UNITS[vector["unit"]](inputs, config, profile)


def _set(inputs: Any, config: Any, profile: units.Profile) -> float:
    return units.score_set(
        inputs["pred"], config["gt"], config["mode"],
        top_k=config["top_k"], per_match=config["rho"], profile=profile,
    )  # fmt: skip


def _sequence(inputs: Any, config: Any, profile: units.Profile) -> float:
    return units.score_sequence(
        inputs["pred"], config["gt"], config["mode"], top_k=config["top_k"],
        slip=config["delta"], min_overlap=config["m"], weights=config["weights"], profile=profile,
    )  # fmt: skip


def _artifact(inputs: Any, config: Any, profile: units.Profile) -> float:
    checks = [(check["weight"], bool(check["passed"])) for check in config["checks"]]
    return units.score_artifact(**inputs, checks=checks)


def _subset(inputs: Any, config: Any, profile: units.Profile) -> float | None:
    rows = [(row["d"], row["weighted_score"], row["weight_sum"]) for row in inputs["instances"]]
    return units.subset_score(rows, profile)


_UNITS: dict[str, Any] = {
    "numerical": lambda i, c, p: units.score_numerical(i["pred"], c["gt"], c["tol"], p),
    "categorical": lambda i, c, p: units.score_categorical(i["pred"], c["gt"], p),
    "set": _set,
    "sequence": _sequence,
    "semantic": lambda i, c, p: units.score_semantic(i["judge"], p),
    "artifact": _artifact,
    "instance": lambda i, c, p: units.instance_score([(m["w"], m["v"]) for m in i["metrics"]]),
    "subset": _subset,
    "mpad": lambda i, c, p: units.mpad(i["scores"]),
}
