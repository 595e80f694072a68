"""What the double keeps: banks of facts, documents, operations and mental models, and how they are found."""

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import count
from typing import Any
from uuid import uuid4

from .bodies import Item, NewModel
from .model import NOTHING_KNOWN, SECTION, fact_type, facts_of, stems, synthesis, words

MOST_QUERY_WORDS = 500
NEAR = 0.3
"""The cosine from which on two texts mean alike, to the server's search."""
RANK = 60
STEP = timedelta(milliseconds=10)
"""Between the facts of one text, so that they keep their order."""


def now() -> datetime:
    """Return the time of day; the double has no clock of its own, as the server has none."""
    return datetime.now(UTC)


@dataclass(kw_only=True)
class Fact:
    """One memory: a sentence of a document."""

    text: str
    context: str
    mentioned_at: datetime | None
    document_id: str
    chunk_id: str
    metadata: dict[str, str]
    tags: list[str]
    order: int
    id: str = field(default_factory=lambda: str(uuid4()))
    created_at: datetime = field(default_factory=now)
    edited_at: datetime | None = None
    invalidated_at: datetime | None = None
    reason: str | None = None

    @property
    def type(self) -> str:
        """Return ``world`` or ``experience``."""
        return fact_type(self.text)

    @property
    def state(self) -> str:
        """Return ``valid`` or ``invalidated``."""
        return "invalidated" if self.invalidated_at else "valid"


