"""Import of facts: what another memory holds becomes facts at once, each with its words, its times and its origin."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Annotated, Literal

from pydantic import Field

from capabilities.claims.identity import filed_as
from capabilities.memory.layout import MemoryLayout
from capabilities.semantic import Arrival, Fact, ForeignFact, arrive
from capabilities.sources import Source
from capabilities.turns import Turn
from capabilities.vocabulary import Tag
from fabric.flow.context import Context
from fabric.flow.resource import Collection, Transaction

WORDS = "words_"
"""What the id of a turn begins with that holds the own words of an imported fact."""


class ImportedFact(ForeignFact):
    """One record to import: the turns that it was drawn from, ``origins``, where they are kept as well.

    Without those its own words are kept as a turn: in which session, by whom, and filed under what.
    """

    session: Annotated[str, Field(min_length=1)]
    role: Literal["user", "assistant"] = "user"
    tags: tuple[Tag, ...] = ()
    origins: tuple[Source, ...] = ()

    @property
    def version_id(self) -> str:
        """The id of this version, where it is not the first of its record."""
        text = repr((self.content, self.known_from.isoformat() if self.is_dated else ""))
        return f"{self.id}_{blake2b(text.encode('utf-8', 'surrogatepass'), digest_size=4).hexdigest()}"

    def words(self, fact_id: str) -> Turn:
        """Return the record's text as a turn: what the fact of this id rests on."""
        return Turn(
            id=f"{WORDS}{fact_id}",
            session=self.session,
            turn=0,
            role=self.role,
            text=self.content,
            said_at=self.known_from,
            tags=list(self.tags),
            captured=True,
        )


async def import_facts(
    ctx: Context, layout: MemoryLayout, facts: Collection[Fact], given: Sequence[ImportedFact]
) -> tuple[list[Arrival], str]:
    """Keep records as facts in one transaction; return what became of each, and why they have no vectors, or "".

    Secrets must have been taken out of the texts.
    """
    embedded = await layout.meaning.embed_stored([fact.content for fact in given])

    def work(tx: Transaction) -> list[Arrival]:
        tx.embedded = embedded.by_text([fact.content for fact in given])
        return put_facts(tx, layout, facts, given)

    return await ctx.transact(work), embedded.degraded


def put_facts(
    tx: Transaction, layout: MemoryLayout, facts: Collection[Fact], given: Sequence[ImportedFact]
) -> list[Arrival]:
    """Do the same inside a transaction."""
    arriving = _Arriving(tx, facts, dict[str, Fact](), dict[str, Fact](), dict[str, Turn](), [])
    arriving.look_up([fact.id for fact in given])
    outcomes: list[Arrival] = [arriving.add(fact) for fact in given]
    arriving.write(layout)
    return outcomes


@dataclass(slots=True)
class _Arriving:
    """Records being taken in: each sees what the ones before it did."""

    tx: Transaction
    facts: Collection[Fact]
    known: dict[str, Fact]
    changed: dict[str, Fact]
    words: dict[str, Turn]
    gone: list[str]

    def look_up(self, ids: Sequence[str]) -> None:
        """Read these facts, and all versions that came after them."""
        waiting = list(dict.fromkeys(ids))
        while waiting:
            found = self.tx.get_many(self.facts, waiting)
            self.known.update({fact.id: fact for fact in found})
            later = {fact.superseded_by for fact in found if fact.superseded_by}
            waiting = sorted(later - self.known.keys())

    def add(self, offered: ImportedFact) -> Arrival:
        """Take in one record; what it says of the user is of whoever imports it."""
        subject = filed_as(offered.subject, self.tx.ids.user, self.facts.scope)
        offered = offered if subject == offered.subject else offered.model_copy(update={"subject": subject})
        facts = _versions(self.known, offered.id)
        fact_id = offered.version_id if facts else offered.id
        words = offered.words(fact_id)
        outcome, versions = arrive(offered, facts, offered.origins or [words.source()], fact_id)
        for fact in versions:
            self.known[fact.id] = self.changed[fact.id] = fact
        if versions and offered.given_up is not None:
            own = (source.turn_id for source in versions[-1].sources)
            self.gone.extend(turn_id for turn_id in own if turn_id.startswith(WORDS))
        elif versions and versions[-1].id == fact_id and not offered.origins:
            self.words[words.id] = words
        return outcome

    def write(self, layout: MemoryLayout) -> None:
        """Store what was taken in; the words of what is no longer so are not kept to be found."""
        self.tx.put(self.facts, self.changed.values())
        for turn_id in self.gone:
            self.words.pop(turn_id, None)
        self.tx.put(layout.turns, self.words.values())
        self.tx.delete(layout.turns, self.gone)


def _versions(known: Mapping[str, Fact], fact_id: str) -> list[Fact]:
    """Return a fact and the versions that came after it, oldest first."""
    found: dict[str, Fact] = {}
    while fact_id in known and fact_id not in found:
        found[fact_id] = known[fact_id]
        fact_id = known[fact_id].superseded_by
    return list(found.values())
