"""Only type-checked, never run: what the checkers know about the output of handlers, routers and chains."""

from typing import Any, assert_type

from pydantic import BaseModel

from fabric.flow.block import Block
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.flow.router import router
from fabric.flow.sequencer import Sequencer, sequencer
from fabric.generation.generator import generator


class Question(BaseModel):
    text: str


@handler
def length(text: str) -> int:
    return len(text)


@handler(name="half")
def half(number: int) -> float:
    return number / 2


@handler(name="look up", input_schema=Question)
async def look_up(question: Question, ctx: Context) -> list[str]:
    return [question.text, str(ctx.user)]


@handler
def now(ctx: Context) -> str:
    return ctx.clock.now().isoformat()


async def words(text: str) -> list[str]:
    return text.split()


def count(text: str) -> int:
    return len(text)


assert_type(length, Block[str, int])
assert_type(now, Block[object, str])
assert_type(half, Block[int, float])
assert_type(look_up, Block[Question, list[str]])
assert_type(handler(count, name="count"), Block[str, int])
assert_type(handler(words, name="words"), Block[str, list[str]])

chain = sequencer(name="chain")
assert_type(chain, Sequencer[object, Any])
assert_type(sequencer(name="asked", input_schema=Question), Sequencer[Question, Question])
assert_type(sequencer(name="asked", input_schema=None, description="", uses=(), rescue=half), Sequencer[object, Any])
sequencer()  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
sequencer(name="asked", nmae="")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
assert_type(chain.then(length), Sequencer[object, int])
assert_type(chain.then(words), Sequencer[object, list[str]])
assert_type(chain.then(count).then(half), Sequencer[object, float])
assert_type(chain.then(str, length), Sequencer[object, int])
assert_type(chain.then(str, words), Sequencer[object, list[str]])
assert_type(chain.then(length).tap(half).work(half).wait_for_work(), Sequencer[object, int])
assert_type(chain.then(length).then_if(True, words), Sequencer[object, int | list[str]])
assert_type(chain.map(count), Sequencer[object, int])
assert_type(chain.map(words), Sequencer[object, list[str]])
assert_type(chain.parallel({"a": length, "b": length}), Sequencer[object, dict[str, int]])
assert_type(chain.for_each(half, max_concurrency=2), Sequencer[object, list[float]])
assert_type(chain.do_until(False, length), Sequencer[object, int])
assert_type(chain.then(length).branch({"a": (True, half)}), Sequencer[object, Any])
assert_type(router(name="route", routes=[length], choose=count), Block[object, int])
assert_type(chain.then(chain.then(half)), Sequencer[object, float])


async def run(ctx: Context) -> None:
    assert_type(await length("a", ctx), int)
    assert_type(await chain.then(length).then(half)("a", ctx), float)


# The parameters of a lambda are known: pyright reports what is not.
chain.then(length).exit_if(lambda number: number > 1).then_if(lambda number, ctx: number > len(ctx.path), half)
generator(name="answer", model=lambda _, ctx: f"{ctx.user}-model", user=lambda question: question.text)
