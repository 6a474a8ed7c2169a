"""How a model is asked: every option of the agents that use one, checked and recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from os import environ
from typing import Any
from urllib.parse import urlsplit

from braino.agent import AgentUnusable
from braino_registry.agents.llm.models import Known, Price, known, table

OFFICIAL = "https://api.openai.com/v1"
URL_VARIABLE = "OPENAI_BASE_URL"
PROTOCOLS = ("native", "text")
#: ``off`` as far as is known how; ``default`` leaves it to the server.
REASONING = ("off", "default", "minimal", "low", "medium", "high")
_LOOPBACK = ("localhost", "127.0.0.1", "::1", "0.0.0.0")


@dataclass(frozen=True)
class Settings:
    """How a model is asked.

    Parameters
    ----------
    model : str
        Its name on the server.
    base_url : str
        The server, for example ``"http://127.0.0.1:8000/v1"``; by default that of the environment
        variable ``OPENAI_BASE_URL``, or OpenAI's.
    key_env : str
        Environment variable with the key; a server on this computer needs none.
    protocol : {"native", "text"}
        Whether tools are offered by function calling, or described in the prompt.
    temperature : float | None
        0 by default; None leaves it to the server.
    top_p : float | None
        None leaves it to the server.
    seed : int | None
        None takes that of the trial.
    max_tokens : int
        The longest reply, in tokens.
    stop : tuple of str
        Where a reply ends.
    reasoning : str
        ``"off"``, ``"default"``, ``"minimal"``, ``"low"``, ``"medium"`` or ``"high"``.
    extra_body : dict
        Added to every request as it is.
    stream : bool
        Whether replies are streamed.
    timeout : float
        Seconds without a byte after which a request has failed.
    retries : int
        How often a request whose transport failed is sent again.
    context_tokens : int | None
        The model's window; None takes what is known of it.
    result_chars : int
        How much of a tool's result is shown at a time.
    max_turns : int
        Replies of a trial after which the agent gives up, where the suite sets no limit.
    input_price, output_price, cached_price : float | None
        US dollars per million tokens, where the table has none or another.
    """

    model: str
    base_url: str = OFFICIAL
    key_env: str = "OPENAI_API_KEY"
    protocol: str = "native"
    temperature: float | None = 0.0
    top_p: float | None = None
    seed: int | None = None
    max_tokens: int = 4096
    stop: tuple[str, ...] = ()
    reasoning: str = "off"
    extra_body: dict[str, Any] = field(default_factory=dict)
    stream: bool = True
    timeout: float = 300.0
    retries: int = 4
    context_tokens: int | None = None
    result_chars: int = 12_000
    max_turns: int = 100
    input_price: float | None = None
    output_price: float | None = None
    cached_price: float | None = None

    @classmethod
    def read(cls, model: str | None, **options: Any) -> Settings:
        """Return settings from a model and options, or say what is wrong with them.

        Raises
        ------
        AgentUnusable
            If there is no model, or an option is unknown, of a wrong type or out of range.
        """
        if not model:
            raise AgentUnusable("factory", "this agent needs a model", hint="Add --model NAME.")
        known_names = [each.name for each in fields(cls) if each.name != "model"]
        for name, value in options.items():
            if name not in known_names:
                raise AgentUnusable(
                    "factory", f"there is no option {name!r}", "--agent-option",
                    f"The options are: {', '.join(known_names)}.",
                )  # fmt: skip
            if not _CHECKS[name](value):
                shown = repr(value)[:80]
                raise AgentUnusable(
                    "factory", f"the option {name} cannot be {shown}", "--agent-option",
                    f"It is {_ALLOWED[name]}.",
                )  # fmt: skip
        given = dict(options)
        if "stop" in given:
            stop = given["stop"]
            given["stop"] = (stop,) if isinstance(stop, str) else tuple(stop)
        given.setdefault("base_url", environ.get(URL_VARIABLE) or OFFICIAL)
        return cls(model, **given)

    @property
    def host(self) -> str:
        """The server's name."""
        return (urlsplit(self.base_url).hostname or "").lower()

    @property
    def local(self) -> bool:
        """Whether the server is on this computer."""
        return self.host in _LOOPBACK

    @property
    def known(self) -> Known:
        """What is known of the model on this server."""
        return known(self.model, self.host)

    @property
    def window(self) -> int:
        """Tokens that prompt and reply may have together."""
        return self.context_tokens or self.known.context

    @property
    def price(self) -> Price | None:
        """What the model costs, None if unknown."""
        if self.input_price is not None and self.output_price is not None:
            return Price(self.input_price, self.output_price, self.cached_price)
        return self.known.price

    def body(self, seed: int) -> dict[str, Any]:
        """Return what of a request does not depend on the conversation.

        Parameters
        ----------
        seed : int
            That of the trial.
        """
        facts = self.known
        body: dict[str, Any] = {
            "model": self.model,
            facts.tokens_as: self.max_tokens,
            "seed": seed if self.seed is None else self.seed,
        }
        if self.temperature is not None and not facts.no_sampling:
            body["temperature"] = self.temperature
        if self.top_p is not None and not facts.no_sampling:
            body["top_p"] = self.top_p
        if self.stop:
            body["stop"] = list(self.stop)
        extra = {**self._reasoning(), **self.extra_body}
        return {**body, **({"extra_body": extra} if extra else {})}

    def _reasoning(self) -> dict[str, Any]:
        if self.reasoning == "off":
            return dict(self.known.reasoning_off)
        return {} if self.reasoning == "default" else {"reasoning_effort": self.reasoning}

    def document(self) -> dict[str, Any]:
        """Return everything that a report should tell, as JSON values; there is no secret in it."""
        told = {each.name: getattr(self, each.name) for each in fields(self)}
        price = self.price
        own = self.input_price is not None and self.output_price is not None
        return {
            **told,
            "stop": list(self.stop),
            "window": self.window,
            "sent": self.body(0) | {"seed": self.seed if self.seed is not None else "the trial's"},
            "price": None if price is None else [price.input, price.cached, price.output],
            "price_from": None if price is None else "options" if own else "table",
            "prices_as_of": table()["as_of"],
        }