@dataclass(kw_only=True)
class Document:
    """The text that facts were made of."""

    id: str
    text: str
    tags: list[str]
    metadata: dict[str, str]
    facts: list[Fact] = field(default_factory=list)
    created_at: datetime = field(default_factory=now)
    updated_at: datetime = field(default_factory=now)

    @property
    def content_hash(self) -> str:
        """Return the digest of the text."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(kw_only=True)
class Operation:
    """Work that the server does after its answer: a batch to retain, or a mental model to refresh."""

    kind: str
    id: str = field(default_factory=lambda: str(uuid4()))
    items: list[Item] = field(default_factory=list)
    mental_model_id: str | None = None
    full: bool = False
    status: str = "pending"
    error: str | None = None
    created_at: datetime = field(default_factory=now)
    completed_at: datetime | None = None
    child: str = field(default_factory=lambda: str(uuid4()))


@dataclass(kw_only=True)
class MentalModel:
    """A page that answers one question from the facts in its scope."""

    id: str
    asked: NewModel
    content: str = ""
    history: list[dict[str, Any]] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    seen: int = -1
    created_at: datetime = field(default_factory=now)
    refreshed_at: datetime = field(default_factory=now)


@dataclass(frozen=True)
class Found:
    """A fact that a query found, with the scores of the two ways it was looked for."""

    fact: Fact
    semantic: float | None
    keyword: float | None
    final: float


@dataclass
class Bank:
    """One bank; its facts are in the order in which they were retained."""

    id: str
    reflect_mission: str = ""
    retain_mission: str = ""
    facts: list[Fact] = field(default_factory=list)
    documents: dict[str, Document] = field(default_factory=dict)
    operations: dict[str, Operation] = field(default_factory=dict)
    mental_models: dict[str, MentalModel] = field(default_factory=dict)
    created_at: datetime = field(default_factory=now)
    _orders: "count[int]" = field(default_factory=count)

    @property
    def texts(self) -> list[str]:
        """Return the texts of the valid facts, in order: what a test compares."""
        return [fact.text for fact in self.facts if fact.state == "valid"]

    def retain(self, items: Iterable[Item]) -> None:
        """Take in a batch: a known document is replaced, once; items of the same document are joined."""
        items, begun = list(items), set[str]()
        shared = None if any(item.document_id for item in items) else str(uuid4())
        for item in items:
            document_id = item.document_id or shared or str(uuid4())
            appended = item.update_mode == "append" or document_id in begun
            self._write(item, document_id, appended=appended)
            begun.add(document_id)
        for model in self.mental_models.values():
            if model.asked.trigger.refresh_after_consolidation:
                self.refresh(model)

    def _write(self, item: Item, document_id: str, *, appended: bool) -> None:
        known = self.documents.get(document_id) if appended else None
        created = self.documents[document_id].created_at if document_id in self.documents else now()
        if known is None:
            self.delete_document(document_id)
        tags, metadata = list(item.tags or ()), dict(item.metadata or {})
        own = known.facts if known else []
        if item.update_mode == "append":  # what is appended to takes the tags of what is appended
            for fact in own:
                fact.tags, fact.metadata = tags, metadata
        joined = {tag for fact in own for tag in fact.tags}.union(tags)
        chunk = f"{self.id}_{document_id}_{len({fact.chunk_id for fact in own})}"
        added = self._facts(item, document_id, chunk, tags, metadata)
        self.facts += added
        self.documents[document_id] = Document(
            id=document_id,
            text=f"{known.text}\n{item.content}" if known else item.content,
            tags=sorted(joined),
            metadata=metadata,
            facts=[*own, *added],
            created_at=created,
        )

    def _facts(self, item: Item, document_id: str, chunk: str, tags: list[str], metadata: dict[str, str]) -> list[Fact]:
        """Return the facts of one item, in order."""
        start = None if item.timestamp == "unset" else item.timestamp or now()
        start = start.replace(tzinfo=UTC) if start and start.tzinfo is None else start
        return [
            Fact(
                text=sentence,
                context=item.context or "",
                mentioned_at=start.astimezone(UTC) + number * STEP if start else None,
                document_id=document_id,
                chunk_id=chunk,
                metadata=metadata,
                tags=tags,
                order=next(self._orders),
            )
            for number, sentence in enumerate(facts_of(item.content))
        ]

    def delete_document(self, document_id: str) -> int | None:
        """Remove a document with its facts and return how many they were, or None if it is unknown."""
        known = self.documents.pop(document_id, None)
        if known is None:
            return None
        self.facts = [fact for fact in self.facts if fact.document_id != document_id]
        return len(known.facts)

    def recall(self, query: str, facts: Iterable[Fact], max_tokens: int) -> list[Found]:
        """Return the facts that share a stem with a query, best first, as many as fit into so many tokens.

        Two rankings, by cosine and by common stems, are fused by reciprocal rank; of two alike the earlier is first.
        """
        asked = set(stems(" ".join(query.split()[:MOST_QUERY_WORDS])))
        scored = {fact.id: _scores(asked, fact.text) for fact in facts}
        known = [fact for fact in facts if scored[fact.id] != (0.0, 0)]
        fused: dict[str, float] = {}
        for arm, least in ((0, NEAR), (1, 1)):
            ranked = sorted(
                (one for one in known if scored[one.id][arm] >= least), key=lambda one: -scored[one.id][arm]
            )
            for place, fact in enumerate(ranked, start=1):
                fused[fact.id] = fused.get(fact.id, 0.0) + 1 / (RANK + place)
        best = sorted((fact for fact in known if fact.id in fused), key=lambda fact: -fused[fact.id])
        return list(_packed(best, scored, max_tokens))

    def refresh(self, model: MentalModel, *, full: bool = False) -> None:
        """Write a mental model anew, or in mode ``delta`` add to it the facts that are new to it."""
        asked, delta = model.asked, model.asked.trigger.mode == "delta" and model.content and not full
        scope = [fact for fact in self.facts if fact.state == "valid"]
        if asked.tags:
            scope = [fact for fact in scope if admits(fact.tags, asked.tags, "all_strict")]
        recent = [fact for fact in scope if fact.order > model.seen] if delta else scope
        model.seen, model.refreshed_at = max((fact.order for fact in scope), default=model.seen), now()
        found = [one.fact for one in self.recall(asked.source_query, recent, asked.max_tokens)]
        if not scope or (delta and not found):
            return
        previous = {
            "world": [{"id": one.id, "text": one.text, "type": one.type, "context": None} for one in model.facts]
        }
        response = {"based_on": previous} if model.content else None
        entry = {"previous_content": model.content, "previous_reflect_response": response, "changed_at": told(now())}
        model.history.insert(0, entry)
        listed = synthesis([fact.text for fact in found])
        model.facts = [*model.facts, *found] if delta else found
        model.content = f"{model.content}\n{listed}\n" if delta else f"## {SECTION}\n\n{listed}\n"

    def work(self, operation: Operation, broken: str | None = None) -> None:
        """Do what an operation asks for; where the model is broken, give it up after so many tries as it takes."""
        if operation.status != "pending":
            return
        operation.error = broken
        if broken:
            operation.status = "failed"
            return
        if operation.kind == "batch_retain":
            self.retain(operation.items)
        elif (model := self.mental_models.get(operation.mental_model_id or "")) is not None:
            self.refresh(model, full=operation.full)
        operation.status, operation.completed_at = "completed", now()


def told(time: datetime | None) -> str | None:
    """Return a time as the server writes it."""
    return time.isoformat() if time else None


def admits(own: list[str], asked: list[str] | None, match: str) -> bool:
    """Tell whether a row with its own tags passes a filter."""
    if match == "exact":
        return set(own) == set(asked or ())
    if not asked:
        return True
    if not own:
        return not match.endswith("_strict")
    common = set(own) & set(asked)
    return common == set(asked) if match.startswith("all") else bool(common)


def admits_group(own: list[str], group: Mapping[str, Any]) -> bool:
    """Tell whether a row passes a compound filter: a leaf of tags, or ``and``, ``or``, ``not`` of filters."""
    if "and" in group:
        return all(admits_group(own, each) for each in group["and"])
    if "or" in group:
        return any(admits_group(own, each) for each in group["or"])
    if "not" in group:
        return not admits_group(own, group["not"])
    return admits(own, group["tags"], group.get("match", "any_strict"))


def answer_of(found: list[Fact]) -> str:
    """Return the text of a reflection on facts."""
    return synthesis([fact.text for fact in found]) if found else NOTHING_KNOWN


def _scores(asked: set[str], text: str) -> tuple[float, int]:
    """Return cosine and number of common stems of a query and a text."""
    own = _counts(text)
    common = asked.intersection(own)
    length = math.hypot(*own.values()) * math.sqrt(len(asked))
    return (sum(own[stem] for stem in common) / length if length else 0.0), len(common)


@lru_cache(maxsize=100_000)
def _counts(text: str) -> Counter[str]:
    return Counter(stems(text))


def _packed(best: list[Fact], scored: Mapping[str, tuple[float, int]], max_tokens: int) -> Iterable[Found]:
    """Yield facts until the tokens are used up; the first one whatever its length, if any is wanted."""
    used, last = 0, max(1, len(best) - 1)
    for place, fact in enumerate(best):
        used += len(words(fact.text)) + sum(not sign.isalnum() and not sign.isspace() for sign in fact.text)
        if max_tokens <= 0 or (place and used > max_tokens):
            return
        cosine, common = scored[fact.id]
        yield Found(
            fact, cosine if cosine >= NEAR else None, common / 10 if common else None, 1.1 * (1 - 0.9 * place / last)
        )
