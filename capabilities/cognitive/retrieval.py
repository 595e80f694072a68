"""What a cue brings to mind: candidates by the one ranker, then six signals, what is nearly known, and what is tied."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from heapq import nsmallest
from typing import TYPE_CHECKING

import numpy as np

from fabric.flow.context import Context
from fabric.flow.resource import Transaction
from fabric.search.views import holds
from fabric.threads.portal import elsewhere

from ..claims import asked_attributes
from ..formulas.after_recall import SURE, feeling_of_knowing, shared_entities
from ..formulas.encoding import Mood
from ..formulas.priority import (
    Signals,
    emotional_congruence,
    importance,
    is_on_the_tongue,
    partial_confidence,
    priority,
    recency,
)
from ..hypothesis import NONE, Hypothesis, embed_question
from ..meaning import Embedded, Meaning
from ..retrieval.candidates import Candidates, make_candidates
from ..retrieval.chatter import asks_the_same, says_nothing
from ..retrieval.people import NOBODY
from ..retrieval.question import Question, named_speakers, read_question, with_vectors
from ..retrieval.rank import Ranking, rank
from ..traces.record import Trace, TraceScope, TraceType
from ..traces.seen import visible
from ..traces.tables import ALL_TABLES, Owner, Tables, View, views
from .config import HOUR, CognitiveConfig
from .content.entities import entities
from .graph import activate
from .mechanisms.config import FeelingOfKnowing
from .mechanisms.on_use import competing
from .results import Associated, FeltKnown, PartlyRetrieved, Retrieval, Retrieved
from .wakefulness import Elapsed, elapsed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fabric.search.base import SearchView

    Mask = NDArray[np.bool_]

CANDIDATES = 2
"""How many times as many rows as are wanted get their six signals; what is not among the most similar is only felt."""
SEEDS = 5
"""From how many of the best activation spreads."""
FEW_ROWS = 2_000
"""Up to so many rows are ranked inside the transaction: handing them to another thread would take as long."""
SHARPNESS = 2
"""The power of a share of the best row's score: what fits half as well is a quarter as similar."""
IDLE = 0.5
"""The share of its score that is left to what only greets, agrees or asks."""
OUTDATED = 0.5
"""The share of its score that is left to what a newer trace says otherwise."""
LEAST_FELT = FeelingOfKnowing().threshold
"""From which score on something that was not retrieved is felt to be known, where no mechanism says otherwise."""
BEGIN_CHARS, CUES = 100, 3


@dataclass(frozen=True, slots=True)
class Sought:
    """What is looked for, and which traces may be found; ``mood`` None is for no mood at all."""

    cue: str
    limit: int = 20
    types: frozenset[TraceType] = frozenset()
    """Only traces of these types; all where there are none."""
    scopes: frozenset[TraceScope] = frozenset()
    since: datetime | None = None
    until: datetime | None = None
    least_strength: float = 0.0
    """What must be left of a trace's strength."""
    mood: Mood | None = None
    hypothesis: Hypothesis = NONE
    """What the meaning of an answer is compared by, beside the cue's or in its place."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    owner: Owner
    trace: Trace
    similarity: float
    strength: float
    since_use: float
    share: float

    def score(self, signals: Signals, config: CognitiveConfig) -> float:
        """Return the score of a candidate: the weighted sum of its six signals, times its share."""
        return priority(signals, config.weights) * self.share


async def retrieve(ctx: Context, config: CognitiveConfig, meaning: Meaning, sought: Sought) -> Retrieval:
    """Return the traces that a cue retrieves, scored by six signals, and those that activation spreads to."""
    scope, most = ctx.ids.scope("session"), CANDIDATES * sought.limit
    speakers = meaning.speakers.get(scope, frozenset())
    question = read_question(sought.cue, speakers)
    embedded = await embed_question(meaning, question.meaning, sought.hypothesis)
    asked = with_vectors(question, embedded, meaning)

    def look(tx: Transaction) -> Candidates | Retrieval | None:
        meaning.speakers[scope] = _speakers(tx)
        if named_speakers(sought.cue, meaning.speakers[scope]) != asked.speakers:
            return None
        candidates = _candidates(tx, sought, meaning, embedded.space, has_words=asked.word_vectors is not None)
        if candidates.rows > FEW_ROWS:
            return candidates
        return _read(tx, ctx, config, sought, _best(asked, candidates, ctx.clock.now(), most), embedded)

    found = await ctx.transact(look)
    if found is None:  # somebody is named that was not known to speak
        return await retrieve(ctx, config, meaning, sought)
    if isinstance(found, Retrieval):
        return found
    ranked = await elsewhere(lambda: _best(asked, found, ctx.clock.now(), most))
    return await ctx.transact(lambda tx: _read(tx, ctx, config, sought, ranked, embedded))


def _speakers(tx: Transaction) -> frozenset[str]:
    """Return the names of those who said what is remembered."""
    indexes = [tx.index(view.tables.traces) for view in views(tx.ids)]
    names = [index.columns["speaker"].names.keys() for index in indexes if index is not None]
    return frozenset[str]().union(*names) - {""}


def _candidates(tx: Transaction, sought: Sought, meaning: Meaning, space: str, *, has_words: bool) -> Candidates:
    shelves = [(view, tx.index(view.tables.traces, space)) for view in views(tx.ids)]
    rows = [
        (view.tables.owner, index, _allowed(index, view, sought))
        for view, index in shelves
        if index is not None and len(index)
    ]
    return make_candidates(rows, meaning.words if has_words else None)


def _allowed(index: "SearchView", view: View, sought: Sought) -> "Mask":
    allowed = visible(index, view.personas, sought.types, sought.scopes)
    made = index.columns["created_at"].values
    if sought.since is not None:
        allowed &= made >= sought.since.timestamp()
    if sought.until is not None:
        allowed &= made <= sought.until.timestamp()
    return allowed


@dataclass(frozen=True, slots=True)
class _Ranked:
    """By owner, the ids of the best rows with the ranker's scores, and how sure it is that the best one fits."""

    scores: Mapping[Owner, Mapping[str, float]]
    sureness: float = 0.0

    def similarity(self, score: float, best: float) -> float:
        """Return how similar a row is to the question: the sureness, times a power of its share of the best score."""
        return self.sureness * min(1.0, max(0.0, score / best)) ** SHARPNESS if best > 0 else 0.0


