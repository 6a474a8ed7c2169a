"""Reports as systems: what an agent with a model scored under one paradigm, by instance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from braino_registry.errors import ReportError
from braino_registry.reports.outcomes import SCORED, mean
from braino_registry.scoring.units import largest_mpad, mpad

Trial = Mapping[str, Any]

#: What is said of a check kind in tables by unit.
UNITS = ("numerical", "categorical", "set", "sequence", "semantic", "artifact")


@dataclass(frozen=True)
class System:
    """An agent with a model, under one paradigm.

    Parameters
    ----------
    agent : str
        Name of the agent.
    model : str | None
        Its model.
    family : str | None
        Family of the model.
    paradigm : str
        ``tools`` or ``code``.
    profile : str
        By which it was scored.
    run_ids : tuple of str
        The runs that it rests on.
    trials : tuple of mapping
        Their scored trials.
    """

    agent: str
    model: str | None
    family: str | None
    paradigm: str
    profile: str
    run_ids: tuple[str, ...]
    trials: tuple[Trial, ...] = field(repr=False)

    @property
    def who(self) -> str:
        """What is paired over paradigms: the model, or the agent where it names none."""
        return self.model or self.agent

    @property
    def label(self) -> dict[str, Any]:
        """What names the system in a table."""
        return {"agent": self.agent, "model": self.model, "paradigm": self.paradigm}

    @cached_property
    def instances(self) -> dict[tuple[str, str], float]:
        """Mean score (0–100) of each instance over its repeats, by task and instance."""
        found: dict[tuple[str, str], list[float]] = {}
        for trial in self.trials:
            found.setdefault((trial["task"], trial["instance"]), []).append(100 * trial["score"])
        return {key: sum(scores) / len(scores) for key, scores in found.items()}

    @cached_property
    def tasks(self) -> dict[str, list[float]]:
        """Scores of the instances of each task."""
        found: dict[str, list[float]] = {}
        for (task, _), score in self.instances.items():
            found.setdefault(task, []).append(score)
        return found

    @cached_property
    def places(self) -> dict[str, tuple[str, str]]:
        """Subset and difficulty of each task."""
        return {
            trial["task"]: (trial.get("subset") or "", trial.get("difficulty") or "")
            for trial in self.trials
        }

    @property
    def subsets(self) -> list[str]:
        """The subsets of which something was scored, in order of appearance."""
        return list(dict.fromkeys(subset for subset, _ in self.places.values()))

    def task_means(self, subset: str | None = None) -> dict[str, float]:
        """Return the unweighted mean instance score of each task."""
        return {
            task: sum(scores) / len(scores)
            for task, scores in self.tasks.items()
            if subset is None or self.places[task][0] == subset
        }

    def spread(self, task: str) -> float | None:
        """Return a task's MPAD as a share of the largest possible one; None for one instance."""
        scores = self.tasks[task]
        found, largest = mpad(scores), largest_mpad(len(scores))
        return None if found is None or not largest else found / largest

    def mean_of(self, subset: str, difficulty: str) -> float | None:
        """Return the mean instance score of one difficulty within a subset."""
        place = (subset, difficulty)
        scores = [s for (task, _), s in self.instances.items() if self.places[task] == place]
        return mean(scores)

    def unit_scores(self, subset: str, kinds: Mapping[str, str]) -> dict[str, list[float]]:
        """Return the scores (0–100) of every validation unit in a subset, by unit."""
        found: dict[str, list[float]] = {}
        for trial in self.trials:
            if (trial.get("subset") or "") != subset:
                continue
            for check in trial["checks"]:
                unit = kinds.get(check["kind"])
                if unit is not None and "weight" in check:
                    found.setdefault(unit, []).append(100 * check["score"])
        return found

    def tokens(self, subset: str) -> list[float]:
        """Return the tokens of every trial of a subset that reported them, in and out together."""
        found = []
        for trial in self.trials:
            used = [trial["usage"][name] for name in ("input_tokens", "output_tokens")]
            if (trial.get("subset") or "") == subset and None not in used:
                found.append(float(sum(used)))
        return found


def systems_of(
    reports: Sequence[Mapping[str, Any]], families: Mapping[str, str] | None = None
) -> list[System]:
    """Return the systems of some reports; reports of one system are put together.

    Parameters
    ----------
    reports : sequence of mapping
        Reports of suites with the rule ``brainbench``.
    families : mapping of str to str | None
        Family by model, where the reports do not say.

    Raises
    ------
    ReportError
        If a report has another rule, or two of one system have a trial in common.
    """
    found: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for report in reports:
        if report["summary"]["rule"] != "brainbench":
            raise ReportError(
                f"the rule of this report is {report['summary']['rule']!r}",
                where=report["run_id"],
                hint="These analyses are of suites with the rule 'brainbench'.",
            )
        agent, settings = report["agent"], report["settings"]
        key = (agent["name"], agent["model"], settings["paradigm"], settings["profile"])
        found.setdefault(key, []).append(report)
    return [_system(key, group, families or {}) for key, group in found.items()]


def _system(
    key: tuple[Any, ...], reports: Sequence[Mapping[str, Any]], families: Mapping[str, str]
) -> System:
    agent, model, paradigm, profile = key
    trials = [trial for report in reports for trial in _scored(report)]
    keys = [(trial["task"], trial["instance"], trial["repeat"]) for trial in trials]
    if len(set(keys)) < len(keys):
        raise ReportError(
            f"two reports of {model or agent} ({paradigm}) have trials in common",
            where=", ".join(report["run_id"] for report in reports),
            hint="Give each trial once.",
        )
    stated = next((r["agent"]["family"] for r in reports if r["agent"].get("family")), None)
    return System(
        agent=agent,
        model=model,
        family=families.get(model or "", stated),
        paradigm=paradigm,
        profile=profile,
        run_ids=tuple(report["run_id"] for report in reports),
        trials=tuple(trials),
    )


def _scored(report: Mapping[str, Any]) -> Iterable[Trial]:
    return (trial for trial in report["trials"] if trial["outcome"] in SCORED)
