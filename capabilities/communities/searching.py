"""Searching a graph: around the entities that a cue names, and over the summaries of its communities."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING

from fabric.flow.resource import Transaction
from fabric.search.views import holds
from fabric.text.terms import read_cue

from ..cognitive.content.entities import entities as names_in
from ..meaning import Embedded, Meaning
from ..retrieval.candidates import make_candidates
from ..retrieval.question import Question, read_question, with_vectors
from ..retrieval.rank import rank
from ..traces.tables import ALL_TABLES, View
from .grouping import EntityGraph, summary_of, title_of
from .names import USER, cue_terms, key_of, name_terms
from .record import Community, SourcedRelation, SourceGraph
from .results import FoundEntity, GlobalSearch, LocalSearch, found_community
from .sources import Freshness, graphs
from .tables import SHELVES

if TYPE_CHECKING:
    from fabric.search.base import SearchView

RELATIONS = 20
SUMMARIES = 10
COMMUNITIES = 5
"""How many communities give context to a local search."""
NEWEST = 300
"""How many memories are looked at that name one entity: the newest."""


def local_search(tx: Transaction, seen: Sequence[View], cue: str, most: int) -> LocalSearch:
    """Return the entities that a cue names, those one hop away, the strongest relations, and their communities."""
    entities: list[FoundEntity] = []
    relations: list[SourcedRelation] = []
    communities: list[Community] = []
    for view in seen:
        named, rows = _named(tx, view, cue)
        if not named:
            continue
        graph = EntityGraph.of(rows)
        around = graph.relations([key for key in graph.weights if not named.isdisjoint(key[:2])], most)
        relations += around
        entities += _entities(graph, named, around)
        whose = [community for community in seen_in(tx, view) if not named.isdisjoint(community.keys)]
        communities += current(whose, tx, view)
    relations.sort(key=lambda relation: -relation.weight)
    communities.sort(key=_largest_first)
    context = {community.digest: community for community in reversed(communities)}
    shown = sorted(context.values(), key=_largest_first)[:COMMUNITIES]
    return LocalSearch(
        cue=cue,
        entities=tuple(sorted(entities, key=lambda entity: entity.hops)),
        relations=tuple(relations[:most]),
        communities=tuple(found_community(community) for community in shown),
    )


def _named(tx: Transaction, view: View, cue: str) -> tuple[set[str], list[SourceGraph]]:
    """Return the keys of the entities that a cue names, and the graphs of the memories that name them."""
    index = tx.index(SHELVES[view.tables.owner].graph)
    if index is None or not len(index):
        return set(), []
    terms = list(_terms(cue, index))
    if not terms and "user" in read_question(cue).roles:
        terms = [USER] if USER in index.postings.terms else []
    freshness = Freshness(tx, view)
    ids: dict[str, None] = {}
    for term in terms:
        positions = index.postings.of(index.postings.terms[term])[0]
        newest = (index.ids[position] for position in reversed(positions.tolist()) if index.alive[position])
        ids.update(dict.fromkeys(islice(filter(freshness.says_so, newest), NEWEST)))
    rows, wanted = graphs(tx, view.tables.owner, list(ids)), set(terms)
    keys = {entity.key for row in rows for entity in row.entities if not wanted.isdisjoint(name_terms([entity.name]))}
    return keys, rows


def _terms(cue: str, index: "SearchView") -> Iterator[str]:
    """Yield the names of a graph that a cue holds, of names within names the longest."""
    terms = index.postings.terms
    yield from dict.fromkeys(key for name in names_in(cue) if (key := key_of(name)) in terms)
    taken: set[int] = set()
    for start, end, term in cue_terms(word.spelling for word in read_cue(cue).words):
        if term in terms and term != USER and taken.isdisjoint(range(start, end)):
            taken.update(range(start, end))
            yield term


def _entities(graph: EntityGraph, named: set[str], around: Sequence[SourcedRelation]) -> list[FoundEntity]:
    hops = dict.fromkeys(sorted(named), 0)
    for relation in around:
        for end in relation.ends:
            hops.setdefault(end, 1)
    return [
        FoundEntity(**graph.entity(key).model_dump(), hops=distance, sources=tuple(dict.fromkeys(graph.sources[key])))
        for key, distance in hops.items()
    ]


def seen_in(tx: Transaction, view: View) -> list[Community]:
    """Return the stored communities of one owner that a session may see; `current` checks them."""
    return [
        community for community in tx.find(SHELVES[view.tables.owner].communities) if community.persona in view.personas
    ]


def current(found: Iterable[Community], tx: Transaction, view: View) -> Iterator[Community]:
    """Yield communities as far as the memories behind them still say what they said.

    Until the graph is grouped anew, one that rests on others too tells only what is left, in the words of rules; one
    that nothing is left of is left out.
    """
    freshness = Freshness(tx, view)
    for community in found:
        left = _left(community, {source for source in community.drawn_from if freshness.says_so(source)})
        if left is not None:
            yield left


def _left(community: Community, fresh: set[str]) -> Community | None:
    if fresh.issuperset(community.drawn_from):
        return community
    sources = tuple(source for source in community.drawn_from if source in fresh)
    relations = tuple(
        relation.model_copy(update={"sources": told})
        for relation in community.relations
        if (told := tuple(source for source in relation.sources if source in fresh))
    )
    ends = {end for relation in relations for end in relation.ends}
    entities = tuple(entity for entity in community.entities if entity.key in ends)
    if not relations:
        return None
    update = {
        "title": title_of(entities),
        "summary": summary_of(entities, relations),
        "by": "rules",
        "entities": entities,
        "relations": relations,
        "drawn_from": sources,
    }
    return community.model_copy(update=update)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question over summaries, and the space of its vector."""

    cue: str
    question: Question
    embedded: Embedded


