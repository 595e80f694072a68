"""What a bank in a file is wired with: what draws facts, and a model that writes an answer."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from capabilities.retain.banks import Bank
from capabilities.retain.config import LocalConfig
from capabilities.retain.local import LocalBackend
from capabilities.retain.local.backend import Answer
from capabilities.retain.record import Found, Reflection
from fabric.embedding.choose import EmbedderChoice
from fabric.flow.context import Context
from fabric.generation.generator import ModelChoice
from fabric.models.server import ModelServer
from fabric.narrowing import is_list_or_tuple
from fabric.text.prompt import data_block

from ..asking import asking_block
from ..prompts import prompt
from .stating import read_by_rules, read_with

MAX_ANSWER_CHARS = 8_000


def local_backend(
    config: LocalConfig,
    bank: Bank,
    embedder: EmbedderChoice = "default",
    *,
    model: ModelChoice | None = None,
    server: ModelServer | None = None,
    cwd: str = "",
) -> LocalBackend:
    """Return banks in this file; a ``model`` draws facts and writes what `reflect` answers, rules do without."""
    read = read_by_rules if model is None else read_with(model, server)
    answer = None if model is None else answer_with(model, server)
    return LocalBackend(config, bank, embedder, read=read, answer=answer, cwd=cwd)


def _ids(given: object) -> list[str]:
    some = given if is_list_or_tuple(given) else [given]
    return [item.strip().strip("[]") for item in some if isinstance(item, str)]


class Written(BaseModel):
    """What a model answers: the text, and the ids of the memories that it rests on."""

    model_config = ConfigDict(extra="ignore")

    answer: str = Field(max_length=MAX_ANSWER_CHARS)
    sources: Annotated[list[str], BeforeValidator(_ids)] = []


def answer_with(model: ModelChoice, server: ModelServer | None = None) -> Answer:
    """Return what has a model answer from what was recalled; it can name nothing else as a source."""
    block = asking_block("retain/answer", model, prompt("retain_answer"), _shown, Written, server=server)

    async def answer(ctx: Context, query: str, context: str, found: Sequence[Found]) -> Reflection:
        written = await block((query, context, found), Context(ctx.run))
        known = {memory.id for memory in found}
        return Reflection(
            written.answer.strip(), tuple(dict.fromkeys(source for source in written.sources if source in known))
        )

    return answer


def _shown(asked: tuple[str, str, Sequence[Found]]) -> str:
    query, context, found = asked
    lines = [f"[{memory.id}] {' '.join(memory.content.split())}" for memory in found]
    return prompt(
        "retain_answer_memories",
        query=query,
        context=data_block("context", context) if context.strip() else "",
        memories=data_block("memories", "\n".join(lines)),
    )
