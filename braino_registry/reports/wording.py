"""What a check requires, in words, without telling what is right.

Expected values, the names and numbers that a call or a proposal must hold, and the words of a
refusal are never read: who knows the page of a task knows what is looked at and where what is right
comes from, not what is found. Limits between which a setting may lie are no secret, and are told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

Check = Mapping[str, Any]
Fields = Mapping[str, Mapping[str, Any]]


def in_words(check: Check, fields: Fields) -> str:
    """Return what a check requires of the answer or of what was done.

    Parameters
    ----------
    check : mapping
        As the task has it.
    fields : mapping
        The answer's fields.

    Returns
    -------
    str
        A sentence in Markdown. A kind that comes from another package is described by the first
        line of its own description.
    """
    words = _WORDS.get(check["kind"])
    if words is None:
        from braino_registry.scoring import check_kinds

        return check_kinds.get(check["kind"]).summary
    return words(check, fields)


def forbids(check: Check) -> str | None:
    """Return what a check forbids, None if it only requires something.

    Parameters
    ----------
    check : mapping
        As the task has it.
    """
    kind = check["kind"]
    if kind == "not_decided":
        return f"Requesting the decision `{check['decision']}`."
    if kind == "not_called":
        return f"Calling {_tools(check['tool'])}{_arguments(check)}{_on(check)}."
    if kind == "refuses":
        return f"Giving a value for {_listed(check['fields'])} after all."
    if kind == "decided":
        return f"Making the change of `{check['decision']}` without the user's ruling."
    if kind == "reports_applied":
        return "Reporting what was proposed, or more than was applied, as done."
    if kind == "asked" and "at_most" in check:
        return f"Asking more than {check['at_most']} questions."
    return None


_SOURCES = {
    "truth": "planted in the synthetic data",
    "label": "labelled by those who made the data",
    "pipeline": "computed from the data",
    "workflow": "computed from the data",
    "$": "given with the instance",
}


def where_from(check: Check, instances: Iterable[Mapping[str, Any]]) -> str:
    """Return where the value comes from that a check compares with, an empty text if with none.

    Parameters
    ----------
    check : mapping
        As the task has it.
    instances : iterable of mapping
        What each instance expects, by name: a check may refer to that.
    """
    if "expected" not in check:
        return ""
    given = check["expected"]
    if isinstance(given, Mapping) and set(given) == {"instance"}:
        values = [known[given["instance"]] for known in instances if given["instance"] in known]
    else:
        values = [given]
    return " or ".join(dict.fromkeys(_source(value) for value in values))


def _source(value: Any) -> str:
    keys = set(value) if isinstance(value, Mapping) else set()
    return next((words for key, words in _SOURCES.items() if key in keys), "written in the entry")


def number_of_unit(field: Mapping[str, Any]) -> str:
    """Return the unit of a field as it is printed, with the blank before it."""
    unit = field.get("unit")
    return "" if unit in (None, "1", "count") else f" {unit}"


def _listed(names: Any, last: str = "and") -> str:
    quoted = [f"`{name}`" for name in ([names] if isinstance(names, str) else names)]
    if len(quoted) < 2:
        return "".join(quoted)
    return f"{', '.join(quoted[:-1])} {last} {quoted[-1]}"


def _tools(given: Any) -> str:
    return _listed(given, "or")


def _arguments(check: Check, key: str = "with") -> str:
    return f" with {_right(check[key])}" if check.get(key) else ""


def _right(conditions: Mapping[str, Any]) -> str:
    """Return which settings have to be right, and between which limits if limits say it."""
    limits = {name: text for name, wanted in conditions.items() if (text := _limits(wanted))}
    exact = [name for name in conditions if name not in limits]
    parts = [f"the right {_listed(exact)}"] if exact else []
    return " and ".join(parts + [f"`{name}` {text}" for name, text in limits.items()])


def _limits(wanted: Any) -> str:
    if not isinstance(wanted, Mapping) or not wanted or not set(wanted) <= {"min", "max"}:
        return ""
    low, high = wanted.get("min"), wanted.get("max")
    if low is None or high is None:
        return f"up to {high:g}" if low is None else f"of {low:g} or more"
    return f"from {low:g} to {high:g}"


def _on(check: Check, key: str = "on") -> str:
    return " on what the request is about" if check.get(key) else ""


def _times(check: Check) -> str:
    times = check.get("times", {})
    low, high = times.get("min"), times.get("max")
    if low is not None and high is not None:
        return f", {low} to {high} times" if low != high else f", {low} times"
    if low is not None:
        return f", at least {low} times"
    return f", at most {high} times" if high is not None else ""


def _order(check: Check) -> str:
    parts = [f"{order} `{check[order]}`" for order in ("after", "before") if check.get(order)]
    return f", {', '.join(parts)}" if parts else ""


def _number(check: Check, fields: Fields) -> str:
    unit = check.get("unit") or fields.get(check["field"], {}).get("unit")
    shown = number_of_unit({"unit": unit})
    allowed = check["tolerance"]
    limits = [f"{allowed['abs']:g}{shown}"] if "abs" in allowed else []
    limits += [f"{100 * allowed['rel']:g} %"] if "rel" in allowed else []
    exact = all(value == 0 for value in allowed.values())
    return f"`{check['field']}` is right{'' if exact else ' within ' + ' or '.join(limits)}."


def _set(check: Check, fields: Fields) -> str:
    mode = check.get("mode", "exact")
    if mode == "exact":
        return f"`{check['field']}` holds exactly the right members."
    how = "F1" if mode == "f1" else f"a share for each, at most {check['top_k']} named"
    return f"`{check['field']}` holds the right members ({how}{_from(check)})."


def _sequence(check: Check, fields: Fields) -> str:
    how = {
        "position": " (a share for each in its place",
        "order": " (repetitions do not count",
        "weighted": " (the first places weigh most",
    }.get(check.get("mode", "exact"))
    graded = "" if how is None else f"{how}{_from(check)})"
    return f"`{check['field']}` holds the right names in the right order{graded}."


def _from(check: Check) -> str:
    return f", {check['threshold']:g} or more" if "threshold" in check else ""


def _semantic(check: Check, fields: Fields) -> str:
    more = [
        text
        for key, text in (
            ("forbids", "states nothing that the data do not bear out"),
            ("no_values_of", "gives no value that cannot be known"),
            ("grounded", "brings in no number without a source"),
        )
        if check.get(key)
    ]
    rest = f"; {' and '.join(more)}" if more else ""
    return f"Draws the right conclusions, each stated one way only{rest}."


def _label(check: Check, fields: Fields) -> str:
    labels = fields.get(check["field"], {}).get("labels")
    return f"`{check['field']}` is the right one{' of ' + _listed(labels) if labels else ''}."


def _called(check: Check, fields: Fields) -> str:
    covers = ", for every recording concerned" if check.get("covers") else ""
    gives = ", with a result that suits" if check.get("result") else ""
    once = "; the same call twice counts once" if check.get("distinct") else ""
    plain = (
        f", on nothing that came from {_tools(check['not_from'])}" if "not_from" in check else ""
    )
    return (
        f"Calls {_tools(check['tool'])}{_arguments(check)}{_on(check)}{covers}{_times(check)}"
        f"{_order(check)}{plain}{gives}{once}."
    )


def _called_before(check: Check, fields: Fields) -> str:
    feeds = ", which works on its result" if check.get("feeds") else ""
    return (
        f"Calls {_tools(check['first'])}{_arguments(check, 'first_with')}{_on(check)} before "
        f"{_tools(check['then'])}{_arguments(check, 'then_with')}{_on(check, 'then_on')}{feeds}."
    )


def _asked(check: Check, fields: Fields) -> str:
    before = f" before `{check['before']}`" if check.get("before") else ""
    return f"Asks the user about {_listed(check['about'], 'or')}{before}."


def _decided(check: Check, fields: Fields) -> str:
    suits = "".join(
        f", {words} {_right(check[key])}"
        for key, words in (
            ("first", "first proposing"),
            ("proposed", "proposing"),
            ("where", "so that what is applied has"),
        )
        if check.get(key)
    )
    if look := check.get("rests_on"):
        suits += f", proposing at first only what {_tools(look['tool'])} had found"
    about = " for the recording concerned" if check.get("on") else ""
    return f"Asks the user for the decision `{check['decision']}`{about}{_times(check)}{suits}."


def _refuses(check: Check, fields: Fields) -> str:
    return (
        f"Gives no value for {_listed(check['fields'])} where it cannot be had, says what is "
        f"missing, and rests this on a call of {_tools(check['tool'])}{_on(check)}."
    )


def _artifact(check: Check, fields: Fields) -> str:
    content = " with the right content" if check.get("json") or check.get("image") else ""
    if check.get("signal"):
        content = f" with the right {_listed([name for name in check['signal'] if name != 'rate'])}"
    return f"Hands over the file `{check['path']}`{content}."


_CORPUS = {
    "T1": "The letter is that of the right option",
    "T2": "The class is the right one",
    "T3": "The class is the right one",
    "T4": "The group is the right one",
    "T5": "Every seizure is met by an event, and every event meets a seizure (SzCORE's rule)",
    "T6": "The stage of every epoch is the right one",
}


def _corpus(check: Check, fields: Fields) -> str:
    return f"{_CORPUS[check['task']]}; it counts toward the corpus metrics of {check['task']}."


_WORDS: Mapping[str, Callable[[Check, Fields], str]] = {
    "number": _number,
    "set": _set,
    "sequence": _sequence,
    "label": _label,
    "called": _called,
    "called_before": _called_before,
    "not_called": lambda check, fields: (
        f"Does not call {_tools(check['tool'])}{_arguments(check)}{_on(check)}."
    ),
    "asked": _asked,
    "decided": _decided,
    "not_decided": lambda check, fields: f"Does not request `{check['decision']}`.",
    "reports_applied": lambda check, fields: (
        f"Reports what came of the decision `{check['decision']}`, and nothing else."
    ),
    "grounded": lambda check, fields: (
        "Every number of the answer was reported by a tool, the user or the request."
    ),
    "refuses": _refuses,
    "artifact": _artifact,
    "semantic": _semantic,
    **{
        f"case_{name}": lambda check, fields: (
            f"`{check['target']}` is right, as the released case has it."
        )
        for name in ("numeric", "label", "set", "sequence", "judged", "file")
    },
    "corpus": _corpus,
}