async def question_of(cue: str, meaning: Meaning) -> Asked:
    """Return a cue as the one ranker takes it."""
    question = read_question(cue)
    embedded = await meaning.embed([question.meaning])
    return Asked(cue, with_vectors(question, embedded, meaning), embedded)


def global_search(
    tx: Transaction, seen: Sequence[View], asked: Asked, most: int, now: datetime, meaning: Meaning
) -> GlobalSearch:
    """Return the summaries that the one ranker puts first, each once; the largest communities where none fits."""
    scores = _scores(tx, seen, asked, most, now, meaning)
    found: list[tuple[Community, float]] = []
    for view in seen:
        fitting = {
            community.digest: community for community in seen_in(tx, view) if not scores or community.id in scores
        }
        ordered = sorted(fitting.values(), key=lambda community: _order(community, scores))
        found += [(community, scores.get(community.id, 0.0)) for community in islice(current(ordered, tx, view), most)]
    found.sort(key=lambda pair: _order(pair[0], scores))
    communities = tuple(found_community(community, score) for community, score in found[:most])
    return GlobalSearch(cue=asked.cue, communities=communities, degraded=asked.embedded.degraded)


def _largest_first(community: Community) -> tuple[int, int, str]:
    return community.level, -len(community.entities), community.id


def _order(community: Community, scores: Mapping[str, float]) -> tuple[float, int, int, str]:
    return -scores.get(community.id, 0.0), -community.level, -len(community.entities), community.id


def _scores(
    tx: Transaction, seen: Sequence[View], asked: Asked, most: int, now: datetime, meaning: Meaning
) -> dict[str, float]:
    """Return by id the scores of the communities that fit."""
    shelves = [(view, tx.index(SHELVES[view.tables.owner].communities, asked.embedded.space)) for view in seen]
    rows = [
        (view.tables.owner, index, index.alive & holds(index, "persona", view.personas))
        for view, index in shelves
        if index is not None and len(index)
    ]
    candidates = make_candidates(rows, meaning.words if asked.question.word_vectors is not None else None)
    if not candidates.rows or not asked.question.cue.words:
        return {}
    many = most * len(ALL_TABLES)
    ranking = rank(asked.question, candidates, now, most=many)
    numbers = [number for group in candidates for number in ranking.best(many, group.tier)]
    found = {candidates.row_id(number): float(ranking.scores[ranking.place(number)]) for number in numbers}
    return {community_id: score for community_id, score in found.items() if score > 0}
