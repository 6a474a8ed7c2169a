"""What one trial is about: the task bound to its instance, its data and its scripts."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from braino_registry.errors import EntryError
from braino_registry.registry.questions import drawn
from braino_registry.runner import seeds
from braino_registry.runner.spec import TrialSpec

if TYPE_CHECKING:
    from braino_registry.datasets import Realised
    from braino_registry.registry import Instance, PublicDataset, Recipe, Registry, Salt, Task
    from braino_registry.session import Limits


@dataclass(frozen=True)
class Work:
    """A task entry bound to one of its instances.

    Parameters
    ----------
    task : Task
        The entry.
    instance : Instance
        The instance.
    entry : Recipe | PublicDataset | None
        Its dataset; None where a question needs no data.
    request : str
        What the agent is asked.
    """

    task: Task
    instance: Instance
    entry: Recipe | PublicDataset | None
    request: str

    @property
    def seconds(self) -> float:
        """How long an agent may work in a session, waits for its tools excluded."""
        return float(self.task.limits["seconds"])

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of the answer, with the phrases that name them in this instance."""
        return self.task.fields_for(self.instance)

    @property
    def printed_bytes(self) -> int:
        """How much the agent may print."""
        return int(self.task.limits["output_bytes"])

    @property
    def hidden(self) -> bool:
        """Whether the suite shows one recording alone, under an id drawn for the trial."""
        return self.task.home.inputs == "none"

    @property
    def records(self) -> dict[str, str]:
        """The recording by what the agent calls it, where it sees no other."""
        one = self.instance
        if not self.hidden or one.record_id is None or one.recording_id is None:
            return {}
        return {one.record_id: one.recording_id}

    def told_seed(self, seed: int) -> int:
        """Return the seed that the agent is told: the trial's, where it tells nothing.

        A trial's seed follows from the name of its instance, so that whoever tries all names
        would find which of them an id that tells nothing stands for; there it is drawn anew.
        """
        return secrets.randbelow(seeds.LARGEST + 1) if self.hidden else seed

    def limits(self) -> Limits:
        """Return what the session enforces."""
        from braino_registry.session import Limits

        known = Limits.__dataclass_fields__
        given = {name: value for name, value in self.task.limits.items() if name in known}
        return Limits(**given)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Scripts:
    """What user and oracle follow, with every reference to the truth filled in.

    Parameters
    ----------
    user : dict
        The scripted user.
    reference : dict | None
        The reference solution, if the agent is given one.
    """

    user: dict[str, Any]
    reference: dict[str, Any] | None


def bind(spec: TrialSpec, registry: Registry, salt: Salt) -> Work:
    """Return the work that a trial is about; a question has its options in the trial's own order.

    Raises
    ------
    EntryError
        If the task is no longer the one that was planned.
    """
    task = registry.task(spec.task)
    if task.version != spec.version:
        raise EntryError(
            f"version {spec.version} was planned, but the entry now has {task.version}",
            where=str(task.file),
            hint="Start a new run.",
        )
    instance = drawn(task.instance(spec.instance), seed=spec.seed, secret=salt.material)
    if task.home.inputs == "none" and instance.recording_id is not None:
        # Drawn anew in each trial, so that it tells nothing, not even which recording it was once.
        instance = replace(instance, record_id=f"EEG_{secrets.token_hex(4).upper()}")
    entry = None if instance.dataset is None else registry.dataset(instance.dataset)
    return Work(task, instance, entry, task.request_for(instance))


def scripts(work: Work, realised: Realised | None, spec: TrialSpec) -> Scripts:
    """Return the scripts of a trial.

    A counterexample changes reference and user. The oracle sees the truth only where a
    counterexample claims it, or where nothing but labels can answer.
    """
    from braino_registry import expected
    from braino_registry.session import apply_counterexample

    known = _known(work.instance, realised)
    user: Mapping[str, Any] = work.task.user_for(work.instance)
    reference: Mapping[str, Any] = work.task.reference
    context = work.instance.context()
    if spec.counterexample is not None:
        change = work.task.counterexamples[spec.counterexample]
        reference, user = apply_counterexample(reference, user, change)
    if spec.counterexample is not None or reference["kind"] == "answer":
        context = {**context, "truth": known}
    filled_user = expected.substitute(dict(user), known)
    if not spec.reference:
        return Scripts(filled_user, None)
    filled = expected.substitute(dict(reference), known)
    return Scripts(filled_user, {**filled, "context": context})


def _known(instance: Instance, realised: Realised | None) -> dict[str, Any]:
    """Return what is true of an instance.

    On public data the labels stand for the truth. What the instance brings itself is added by its
    name, and is all there is without data.
    """
    from braino_registry import expected

    known: Mapping[str, Any] = {}
    if realised is not None:
        planted = realised.truth.get("recordings") or realised.truth.get("dataset")
        known = realised.truth if planted else realised.labels
    values = instance.expected.items()
    brought = {name: value["literal"] for name, value in values if "literal" in value}
    return {**expected.scope(known, instance.recording_id), **brought}
