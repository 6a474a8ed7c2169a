"""The reference's session, kept, so that other answers can be put to the scorer after it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from braino_registry.errors import HostError

if TYPE_CHECKING:
    from pathlib import Path

    from braino_registry.runner.bench import Bench
    from braino_registry.runner.spec import TrialSpec


@dataclass(frozen=True)
class Rehearsal:
    """A session that the reference has held, with everything that scoring needs.

    Parameters
    ----------
    spec : TrialSpec
        The trial.
    bench : Bench
        Entries and data.
    record : dict
        How it ended.
    events : tuple of dict
        Its transcript.
    """

    spec: TrialSpec
    bench: Bench
    record: dict[str, Any]
    events: tuple[dict[str, Any], ...]

    @property
    def answer(self) -> dict[str, Any]:
        """What the reference answered: ``text``, ``data``, ``artifacts``.

        Raises
        ------
        HostError
            If something stopped it before it answered.
        """
        found = next((event for event in self.events if event["type"] == "answer"), None)
        if found is None:
            reason = str(self.record["reason"] or "").partition("\n")[0]
            raise HostError(
                f"the reference gave no answer: {reason or self.record['outcome']}",
                where=f"{self.spec.task}/{self.spec.instance}",
                hint="Mend it first: see what the stage `reference` says.",
            )
        return {name: found[name] for name in ("text", "data", "artifacts")}

    def with_answer(
        self, text: Any, data: Any = None, artifacts: Any = (), *, files: bool = True
    ) -> dict[str, Any]:
        """Return how the trial would have ended with another answer after the same work.

        Parameters
        ----------
        text, data, artifacts : Any
            The answer, see `braino.agent.AgentAnswer`.
        files : bool
            Whether the files that the reference has made are there.
        """
        from braino_registry.runner.clock import Clock
        from braino_registry.runner.isolation import Measured
        from braino_registry.runner.sitting import Sitting
        from braino_registry.runner.trial import grade, realise
        from braino_registry.runner.work import bind
        from braino_registry.session import Answer, Ending

        work = bind(self.spec, self.bench.registry, self.bench.salt)
        answer = Answer(text, data, tuple(artifacts))
        events = [
            {**event, "text": text, "data": data} if event["type"] == "answer" else event
            for event in self.events
        ]
        sitting = Sitting(Ending("finished", "", answer), events, answer, Measured())
        found = self.bench.found(work, realise)
        clock = Clock(lambda name, seconds: None)
        bare = replace(self.spec, run_dir=str(self.bench.scratch / "without-files"))
        return grade(self.spec if files else bare, work, found, self.bench, sitting, clock)


def rehearse(bench: Bench, task: str, instance: str, kept: Path) -> Rehearsal:
    """Let the reference work on an instance, and return what is left of it.

    Parameters
    ----------
    bench : Bench
        Entries and data.
    task, instance : str
        Their ids.
    kept : Path
        The folder for what the trial leaves.
    """
    from braino_registry.runner.inprocess import NoIsolation
    from braino_registry.runner.trial import run_trial
    from braino_registry.runner.trying import make_spec
    from braino_registry.session import read_events

    spec = make_spec(bench, task, instance=instance, keep=kept)
    record = run_trial(spec, bench, level=NoIsolation()).record
    transcript = spec.run.path / (record["transcript"] or "none")
    events = read_events(transcript, whole=True) if transcript.is_file() else ()
    return Rehearsal(spec, bench, record, tuple(dict(event) for event in events))
