"""The model's part of a graph: which entities and relations memories hold, and what a community is about."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field

from capabilities.communities.entity_types import type_of
from capabilities.communities.extracting import Material, graph_of, read_by_rules
from capabilities.communities.names import USER, key_of
from capabilities.communities.record import MAX_NAME_CHARS, Community, NamedEntity, Relation, SourceGraph
from fabric.flow.block import Block
from fabric.generation.generator import ModelChoice
from fabric.narrowing import is_list_or_tuple
from fabric.text.prompt import data_block, one_line
from fabric.text.words import words

from ..asking import asking_block
from ..prompts import prompt

SHOWN_CHARS = 2_000
"""How much of a memory a model is shown."""
MAX_LABEL_CHARS = 60
_MOST = 200


def _number(given: object) -> object:
    return given if isinstance(given, int) and not isinstance(given, bool) else 0


def _numbers(given: object) -> list[int]:
    some: Iterable[Any] = given if is_list_or_tuple(given) else [given]
    return [number for number in some if isinstance(number, int) and not isinstance(number, bool)]


class ToldEntity(BaseModel):
    """An entity as a model names it; ``numbers`` are those of memories."""

    name: str
    type: str = "concept"
    numbers: Annotated[list[int], BeforeValidator(_numbers)] = []


class ToldRelation(BaseModel):
    """A relation as a model tells it."""

    source: str
    target: str
    label: str = ""
    number: Annotated[int, BeforeValidator(_number)] = 0


class ToldGraph(BaseModel):
    """What a model answers about some memories."""

    entities: list[ToldEntity] = Field(max_length=_MOST)
    relations: list[ToldRelation] = Field(default=[], max_length=_MOST)


class ToldSummary(BaseModel):
    """What a model answers about a community."""

    title: str = Field(default="", max_length=200)
    summary: str = Field(max_length=2_000)


class ToldAnswer(BaseModel):
    """What a model answers to a question about all there is; ``numbers`` are those of summaries."""

    answer: str = Field(max_length=4_000)
    numbers: Annotated[list[int], BeforeValidator(_numbers)] = []


def extract_block(name: str, model: ModelChoice) -> Block[Sequence[Material], ToldGraph]:
    """Return the block that has a model extract entities and relations from memories, numbered from 1."""

    def user(some: Sequence[Material]) -> str:
        return prompt(
            "communities_extract_memories",
            memories=data_block("memories", _numbered([memory.content for memory in some])),
        )

    return asking_block(f"{name}/extract", model, prompt("communities_extract"), user, ToldGraph)


def summary_block(name: str, model: ModelChoice) -> Block[tuple[Community, Sequence[str]], ToldSummary]:
    """Return the block that has a model summarise a community; it takes the community and the texts of its memories."""

    def user(asked: tuple[Community, Sequence[str]]) -> str:
        return prompt("communities_summary_relations", relations=data_block("community", _shown(*asked)))

    return asking_block(f"{name}/summarise", model, prompt("communities_summary"), user, ToldSummary)


def answer_block(name: str, model: ModelChoice) -> Block[tuple[str, Sequence[str]], ToldAnswer]:
    """Return the block that has a model answer a question from summaries, and cite them by number, from 1."""

    def user(asked: tuple[str, Sequence[str]]) -> str:
        question, summaries = data_block("question", asked[0][:SHOWN_CHARS]), _numbered(asked[1])
        return prompt("communities_answer_question", question=question, summaries=data_block("summaries", summaries))

    return asking_block(f"{name}/ask", model, prompt("communities_answer"), user, ToldAnswer)


def _numbered(texts: Sequence[str]) -> str:
    return "\n".join(f"[{number}] {one_line(text, SHOWN_CHARS)}" for number, text in enumerate(texts, start=1))


def _shown(community: Community, memories: Sequence[str]) -> str:
    lines = [f"{entity.name} ({entity.type})" for entity in community.entities[:20]]
    return "\n".join(["; ".join(lines), *map(str, community.relations), _numbered(memories)])


def graphs_told(memories: Sequence[Material], told: ToldGraph) -> list[SourceGraph]:
    """Return each memory's graph as a model told it; what it told nothing of keeps what rules read.

    A name whose words a memory does not hold counts for nothing there, nor does a number that was not shown.
    """
    found: list[SourceGraph] = []
    for number, memory in enumerate(memories, start=1):
        named = [entity for entity in told.entities if number in entity.numbers and _is_borne_out(entity.name, memory)]
        related = [relation for relation in told.relations if relation.number == number]
        entities = {key_of(entity.name): _entity(entity.name, entity.type) for entity in named}
        for name in (name for relation in related for name in (relation.source, relation.target)):
            if _is_borne_out(name, memory):
                entities.setdefault(key_of(name), _entity(name, _kind(name, memory, told)))
        relations = [
            Relation(source=relation.source.strip(), target=relation.target.strip(), label=label)
            for relation in related
            if (label := one_line(relation.label, MAX_LABEL_CHARS).strip())
            and _is_name(relation.source)
            and _is_name(relation.target)
        ]
        read = graph_of(memory, list(entities.values()), relations) if entities else read_by_rules(memory)
        found.append(read.model_copy(update={"by": "model", "tries": 0}))
    return found


def _entity(name: str, kind: str) -> NamedEntity:
    return NamedEntity.model_validate({"name": " ".join(name.split()), "type": kind})


def _kind(name: str, memory: Material, told: ToldGraph) -> str:
    key = key_of(name)
    return next((entity.type for entity in told.entities if key_of(entity.name) == key), type_of(name, memory.content))


def _is_name(name: str) -> bool:
    return bool(key_of(name)) and len(name) <= MAX_NAME_CHARS


def _is_borne_out(name: str, memory: Material) -> bool:
    """Return whether a memory holds one of a name's words: what it does not name is not read from it."""
    if not _is_name(name):
        return False
    key = key_of(name)
    return key in {USER, key_of(memory.speaker)} or not set(words(name)).isdisjoint(words(memory.content))
