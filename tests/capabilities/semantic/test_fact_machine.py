"""Any order of changes leaves the facts, and everything that was ever known of them, as a hand-kept diary would."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, multiple, rule

from fabric.testing import START
from tests.soak import examples

from .facts import open_facts

TOPICS = {"color": ("red", "blue"), "fruit": ("apple", "melon"), "game": ("chess", "darts")}
PEOPLE = ("user", "maria")
Place = tuple[str, str]
"""Whose favourite of what."""


@dataclass(frozen=True)
class Held:
    """One favourite as the diary has it after an entry; ``end`` None while it is true."""

    place: Place
    text: str
    begin: datetime
    end: datetime | None = None
    turns: frozenset[str] = frozenset()
    count: int = 1


def says_the_same(one: str, other: str) -> bool:
    return one.partition(",")[0] == other.partition(",")[0]


class SemanticMemoryMachine(RuleBasedStateMachine):
    ids = Bundle("ids")

    @initialize()
    def begin(self) -> None:
        self.facts = open_facts()
        self.diary: list[tuple[datetime, tuple[Held, ...]]] = [(START, ())]
        self.merged: set[Place] = set()

    def teardown(self) -> None:
        if hasattr(self, "facts"):
            self.facts.store.close()

    @rule(
        target=ids,
        person=st.sampled_from(PEOPLE),
        topic=st.sampled_from(sorted(TOPICS)),
        which=st.integers(0, 1),
        detail=st.sampled_from(["", ", as ever"]),
        turn=st.sampled_from(["t1", "t2", "t3"]),
    )
    def say(self, person: str, topic: str, which: int, detail: str, turn: str) -> object:
        place, value = (person, topic), TOPICS[topic][which]
        old = self.open_at(place)
        text = f"Favorite {topic} is {value}{detail}"
        if place in self.merged or (old is not None and turn in old.turns and not says_the_same(old.text, text)):
            return multiple()  # two values in one turn contest each other, which stands elsewhere
        outcome = self.facts.say(text, turn, subject=person)
        status = self.note_said(place, text, turn, old)
        assert (outcome.status, bool(outcome.replaced)) == status
        return outcome.id

    def note_said(self, place: Place, text: str, turn: str, old: Held | None) -> tuple[str, bool]:
        """Write into the diary what was said; return what should have become of it, and whether it made a version."""
        now = self.facts.clock.now()
        if old is None:
            self.write(Held(place, text, now, turns=frozenset({turn})))
            return "stored", False
        if not says_the_same(old.text, text):
            self.write(Held(place, text, max(now, old.begin), turns=frozenset({turn})), ends=old, at=now)
            return "superseded", True
        count = old.count + (turn not in old.turns)
        longer = text if len(text) > len(old.text) else old.text
        self.write(Held(place, longer, old.begin, turns=old.turns | {turn}, count=count), instead=old)
        if longer != old.text:
            return "merged", True
        return ("merged" if turn not in old.turns else "skipped"), False

    @rule(one=ids)
    def remove(self, one: str) -> None:
        fact = self.facts.get(one)
        done = self.facts.do(lambda table: table.remove(one))
        assert done == (fact.status == "current")
        if done:
            old = self.open_with(fact.subject, fact.content)
            self.write(ends=old, at=self.facts.clock.now())

    @rule(one=ids, other=ids)
    def merge(self, one: str, other: str) -> None:
        first, second = self.facts.get(one), self.facts.get(other)
        possible = one != other and first.subject == second.subject and first.status == second.status == "current"
        text = f"Both at once {len(self.merged)}"
        merged = self.facts.do(lambda table: table.merge([one, other], text, "alike"))
        assert (merged is not None) == possible
        if merged is not None:
            kept = self.open_with(first.subject, first.content)
            folded = self.open_with(second.subject, second.content)
            self.merged |= {kept.place, folded.place}
            both = Held(kept.place, text, kept.begin, turns=kept.turns | folded.turns, count=kept.count + folded.count)
            self.write(both, instead=kept)
            self.write(instead=folded)

    @rule(hours=st.integers(1, 100))
    def wait(self, hours: int) -> None:
        self.facts.clock.advance(hours=hours)

    def write(
        self, new: Held | None = None, *, ends: Held | None = None, instead: Held | None = None, at: datetime = START
    ) -> None:
        """Add an entry: what holds now, given that one thing ended, was put in better words, or is new."""
        held = [entry for entry in self.diary[-1][1] if entry not in (ends, instead)]
        if ends is not None:
            end = at if new is None else new.begin
            held.append(Held(ends.place, ends.text, ends.begin, end, ends.turns, ends.count))
        if new is not None:
            held.append(new)
        self.diary.append((self.facts.clock.now(), tuple(held)))

    def open_at(self, place: Place) -> Held | None:
        return next((entry for entry in self.diary[-1][1] if entry.place == place and entry.end is None), None)

    def open_with(self, person: str, text: str) -> Held:
        return next(
            entry
            for entry in self.diary[-1][1]
            if entry.place[0] == person and entry.text == text and entry.end is None
        )

    def entry(self, known_at: datetime) -> tuple[Held, ...]:
        return [held for when, held in self.diary if when <= known_at][-1]

    @invariant()
    def what_is_current_is_what_the_diary_says(self) -> None:
        if not hasattr(self, "facts"):
            return
        found = self.facts.do(lambda table: table.current())
        assert sorted((fact.subject, fact.content, fact.reinforcement_count, len(fact.sources)) for fact in found) == (
            sorted(
                (entry.place[0], entry.text, entry.count, len(entry.turns))
                for entry in self.diary[-1][1]
                if entry.end is None
            )
        )

    @invariant()
    def every_moment_reads_as_it_was_known(self) -> None:
        if not hasattr(self, "facts"):
            return
        moments = sorted({when for when, _ in self.diary[-4:]})
        for known_at in [*moments, moments[0] - timedelta(minutes=1)]:
            entry = self.entry(known_at) if known_at >= START else ()
            assert self.facts.known_at(known_at) == sorted(one.text for one in entry if one.end is None)
            for as_of in moments:
                true = [one.text for one in entry if one.begin <= as_of and (one.end is None or as_of < one.end)]
                assert self.facts.valid_at(as_of, known_at) == sorted(true)

    @invariant()
    def no_version_points_nowhere(self) -> None:
        if not hasattr(self, "facts"):
            return
        everything = self.facts.do(lambda table: table.tx.find(table.facts))
        by_id = {fact.id: fact for fact in everything}
        for fact in everything:
            assert (fact.status == "superseded") == bool(fact.superseded_by)
            assert (fact.status == "current") == (fact.superseded_at is None)
            if fact.superseded_by:
                assert by_id[fact.superseded_by].recorded_at >= fact.recorded_at
        if everything:
            last = everything[-1]
            history = self.facts.do(lambda table: table.history(last.id))
            assert {fact.id for fact in history} == self.connected(
                last.id, {fact.id: fact.superseded_by for fact in everything}
            )

    @staticmethod
    def connected(start: str, after: dict[str, str]) -> set[str]:
        found = {start}
        while True:
            more = {one for one, then in after.items() if then in found} | {after[one] for one in found if after[one]}
            if more <= found:
                return found
            found |= more


SemanticMemoryMachine.TestCase.settings = settings(max_examples=examples(8), stateful_step_count=25)
TestSemanticMemoryMachine = SemanticMemoryMachine.TestCase
