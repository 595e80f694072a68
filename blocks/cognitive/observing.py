"""Observing and reflecting as blocks: a conversation becomes notes, and notes become memories, by a model."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from capabilities.cognitive.memory import CognitiveMemory
from capabilities.cognitive.observing.observer import Observer
from capabilities.cognitive.observing.record import HeardMessage, Observation, desk_owner
from capabilities.cognitive.observing.told import MOST_NOTES, NotesTold, TracesTold, count_words, no_reflection
from capabilities.formulas.personality import Traits
from capabilities.prospective import ProspectiveMemory, intention_of
from capabilities.traces.consolidation.one_at_a_time import reserved
from capabilities.traces.record import Trace
from capabilities.turns import Exchange, Turn
from fabric.errors import ModelError, RefusedError
from fabric.flow.block import Block
from fabric.flow.capability import Capability
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.generation.generator import ModelChoice
from fabric.models.answers.schema import Answer
from fabric.narrowing import is_dict
from fabric.telling import error_text
from fabric.text.prompt import data_block, one_line

from ..asking import asking_block
from ..capture.exchange import clean, exchange_from_items
from ..prompts import prompt
from .by_trait import emphases, rule_for_conflicts, style_of_traces
from .features import SHOWN_CHARS

KNOWN = 20
"""How many known memories a reflector is shown."""
CUE_CHARS = 2_000
_BUSY: Mapping[str, Any] = {
    "failed": ("observe: the same messages are being observed already; what is left is observed next time",)
}


class Observed(BaseModel):
    """What observing came to: messages heard, notes made, memories learned, reminders registered.

    ``words_in`` and ``words_out`` are those of the notes that a reflection consumed and of what was learned from them.
    ``failed`` says what a model could not do, and what of an answer could not be read. What a model failed at waits,
    and it is asked again.
    """

    model_config = ConfigDict(frozen=True)

    heard: int = 0
    noted: int = 0
    compressed: int = 0
    learned: int = 0
    reminders: int = 0
    words_in: int = 0
    words_out: int = 0
    failed: tuple[str, ...] = ()

    @property
    def compression(self) -> float | None:
        """How many times fewer words were learned than noted, 5 to 40 being meant; None where nothing was learned."""
        return self.words_in / self.words_out if self.words_out else None


class ObservingSteps:
    """The model's part of observing, for one memory."""

    def __init__(
        self,
        name: str,
        memory: Capability[CognitiveMemory],
        prospective: Capability[ProspectiveMemory],
        traits: Traits,
        model: ModelChoice,
    ) -> None:
        self._memory = memory
        self._prospective = prospective
        told = emphases(traits)
        attend = "- Attend above all to: " + "; ".join(told) + "." if told else ""
        system = prompt("cognitive_observe", limit=MOST_NOTES, emphasis=attend)
        self._notes = asking_block(f"{name}/notes", model, system, _as_it_is, NotesTold)
        compress = prompt("cognitive_compress", limit=MOST_NOTES)
        self._fewer = asking_block(f"{name}/compress", model, compress, _as_it_is, NotesTold)
        style, conflicts = style_of_traces(traits), rule_for_conflicts(traits)
        learn = prompt("cognitive_reflect", style=style, conflicts=conflicts, limit=MOST_NOTES)
        self._traces = asking_block(f"{name}/learn", model, learn, _as_it_is, TracesTold)

    async def done(self, ctx: Context, *, force: bool = False) -> list[Mapping[str, Any]]:
        """Observe, compress and reflect, each where it is time for it; return what each came to."""
        again = await ctx[self._memory].observer.left_alone_until() if force else None
        if again is not None:
            return [
                {"failed": (f"observe: the model failed before; it is asked again from {again:%Y-%m-%d %H:%M} UTC on",)}
            ]
        return [await self.observe(ctx, force=force), await self.compress(ctx), await self.reflect(ctx, force=force)]

    async def observe(self, ctx: Context, *, force: bool = False) -> dict[str, Any]:
        """Make notes of what waits, where it is time for it; what failed is told."""
        observer = ctx[self._memory].observer
        left = await observer.proposing()
        late = {"reminders": await self._register(ctx, left)} if left else {}
        heard = await observer.due(force=force)
        if not heard:
            return late
        shown = prompt("cognitive_observe_messages", messages=data_block("conversation", _lines(heard)))
        told, failed = await _ask(self._notes, shown, ctx, observer, "observe")
        if told is None:
            return {**late, "failed": (failed,)}
        made = await observer.note_down(heard, told.notes)
        if made is None:
            return {**late, "failed": ("observe: some of it was forgotten meanwhile; the rest is observed next time",)}
        count = late.get("reminders", 0) + await self._register(ctx, made)
        return {"noted": len(made), "reminders": count, "failed": _left_out("observe", told)}

    async def compress(self, ctx: Context) -> dict[str, Any]:
        """Make fewer notes of many, where it is time for it."""
        observer = ctx[self._memory].observer
        notes = await observer.to_compress()
        if not notes:
            return {}
        told, failed = await _ask(self._fewer, _notes_shown(notes), ctx, observer, "compress")
        if told is None:
            return {"failed": (failed,)}
        made = None if told.refused else await observer.compress(notes, told.notes)
        if made is None:
            await observer.failed()
            return {"failed": ("compress: no fewer notes came of it, or some were forgotten meanwhile",)}
        return {"compressed": len(notes) - len(made)}

    async def reflect(self, ctx: Context, *, force: bool = False) -> dict[str, Any]:
        """Make memories of notes, where it is time for it."""
        observer = ctx[self._memory].observer
        notes = await observer.to_reflect(force=force)
        if not notes:
            return {}
        cue = " ".join(note.content for note in notes)[:CUE_CHARS]
        known = [
            result.trace for result in (await ctx[self._memory].retrieve(cue, limit=KNOWN, neutral_mood=True)).results
        ]
        shown = prompt(
            "cognitive_reflect_notes",
            known=data_block("known memories", _known(known)) if known else "none",
            notes=data_block("notes", _numbered(notes)),
        )
        told, failed = await _ask(self._traces, shown, ctx, observer, "reflect")
        if told is None:
            return {"failed": (failed,)}
        wrong = no_reflection(notes, told, force=force)
        if wrong:
            await observer.failed()
            return {"failed": (f"reflect: {wrong}",)}
        made = await observer.learn(notes, told.traces, told.keep, known)
        if made is None:
            return {"failed": ("reflect: some notes were forgotten meanwhile; the rest is reflected on next time",)}
        consumed = [note for number, note in enumerate(notes, start=1) if number not in told.keep]
        words = {"words_in": count_words(consumed), "words_out": count_words(told.traces)}
        return {"learned": len(made), "failed": _left_out("reflect", told), **words}

    async def _register(self, ctx: Context, notes: Sequence[Observation]) -> int:
        """Register what was promised as reminders, each note once however often it is tried; return how many."""
        count = 0
        for note in notes:
            proposal = intention_of(
                note.kind,
                note.content,
                note.importance,
                looks_ahead=note.looks_ahead,
                when=note.when,
                derived_from=tuple(source.turn_id for source in note.sources if source.turn_id),
            )
            if proposal is not None:
                try:
                    said_at = max((source.said_at for source in note.sources), default=note.made_at)
                    await ctx[self._prospective].take_up(proposal, note=note.id, said_at=said_at)
                    count += 1
                except RefusedError as error:
                    ctx.log.warning("no reminder of a commitment", error=str(error))
        await ctx[self._memory].observer.mark_proposed(notes)
        return count