def _best(question: Question, candidates: Candidates, now: datetime, most: int) -> _Ranked:
    """Return the rows that the one ranker puts first."""
    if not candidates.rows:
        return _Ranked({})
    question = replace(question, people=replace(NOBODY, answers=_answers(question, candidates)))
    ranking: Ranking = rank(question, candidates, now, most=most)
    numbers = {group.tier: ranking.best(most, group.tier) for group in candidates}
    scores: dict[Owner, dict[str, float]] = {
        _owner(tier): {candidates.row_id(number): float(ranking.scores[ranking.place(number)]) for number in some}
        for tier, some in numbers.items()
    }
    return _Ranked(scores, min(1.0, ranking.sureness))


def _answers(question: Question, candidates: Candidates) -> "NDArray[np.float32] | None":
    """Return by number which rows claim what somebody asks for of themselves; None where nobody does."""
    asked = asked_attributes(question.cue.text, question.cue.language)
    if not asked or "user" not in question.roles:
        return None
    found = np.zeros(candidates.size, np.float32)
    for group in candidates:
        found[group.start : group.end] = holds(group.index, "attribute", asked)
    return found


def _owner(tier: str) -> Owner:
    return next(owner for owner in ALL_TABLES if owner == tier)


def _read(
    tx: Transaction, ctx: Context, config: CognitiveConfig, sought: Sought, ranked: _Ranked, embedded: Embedded
) -> Retrieval:
    now = ctx.clock.now()
    presents: dict[Owner, Elapsed] = {owner: elapsed(tx, owner, config, now) for owner in ranked.scores}
    read: list[tuple[Owner, Trace, float]] = [
        (owner, trace, scores[trace.id])
        for owner, scores in ranked.scores.items()
        for trace in tx.get_many(ALL_TABLES[owner].traces, list(scores))
        if not trace.deleted and not asks_the_same(trace.content, sought.cue)
    ]
    best = max((score for *_, score in read), default=0.0)
    found = [
        _Candidate(
            owner, trace, ranked.similarity(score, best), strength, presents[owner].since_use(trace), _share(trace)
        )
        for owner, trace, score in read
        if (strength := presents[owner].strength(trace)) >= sought.least_strength
    ]
    signals = {candidate.trace.id: _signals(candidate, sought.mood, config) for candidate in found}
    first = nsmallest(
        SEEDS,
        found,
        key=lambda candidate: _place(candidate.score(signals[candidate.trace.id], config), candidate.trace),
    )
    activation, associated = _spread(tx, first, found, presents, config)
    active = {
        trace_id: replace(held, graph_activation=activation.get(trace_id, 0.0)) for trace_id, held in signals.items()
    }
    scored = sorted(
        (_scored(candidate, active[candidate.trace.id], config) for candidate in found),
        key=lambda result: _place(result.score, result.trace),
    )
    nearest = sorted(found, key=lambda candidate: (-candidate.similarity, candidate.trace.id))[: sought.limit]
    ids = {candidate.trace.id for candidate in nearest}
    shown = [result for result in scored if result.trace.id in ids]
    rest = [result for result in scored if result.trace.id not in ids]
    return Retrieval(
        cue=sought.cue,
        results=shown,
        partial=[partly for result in shown if (partly := _partly(result)) is not None],
        felt=_felt(rest, shown[-1].score if shown and rest else 0.0, sought.cue, _least_felt(config)),
        associated=[node for node in associated if node.trace.id not in ids],
        rivals=competing(rest, config),
        degraded=embedded.degraded,
    )


