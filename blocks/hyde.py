"""HyDE as a step: a model writes a hypothetical answer, and where it cannot the plain question is asked."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from capabilities.hypothesis import NONE, HydeChoice, HydeConfig, Hypothesis, hyde_of
from fabric.errors import ConfigurationError, ModelError
from fabric.flow.block import Block
from fabric.flow.context import Context
from fabric.generation.generator import ModelChoice, generator
from fabric.models.server import ModelServer
from fabric.telling import error_text
from fabric.text.prompt import data_block

from .prompts import prompt

NEEDS_MODEL = "hyde: a hypothetical answer needs a model to write it; pass model=... to the memory"
LONGEST = 2_000
"""How many characters of a question and of an answer are used."""


def hyde_block(name: str, model: ModelChoice | None, server: ModelServer | None = None) -> Block[str, Any] | None:
    """Return the block that asks a model for a hypothetical answer: a question in, the answer out. None without one."""
    if model is None:
        return None
    return generator(
        name=f"{name}/hyde",
        model=model,
        system=prompt("hyde"),
        user=lambda question: prompt("hyde_question", question=data_block("question", question[:LONGEST])),
        temperature=0.0,
        server=server,
        record=False,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Hyde:
    """The block that writes hypothetical answers, and when it is asked; None for only where a call wants it."""

    block: Block[str, Any] | None
    how: HydeConfig | None = None


NO_HYDE = Hyde(None)


def checked_hyde(given: HydeChoice, model: ModelChoice | None) -> HydeConfig | None:
    """Return what an option of a memory means; ConfigurationError where a model is needed and there is none."""
    how = hyde_of(given)
    if how is not None and model is None:
        raise ConfigurationError(NEEDS_MODEL)
    return how


def policy(hyde: Hyde, options: dict[str, Any]) -> HydeConfig | None:
    """Return when a hypothetical answer is looked for, by a call's ``hyde``, taken out of its options, or else always.

    ConfigurationError where one is wanted and there is no model.
    """
    given: HydeChoice = options.pop("hyde", hyde.how)
    how = hyde_of(given)
    if how is not None and hyde.block is None:
        raise ConfigurationError(NEEDS_MODEL)
    return how


@dataclass(frozen=True, slots=True)
class Search:
    """A search that a hypothesis may help: how it is made, how sure its result is, and how a failure is told in it."""

    cue: str
    find: Callable[[Hypothesis], Awaitable[Any]]
    sureness: Callable[[Any], float]
    degraded: Callable[[Any, str], Any]
    has_embedder: bool


async def search_with(block: Block[str, Any] | None, how: HydeConfig, search: Search, ctx: Context) -> Any:
    """Return what a search finds by the meaning of a hypothetical answer, or by the plain question.

    The plain question is asked where it is sure enough by itself, where there is no embedder, and where the model fails
    or is slow; the last three are told in the result.
    """
    plain: Any = None
    if how.when == "unsure":
        plain = await search.find(NONE)
        if search.sureness(plain) >= how.unsure_below:
            return plain
    answer, reason = await _answer(block, how, search, ctx)
    if answer:
        return await search.find(Hypothesis(text=answer, beside=how.beside))
    ctx.log.warning("the plain question is asked", reason=reason)
    found = plain if plain is not None else await search.find(NONE)
    return search.degraded(found, f"by the plain question: {reason}")


async def _answer(block: Block[str, Any] | None, how: HydeConfig, search: Search, ctx: Context) -> tuple[str, str]:
    """Return a hypothetical answer, "" for none, and then why."""
    if block is None or not search.has_embedder:
        return "", "there is no embedder to compare a hypothetical answer with"
    try:
        told = await asyncio.wait_for(block(search.cue, Context(ctx.run)), how.seconds)
    except ModelError as error:
        return "", f"no hypothetical answer: {error_text(error)}"
    except TimeoutError:
        return "", f"no hypothetical answer within {how.seconds:g} s"
    text = str(told).strip()[:LONGEST]
    return text, "" if text else "the hypothetical answer was empty"
