"""Whether a model can be asked at all: found out before the first trial, told in one line."""

from __future__ import annotations

import difflib
from types import ModuleType
from typing import Any

from braino.agent import AgentUnusable
from braino_registry.agents.llm.settings import Settings
from braino_registry.agents.llm.veil import Veil

#: Seconds for each question of the preflight.
SECONDS = 20.0
_SHOWN = 8


def package() -> ModuleType:
    """Return the package ``openai``.

    Raises
    ------
    AgentUnusable
        If it is not installed.
    """
    try:
        import openai
    except ImportError as error:
        raise AgentUnusable(
            "unready",
            "the package openai is missing, with which models are asked",
            f"looked for it beside this agent's interpreter ({error})",
            "Install it: pip install 'braino-registry[llm]'",
        ) from None
    return openai


def check_key(settings: Settings, key: str | None) -> None:
    """Raise AgentUnusable if the server needs a key and there is none, or it is malformed."""
    where = f"environment variable {settings.key_env}"
    if key is None and not settings.local:
        raise AgentUnusable(
            "unready", f"there is no key for {settings.base_url}", where,
            f"Set {settings.key_env}, or name another variable by --agent-option key_env=NAME; "
            "in a sandbox also --pass-env.",
        )  # fmt: skip
    if key is not None and not (key.isascii() and key.isprintable() and " " not in key):
        raise AgentUnusable(
            "unready", "the key holds a blank, a line break or a letter that no key has", where,
            "Set it again, without quotes and line ends.",
        )  # fmt: skip
    if key is not None and Veil(key).over(settings.model) != settings.model:
        raise AgentUnusable(
            "unready", "the model's name holds the key, and reports would show it", where,
            "Give the model's name by --model, and the key by the environment only.",
        )  # fmt: skip


def check_server(client: Any, errors: Any, settings: Settings, veil: Veil) -> None:
    """Raise AgentUnusable if the server does not answer, refuses the key, or lacks the model.

    The list of models is asked for. Where a server has none, or it does not name the model (lists
    leave out aliases), the model itself is asked for a reply of one token.
    """
    asking = client.with_options(timeout=min(SECONDS, settings.timeout), max_retries=0)
    where = f"{settings.base_url}, model {settings.model}"
    listed: list[str] | None = None
    try:
        listed = _listed(asking, errors)
        if listed is not None and settings.model in listed:
            return
        _ask(asking, settings)
    except errors.AuthenticationError:
        raise AgentUnusable(
            "unready", "the server refuses the key", where, f"Look at {settings.key_env}."
        ) from None
    except errors.PermissionDeniedError as error:
        hint = "A key without the right, or (in a sandbox) a server that no --endpoint names."
        raise AgentUnusable(
            "unready", f"the server denies access: {veil.short(error)}", where, hint
        ) from None
    except errors.APIStatusError as error:
        raise _refused(error, listed, settings, veil, where) from None
    except errors.APIConnectionError as error:
        why = veil.short(error.__cause__ or error)
        raise AgentUnusable(
            "unready", f"no server answers: {why}", where,
            "Look at the address and the network, or start the server; in a sandbox name it with "
            "--endpoint.",
        ) from None  # fmt: skip
    except Exception as error:
        raise AgentUnusable(
            "unready", f"what answers is no model's server: {veil.short(error)}", where,
            "The address of an OpenAI-compatible server mostly ends in /v1.",
        ) from None  # fmt: skip


def _listed(client: Any, errors: Any) -> list[str] | None:
    """Return the models that a server lists, None if it has no list."""
    try:
        page = client.models.list()
        return [str(each.id) for each in page.data]
    except errors.NotFoundError:
        return None
    except (AttributeError, TypeError, ValueError):
        return None


def _ask(client: Any, settings: Settings) -> None:
    """Ask the model for one token; raises what ``openai`` raises."""
    body = settings.body(0)
    body[settings.known.tokens_as] = 1
    given = client.chat.completions.create(messages=[{"role": "user", "content": "Hi"}], **body)
    if not getattr(given, "choices", None):
        raise ValueError("it answers without choices")


def _refused(
    error: Any, listed: list[str] | None, settings: Settings, veil: Veil, where: str
) -> AgentUnusable:
    """Return the error for a server that answers, and not with a reply."""
    said = veil.short(error)
    if place := veil.short(error.response.headers.get("location", "")):
        return AgentUnusable(
            "unready", f"the server sends on to {place}, which is not followed", where,
            "Name the address where models answer as base_url.",
        )  # fmt: skip
    if listed:
        near = difflib.get_close_matches(settings.model, listed, n=3, cutoff=0.5) or listed[:_SHOWN]
        shown = ", ".join(veil.over(name)[:80] for name in near)
        return AgentUnusable(
            "unready", f"the server has no model {settings.model!r}: {said}", where,
            f"It has {shown}{'' if len(near) == len(listed) else ' and others'}.",
        )  # fmt: skip
    if error.status_code == 404:
        return AgentUnusable(
            "unready", f"there is no such model or no such server: {said}", where,
            "The address of an OpenAI-compatible server mostly ends in /v1.",
        )  # fmt: skip
    return AgentUnusable(
        "unready", f"the server refuses: {said}", where,
        "Try again later if it is busy; look at the options that it does not take.",
    )  # fmt: skip
