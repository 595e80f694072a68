"""What a graph of communities is kept as: what each memory names and relates, and the groups found in all of it."""

from typing import Annotated, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from ..vocabulary import Moment
from .names import key_of

EntityType = Literal["person", "organization", "location", "event", "concept", "technology"]
"""What an entity is; "concept" where nothing tells."""
ENTITY_TYPES: tuple[EntityType, ...] = get_args(EntityType)
By = Literal["rules", "model"]
WITH = "with"
"""What a relation is called of which only that both are named in one sentence is known."""
MOST_ENTITIES, MOST_RELATIONS = 50, 100
"""How many entities and relations one memory gives at most."""
MAX_NAME_CHARS = 80
MOST_TRIES = 3
"""How often a model is asked about the same memories, or the same community, that it failed at."""


def _typed(given: object) -> object:
    told = given.strip().lower() if isinstance(given, str) else ""
    return told if told in ENTITY_TYPES else "concept"


class NamedEntity(BaseModel):
    """An entity (a node of the graph) that a memory names; names that differ in case alone are one."""

    model_config = ConfigDict(frozen=True)

    name: str
    type: Annotated[EntityType, BeforeValidator(_typed)] = "concept"

    @property
    def key(self) -> str:
        """What it is known by, whatever the case."""
        return key_of(self.name)


class Relation(BaseModel):
    """A labelled, weighted edge between two entities of the graph."""

    model_config = ConfigDict(frozen=True)

    source: str
    target: str
    label: str = WITH
    weight: float = Field(default=1.0, gt=0)

    @property
    def ends(self) -> tuple[str, str]:
        """The keys of the source and target entities."""
        return key_of(self.source), key_of(self.target)

    @property
    def key(self) -> tuple[str, str, str]:
        """Source, target and label; the ends of a relation that is only ``with`` are sorted, as it has no direction."""
        one, other = sorted(self.ends) if self.label == WITH else self.ends
        return one, other, self.label

    def __str__(self) -> str:
        """Return it as a clause.

        >>> str(Relation(source="Ann", target="Stripe", label="employer")), str(Relation(source="Ann", target="Bo"))
        ('Ann: employer Stripe', 'Ann with Bo')
        """
        between = WITH if self.label == WITH else None
        return f"{self.source} {between} {self.target}" if between else f"{self.source}: {self.label} {self.target}"


class SourceGraph(BaseModel):
    """What one memory, a trace or a fact, names and relates; ``id`` is that of the memory, ``digest`` what it said."""

    model_config = ConfigDict(frozen=True)

    id: str
    persona: str = ""
    digest: str
    names: str = ""
    """The names of the entities, a line each: what it is found by."""
    entities: tuple[NamedEntity, ...] = ()
    relations: tuple[Relation, ...] = ()
    by: By = "rules"
    tries: int = 0
    """How often a model failed at it."""


class SourcedRelation(Relation):
    """A relation, and the ids of the memories that tell of it; ``weight`` is the sum of theirs."""

    sources: tuple[str, ...] = ()


class Community(BaseModel):
    """A group of entities that belong together, and what is known of it. ``drawn_from`` are the ids of memories."""

    model_config = ConfigDict(frozen=True)

    id: str
    persona: str = ""
    level: int = 0
    """0 for the finest; each level above puts groups together."""
    title: str
    summary: str
    by: By = "rules"
    """Who wrote the summary."""
    digest: str = ""
    """Of all that it is made of: the same, where the summary still fits."""
    entities: tuple[NamedEntity, ...] = ()
    """The members, most related first."""
    relations: tuple[SourcedRelation, ...] = ()
    """The strongest among them."""
    drawn_from: tuple[str, ...] = ()
    parent: str = ""
    """The id of the community one level above."""
    tries: int = 0
    made_at: Moment
    made_by: str = ""

    @property
    def keys(self) -> frozenset[str]:
        """The keys of its members."""
        return frozenset(entity.key for entity in self.entities)


class GraphState(BaseModel):
    """Of what the communities of one owner were made: a digest for each persona, so that an unchanged graph waits."""

    model_config = ConfigDict(frozen=True)

    digests: dict[str, str] = {}
    built_at: Moment | None = None
    """When a build looked at the graph last."""
