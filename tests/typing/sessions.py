"""Only type-checked, never run: a program of somebody who installed this, from a handler to what its run returns."""

from typing import assert_type

from pydantic import BaseModel

from capabilities.memory.recall.recall import RankedMemory
from fabric import Fabric, RunFinished, RunResult, Session, generator, handler, sequencer
from fabric.testing import run_block
from pipelines import AsyncMemory, Memory, MemorySystem, memory_system


@handler
def greet(name: str) -> str:
    return f"Hello {name}"


class Question(BaseModel):
    text: str


@handler(input_schema=Question)
def ask(question: Question) -> str:
    return question.text


def words(text: str) -> list[str]:
    return text.split()


mem = memory_system(model=None, episodic=True, semantic=True)
assert_type(mem, MemorySystem)
chat = sequencer(name="chat").then(greet).then(words).work(mem.capture_from_items)


def talk(session: Session) -> None:
    assert_type(session.run(greet, "ada"), RunResult[str])
    assert_type(session.run(greet, "ada").output, str)
    assert_type(session.run(ask, {"text": "ada"}).output, str)  # an input may be what its schema is made of
    assert_type(session.run(chat, "ada", turn_id="first").output, list[str])
    assert_type(session.run(mem.context_block, "ada").output, str)
    assert_type(session.run(generator(name="answer", model="gpt-5-mini"), "ada").output, str)
    for found in session.run(mem.recall_block, {"cue": "ada"}):
        assert_type(found, RankedMemory)
    for event in session.stream(chat, "ada"):
        if isinstance(event, RunFinished):
            assert_type(event.result.output, list[str])


async def talk_async(session: Session) -> None:
    assert_type((await session.arun(greet, "ada")).output, str)
    assert_type((await run_block(chat, "ada")).output, list[str])
    async for event in session.stream(greet, "ada"):
        if isinstance(event, RunFinished):
            assert_type(event.result.output, str)


def remember(memory: Memory) -> None:
    for found in memory.recall("ada"):
        assert_type(found, RankedMemory)
    assert_type(memory.context("ada"), str)


async def remember_async(memory: AsyncMemory) -> None:
    assert_type(await memory.recall("ada"), list[RankedMemory])


with Fabric("memory.duckdb") as fabric:
    talk(fabric.session("monday", user="ada"))
