"""Language models that the evaluator asks: a client for OpenAI-compatible servers, and its log.

What was asked and answered is kept, word for word, in one file of JSON lines. A question that was
answered before is not asked again, so that an interrupted audit goes on where it was, and no paid
call is repeated silently.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from braino_registry.errors import HostError, ReportError, UsageError

TIMEOUT = 300.0
RETRIES = 2
#: Where the key of a server is looked for by default.
KEY_VARIABLE = "OPENAI_API_KEY"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model on a server.

    Parameters
    ----------
    url : str
        Base URL, for example ``"http://127.0.0.1:8000/v1"``.
    model : str
        Name of the model there.
    key_variable : str
        Environment variable with the key; a server without keys needs none.
    """

    url: str
    model: str
    key_variable: str = KEY_VARIABLE


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered.

    Parameters
    ----------
    question : str
        Digest of the model's name and the messages.
    asked : str
        Name of the model that was asked.
    model : str
        What the server says answered.
    text : str
        The answer as it came.
    prompt_tokens, completion_tokens : int or None
        As the server counts them; None if it does not say.
    finish : str or None
        Why the answer ended, in the server's words.
    """

    question: str
    asked: str
    model: str
    text: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    finish: str | None = None


class ReplyLog:
    """The answers of models in a file of JSON lines, the newest last.

    Parameters
    ----------
    path : Path
        The file; it is made with the first answer.

    Raises
    ------
    ReportError
        If a line of an existing file is no answer. A last line that was cut off is passed over.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known: dict[str, Reply] = {}
        lines = path.read_text("utf-8").split("\n") if path.is_file() else []
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                reply = Reply(**json.loads(line))
            except (ValueError, TypeError) as error:
                if number == len(lines):
                    continue
                raise ReportError(
                    f"this line is no answer of a model: {error}",
                    where=f"{path}: line {number}",
                    hint="Restore the file, or move it away; then all is asked again.",
                ) from error
            self._known[reply.question] = reply

    def get(self, question: str) -> Reply | None:
        """Return the answer to a question, if there is one."""
        return self._known.get(question)

    def add(self, reply: Reply) -> None:
        """Keep an answer, on disk at once.

        Raises
        ------
        HostError
            If the file cannot be written.
        """
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(reply), ensure_ascii=False) + "\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise HostError(
                f"answers of models cannot be kept: {error.strerror}", where=str(self.path)
            ) from error
        self._known[reply.question] = reply


class Model:
    """Asks one model, with deterministic decoding as far as the server has it.

    Parameters
    ----------
    endpoint : Endpoint
        Which model, and where.
    log : ReplyLog
        Where answers are kept.

    Raises
    ------
    HostError
        If the package ``openai`` is missing.
    """

    def __init__(self, endpoint: Endpoint, log: ReplyLog) -> None:
        try:
            import openai
        except ImportError as error:
            raise HostError(
                "the package openai is missing, with which models are asked",
                where="extra llm",
                hint="Install it with: pip install 'braino-registry[llm]'",
            ) from error
        self.endpoint, self.log = endpoint, log
        self._errors = openai
        self._client = openai.OpenAI(
            base_url=endpoint.url,
            api_key=os.environ.get(endpoint.key_variable) or "none",
            timeout=TIMEOUT,
            max_retries=RETRIES,
        )

    def ask(self, messages: Sequence[Mapping[str, Any]]) -> Reply:
        """Return the answer to some messages, from the log if they were asked before.

        Parameters
        ----------
        messages : sequence of mapping
            In the form of the chat completions API.

        Raises
        ------
        UsageError
            If the server refuses the request, the model or the key.
        HostError
            If it cannot be reached, fails, or answers with something else.
        """
        question = _digest(self.endpoint.model, messages)
        known = self.log.get(question)
        if known is not None:
            return known
        reply = self._request(question, messages)
        self.log.add(reply)
        return reply

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _request(self, question: str, messages: Sequence[Mapping[str, Any]]) -> Reply:
        errors = self._errors
        where = f"{self.endpoint.url}, model {self.endpoint.model}"
        try:
            given = self._client.chat.completions.create(
                model=self.endpoint.model,
                messages=[dict(each) for each in messages],  # type: ignore[misc]
                temperature=0,
                seed=0,
            )
        except errors.APIStatusError as error:
            kind = UsageError if 400 <= error.status_code < 500 else HostError
            raise kind(
                f"the server refuses: {error.status_code} {_short(str(error))}",
                where=where,
                hint=f"Look at the URL, the model's name and {self.endpoint.key_variable}.",
            ) from error
        except errors.APIConnectionError as error:
            raise HostError(
                f"the server cannot be reached: {_short(str(error.__cause__ or error))}",
                where=where,
                hint="Start it, or give another --endpoint; answers so far are kept.",
            ) from error
        except (errors.OpenAIError, ValueError) as error:
            raise HostError(
                f"the server's answer cannot be read: {_short(str(error))}", where=where
            ) from error
        return _reply(given, question, self.endpoint.model, where)


def _reply(given: Any, question: str, asked: str, where: str) -> Reply:
    choices = getattr(given, "choices", None) or [None]
    message = getattr(choices[0], "message", None)
    text = getattr(message, "content", None)
    if not isinstance(text, str):
        raise HostError(
            "the server's answer has no text",
            where=where,
            hint="It has to speak the chat completions API.",
        )
    usage = getattr(given, "usage", None)
    return Reply(
        question,
        asked,
        str(getattr(given, "model", None) or asked),
        text,
        getattr(usage, "prompt_tokens", None),
        getattr(usage, "completion_tokens", None),
        getattr(choices[0], "finish_reason", None),
    )


def _digest(model: str, messages: Sequence[Mapping[str, Any]]) -> str:
    body = json.dumps([model, list(messages)], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(body.encode()).hexdigest()


def _short(text: str) -> str:
    return " ".join(text.split())[:200]
