"""Observe: one turn of a conversation becomes a list of observations, by a model or by rules."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from capabilities.claims import ATTRIBUTES, USER, Known, claim_of, fields, find_replaced, known_of, read_as
from capabilities.memory.layout import MemoryLayout
from capabilities.memory.no_longer_so import no_longer_so
from capabilities.memory.people.oneself import is_shared
from capabilities.memory.refiled import refile_own_rows
from capabilities.relations.kin_reading import MINE, kin_in
from capabilities.semantic.selves import Self, introduced, introductions, self_of
from capabilities.turns import Exchange
from capabilities.vocabulary import MAX_OBSERVATIONS, Observation
from capabilities.working import WorkingEntry
from fabric.errors import OutputError
from fabric.flow.block import Block
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.flow.resource import Transaction
from fabric.flow.sequencer import sequencer
from fabric.generation.generator import ModelChoice, generator
from fabric.models.answers.schema import Refused
from fabric.models.server import ModelServer
from fabric.text.prompt import data_block, delimited, new_mark, one_line
from fabric.text.words import printable, words
from fabric.validation import shown

from ..prompts import prompt
from ..readers.moods import Spoken, said_in
from ..readers.observe import observe_text
from .contradicted import REASONS, contradiction, said_of_itself
from .model_answers import is_grounded, plain_text, told
from .namesakes import told_apart
from .observed import Observations, Observed
from .retraction import Retraction, corrected, find_retraction

SHOWN_PLANS = 5
"""How many events and tasks of earlier sessions the observer is shown."""
SHOWN_FACTS = 10
"""How many facts that share words with the message the observer is shown beside working memory."""
MODEL_CHARS = 12_000
"""Longest user message that is sent to a model whole; a longer one is sent as its head and its tail."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What the observer is shown: an exchange, who speaks in it, and the entries and facts that it may contradict."""

    exchange: Exchange
    speaker: Self
    entries: Sequence[Known]
    retraction: Retraction | None = None
    """What the message takes back of the one right before it."""

    def linked(self, found: Sequence[Observation]) -> tuple[list[Observation], list[str]]:
        """Return observations filed under whom they are about, each with what it replaces among what is known.

        Who is called as the user is, and is told to be somebody else, is not the user: "my friend Jake". What may be
        about several of one name is left out, and told in a note.
        """
        own = [(kin.kin[-1], kin.name) for kin in kin_in(self.exchange.text) if kin.of == MINE and kin.name]
        kept, unclear = told_apart(found, self.speaker, own)
        speaker = self.speaker.among(self._introduced(kept))
        return [self._linked(observation, speaker) for observation in kept], unclear

    def _introduced(self, found: Sequence[Observation]) -> Iterator[tuple[str, str]]:
        """Yield whom the message names by what they are, and what they are called."""
        yield from ((kin.kin[-1], kin.name) for kin in kin_in(self.exchange.text) if kin.name)
        yield from introductions(claim_of(observation) for observation in found if observation.subject == USER)

    def _linked(self, observation: Observation, speaker: Self) -> Observation:
        subject, content = speaker.filed(observation.subject, observation.content)
        told: Mapping[str, object] = {}
        if subject != observation.subject and USER in (subject, observation.subject):
            told = fields(read_as(content, subject), subject)
        filed = observation.model_copy(update={"subject": subject, "content": content, **told})
        replaces = filed.replaces or find_replaced(claim_of(filed), self.entries)
        return filed.model_copy(update={"replaces": replaces})


def observe_block(
    layout: MemoryLayout, model: ModelChoice | None, server: ModelServer | None = None
) -> Block[Exchange, Observed]:
    """Return the block that observes: a generator when there is a model, rules otherwise."""
    look = handler(_look(layout, model), name=f"{layout.name}/look", uses=layout.resources)
    if model is None:
        return sequencer(name=f"{layout.name}/observe").then(look).then(_by_rules(layout))
    observer = generator(
        name=f"{layout.name}/observer",
        model=model,
        system=prompt("observe", limit=MAX_OBSERVATIONS, attributes=", ".join(ATTRIBUTES)),
        user=lambda known, ctx: _turn_prompt(known, ctx, layout),
        output_schema=Observations,
        temperature=0.0,
        record=False,
        server=server,
        rescue={OutputError: handler(_unusable, name=f"{layout.name}/unusable")},
    )

    def observed(both: Mapping[str, Any], ctx: Context) -> Observed:
        return _observed(both["known"], both["found"], ctx)

    return (
        sequencer(name=f"{layout.name}/observe")
        .then(look)
        .parallel({"known": handler(lambda known: known, name=f"{layout.name}/known"), "found": observer})
        .map(observed)
    )