def _number(low: float, high: float) -> Callable[[Any], bool]:
    return lambda v: isinstance(v, (int, float)) and not isinstance(v, bool) and low <= v <= high


def _whole(low: int, high: int) -> Callable[[Any], bool]:
    return lambda v: isinstance(v, int) and not isinstance(v, bool) and low <= v <= high


def _or_none(check: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda v: v is None or check(v)


def _is_url(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        parts = urlsplit(value)
        _ = parts.port
    except ValueError:
        return False
    plain = parts.username is None and not parts.query and not parts.fragment
    return parts.scheme in ("http", "https") and bool(parts.hostname) and plain


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and value.isidentifier()


def _is_stop(value: Any) -> bool:
    texts = [value] if isinstance(value, str) else value
    return isinstance(texts, (list, tuple)) and len(texts) <= 16 and all(
        isinstance(each, str) and each for each in texts
    )  # fmt: skip


_PRICE = (_or_none(_number(0, 1e6)), "US dollars per million tokens")
_TABLE: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "base_url": (_is_url, "an address, as http://127.0.0.1:8000/v1, without password or query"),
    "key_env": (_is_name, "the name of an environment variable"),
    "protocol": (lambda v: v in PROTOCOLS, "native or text"),
    "temperature": (_or_none(_number(0, 2)), "a number from 0 to 2, or null"),
    "top_p": (_or_none(_number(0, 1)), "a number from 0 to 1, or null"),
    "seed": (_or_none(_whole(0, 2**32 - 1)), "a whole number, or null for that of the trial"),
    "max_tokens": (_whole(1, 1_000_000), "a number of tokens"),
    "stop": (_is_stop, "a text, or a list of at most 16"),
    "reasoning": (lambda v: v in REASONING, f"one of {', '.join(REASONING)}"),
    "extra_body": (lambda v: isinstance(v, dict), "a JSON object"),
    "stream": (lambda v: isinstance(v, bool), "true or false"),
    "timeout": (_number(0.1, 86_400), "seconds, from 0.1 to 86400"),
    "retries": (_whole(0, 20), "a number from 0 to 20"),
    "context_tokens": (_or_none(_whole(256, 100_000_000)), "a number of tokens, at least 256"),
    "result_chars": (_whole(200, 10_000_000), "a number of characters, at least 200"),
    "max_turns": (_whole(1, 100_000), "a number of replies"),
    "input_price": _PRICE,
    "output_price": _PRICE,
    "cached_price": _PRICE,
}
_CHECKS = {name: check for name, (check, _) in _TABLE.items()}
_ALLOWED = {name: told for name, (_, told) in _TABLE.items()}
