"""Whether a dataset is valid BIDS, but for the faults that it says it has."""

from __future__ import annotations

from collections.abc import Iterator

from braino_registry.errors import HostError
from braino_registry.runner.contributing.desk import Desk
from braino_registry.runner.contributing.findings import Finding, counted, stage


@stage("BIDS", order=30, needs=("schema", "built twice"))
def look(desk: Desk) -> Iterator[Finding]:
    """Show that the BIDS validator finds exactly the issues that the entry lists."""
    from braino_registry.synthesis import validation

    what = "the validator finds exactly what is listed"
    done = set()
    for instance in desk.chosen:
        if instance.dataset is None or instance.dataset in done:
            continue
        done.add(instance.dataset)
        entry = desk.registry.dataset(instance.dataset)
        realised = desk.realise(instance, desk.salt)
        assert realised is not None
        try:
            found = validation.issues(realised.bids)
        except HostError as error:
            says = "; ".join(text for text in (error.problem, error.hint) if text)
            yield Finding(entry.ref, what, None, says, hint=error.hint)
            return
        listed = validation.expected(dict(entry.doc))
        if found == listed:
            says = counted(len(found), "kind of issue", "kinds of issues") + ", all listed"
            yield Finding(entry.ref, what, True, says)
            continue
        more = ", ".join(sorted(f"{each.severity} {each.code}" for each in found - listed))
        less = ", ".join(sorted(f"{each.severity} {each.code}" for each in listed - found))
        says = "; ".join(
            text
            for text, names in ((f"not listed: {more}", more), (f"listed, not found: {less}", less))
            if names
        )
        yield Finding(
            entry.ref,
            what,
            False,
            says,
            hint=f"See all with: bids-validator-deno {realised.bids}; then mend the "
            f"recipe, or list what is planted in $.expects.validator of {entry.file}.",
        )
    if not done:
        yield Finding("", what, None, "its instances need no dataset")
