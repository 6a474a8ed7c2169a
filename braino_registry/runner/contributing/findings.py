"""What a stage of `braino task check` finds, and how a stage is made known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from braino_registry.registry.plugins import PluginGroup

if TYPE_CHECKING:
    from braino_registry.runner.contributing.desk import Desk


@dataclass(frozen=True)
class Finding:
    """One thing that a stage looked at.

    Parameters
    ----------
    instance : str
        Which instance, dataset or field; empty for the task as a whole.
    what : str
        What was to be shown.
    ok : bool | None
        Whether it was; None if it could not be checked, which ``says`` explains.
    says : str
        What happened.
    expected : str | None
        What should have happened.
    hint : str
        What to do next, with the command.
    differs : sequence of dict
        Checks that did something else than was expected: ``id``, ``passed``, ``evidence``.
    cause : str
        What stopped the trial, where no check was at fault; others with the same are alike.
    """

    instance: str
    what: str
    ok: bool | None
    says: str
    expected: str | None = None
    hint: str = ""
    differs: Sequence[Mapping[str, Any]] = ()
    cause: str = ""

    @property
    def kin(self) -> tuple[str, ...]:
        """Return what is the same in findings that tell of the same fault."""
        if self.cause:
            return (self.cause,)
        seen = (f"{each['id']}: {each['evidence']}" for each in self.differs)
        return (self.what, self.says, *seen)

    def document(self, stage: str) -> dict[str, Any]:
        """Return the finding as JSON values, with the stage that found it."""
        kept = ("id", "passed", "evidence")
        return {
            "stage": stage,
            "instance": self.instance,
            "what": self.what,
            "ok": self.ok,
            "expected": self.expected,
            "says": self.says,
            "hint": self.hint,
            "differs": [{name: check[name] for name in kept} for check in self.differs],
        }


Look = Callable[["Desk"], Iterable[Finding]]


@dataclass(frozen=True)
class Stage:
    """A stage of checking.

    Parameters
    ----------
    name : str
        What it is called in the output.
    order : int
        Its place: stages with a smaller number come first.
    look : callable
        Looks at the task on a desk and yields findings.
    needs : tuple of str
        Stages that have to have found nothing wrong; else this one would tell the same again.
    data : bool
        Whether it needs an instance whose data are at hand.
    """

    name: str
    order: int
    look: Look
    needs: tuple[str, ...] = ()
    data: bool = True

    @property
    def about(self) -> str:
        """Return in one line what it shows."""
        return str(self.look.__doc__ or "").partition("\n")[0]

    @property
    def claim(self) -> str:
        """Return what it shows as a statement, to stand before what is wrong with it."""
        return self.about.removeprefix("Show that ").rstrip(".")


stages: PluginGroup[Stage] = PluginGroup(
    "braino_registry.runner.contributing.stages", "stage", "braino.task_stages"
)


def stage(
    name: str, *, order: int, needs: tuple[str, ...] = (), data: bool = True
) -> Callable[[Look], Look]:
    """Return a decorator that makes a function a stage of `braino task check`."""

    def keep(look: Look) -> Look:
        stages.add(name, Stage(name, order, look, needs, data), look.__module__)
        return look

    return keep


def folded(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings in their order, of those that tell of the same fault the first alone."""
    kept: dict[object, list[Finding]] = {}
    for number, found in enumerate(findings):
        kept.setdefault(found.kin if found.ok is False else number, []).append(found)
    return [
        replace(first, says=f"{first.says}; and {len(alike)} more alike") if alike else first
        for first, *alike in kept.values()
    ]


def counted(count: int, one: str, many: str) -> str:
    """Return a number with the words for it: ``1 thing holds``, ``2 things hold``."""
    return f"{count} {one if count == 1 else many}"


def in_order() -> Iterator[Stage]:
    """Yield the stages in the order in which they are run."""
    yield from sorted((each for _, each in stages), key=lambda each: (each.order, each.name))
