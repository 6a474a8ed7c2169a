"""What one answer for all instances of a task would reach: the best constant, chosen in hindsight.

``python -m benchmarks.constants [--suite NAME …] [--cache DIR] [--record] [--json] [TASK …]``

No session is held: what the checks of one instance expect is given as the answer to the others,
and scored by the checks of these; once as it is, and once with what the two requests differ in
exchanged, as somebody would who fills in a form. Findings of a report are alike where the same ones
are asked for and have the same value; a file is the same where the same is asked of it in the same
dataset. An agent that has seen the answers of other instances, and looks at no signal, gets no
further than the best of these constants. Told of each task is

passes
    the share of the other instances that the best whole answer passes;
scores
    the mean score of the whole answer that is best by score;
mixes
    the mean score if the answer to each check is chosen on its own; for numbers also values
    between two right ones, which may be within the tolerance of both.

An answer is right where it comes from, so of n instances the n - 1 others count. Beside them stand
the declared chance of a guess, and the floor: what naming any of the few values that a field can
have is worth. ``--record`` writes the table to ``benchmarks/constants.json``, which
``tests/conformance/test_constants.py`` holds to the bounds that are given here. It keeps the suites
in which an answer alone can score; where what was done has to be right as well, it passes nothing.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from braino_registry.datasets import Selection, Store
from braino_registry.registry import Registry, Task
from braino_registry.registry.digests import dataset_identity, digest
from braino_registry.runner.bench import Bench
from braino_registry.runner.contributing.desk import some
from braino_registry.runner.trial import realise
from braino_registry.runner.trying import make_spec, open_bench
from braino_registry.runner.work import Work, bind
from braino_registry.scoring import Answer, Evidence, score

RECORD = Path(__file__).with_suffix(".json")
#: What the best constant may reach beyond the declared chance, and beyond the floor.
PASS_MARGIN, SCORE_MARGIN = 0.2, 0.33
#: Fewer instances than these say nothing of how answers vary.
ENOUGH = 4
#: The rule whose scores are of answers alone, and the one by which what was done has to be right.
OF_ANSWERS, OF_WORK = "brainbench", "braino"
#: Kinds of check that compare a field with a value.
VALUED = ("label", "number", "sequence", "set")


@dataclass(frozen=True)
class Known:
    """An instance with what its checks expect.

    Parameters
    ----------
    instance : str
        Its id.
    chance : float
        The probability that a guess passes it, as declared.
    given : mapping
        What its request is filled in with, as texts by name.
    evidence : Evidence
        Fields and vocabulary by which answers are read; there is no answer in it.
    checks : mapping of str to dict
        The checks that count, by id, with their expected values.
    """

    instance: str
    chance: float
    given: Mapping[str, str]
    evidence: Evidence
    checks: Mapping[str, Mapping[str, Any]]

    def told_by(self, other: Known, *, adapted: bool) -> dict[str, float]:
        """Return what another instance's answer reaches here, by check."""
        changed = _changed(other.given, self.given) if adapted else {}
        return {name: self._told(spec, other, changed) for name, spec in self.checks.items()}

    def _told(self, spec: Mapping[str, Any], other: Known, changed: Mapping[str, str]) -> float:
        its = other.checks.get(spec["id"])
        if its is None:
            return 0.0
        if spec["kind"] in VALUED:
            return self.told(spec["id"], _exchanged(its["expected"], changed))
        if spec["kind"] == "semantic":
            return float(_findings(its, changed) == _findings(spec, {}))
        same = its == spec and self.evidence.dataset == other.evidence.dataset
        return float(same or (spec["kind"] == "corpus" and its["truth"] == spec["truth"]))

    def told(self, check: str, value: Any) -> float:
        """Return the score of one check of this instance for a value in its field."""
        spec = self.checks[check]
        seen = replace(self.evidence, answer=Answer("", {spec["field"]: value}))
        return score([spec], seen, OF_ANSWERS).checks[0].score

    @property
    def floor(self) -> float:
        """The score of naming any of the few values that each field can have."""
        parts = {n: _one_of(spec, self.evidence.fields) for n, spec in self.checks.items()}
        return self.whole(parts)

    def whole(self, parts: Mapping[str, float]) -> float:
        """Return the score of the instance from those of its checks."""
        weights = {name: float(spec.get("weight", 1)) for name, spec in self.checks.items()}
        total = sum(weights.values())
        return sum(weights[name] * parts[name] for name in weights) / total if total else 0.0