def _look(layout: MemoryLayout, model: ModelChoice | None) -> Callable[[Exchange, Context], Awaitable[Shown]]:
    async def look(exchange: Exchange, ctx: Context) -> Shown:
        def work(tx: Transaction) -> Shown:
            refile_own_rows(tx, layout)
            entries = tx.read(layout.working).entries
            gone = no_longer_so(tx, layout, entries) if model is not None else frozenset[str]()
            linked = {record_id for entry in entries for record_id in (entry.fact_id, entry.episode_id)}
            older = [*_plans(tx, layout, exchange), *(_facts(tx, layout, exchange) if model is not None else ())]
            known = [
                *(fact for fact in older if fact.id not in linked),
                *(known_of(entry, entry.id, entry.category) for entry in entries if entry.id not in gone),
            ]
            return Shown(exchange, speaker_in(tx, layout, entries), known, find_retraction(tx, layout, exchange))

        return await ctx.transact(work)

    return look


def speaker_in(tx: Transaction, layout: MemoryLayout, entries: Sequence[WorkingEntry]) -> Self:
    """Return who speaks, among all who are known: those of the entries, and those of the facts."""
    speaker = self_of(tx, layout.semantic, is_shared=is_shared(layout))
    index = tx.index(layout.semantic) if layout.semantic is not None else None
    subjects = [entry.subject for entry in entries]
    subjects += () if index is None else [name for name in index.columns["subject"].names if name]
    own = (claim_of(entry) for entry in entries if entry.subject == speaker.subject)
    told = [*introduced(tx, layout.semantic, speaker.subject), *introductions(own)]
    return speaker.among(told, subjects)


def _plans(tx: Transaction, layout: MemoryLayout, exchange: Exchange) -> list[Known]:
    """Return the events and tasks of earlier sessions that the message may call off or move."""
    if layout.episodic is None:
        return []
    matches = tx.match(layout.episodic, words(exchange.text[:MODEL_CHARS]), SHOWN_PLANS * 3)
    found = tx.get_many(layout.episodic, [match.id for match in matches])
    plans = [episode for episode in found if episode.category in ("event", "task") and not episode.superseded]
    return [known_of(plan, plan.id, plan.category) for plan in plans[:SHOWN_PLANS]]


def _facts(tx: Transaction, layout: MemoryLayout, exchange: Exchange) -> list[Known]:
    """Return the facts that share words with a message: a model is shown them, rules look up their own."""
    if layout.semantic is None:
        return []
    matches = tx.match(layout.semantic, words(exchange.text[:MODEL_CHARS]), SHOWN_FACTS * 3)
    found = tx.get_many(layout.semantic, [match.id for match in matches])
    current = [fact for fact in found if fact.status == "current"]
    return [known_of(fact, fact.id, fact.category) for fact in current[:SHOWN_FACTS]]


def _by_rules(layout: MemoryLayout) -> Block[Shown, Observed]:
    @handler(name=f"{layout.name}/observer")
    def observe(known: Shown) -> Observed:
        return _result(known, _read_by_rules(known), [])

    return observe


def _read_by_rules(known: Shown) -> list[Observation]:
    # Each message by itself, at its own time: "tomorrow" of one whose run failed is not that of the next.
    found = [seen for turn in known.exchange.said for seen in observe_text(printable(turn.text), now=turn.said_at)]
    return list({(seen.subject, seen.content.casefold()): seen for seen in found}.values())[:MAX_OBSERVATIONS]


