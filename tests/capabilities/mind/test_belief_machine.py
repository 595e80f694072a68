"""A machine drives beliefs of interleaved runs, which end, fail and crash, beside a plain model of them."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from capabilities.meaning import Embedded
from capabilities.mind import MindConfig, Wanted
from capabilities.mind.ephemeral import _Held, _Table
from capabilities.mind.record import LEVELS, MindBelief
from capabilities.mind.writing.drafting import RunDraft, believe
from capabilities.mind.writing.flush import flush, recover
from tests.soak import examples

NOW = datetime(2026, 1, 1, tzinfo=UTC)
CONFIG = MindConfig()
TOPICS = ("Tea is hot", "The chairs are red", "Rivers run deep")
RUNS = st.integers(0, 2)


@dataclass(frozen=True)
class Plain:
    """One belief, or what a run wants of one."""

    id: str
    content: str
    confidence: str
    tags: tuple[str, ...]
    error: bool = False
    may_fall: bool = False


def united(old: Plain, new: Plain, *, may_fall: bool) -> Plain:
    """Return what a belief becomes by a newer one."""
    surest = max(old.confidence, new.confidence, key=LEVELS.index)
    return Plain(
        old.id,
        new.content,
        new.confidence if may_fall else surest,
        new.tags or old.tags,
        new.error and (old.error or old.content != new.content),
        old.may_fall or may_fall,
    )


class Beliefs(RuleBasedStateMachine):
    @initialize()
    def begin(self) -> None:
        self.table = _Table(_Held(), None)
        self.number = 0
        self.names = {place: f"run{place}" for place in range(3)}
        self.held: dict[int, Plain] = {}
        self.drafts: dict[int, dict[int, Plain]] = {place: {} for place in range(3)}

    def draft(self, run: int) -> RunDraft:
        return RunDraft(self.table, self.names[run], "m", CONFIG, NOW)

    @rule(
        run=RUNS,
        topic=st.integers(0, 2),
        mark=st.sampled_from(["", ".", "!"]),
        level=st.sampled_from(LEVELS),
        tags=st.sampled_from([(), ("a",), ("b", "c")]),
        may_fall=st.booleans(),
    )
    def believe(self, run: int, topic: int, mark: str, level: Any, tags: tuple[str, ...], *, may_fall: bool) -> None:
        self.number += 1
        wanted = Plain(f"b{self.number}", TOPICS[topic] + mark, level, tags, may_fall=may_fall)
        shared: Any = {"namespace": "m", "created_at": NOW, "updated_at": NOW, "tags": tags}
        new = MindBelief(id=wanted.id, content=wanted.content, confidence=level, **shared)
        done = believe(self.draft(run), new, Embedded(), allow_downgrade=may_fall)
        own = self.drafts[run]
        elsewhere = [draft[topic].id for draft in self.drafts.values() if topic in draft]
        if topic in own:
            expected = ("updated_draft", own[topic].id)
            own[topic] = united(own[topic], wanted, may_fall=may_fall)
        else:
            known = [self.held[topic].id] if topic in self.held else []
            action = "updated_draft" if elsewhere else "updated_store" if known else "created"
            expected = (action, [*elsewhere, *known, wanted.id][0])
            own[topic] = replace(wanted, id=expected[1])
        assert (done.action, done.id) == expected

    @rule(run=RUNS, how=st.sampled_from(["ends", "fails", "crashes", "crashes after its end"]))
    def end(self, run: int, how: str) -> None:
        draft, well = self.draft(run), how in ("ends", "crashes after its end")
        if how == "crashes after its end":
            self.table.put_drafts([operation.model_copy(update={"ended": True}) for operation in draft.operations()])
        self.number += 1
        self.names[run] = f"run{run}.{self.number}"
        if how.startswith("crashes"):
            recover(self.table, set(self.names.values()), CONFIG, NOW)
        else:
            flush(self.table, draft.operations(), CONFIG, NOW, failed=not well)
        for topic, wanted in self.drafts[run].items():
            new, old = replace(wanted, error=not well), self.held.get(topic)
            self.held[topic] = new if old is None else united(old, new, may_fall=wanted.may_fall)
        self.drafts[run] = {}

    @invariant()
    def it_holds_what_the_model_holds(self) -> None:
        found = {belief.id: (belief.content, belief.confidence, belief.tags, belief.error) for belief in self.beliefs()}
        assert found == {
            record.id: (record.content, record.confidence, record.tags, record.error) for record in self.held.values()
        }
        assert len(self.table.drafts()) == sum(map(len, self.drafts.values()))

    @invariant()
    def no_two_beliefs_say_the_same(self) -> None:
        said = [belief.content.rstrip(".!") for belief in self.beliefs()]
        assert len(said) == len(set(said))

    def beliefs(self) -> list[MindBelief]:
        return self.table.find(MindBelief, Wanted())


TestBeliefs = Beliefs.TestCase
TestBeliefs.settings = settings(max_examples=examples(60), stateful_step_count=40)
