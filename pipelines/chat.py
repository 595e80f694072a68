"""The chat pipeline of the command line: a chat step with the memory's capture behind it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ConfigDict

from blocks.capture.exchange import TAGS
from blocks.capture.observe import speaker_in
from blocks.readers.observe import observe_text
from capabilities.claims import asks_for_profile, claim_of, compare, read_as
from capabilities.memory.recall.ranked import RELEVANT, RankedMemory
from capabilities.vocabulary import Tag
from fabric.flow.block import Block
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.flow.sequencer import Sequencer, sequencer
from fabric.generation.generator import ModelChoice, generator
from fabric.record.events import Recalled
from fabric.record.items import Draft, drafts_from_message
from fabric.record.log import opens_turn
from fabric.text.language import stem
from fabric.text.words import printable, words

from .system import MemorySystem

CHAT = "chat-with-memory"
SYSTEM = "You are a friendly assistant who knows the user. Answer in one or two sentences."
HISTORY_TURNS = 20
RECALLED = 3
"""How many memories an answer without a model names."""
TIERS = ("semantic", "working", "episodic")
"""Where it looks for them."""
OVER = ("replaces", "ends")
"""How a statement relates to what it makes untrue."""
LONG_WORD = 3
FUNCTION_WORDS = frozenset(
    words(
        "the and for was are not but has had have his her its our your their they she him who how why you all any did "
        "does don't with what when where which this that there then than from about into some can could would should "
        "will"
    )
)
"""Words that say nothing about what a message is about, as shorter ones do not."""


class RecordedTurn(BaseModel):
    """One turn of a recorded conversation: the messages up to and with the user's, and all that followed on it."""

    model_config = ConfigDict(frozen=True)

    messages: list[dict[str, Any]]
    tags: list[Tag] = []
    """What its messages are filed under."""
    ids: list[str] = []
    """What the text of each message is kept under, "" where that is not fixed; [] for none at all."""

    @property
    def user(self) -> dict[str, Any]:
        """The user's message, {} when there is none."""
        return next((message for message in self.messages if is_users(message)), dict[str, Any]())

    @property
    def drafts(self) -> list[Draft]:
        """The items that its messages become; each message carries the tags."""
        drafts = [
            replace(draft, id=given) if draft.kind == "message" else draft
            for message, given in zip(self.messages, self.ids or [""] * len(self.messages), strict=True)
            for draft in drafts_from_message(message)
        ]
        return tagged(drafts, self.tags)


def turn_name(message: Mapping[str, Any]) -> str | None:
    """Return the name of the turn that a user's message opens, so that it runs once; None for one without an id.

    >>> turn_name({"role": "user", "content": "hi", "id": "m1"})
    'message-m1'
    """
    given = message.get("id")
    return None if given is None or not str(given).strip() else f"message-{given}"


def is_users(message: Mapping[str, Any]) -> bool:
    """Return whether the user says something in a message, and not only a tool, whose results some put there."""
    return any(opens_turn(draft) for draft in drafts_from_message(message))


def turns_of(messages: Sequence[dict[str, Any]]) -> Iterator[RecordedTurn]:
    """Yield one turn per user message; what stands before the first belongs to it."""
    starts = [index for index, message in enumerate(messages) if is_users(message)]
    for position, start in enumerate(starts):
        end = starts[position + 1] if position + 1 < len(starts) else len(messages)
        yield RecordedTurn(messages=list(messages[0 if position == 0 else start : end]))


def chat_pipeline(mem: MemorySystem, model: ModelChoice | None = None) -> Sequencer[Any, Any]:
    """Return the chat that remembers: ``model`` answers, or without one what is recalled about the message does."""
    return _remembering(mem, _answer_with(model, mem) if model is not None else _answer_from_memory(mem))