def _turn_prompt(known: Shown, ctx: Context, layout: MemoryLayout) -> str:
    exchange, mark = known.exchange, new_mark(ctx.clock)
    answer = exchange.assistant.text if exchange.assistant else ""
    lines = [f"- {shorten(one_line(text, len(text)), 500)}" for text in exchange.background]
    return prompt(
        "observe_turn",
        mark=mark,
        date=(exchange.user.said_at if exchange.user else ctx.clock.now()).date().isoformat(),
        known=data_block("known entries", "\n".join(_line(fact) for fact in known.entries), mark) or "none",
        background=data_block("earlier messages", "\n".join(lines), mark) or "none",
        user=delimited("user-message", shorten(printable(exchange.text), MODEL_CHARS), mark),
        assistant=delimited("assistant-answer", shorten(printable(answer), layout.max_assistant_chars), mark)
        if answer
        else "No answer.",
    )


def _line(entry: Known) -> str:
    return f"- {entry.id} [{one_line(entry.subject)}, {entry.category}] {one_line(entry.content)}"


def shorten(text: str, limit: int) -> str:
    r"""Return ``text``, or its head and tail around a mark that says how much was left out.

    >>> shorten("abcdefghij", 4)
    'ab\n[… 6 characters left out …]\nij'
    """
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half} characters left out …]\n{text[len(text) - half :]}"


def _observed(known: Shown, found: Observations, ctx: Context) -> Observed:
    notes: list[str] = []
    if len(known.exchange.text) > MODEL_CHARS:
        notes.append(f"the message has {len(known.exchange.text)} characters; the model read its head and tail")
    plain = [plain_text(observation) for observation in found.observations]
    fresh = [observation for observation in plain if not _restates(observation, known)]
    if len(fresh) < len(plain):
        notes.append(f"{len(plain) - len(fresh)} observations only restated what was already known")
    pieces = [said for turn in known.exchange.said for said in said_in(printable(turn.text))] if fresh else []
    answer = known.exchange.assistant.text if known.exchange.assistant and fresh else ""
    own = list(said_in(printable(answer)))
    faults = [_fault(observation, known, pieces, own) for observation in fresh]
    kept = [observation for observation, fault in zip(fresh, faults, strict=True) if not fault]
    refused = [
        *(told(refusal) for refusal in found.refused),
        *(f"{shown(memory.content)}: {fault}" for memory, fault in zip(fresh, faults, strict=True) if fault),
    ]
    notes += [f"refused: {ctx.redact(reason)}" for reason in refused]
    if refused and not kept:
        kept = _read_by_rules(known)
        notes.append("nothing of the model's answer could be used: rules read the message instead")
    return _result(known, kept, notes)


def _fault(observation: Observation, known: Shown, pieces: Sequence[Spoken], own: Sequence[Spoken]) -> str:
    """Return why an observation is not borne out by its turn, in these pieces, ``own`` the answer's; "" where it is."""
    exchange = known.exchange
    if not is_grounded(observation, exchange, known.entries):
        return "it shares no word with what was said"
    told = "\n".join([exchange.text, *exchange.background])
    if own and said_of_itself(observation, told, own):
        return REASONS["quoted"]
    return contradiction(observation, pieces)


def _result(known: Shown, kept: Sequence[Observation], notes: list[str]) -> Observed:
    observations, unclear = known.linked(corrected(kept, known.retraction))
    shown_ids = [entry.id for entry in known.entries]
    return Observed(exchange=known.exchange, observations=observations, shown=shown_ids, notes=[*notes, *unclear])


def _unusable(error: OutputError) -> Observations:
    """Return what stands for an answer that could not be read, not even the one that was asked for once more."""
    nothing = Observations()
    nothing.refuse((Refused("", 0, None, str(error)),))
    return nothing


def _restates(observation: Observation, known: Shown) -> bool:
    """Return whether the observation repeats a shown entry word for word without the turn having said it."""
    own = words(observation.content)
    said = set(words(known.exchange.text)) | set(
        words(known.exchange.assistant.text if known.exchange.assistant else "")
    )
    grounded = any(word in said for word in own if len(word) > 3)
    return not grounded and any(own == words(fact.content) for fact in known.entries)
