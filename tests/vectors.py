"""Plain functions over the formats of shared test vectors; they call the product and no more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from braino_registry.scoring import corpus, units
from tests.golden import GOLDEN as GOLDEN

_NONFINITE = "__float__"
_NUMBER = "$num"
_NAMED = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


def plain(value: Any) -> Any:
    """Return a vector's value with encoded non-finite numbers as floats."""
    if isinstance(value, Mapping):
        if set(value) == {_NONFINITE}:
            return float(value[_NONFINITE])
        if set(value) == {_NUMBER}:
            base, caret, power = value[_NUMBER].partition("^")
            return int(base) ** int(power) if caret else float(base)
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


def szcore(vector: Mapping[str, Any]) -> dict[str, Any]:
    """Return the scores of one vector of ``szcore.json``."""
    reference, predicted = _events(vector["ref"]), _events(vector["hyp"])
    rule = corpus.EventRule(**(vector.get("params") or {}))
    found = corpus.score_recording(reference, predicted, plain(vector["duration_s"]), rule)
    return {
        **_rates(found.counts),
        "ref_true": found.matched.n_reference,
        "dropped_or_changed": [str(note) for note in found.predicted.notes],
        "dice_raw": corpus.dice(found.reference.unclipped, found.predicted.unclipped),
    }


def subjects(dataset: Mapping[str, Any]) -> dict[str, Any]:
    """Return subjects, their average and the overlap of one dataset of ``szcore.json``."""
    rows = [
        (row["subject"], _events(row["ref"]), _events(row["hyp"]), row["duration_s"])
        for row in dataset["records"]
    ]
    found = [(s, corpus.score_recording(ref, hyp, duration)) for s, ref, hyp, duration in rows]
    summed = corpus.sum_by_subject((subject, score.counts) for subject, score in found)
    means = corpus.mean_over_subjects(summed)
    whole = corpus.score_seizure_corpus(
        [(s, corpus.score_seizures(ref, hyp, duration)) for s, ref, hyp, duration in rows]
    )
    return {
        "subjects": {
            name: {**_rates(counts), "duration_s": counts.duration}
            for name, counts in summed.items()
        },
        "average": {
            key: value
            for rate, (mean, n) in means.items()
            for key, value in ((rate, mean), (f"{rate}_n", n))
        },
        "dice_at_seizure": whole.dice_s,
    }


def staging(case: Mapping[str, Any]) -> dict[str, float]:
    """Return the scores of one hypnogram of ``staging.json``, where fractions are cut off."""
    found = corpus.score_staging(
        case["gold"], {"hypnogram_rle": plain(case["rle"])}, fractions="truncate"
    )
    return {"macro_f1": found.macro_f1, "kappa": found.kappa}


def classification(case: Mapping[str, Any]) -> dict[str, float]:
    """Return the scores of one corpus of labels of ``staging.json``."""
    found = corpus.confuse(case["gold"], case["pred"], case["classes"])
    return {"accuracy": found.accuracy, "macro_f1": found.macro_f1}


def eegagentbench(kind: str, case: Mapping[str, Any], profile: units.Profile = "strict") -> Any:
    """Return the value of one case of ``eegagentbench.json``; raise where it says so."""
    return _KINDS[kind](plain(case["input"]), profile)


def _events(raw: Any) -> Any:
    """Return events with the names of numbers that JSON cannot carry as numbers."""
    if isinstance(raw, list):
        return [_events(item) for item in raw]
    return _NAMED.get(raw, raw) if isinstance(raw, str) else raw


def _rates(counts: corpus.EventCounts) -> dict[str, Any]:
    return {name: getattr(counts, name) for name in ("tp", "fp", "fn", *corpus.RATES)}


def _event_rates(counts: corpus.EventCounts) -> dict[str, Any]:
    found = {**_rates(counts), "event_f1": counts.f1, "duration_sec": counts.duration}
    del found["f1"]
    return found