def replay_pipeline(mem: MemorySystem) -> Sequencer[Any, Any]:
    """Return the same chat for `RecordedTurn` values: it answers what was answered then."""

    @handler(name="chat")
    async def recorded(turn: RecordedTurn, ctx: Context) -> str:
        answer = ""
        for item in ctx.record(*turn.drafts):
            if item.kind == "message":
                answer = item.text if item.role == "assistant" else ""  # what stands before the question is no answer
        return answer

    return _remembering(mem, recorded)


def tagged(drafts: Iterable[Draft], tags: Sequence[str]) -> list[Draft]:
    """Return the drafts, each message with what it is filed under."""
    return [replace(draft, data={**draft.data, TAGS: list(tags)}) if tags else draft for draft in drafts]


def _remembering(mem: MemorySystem, chat: Block[Any, Any]) -> Sequencer[Any, Any]:
    return sequencer(name=CHAT).then(chat).work(mem.capture_from_items)


def _answer_with(model: ModelChoice, mem: MemorySystem) -> Block[Any, Any]:
    return generator(
        name="chat", model=model, system=SYSTEM, history=HISTORY_TURNS, uses=[mem.capability], server=mem.server
    )


def _answer_from_memory(mem: MemorySystem) -> Block[Any, Any]:
    @handler(name="chat", uses=mem.layout.resources)
    async def recalling(message: str, ctx: Context) -> str:
        recalled = await _not_outdated_by(message, await mem.recall(ctx, message, tiers=TIERS), mem, ctx)
        found = recalled if asks_for_profile(message) else fitting(message, recalled)
        if found:
            ctx.run.emit(Recalled(ctx.path, tuple(found[:RECALLED])))
        answer = _spoken(message, found)
        ctx.record(
            Draft(role="user", kind="message", text=message), Draft(role="assistant", kind="message", text=answer)
        )
        return answer

    return recalling


async def _not_outdated_by(
    message: str, recalled: Sequence[RankedMemory], mem: MemorySystem, ctx: Context
) -> list[RankedMemory]:
    """Return what was recalled without what the message itself says to be no longer so: it is taken in only later."""
    found = observe_text(printable(message)) if recalled else []
    if not found:
        return list(recalled)
    layout = mem.layout
    speaker = await ctx.transact(lambda tx: speaker_in(tx, layout, tx.read(layout.working).entries))
    filed = [speaker.filed(seen.subject, seen.content) for seen in found]
    said = [*map(claim_of, found), *(read_as(content, subject) for subject, content in filed)]
    return [memory for memory in recalled if not any(compare(claim_of(memory), new) in OVER for new in said)]


def fitting(message: str, memories: Sequence[RankedMemory]) -> list[RankedMemory]:
    """Return the memories that likely answer a question, or that share a word with what is no question."""
    likely = [memory for memory in memories if memory.relevance >= RELEVANT]
    return likely if likely or _is_question(message) else about(message, memories)


def about(message: str, memories: Sequence[RankedMemory]) -> list[RankedMemory]:
    """Return the memories that share a word of some length with the message, English endings aside."""
    asked = _stems(message)
    shared = [(len(asked & _stems(f"{memory.subject} {memory.content}")), memory) for memory in memories]
    return [memory for count, memory in sorted(shared, key=lambda pair: -pair[0]) if count]


def _stems(text: str) -> set[str]:
    return {stem(word, "english") for word in words(text) if len(word) >= LONG_WORD and word not in FUNCTION_WORDS}


def _spoken(message: str, found: Sequence[RankedMemory]) -> str:
    if found:
        return "I remember: " + "; ".join(_line(memory) for memory in found[:RECALLED]) + "."
    return "I remember nothing about that." if _is_question(message) else "Noted."


def _is_question(message: str) -> bool:
    return message.rstrip().endswith(("?", "？", "؟"))


def _line(memory: RankedMemory) -> str:
    who = "" if memory.subject == "user" else f"{memory.subject}: "
    when = f" (said on {memory.sources[-1].said_at:%Y-%m-%d})" if memory.sources else ""
    return f"{who}{memory.content}{when}{f' {memory.note}' if memory.note else ''}"
