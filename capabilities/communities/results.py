"""What building communities and searching them come to. Everything found names the memories that it is drawn from."""

from pydantic import BaseModel, ConfigDict

from .record import Community, NamedEntity, SourcedRelation


class Built(BaseModel):
    """What building came to: memories read by rules and by the model, communities written, summaries by the model.

    ``waiting`` memories and summaries are still to be asked about; ``failed`` says what a model could not do, and why:
    there the rules' answer stands, and it is asked again next time, three times at most.
    """

    model_config = ConfigDict(frozen=True)

    read: int = 0
    told: int = 0
    communities: int = 0
    summarised: int = 0
    waiting: int = 0
    failed: tuple[str, ...] = ()


class FoundEntity(NamedEntity):
    """An entity that a search came upon: ``hops`` is 0 for one that the cue names, 1 for one related to it."""

    hops: int = 0
    sources: tuple[str, ...] = ()


class FoundCommunity(BaseModel):
    """A community that a search came upon, with the ids of the memories that its summary is drawn from."""

    model_config = ConfigDict(frozen=True)

    id: str
    level: int
    title: str
    summary: str
    score: float = 0.0
    """How well it fits the cue, at most 1; 0 for one that is only among the largest."""
    sources: tuple[str, ...] = ()


class LocalSearch(BaseModel):
    """What is known around the entities that a cue names; ``degraded`` says what was missing, "" for nothing."""

    model_config = ConfigDict(frozen=True)

    cue: str
    entities: tuple[FoundEntity, ...] = ()
    relations: tuple[SourcedRelation, ...] = ()
    """The strongest, at most 20."""
    communities: tuple[FoundCommunity, ...] = ()

    @property
    def sources(self) -> tuple[str, ...]:
        """The ids of the memories that tell of the relations, the strongest relation's first."""
        return tuple(dict.fromkeys(source for relation in self.relations for source in relation.sources))

    @property
    def text(self) -> str:
        """It as lines, as they were said: relations, then the context of communities. In a prompt, a `data_block`."""
        lines = [f"- {relation}" for relation in self.relations]
        lines += [f"- {community.summary}" for community in self.communities]
        return "\n".join(lines)


class GlobalSearch(BaseModel):
    """The summaries that fit a cue best, at most ten; the largest communities where none fits."""

    model_config = ConfigDict(frozen=True)

    cue: str
    communities: tuple[FoundCommunity, ...] = ()
    degraded: str = ""
    """Why no vectors were compared, where they were to be."""

    @property
    def sources(self) -> tuple[str, ...]:
        """The ids of the memories that the summaries are drawn from."""
        return tuple(dict.fromkeys(source for community in self.communities for source in community.sources))

    @property
    def text(self) -> str:
        """The result as lines of text, not escaped: in a prompt they belong into a `data_block`."""
        return "\n".join(f"- {community.summary}" for community in self.communities)


class GlobalAnswer(GlobalSearch):
    """An answer that a model wrote from summaries, and the communities whose summaries it used.

    Without one ``answer`` is "", ``failed`` says why unless no model was to be asked, and ``communities`` are all that
    global search finds.
    """

    answer: str = ""
    failed: str = ""

    @property
    def text(self) -> str:
        """The answer, or else the summaries as lines for a prompt."""
        return self.answer or super().text


def found_community(community: Community, score: float = 0.0) -> FoundCommunity:
    """Return a community as a search shows it."""
    return FoundCommunity(
        id=community.id,
        level=community.level,
        title=community.title,
        summary=community.summary,
        score=min(1.0, score),
        sources=community.drawn_from,
    )