def _t5_record(given: Any, profile: units.Profile) -> dict[str, Any]:
    found = corpus.score_seizures(given["gold"], given["pred"], given["duration_sec"], profile)
    return {
        **_event_rates(found.counts),
        "n_gold": found.n_gold,
        "n_pred": found.n_pred,
        "n_gold_processed": found.matched.n_reference,
        "n_pred_processed": found.matched.n_predicted,
        "n_warnings": found.n_warnings,
        "positive": found.positive,
        "dice": found.dice,
        "missed": found.missed,
        "over_alarm": found.over_alarm,
    }


def _t5_corpus(given: Any, profile: units.Profile) -> dict[str, Any]:
    found = corpus.score_seizure_corpus(
        [
            (
                row["subject"] if "subject" in row else corpus.subject_of(row["scenario_id"]),
                corpus.score_seizures(
                    row["gold"],
                    corpus.answered(row["prediction"], "T5"),
                    row["duration_sec"],
                    profile,
                ),
            )
            for row in given["records"]
        ]
    )
    return {
        "n": len(found.records),
        "n_subjects": len(found.subjects),
        "event_f1": found.event_f1,
        **{name: found.mean(name) for name in ("sensitivity", "precision", "fp_per_24h")},
        "n_f1_subjects": found.n_defined("f1"),
        "dice_s": found.dice_s,
        "miss_rate": found.miss_rate,
        "over_alarm_rate": found.over_alarm_rate,
        "prediction_warnings": found.n_warnings,
        "pooled": _event_rates(found.pooled),
    }


def _t6_expansion(given: Any, profile: units.Profile) -> dict[str, Any]:
    found = corpus.expand(given["rle"], given["n_epochs"], profile)
    return {
        "rle": [list(run) for run in corpus.runs(found.stages)],
        "n_valid": found.n_valid,
        "n_segments": found.n_segments,
        "covered": found.covered,
        "n_warnings": len(found.notes),
    }


def _t6_record(given: Any, profile: units.Profile) -> corpus.StagingScore:
    gold = [stage for stage, n in given["gold"] for _ in range(n)]
    return corpus.score_staging(gold, given["prediction"], profile, n_epochs=given.get("n_epochs"))


def _t6_score(given: Any, profile: units.Profile) -> dict[str, Any]:
    found = _t6_record(given, profile)
    return {
        "macro_f1": found.macro_f1,
        "cohen_kappa": found.kappa,
        "accuracy": found.confusion.accuracy,
        "macro_f1_present": found.confusion.macro_f1_present,
        "n": found.confusion.n,
        "covered": found.hypnogram.covered,
        "n_valid": found.hypnogram.n_valid,
        "n_warnings": len(found.hypnogram.notes),
        "empty": found.empty,
    }


def _t6_corpus(given: Any, profile: units.Profile) -> dict[str, Any]:
    found = corpus.score_staging_corpus([_t6_record(row, profile) for row in given["records"]])
    return {
        "n": found.n,
        "macro_f1": found.macro_f1,
        "cohen_kappa": found.kappa,
        "empty_predictions": found.n_empty,
    }


def _class_corpus(given: Any, profile: units.Profile) -> dict[str, Any]:
    items = [
        corpus.LabelItem(row["gold"], row["prediction"], row.get("options"))
        for row in given["items"]
    ]
    found = corpus.score_labels(given["task"], items, profile)
    return {
        "n": found.n,
        "accuracy": found.accuracy,
        "macro_f1": found.macro_f1,
        "balanced_accuracy": found.balanced_accuracy,
        "invalid_predictions": found.n_invalid,
    }


def _completeness(given: Any, profile: units.Profile) -> list[str]:
    return list(
        corpus.complete_rows(
            given["task"], given["scenario_ids"], given["rows"], given["expected"], profile
        )
    )


_KINDS: dict[str, Any] = {
    "t5_records": _t5_record,
    "t5_corpora": _t5_corpus,
    "t5_subjects": lambda given, profile: corpus.subject_of(given["scenario_id"]),
    "t6_expansions": _t6_expansion,
    "t6_scores": _t6_score,
    "t6_corpora": _t6_corpus,
    "labels": lambda given, profile: corpus.read_label(
        given["task"], given["raw"], given.get("options"), profile
    ),
    "class_corpora": _class_corpus,
    "completeness": _completeness,
    "overall": lambda given, profile: corpus.overall(given["primary"]),
}