@dataclass(frozen=True)
class Constant:
    """What the best constant answer of a task reaches; see the module for the shares.

    Parameters
    ----------
    task, suite, rule : str
        The task, its suite and the suite's rule.
    digest : str
        See `work_of`, when this was measured.
    n : int
        How many instances there were.
    chance, floor : float
        0–1, means over the instances.
    passes, scores, mixes : float
        0–1; 0 for a single instance.
    """

    task: str
    suite: str
    rule: str
    digest: str
    n: int
    chance: float
    floor: float
    passes: float = 0.0
    scores: float = 0.0
    mixes: float = 0.0

    @property
    def too_much(self) -> str:
        """Why a constant reaches too much, for people; empty if it does not."""
        found = []
        bound, best = self.chance + PASS_MARGIN, max(self.scores, self.mixes)
        # that two of many recordings agree is no fault
        if self.passes > bound and self.passes * (self.n - 1) > 1.001:
            found.append(f"passes {self.passes:.2f} > {bound:.2f}")
        bound = max(self.chance, self.floor) + SCORE_MARGIN
        if self.rule == OF_ANSWERS and best > bound:
            found.append(f"scores {best:.2f} > {bound:.2f}")
        return ", ".join(found) if self.n >= ENOUGH else ""

    def row(self) -> str:
        """Return a line of a table for people."""
        shares = (self.chance, self.floor, self.passes, self.scores, self.mixes)
        cells = " ".join(f"{share:6.2f}" for share in shares)
        return f"{self.task:42} {self.n:4} {cells}  {self.too_much}".rstrip()


HEADER = f"{'task':42} {'n':>4} chance  floor passes scores  mixes"


def kept(registry: Registry) -> list[Task]:
    """Return the tasks whose rows are kept: an answer alone can score, and no options are drawn."""
    return [
        task
        for task in registry.tasks()
        if task.home.rule != OF_WORK and any(one.dataset for one in task.instances)
    ]


def work_of(task: Task, registry: Registry) -> str:
    """Return a digest of what the answers to a task rest on: instances, checks and datasets."""
    named = sorted({one.dataset for one in task.instances if one.dataset})
    parts = {name: task.doc.get(name) for name in ("answer", "chance", "checks", "instances")}
    return digest(
        {**parts, "datasets": {name: dataset_identity(registry.dataset(name)) for name in named}}
    )


def known(task: Task, bench: Bench) -> list[Known]:
    """Return the instances of a task whose data are at hand, with what is expected of them."""
    found = []
    for instance in some(task):
        work = bind(make_spec(bench, task.id, instance=instance.id), bench.registry, bench.salt)
        if not _at_hand(work, bench):
            continue
        realised = realise(work, bench)
        checks = bench.expected(work, realised).checks
        evidence = Evidence(
            request=work.request,
            events=(),
            answer=None,
            fields=work.fields,
            context=bench.vocabulary(work, realised),
            dataset=instance.dataset,
        )
        counting = {c["id"]: c for c in checks if _counts(c, task.home.rule)}
        given = dict(_texts(instance.context()))
        found.append(Known(instance.id, instance.chance, given, evidence, counting))
    return found


def _at_hand(work: Work, bench: Bench) -> bool:
    if work.entry is None or work.instance.large:
        return work.entry is None
    if work.entry.kind == "recipe":
        return True
    return bench.store.status(work.entry, None, Selection.of(work.instance.select)).present


def _counts(spec: Mapping[str, Any], rule: str) -> bool:
    """Tell whether a check is about the answer, and counts."""
    if rule == OF_ANSWERS:
        return "weight" in spec
    about_answer = (*VALUED, "artifact", "corpus", "semantic")
    return spec["kind"] in about_answer and bool(spec.get("required") or spec["kind"] == "corpus")


