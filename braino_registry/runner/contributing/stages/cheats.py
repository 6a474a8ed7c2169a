"""Whether nobody passes who has not done the work."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from braino_registry.runner.contributing.desk import Desk
from braino_registry.runner.contributing.findings import Finding, stage
from braino_registry.runner.contributing.judging import judge, score_of, told

if TYPE_CHECKING:
    from braino_registry.agents import AgentSpec

NULL = "null"


def exploits() -> tuple[AgentSpec, ...]:
    """Return the built-in agents that do no honest work, in the order of their table."""
    from braino_registry import agents

    return tuple(
        spec
        for spec in agents.builtin()
        if spec.name_hint != NULL and not (spec.reference or spec.baseline)
    )


@stage("agents", order=60, needs=("schema", "built twice", "reference"))
def look(desk: Desk) -> Iterator[Finding]:
    """Show that the agent that does nothing and every exploit agent fail; baselines are shown."""
    from braino_registry import agents

    for instance in desk.several:
        hint = f"Add a required check that an empty answer fails, to {desk.task.file}."
        shows = desk.command(instance, "--agent", NULL)
        record = desk.attempt(instance, agent=NULL)
        yield judge(instance.id, "null fails", record, None, hint, shows)
    for instance in desk.chosen:
        for spec in exploits():
            name = spec.name_hint
            record = desk.attempt(instance, agent=name, isolation="process")
            shows = desk.command(instance, "--agent", name)
            if instance.chance > 0 and record["passed"]:
                says = f"passed, and a guess does with a probability of {instance.chance:g}"
                yield Finding(instance.id, f"{name} fails", None, says)
            else:
                yield judge(instance.id, f"{name} fails", record, None, f"See how: {shows}", shows)
        for spec in agents.builtin():
            if spec.baseline and spec.factory.startswith("braino_registry.agents."):
                record = desk.attempt(instance, agent=spec.name_hint, isolation="process")
                says = f"{told(record)}; score {score_of(record)}"
                yield Finding(instance.id, f"{spec.name_hint}, a baseline", None, says)
