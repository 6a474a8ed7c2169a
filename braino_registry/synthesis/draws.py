"""Values of a recipe that are drawn, shared or chosen by case.

Anywhere in a recipe a value may be

``{"draw": {"choice": [...]}}``, ``{"integer": [low, high]}``, ``{"uniform": [low, high],
"step": s}``, ``{"lognormal": [median, sd]}``, ``{"sample": {"from": [...], "count": n}}``
    drawn where it stands, once per recording (or per participant in a column);
``{"draw": {"deal": [...]}}``
    one card of a shuffled deck per participant; in named draws also within each group of them, or
    per recording;
``{"drawn": "name"}``, with ``"at": i`` or ``"from": i, "to": j``
    a named draw, or one item or a part of it;
``{"case": {"of": ..., "when": {...}, "otherwise": ...}}``
    chosen by another value;
``{"entity": "bids_task"}``, ``{"column": "group"}``
    taken from the recording or the participant.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from braino_registry.errors import EntryError, close_matches
from braino_registry.synthesis.streams import Stream

_LARGEST = 2**53 - 1
_FORMS = frozenset({"draw", "drawn", "case", "entity", "column"})


@dataclass(frozen=True)
class Scope:
    """Whom a value is drawn for.

    Attributes
    ----------
    recording : str
        Recording id, empty outside recordings.
    subject : str
        Participant label, empty for the dataset.
    entities : mapping
        ``bids_*`` entities of the recording.
    columns : mapping
        Columns of the participant that are already known.
    """

    recording: str = ""
    subject: str = ""
    entities: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, Any] = field(default_factory=dict)


class Values:
    """Resolves the values of one recipe.

    Parameters
    ----------
    recipe_id : str
        Part of every key, so that two recipes with one seed share nothing.
    seed : int
        Seed of the recipe.
    salt : bytes
        Secret, or empty.
    named : mapping
        The named draws of the recipe.
    known : mapping | None
        What an entity, or a column of the participants that has levels, can be.
    """

    def __init__(
        self,
        recipe_id: str,
        seed: int,
        salt: bytes,
        named: Mapping[str, Any],
        known: Mapping[str, list[str]] | None = None,
    ) -> None:
        self._recipe_id = recipe_id
        self._seed = seed
        self._salt = salt
        self._named = named
        self._known = dict(known or {})
        self._forms = {
            "draw": self._draw,
            "drawn": self._drawn,
            "case": self._case,
            "entity": self._entity,
            "column": self._column,
        }
        self.participants: dict[str, dict[str, Any]] = {}
        self.recordings: tuple[str, ...] = ()

    def stream(self, purpose: str, part: str) -> Stream:
        """Return the random stream of one part of this recipe."""
        return Stream(purpose, self._seed, self._salt, f"{self._recipe_id}|{part}")

    def where(self, path: str, scope: Scope | None = None) -> str:
        """Return the place of a JSON path for a message."""
        of = (
            f" (for {scope.recording or 'sub-' + scope.subject})" if scope and scope.subject else ""
        )
        return f"recipe {self._recipe_id}: {path}{of}"

    def known(self, name: str) -> list[str] | None:
        """Return what an entity or a column can be in this recipe; None if it can be anything."""
        return self._known.get(name)

    def resolve(self, value: Any, path: str, scope: Scope) -> Any:
        """Return the value with everything drawn filled in.

        Parameters
        ----------
        value : JSON value
            What the recipe says.
        path : str
            Its JSON path; also the key of a draw that stands there.
        scope : Scope
            Whom it is for.

        Raises
        ------
        EntryError
            If a name, column, entity or case does not exist.
        """
        if isinstance(value, list):
            return [self.resolve(v, f"{path}[{i}]", scope) for i, v in enumerate(value)]
        if not isinstance(value, Mapping):
            return value
        form = form_of(value)
        if form is not None:
            return self._forms[form](value, path, scope)
        return {key: self.resolve(v, f"{path}.{key}", scope) for key, v in value.items()}

    def _draw(self, value: Mapping[str, Any], path: str, scope: Scope) -> Any:
        who = scope.recording or scope.subject
        if "deal" in value["draw"]:
            return self._dealt(value["draw"]["deal"], path, path, scope, None)
        return self._one(value["draw"], f"{path}|{who}", f"{path}.draw", scope)

    def _drawn(self, value: Mapping[str, Any], path: str, scope: Scope) -> Any:
        name = value["drawn"]
        if name not in self._named:
            raise EntryError(
                f"there is no draw called {name!r}",
                where=self.where(f"{path}.drawn", scope),
                hint=close_matches(str(name), sorted(self._named)),
            )
        drawn = self._named_value(name, self._named[name], path, scope)
        if "at" in value:
            return self._part(drawn, value["at"], value["at"] + 1, path, scope)[0]
        if "from" in value or "to" in value:
            first = value.get("from", 0)
            return self._part(drawn, first, value.get("to", first + 1), path, scope)
        return drawn

    def _part(self, drawn: Any, first: int, last: int, path: str, scope: Scope) -> list[Any]:
        if not isinstance(drawn, list) or not 0 <= first < last <= len(drawn):
            size = f"{len(drawn)} items" if isinstance(drawn, list) else "no items"
            raise EntryError(
                f"items {first} to {last - 1} are asked of a draw that has {size}",
                where=self.where(path, scope),
                hint="Draw a larger sample, or ask for an item that it has.",
            )
        return drawn[first:last]

    def _named_value(self, name: str, doc: Mapping[str, Any], path: str, scope: Scope) -> Any:
        per = doc["per"]
        key = f"$.draws.{name}"
        who = {"dataset": "", "subject": scope.subject, "recording": scope.recording}[per]
        if per != "dataset" and not who:
            raise EntryError(
                f"the draw {name!r} is made per {per}, but here there is no {per}",
                where=self.where(path, scope),
                hint="Draw it per dataset, or use it in a recording.",
            )
        spec = doc["draw"]
        if "deal" in spec and per == "recording":
            if "within" in doc:
                raise EntryError(
                    "cards are dealt to all recordings at once, not within a group",
                    where=self.where(f"{key}.within", scope),
                    hint="Leave it out, or deal per subject.",
                )
            return self._card(spec["deal"], key, key, scope.recording, self.recordings)
        if "deal" in spec:
            return self._dealt(spec["deal"], key, path, scope, doc.get("within"))
        return self._one(spec, f"{key}|{who}", f"{key}.draw", scope)

    def _one(self, spec: Mapping[str, Any], part: str, path: str, scope: Scope) -> Any:
        for name in ("integer", "uniform"):
            if name in spec and spec[name][0] > spec[name][1]:
                raise EntryError(
                    f"{spec[name][0]} is above {spec[name][1]}",
                    where=self.where(f"{path}.{name}", scope),
                    hint="Give the lower end first.",
                )
        if "sample" in spec and spec["sample"]["count"] > len(spec["sample"]["from"]):
            raise EntryError(
                f"{spec['sample']['count']} of {len(spec['sample']['from'])} cannot be drawn",
                where=self.where(f"{path}.sample.count", scope),
                hint="Draw fewer, or list more.",
            )
        try:
            drawn = draw_one(spec, self.stream("draw", part))
        except (OverflowError, ValueError, ZeroDivisionError):
            drawn = math.nan
        if isinstance(drawn, int | float) and not abs(drawn) <= _LARGEST:
            raise EntryError(
                "this draw leaves the range of numbers",
                where=self.where(path, scope),
                hint="Give limits and steps of an ordinary size.",
            )
        return drawn

    def _dealt(
        self, deck: Sequence[Any], key: str, path: str, scope: Scope, within: str | None
    ) -> Any:
        group = "" if within is None else str(self._column({"column": within}, path, scope))
        cohort = [
            label
            for label, columns in self.participants.items()
            if within is None or str(columns.get(within)) == group
        ]
        if scope.subject not in cohort:
            raise EntryError(
                "cards can be dealt to participants only",
                where=self.where(path, scope),
                hint='Use "choice", or draw it per subject.',
            )
        return self._card(deck, f"{key}|{group}", key, scope.subject, cohort)

    def _card(
        self, deck: Sequence[Any], part: str, path: str, who: str, cohort: Sequence[str]
    ) -> Any:
        """Return what one of a cohort, participants or recordings, is dealt."""
        if len(deck) != len(cohort):
            what = "recordings" if cohort is self.recordings else "participants"
            raise EntryError(
                f"{len(deck)} cards cannot be dealt to {len(cohort)} {what}",
                where=self.where(path),
                hint=f"List {len(cohort)} values.",
            )
        return self.stream("draw", part).shuffled(deck)[cohort.index(who)]

    def _case(self, value: Mapping[str, Any], path: str, scope: Scope) -> Any:
        case = value["case"]
        found = label(self.resolve(case["of"], f"{path}.case.of", scope))
        if found in case["when"]:
            return self.resolve(case["when"][found], f"{path}.case.when.{found}", scope)
        if "otherwise" in case:
            return self.resolve(case["otherwise"], f"{path}.case.otherwise", scope)
        raise EntryError(
            f"no case for {found!r}",
            where=self.where(f"{path}.case.when", scope),
            hint='Add the case, or an "otherwise".',
        )

    def _entity(self, value: Mapping[str, Any], path: str, scope: Scope) -> Any:
        return self._taken(value["entity"], scope.entities, "entity", path, scope)

    def _column(self, value: Mapping[str, Any], path: str, scope: Scope) -> Any:
        return self._taken(value["column"], scope.columns, "column", path, scope)

    def _taken(
        self, name: str, known: Mapping[str, Any], what: str, path: str, scope: Scope
    ) -> Any:
        if name not in known:
            raise EntryError(
                f"there is no {what} {name!r} here",
                where=self.where(f"{path}.{what}", scope),
                hint=close_matches(name, sorted(known)),
            )
        return known[name]


def form_of(value: Any) -> str | None:
    """Return which form a value has that stands for another one, or None if it is plain."""
    if not isinstance(value, Mapping):
        return None
    forms = sorted(_FORMS & value.keys())
    return forms[0] if len(forms) == 1 else None


def label(value: Any) -> str:
    """Return how a value is written as the name of a case: ``50``, ``alpha``."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def draw_one(spec: Mapping[str, Any], stream: Stream) -> Any:
    """Return one value of a distribution.

    Parameters
    ----------
    spec : mapping
        One of ``choice``, ``integer``, ``uniform`` (with ``step``), ``lognormal``, ``sample``.
    stream : Stream
        Where the randomness comes from.
    """
    if "choice" in spec:
        return spec["choice"][stream.integer(0, len(spec["choice"]) - 1)]
    if "integer" in spec:
        low, high = spec["integer"]
        return stream.integer(low, high)
    if "sample" in spec:
        return stream.shuffled(spec["sample"]["from"])[: spec["sample"]["count"]]
    if "lognormal" in spec:
        median, sd = spec["lognormal"]
        return round(median * math.exp(sd * stream.normal()), 6)
    low, high = spec["uniform"]
    if "step" in spec:
        steps = round((high - low) / spec["step"])
        return round(low + spec["step"] * stream.integer(0, steps), 9)
    return round(low + (high - low) * stream.uniform(), 6)
