"""The steps: remember to do something, and look what is due."""

from collections.abc import Mapping
from typing import Any

from capabilities.prospective import Due, Intention, ProspectiveMemory
from fabric.errors import ConfigurationError
from fabric.flow.block import Block
from fabric.flow.capability import Capability
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.narrowing import is_mapping

from ..cue import cue_of

Memory = Capability[ProspectiveMemory]


def remind_block(name: str, memory: Memory) -> Block[Mapping[str, Any], Intention]:
    """Return the step that takes a mapping of what `ProspectiveMemory.remind` takes; the intention out."""

    @handler(name=f"{name}/remind", uses=[memory])
    async def remind(asked: Any, ctx: Context) -> Intention:
        if not is_mapping(asked) or "content" not in asked:
            raise ConfigurationError(f"remind: got {asked!r:.80}; expected a mapping with content, and at, on or about")
        return await ctx[memory].remind(**asked)

    return remind


def check_block(name: str, memory: Memory) -> Block[Any, list[Due]]:
    """Return the step that brings back what is due: the user's message, a text, or a mapping of cue and events, in.

    What was brought back counts once the run is stored: where the reply fails, it is due again.
    """

    @handler(name=f"{name}/check", uses=[memory])
    async def check(asked: Any, ctx: Context) -> list[Due]:
        return await ctx[memory].check(**_options(asked))

    return check


def _options(asked: Any) -> Mapping[str, Any]:
    if asked is None:
        return {}
    if is_mapping(asked) and asked.keys() <= {"cue", "events"}:
        return asked
    return {"cue": cue_of("check", asked, "cue, events or both")}