def _texts(value: Any, name: str = "") -> Iterable[tuple[str, str]]:
    """Yield what stands in a JSON value as texts, by name."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _texts(item, f"{name}.{key}")
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _texts(item, f"{name}[{number}]")
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield name, str(value)


def _changed(old: Mapping[str, str], new: Mapping[str, str]) -> dict[str, str]:
    """Return what stands in one request by what stands in its place in another."""
    return {old[name]: new[name] for name in old if name in new and old[name] != new[name]}


def _exchanged(value: Any, changed: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return [_exchanged(item, changed) for item in value]
    return changed.get(value, value) if isinstance(value, str) else value


def _findings(spec: Mapping[str, Any], changed: Mapping[str, str]) -> list[Any]:
    """Return which findings a report has to state, with their values."""
    told = []
    for number, each in enumerate(spec["findings"]):
        if each.get("when", True) is True:
            values = [each.get(name) for name in ("is", "direction", "verdict", "lacks")]
            told.append([number, _exchanged(values, changed)])
    return told


def measure(task: Task, instances: Sequence[Known], registry: Registry) -> Constant:
    """Return what the best constant of a task reaches over some of its instances."""
    n = max(1, len(instances))
    found = Constant(
        task.id,
        task.suite,
        task.home.rule,
        work_of(task, registry),
        len(instances),
        round(sum(one.chance for one in instances) / n, 4),
        round(sum(one.floor for one in instances) / n, 4),
    )
    if len(instances) < 2 or not all(one.checks for one in instances):
        return found
    rows = [
        [here.told_by(one, adapted=adapted) for here in instances]
        for one in instances
        for adapted in (False, True)
    ]
    both = [list(zip(instances, row, strict=True)) for row in rows]
    return replace(
        found,
        passes=max(_of_others(min(parts.values()) == 1 for _, parts in row) for row in both),
        scores=max(_of_others(here.whole(parts) for here, parts in row) for row in both),
        mixes=_mixed(instances, rows),
    )


def _of_others(values: Iterable[float]) -> float:
    """Return a mean over instances without one, that for which the answer is right."""
    scores = [float(value) for value in values]
    return round(max(0.0, sum(scores) - 1) / (len(scores) - 1), 4)


def _mixed(instances: Sequence[Known], rows: Sequence[Sequence[Mapping[str, float]]]) -> float:
    """Return the mean score where each check has the constant that is best for it."""
    best = {}
    for name, spec in instances[0].checks.items():
        columns = [[parts.get(name, 0.0) for parts in row] for row in rows]
        if spec["kind"] == "number":
            columns += _between(name, instances)
        best[name] = max(map(_of_others, columns))
    return round(instances[0].whole(best), 4)


def _between(check: str, instances: Sequence[Known]) -> list[list[float]]:
    """Return a check's scores in all instances for the numbers between two right ones."""
    right = sorted({float(one.checks[check]["expected"]) for one in instances})
    middles = [(low + high) / 2 for low, high in itertools.combinations(right, 2)]
    return [[one.told(check, value) for one in instances] for value in middles]


def _one_of(spec: Mapping[str, Any], fields: Mapping[str, Mapping[str, Any]]) -> float:
    """Return the probability that a check holds for any of the values that it can have."""
    if spec["kind"] == "label":
        labels = fields.get(spec["field"], {}).get("labels", ())
        return 1 / len(labels) if labels else 0.0
    share = float(spec["kind"] == "semantic")
    for finding in spec.get("findings", ()):
        if finding.get("when", True) is True:
            share /= len(finding.get("among", ())) or 2
    return share


def measured(
    tasks: Iterable[Task],
    registry: Registry,
    store: Store,
    tell: Callable[[Constant], None] = lambda one: None,
) -> list[Constant]:
    """Return what the best constants of tasks reach, with the data that are at hand."""
    found = []
    with open_bench(registry, store) as bench:
        for task in tasks:
            found.append(measure(task, known(task, bench), registry))
            tell(found[-1])
    return found


def recorded() -> dict[str, Constant]:
    """Return the table that is kept with the project, by task."""
    rows = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.is_file() else []
    return {row["task"]: Constant(**row) for row in rows}


def record(found: Iterable[Constant], registry: Registry) -> None:
    """Write rows of the table anew; those of tasks that are gone are left out."""
    table = recorded() | {one.task: one for one in found}
    rows = [json.dumps(asdict(table[task.id])) for task in kept(registry) if task.id in table]
    RECORD.write_text("[\n" + ",\n".join(rows) + "\n]\n", encoding="utf-8")


def main() -> int:
    """Measure, print and record; exit code 1 if a constant reaches too much."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("tasks", nargs="*", metavar="TASK")
    parser.add_argument("--suite", action="append")
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    registry = Registry.open()
    tasks = [
        task
        for task in registry.tasks()
        if (not options.suite or task.suite in options.suite)
        and (not options.tasks or task.id in options.tasks)
    ]
    if not options.json:
        print(HEADER)

    def tell(one: Constant) -> None:
        if not options.json:
            print(one.row(), flush=True)
        if options.record:  # after each, so that an interrupted measurement leaves what it has
            record([one], registry)

    store = Store(options.cache) if options.cache else Store()
    found = measured(tasks, registry, store, tell)
    if options.json:
        print(json.dumps([asdict(one) for one in found], indent=1))
    return 1 if any(one.too_much for one in found) else 0


if __name__ == "__main__":
    sys.exit(main())
