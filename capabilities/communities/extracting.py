"""What a memory names and relates, by rules: its names, what stands in one sentence, and what it claims."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import regex

from ..claims import Claim
from .entity_types import attribute_type, named, type_of
from .names import USER, key_of
from .record import MAX_NAME_CHARS, MOST_ENTITIES, MOST_RELATIONS, NamedEntity, Relation, SourceGraph

CLAIMED, TOGETHER, SPOKEN = 2.0, 1.0, 0.5
"""What a relation weighs that is claimed, of two names in one sentence, and of who says it with what is named."""
MOST_IN_SENTENCE = 12
"""How many names of one sentence are related to one another: a list of guests says little of each pair."""
_LONGEST_VALUE = 3
"""Words of a claim's value that is still an entity and no sentence."""
_SENTENCE = regex.compile(r"[^.!?…。！？\n]*(?:[.!?…。！？\n]+(?=\s|$|[\"”»])|[.!?…]|[。！？\n]+|$)")
_SIDES = " \t.,;:!?\"'“”"


@dataclass(frozen=True, slots=True)
class Material:
    """One memory to be read: what it says, what it names, and what it claims. ``owner`` and ``persona`` say whose."""

    id: str
    owner: str
    persona: str
    content: str
    digest: str
    entities: tuple[str, ...] = ()
    claim: Claim | None = None
    speaker: str = ""
    tries: int = 0


def read_by_rules(memory: Material) -> SourceGraph:
    """Return what a memory names and relates, without a model.

    >>> read = read_by_rules(Material("t", "user", "", "Ann met Bo in Oslo. Bo sings.", "d", ("Ann", "Bo", "Oslo")))
    >>> [f"{one}" for one in read.relations]
    ['Ann with Bo', 'Ann with Oslo', 'Bo with Oslo']
    """
    found = {key_of(name): named(name, memory.content) for name in memory.entities if name.strip()}
    relations = list(_together(memory, list(found.values())))
    claimed = _claimed(memory)
    if claimed is not None:
        entities, relation = claimed
        found.update(
            (entity.key, entity)
            for entity in entities
            if entity.key not in found or found[entity.key].type == "concept"
        )
        relations.insert(0, relation)
    if memory.speaker:
        speaker = NamedEntity(name=memory.speaker[:MAX_NAME_CHARS], type="person")
        found.setdefault(speaker.key, speaker)
        tied = {end for relation in relations if speaker.key in relation.ends for end in relation.ends}
        relations += [
            Relation(source=speaker.name, target=entity.name, weight=SPOKEN)
            for entity in found.values()
            if entity.key not in {speaker.key, *tied}
        ]
    return graph_of(memory, list(found.values()), relations)


def graph_of(memory: Material, entities: Sequence[NamedEntity], relations: Sequence[Relation]) -> SourceGraph:
    """Return a memory's graph of these entities and the relations between them; each once."""
    kept = {entity.key: entity for entity in entities[:MOST_ENTITIES] if entity.key}
    between = {
        relation.key: relation
        for relation in relations
        if relation.ends[0] != relation.ends[1] and all(end in kept for end in relation.ends)
    }
    return SourceGraph(
        id=memory.id,
        persona=memory.persona,
        digest=memory.digest,
        names="\n".join(entity.name for entity in kept.values()),
        entities=tuple(kept.values()),
        relations=tuple(between.values())[:MOST_RELATIONS],
        tries=memory.tries,
    )


def _claimed(memory: Material) -> tuple[list[NamedEntity], Relation] | None:
    """Return what a claim relates: whose it is, and its value; None where that is no entity, or not so."""
    claim = memory.claim
    if claim is None or claim.polarity != "holds":
        return None
    kind, value = attribute_type(claim.attribute), claim.value.strip(_SIDES)
    if kind is None or not value or len(value) > MAX_NAME_CHARS or len(value.split()) > _LONGEST_VALUE:
        return None
    subject = claim.subject if claim.subject != USER else memory.speaker or USER
    whose = NamedEntity(name=subject, type="person")
    told = type_of(value, memory.content)
    what = NamedEntity(name=value, type=kind if kind != "concept" or told == "person" else told)
    label = claim.attribute.replace("_", " ")
    return [whose, what], Relation(source=whose.name, target=what.name, label=label, weight=CLAIMED)


def _together(memory: Material, entities: Sequence[NamedEntity]) -> Iterator[Relation]:
    """Yield a relation for each two names of one sentence."""
    for sentence in sentences(memory.content):
        low = sentence.casefold()
        here = [entity for entity in entities if entity.name.casefold() in low][:MOST_IN_SENTENCE]
        for entity, other in combinations(here, 2):
            yield Relation(source=entity.name, target=other.name, weight=TOGETHER)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text.

    >>> sentences("Ann met Bo. Did she? Yes")
    ['Ann met Bo.', 'Did she?', 'Yes']
    """
    return [sentence for found in _SENTENCE.findall(text) if (sentence := found.strip())]
