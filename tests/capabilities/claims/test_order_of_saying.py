"""In whatever order dated sayings are read, what was said last is current, and nobody else is touched."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import count

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from capabilities.claims import claim_of
from capabilities.semantic import Fact
from capabilities.sources import Source
from capabilities.vocabulary import FactCategory
from fabric.scope import ScopeIds
from fabric.testing import START, FrozenClock
from tests.capabilities.semantic.facts import Facts, open_facts
from tests.soak import examples


@dataclass(frozen=True, slots=True)
class Topic:
    """One attribute with two values, and how each is said to hold and to be over."""

    category: FactCategory
    values: tuple[str, str]
    holds: tuple[str, ...]
    over: str
    single: bool = True


@dataclass(frozen=True, slots=True)
class Saying:
    """Something said of somebody on one topic: that one of its values holds or is over, in one of the wordings."""

    who: str
    topic: str
    value: int
    holds: bool
    wording: int

    def text(self) -> str:
        topic = TOPICS[self.topic]
        frame = topic.holds[self.wording % len(topic.holds)] if self.holds else topic.over
        return frame.format(topic.values[self.value])


TOPICS = {
    "employer": Topic("profession", ("Stripe", "Nokia"), ("Works at {}", "Joined {}"), "No longer works at {}"),
    "home": Topic("identity", ("Oslo", "Turin"), ("Lives in {}", "Moved to {}"), "No longer lives in {}"),
    "diet": Topic("attribute", ("vegan", "vegetarian"), ("Is {}",), "Is no longer {}"),
    "boss": Topic("profession", ("Ingrid", "Omar"), ("Boss is {}", "Reports to {}"), "No longer reports to {}"),
    "role": Topic("profession", ("designer", "manager"), ("Works as a {}",), "No longer works as a {}"),
    "dentist": Topic("relationship", ("Dr Ada", "Dr Finn"), ("Dentist is {}",), "Dentist is no longer {}"),
    "car": Topic("attribute", ("Volvo", "Tesla"), ("Drives a {}",), "No longer drives a {}"),
    "color": Topic("preference", ("ochre", "teal"), ("Favorite color is {}",), "Favorite color is no longer {}"),
    "likes": Topic("preference", ("tea", "chess"), ("Likes {}",), "Does not like {}", single=False),
    "uses": Topic("attribute", ("Emacs", "Linux"), ("Uses {}",), "No longer uses {}", single=False),
}
SAYINGS = st.builds(
    Saying,
    who=st.sampled_from(["user", "anna", "bob"]),
    topic=st.sampled_from(sorted(TOPICS)),
    value=st.integers(0, 1),
    holds=st.sampled_from([True, True, True, False]),
    wording=st.integers(0, 1),
)
Drawn = tuple[list[Saying], list[int]]
"""Sayings in the order in which they were said, and the order in which they are read."""
ONE_TOPIC = st.sampled_from(sorted(TOPICS)).flatmap(
    lambda topic: st.lists(
        st.builds(Saying, st.just("user"), st.just(topic), st.integers(0, 1), st.booleans(), st.integers(0, 1)),
        min_size=2,
        max_size=5,
    )
)


def told(sayings: Sequence[Saying]) -> dict[tuple[str, str], set[str]]:
    """Return the values that hold by person and topic once all was said in order."""
    holding: dict[tuple[str, str], set[str]] = {}
    for saying in sayings:
        topic, held = TOPICS[saying.topic], holding.setdefault((saying.who, saying.topic), set())
        if saying.holds and topic.single:
            held.clear()
        (held.add if saying.holds else held.discard)(topic.values[saying.value])
    return {place: values for place, values in holding.items() if values}


def kept(facts: Sequence[Fact]) -> dict[tuple[str, str], set[str]]:
    """Return the values that the current facts say to hold, by person and topic."""
    holding: dict[tuple[str, str], set[str]] = {}
    for fact in facts:
        if claim_of(fact).polarity == "holds":
            topic, value = next(
                (name, value) for name, topic in TOPICS.items() for value in topic.values if value in fact.content
            )
            holding.setdefault((fact.subject, topic), set()).add(value)
    return holding


def settle(facts: Facts, said: Sequence[Saying], place: int) -> None:
    """Offer one of the sayings; each was said an hour after the one before it."""
    saying, at = said[place], START + timedelta(hours=place)
    source = Source(turn_id=f"t{place}", session="monday", turn=place, said_at=at)
    facts.say(
        saying.text(), subject=saying.who, category=TOPICS[saying.topic].category, sources=[source], valid_from=at
    )


@pytest.fixture(scope="module")
def opened() -> Iterator[Facts]:
    facts = open_facts()
    yield facts
    facts.store.close()


USERS = count()


def replayed(opened: Facts, said: Sequence[Saying], order: Iterable[int]) -> list[Fact]:
    """Return the current facts of a new user once the sayings were settled in that order."""
    facts = Facts(opened.store, ScopeIds(session="monday", user=f"user-{next(USERS)}"), FrozenClock())
    facts.clock.advance(hours=len(said))
    for place in order:
        settle(facts, said, place)
        facts.clock.advance(seconds=1)
    return facts.do(lambda table: list(table.current()))


@st.composite
def shuffled(draw: st.DrawFn, sayings: st.SearchStrategy[list[Saying]]) -> Drawn:
    said = draw(sayings)
    return said, draw(st.permutations(range(len(said))))


@settings(max_examples=examples(20))
@given(shuffled(st.lists(SAYINGS, min_size=2, max_size=8)))
def test_sayings_about_several_people_end_with_the_last_word_on_each(opened: Facts, drawn: Drawn):
    said, order = drawn
    assert kept(replayed(opened, said, order)) == told(said), [said[place].text() for place in order]


WORKS, LEFT = (
    Saying("user", "employer", 0, holds=True, wording=0),
    Saying("user", "employer", 0, holds=False, wording=0),
)
ELSEWHERE = Saying("user", "employer", 1, holds=True, wording=1)
FIRST_BOSS, NEXT_BOSS, BOSS_LEFT = (
    Saying("user", "boss", 1, holds=True, wording=0),
    Saying("user", "boss", 0, holds=True, wording=0),
    Saying("user", "boss", 0, holds=False, wording=0),
)


@settings(max_examples=examples(20))
@given(shuffled(ONE_TOPIC))
@example(([WORKS, ELSEWHERE, WORKS], [2, 0, 1]))
@example(([WORKS, LEFT], [1, 0]))
@example(([WORKS, LEFT, ELSEWHERE], [2, 1, 0]))
@example(([ELSEWHERE, WORKS, LEFT], [2, 0, 1]))
@example(([ELSEWHERE, WORKS, LEFT], [1, 2, 0]))
@example(([FIRST_BOSS, NEXT_BOSS, BOSS_LEFT], [1, 2, 0]))
def test_sayings_on_one_topic_end_with_the_last_word(opened: Facts, drawn: Drawn):
    said, order = drawn
    assert kept(replayed(opened, said, order)) == told(said), [said[place].text() for place in order]


@settings(max_examples=examples(20))
@given(st.lists(SAYINGS, min_size=1, max_size=6), SAYINGS)
def test_nothing_that_is_said_of_one_touches_what_is_kept_of_another(opened: Facts, said: list[Saying], last: Saying):
    alone = [saying for saying in said if saying.who != last.who]
    before = replayed(opened, alone, range(len(alone)))
    after = replayed(opened, [*alone, last], range(len(alone) + 1))
    assert [fact.content for fact in after if fact.subject != last.who] == [fact.content for fact in before]