def _least_felt(config: CognitiveConfig) -> float:
    """Return from which score on something is felt to be known; 1 where nothing is."""
    how = config.at_work.feeling_of_knowing
    return LEAST_FELT if config.mechanisms is None else how.threshold if how.enabled else 1.0


def _signals(found: _Candidate, mood: Mood | None, config: CognitiveConfig) -> Signals:
    """Return the signals of a candidate as long as nothing else is active."""
    trace = found.trace
    return Signals(
        strength=found.strength,
        similarity=found.similarity,
        recency=recency(found.since_use, config.profile.recency_hours * HOUR * 1000),
        emotional_congruence=0.0 if mood is None else emotional_congruence(mood, trace.valence),
        graph_activation=0.0,
        importance=importance(trace.confidence),
    )


def _scored(found: _Candidate, signals: Signals, config: CognitiveConfig) -> Retrieved:
    return Retrieved(
        trace=found.trace,
        score=found.score(signals, config),
        signals=signals,
        strength=found.strength,
        is_outdated=bool(found.trace.contradicted_by),
    )


def _share(trace: Trace) -> float:
    """Return the share of its score that a trace has for what it says."""
    return OUTDATED if trace.contradicted_by else IDLE if says_nothing(trace.content) else 1.0


def _place(score: float, trace: Trace) -> tuple[float, float, str]:
    """Return where a trace stands: the best first, of equals the newer, then by id, however they were read."""
    return -score, -trace.created_at.timestamp(), trace.id


def _spread(
    tx: Transaction,
    best: Sequence[_Candidate],
    candidates: Sequence[_Candidate],
    presents: Mapping[Owner, Elapsed],
    config: CognitiveConfig,
) -> tuple[dict[str, float], list[Associated]]:
    """Return how active the best make others, and those of them that are no candidates and may be seen."""
    owners = {candidate.trace.id: candidate.owner for candidate in candidates}
    seeds = [candidate.trace.id for candidate in best]
    activation = dict.fromkeys(seeds, 1.0)
    associated: list[Associated] = []
    for owner in presents:
        mine = [seed for seed in seeds if owners[seed] == owner]
        reached = activate(tx, ALL_TABLES[owner], mine, config.spreading) if mine else []
        activation |= {hop.node: hop.activation for hop in reached}
        hops = {hop.node: hop for hop in reached if hop.node not in owners}
        associated += [
            Associated(trace=trace, activation=hops[trace.id].activation, hops=hops[trace.id].hops)
            for trace in _seen(tx, ALL_TABLES[owner], list(hops))
        ]
    return activation, sorted(associated, key=lambda node: (-node.activation, node.trace.id))


def _seen(tx: Transaction, tables: Tables, ids: Sequence[str]) -> list[Trace]:
    view = next(view for view in views(tx.ids) if view.tables is tables)
    return list(filter(view.sees, tx.get_many(tables.traces, ids)))


def _partly(found: Retrieved) -> PartlyRetrieved | None:
    trace, similarity = found.trace, found.signals.similarity
    if not is_on_the_tongue(similarity, found.strength, trace.confidence):
        return None
    return PartlyRetrieved(
        id=trace.id,
        begin=trace.content[:BEGIN_CHARS],
        confidence=partial_confidence(similarity, trace.confidence),
        cues=trace.tags[:CUES],
    )


def _felt(rest: Sequence[Retrieved], cutoff: float, cue: str, least: float) -> list[FeltKnown]:
    asked = entities(cue)
    found: list[FeltKnown] = []
    for result in rest if cutoff > least else ():
        shared = shared_entities(result.trace.entities, asked)
        feeling = feeling_of_knowing(result.score, result.signals.similarity, shared, threshold=least, cutoff=cutoff)
        if feeling is not None:
            kind = "high_confidence" if feeling > SURE else "tip_of_tongue"
            named, trace = result.trace.entities[:CUES], result.trace
            found.append(
                FeltKnown(
                    id=trace.id, feeling=feeling, kind=kind, entities=named, mood=trace.mood, said_at=trace.said_at
                )
            )
    return sorted(found, key=lambda known: (-known.feeling, known.id))
