"""Witnessing as a block: events become the memories of who saw them, in that one's words by a model."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from capabilities.cognitive.memory import CognitiveMemory
from capabilities.cognitive.witnesses.record import AT_ONCE, Event, Witness, Witnessed, why_objective
from capabilities.cognitive.witnesses.remembering import Telling
from capabilities.formulas.encoding import Mood
from capabilities.formulas.personality import Traits
from fabric.errors import ConfigurationError, ModelError
from fabric.flow.block import Block
from fabric.flow.capability import Capability
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.generation.generator import ModelChoice
from fabric.narrowing import is_list_or_tuple, is_mapping
from fabric.telling import error_text
from fabric.text.prompt import data_block, escaped, one_line
from fabric.text.words import is_blank

from ..asking import asking_block
from ..prompts import prompt

SHOWN_CHARS = 2_000
"""How much of an event a model is shown."""


class MemoriesTold(BaseModel):
    """What a model answers."""

    memories: list[str] = Field(max_length=AT_ONCE)


class Scene(BaseModel):
    """What a model is asked: who tells, how that one feels, and what happened."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)

    witness: Witness
    mood: Mood
    events: tuple[Event, ...]


def witness_block(
    name: str, memory: Capability[CognitiveMemory], traits: Traits, model: ModelChoice | None
) -> Block[Mapping[str, Any], list[Witnessed]]:
    """Return the step that takes ``{"events": [...], "witness": {...}}``, and gives what came of each event.

    It runs in the session of the witness: what it remembers is its own. Without ``model``, where that fails, and where
    an event is none of the witness's business, the event is remembered as it was, with the reason.
    """
    telling = None if model is None else _telling_block(f"{name}/witness/tell", model, traits)

    @handler(name=f"{name}/witness", uses=[memory])
    async def witness(asked: Any, ctx: Context) -> list[Witnessed]:
        who, events = _scene(asked)
        tellings = {event.id: Telling(event, reason=why_objective(event, who)) for event in events}
        own = [event for event in events if not tellings[event.id].reason]
        for first in range(0, len(own), AT_ONCE):
            some = own[first : first + AT_ONCE]
            tellings |= {answer.event.id: answer for answer in await _told(telling, who, some, ctx[memory], ctx)}
        return await ctx[memory].witnessing.remember(list(tellings.values()))

    return witness


def _scene(asked: Any) -> tuple[Witness, list[Event]]:
    if not is_mapping(asked) or not {"events", "witness"} <= asked.keys():
        raise ConfigurationError(f"witness: got {asked!r:.80}; expected a mapping with events and witness")
    given, person = asked["events"], asked["witness"]
    if not is_list_or_tuple(given) or not all(isinstance(event, Mapping | Event) for event in given):
        raise ConfigurationError(f"witness: events is {given!r:.80}; expected a list of mappings with id and content")
    if not is_mapping(person) and not isinstance(person, Witness):
        raise ConfigurationError(f"witness: got {person!r:.80}; expected a mapping with the name of the witness")
    events = [event for item in given if (event := Event.of(item)) is not None]
    if len({event.id for event in events}) < len(events):
        raise ConfigurationError("witness: expected events each with an id of its own")
    who = Witness.of(person)
    assert who is not None  # noqa: S101  a mapping is given
    return who, events


async def _told(
    block: Block[Scene, MemoriesTold] | None,
    who: Witness,
    events: Sequence[Event],
    memory: CognitiveMemory,
    ctx: Context,
) -> list[Telling]:
    """Return how a witness tells some events; as they were, with the reason, where nobody can say how."""
    reason, told = "there is no model to tell it", list[str]()
    if block is not None:
        scene = Scene(witness=who, mood=memory.witnessing.encoder.present_mood(), events=tuple(events))
        try:
            told = (await block(scene, Context(ctx.run))).memories
            reason = f"the model told {len(told)} of {len(events)} events"
        except ModelError as error:
            reason = error_text(error)
            ctx.log.warning("told as it was", error=str(error))
    if len(told) != len(events) or any(map(is_blank, told)):
        return [Telling(event, reason=reason) for event in events]
    return [Telling(event, text.strip()) for event, text in zip(events, told, strict=True)]


def _telling_block(name: str, model: ModelChoice, traits: Traits) -> Block[Scene, MemoriesTold]:
    told = ", ".join(f"{field.name} {getattr(traits, field.name):.2f}" for field in fields(traits))

    def user(scene: Scene) -> str:
        events = "\n".join(
            f"[{number}] {one_line(event.content, SHOWN_CHARS)}" for number, event in enumerate(scene.events, start=1)
        )
        who, mood = scene.witness, scene.mood
        others = "\n".join(f"- {one_line(name)}: {one_line(what)}" for name, what in who.relationships.items())
        return prompt(
            "cognitive_witness_events",
            name=escaped(one_line(who.name)),
            traits=told,
            mood=f"valence {mood.valence:.2f}, arousal {mood.arousal:.2f}, dominance {mood.dominance:.2f}",
            relationships=data_block("relationships", others) if others else "",
            events=data_block("events", events),
        )

    return asking_block(name, model, prompt("cognitive_witness"), user, MemoriesTold, temperature=0.7)