def _as_it_is(text: str) -> str:
    return text


async def _ask(block: Block[str, Any], shown: str, ctx: Context, observer: Observer, what: str) -> tuple[Any, str]:
    try:
        return await block(shown, Context(ctx.run)), ""
    except ModelError as error:
        await observer.failed()
        ctx.log.warning("not observed", step=what, error=str(error))
        return None, f"{what}: {error_text(error)}"


def _left_out(what: str, told: Answer) -> tuple[str, ...]:
    """Return what of an answer could not be read: the rest of it counts."""
    refused = [refusal for refusal in told.refused if refusal.field in ("notes", "traces")]
    return tuple(f"{what}: one of the {refusal.field} was left out: {refusal.reason[:200]}" for refusal in refused)


def _lines(heard: Sequence[HeardMessage]) -> str:
    said = [
        (one_line(message.speaker or message.role), message.said_at, one_line(message.text, SHOWN_CHARS))
        for message in heard
    ]
    return "\n".join(f"[{n}] {who}, {at:%Y-%m-%d %H:%M}: {text}" for n, (who, at, text) in enumerate(said, start=1))


def _numbered(notes: Sequence[Observation]) -> str:
    return "\n".join(
        f"[{number}] {note.kind}, {note.importance:.2f}, {note.made_at:%Y-%m-%d}: {one_line(note.content)}"
        for number, note in enumerate(notes, start=1)
    )


