"""Trials that something outside has interrupted, as a person has verified.

A provider that is down or a container that does not start says nothing of the agent, but from
here it looks like the agent's own failure, and an agent's word that it was otherwise must not
count: it could choose then which of its trials are scored. So a person names the trials, with the
reason. They are run again with the same inputs and settings; what they had come to, and why it
does not count, stays in the journal and in the report for everybody to see.
"""

from __future__ import annotations

from collections.abc import Sequence

from braino_registry.errors import UsageError, close_matches
from braino_registry.runner.journal import Journal, Progress

#: How a trial may have ended that was interrupted. One that was brought to its end was not.
MAY_BE = ("agent_error", "limit")
LONGEST_REASON = 500


def check_reason(names: Sequence[str], why: str) -> None:
    """Refuse trials without a reason, and a reason without trials.

    Raises
    ------
    UsageError
        If so.
    """
    if bool(names) != bool(why.strip()) or len(why) > LONGEST_REASON:
        raise UsageError(
            "interrupted trials and the reason go together",
            where="--interrupted and --why",
            hint="Name each trial, and say in at most "
            f"{LONGEST_REASON} characters what was verified: --why 'the provider was down'.",
        )


def note(log: Journal, progress: Progress, names: Sequence[str], why: str) -> None:
    """Note in the journal that attempts do not count.

    Parameters
    ----------
    log : Journal
        The journal of the run.
    progress : Progress
        What it holds.
    names : sequence of str
        The trials, ``TASK/INSTANCE/REPEAT``.
    why : str
        What has interrupted them.

    Raises
    ------
    UsageError
        If a name means no trial, or one that was not interrupted. Nothing is noted then.
    """
    counted = progress.counted()
    possible = {
        "/".join(map(str, key)): record
        for key, record in counted.items()
        if record["outcome"] in MAY_BE
    }
    wrong = [name for name in names if name not in possible]
    if wrong:
        others = {"/".join(map(str, key)): record["outcome"] for key, record in counted.items()}
        said = f"it is {others[wrong[0]]!r}" if wrong[0] in others else "there is no such trial"
        raise UsageError(
            f"{wrong[0]} cannot have been interrupted: {said}",
            where="--interrupted",
            hint=close_matches(wrong[0], sorted(possible))
            if possible
            else f"No trial of this run ended as {' or '.join(MAY_BE)}.",
        )
    for name in dict.fromkeys(names):
        log.interrupted(possible[name], why.strip())