def _notes_shown(notes: Sequence[Observation]) -> str:
    return prompt("cognitive_compress_notes", notes=data_block("notes", _numbered(notes)))


def _known(traces: Sequence[Trace]) -> str:
    return "\n".join(f"[{trace.id}] {trace.confidence:.2f}: {one_line(trace.content)}" for trace in traces)


def observe_block(
    name: str,
    memory: Capability[CognitiveMemory],
    prospective: Capability[ProspectiveMemory],
    traits: Traits,
    model: ModelChoice | None,
) -> Block[Any, Observed]:
    """Return the step behind a reply, for ``.work(...)``: the turn is heard, and once there is enough of it, observed.

    Its input may be ``{"force": True}`` to observe and reflect on what there is, without a turn. Of turns at once, one
    asks the model. Without ``model`` nothing is heard: nobody would ever observe it.
    """
    steps = None if model is None else ObservingSteps(name, memory, prospective, traits, model)

    @handler(name=f"{name}/observe", uses=[memory, prospective])
    async def observe(value: Any, ctx: Context) -> Observed:
        if steps is None:
            return Observed()
        force = is_dict(value) and value.get("force") is True
        heard = 0 if force else await _hear(value, ctx, ctx[memory].observer)
        with reserved(ctx, "observe") as free:
            is_free = desk_owner(ctx.ids) in {view.tables.owner for view in free}
            done = await steps.done(ctx, force=force) if is_free else [_BUSY] if force else []
        failed = tuple(reason for counted in done for reason in counted.get("failed", ()))
        counts = {key: value for counted in done for key, value in counted.items() if key != "failed"}
        return Observed(heard=heard, failed=failed, **counts)

    return observe


async def _hear(value: Any, ctx: Context, observer: Observer) -> int:
    exchange = exchange_from_items(value, ctx)
    answer = exchange.assistant or _given_answer(value, exchange, ctx)
    turns = [*exchange.said, *([answer] if answer is not None else [])]
    return await ctx.transact(lambda tx: observer.buffer_turns(tx, turns), once="hear")


def _given_answer(value: Any, exchange: Exchange, ctx: Context) -> Turn | None:
    """Return what the step before gave as the answer, where nobody recorded that it was one."""
    if not isinstance(value, str) or exchange.user is None:
        return None
    text = clean(value, ctx)
    if not text.strip() or text == exchange.user.text:
        return None
    changed: dict[str, Any] = {"role": "assistant", "text": text, "speaker": "", "tags": []}
    return exchange.user.model_copy(update={"id": f"{exchange.user.id}:answer", **changed})
