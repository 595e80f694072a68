"""A machine drives interleaved runs of one mind, which end, fail and crash, beside a plain model of it."""

from dataclasses import dataclass, field
from datetime import UTC, datetime

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from capabilities.meaning import Embedded
from capabilities.mind import MindConfig, Wanted
from capabilities.mind.ephemeral import _Held, _Table
from capabilities.mind.record import MindGoal, MindReflection
from capabilities.mind.writing.draft import GoalChange
from capabilities.mind.writing.drafting import RunDraft, complete_goal, reflect, set_goal, unpin, update_goal
from capabilities.mind.writing.flush import flush, recover
from fabric.errors import RefusedError
from tests.soak import examples

NOW = datetime(2026, 1, 1, tzinfo=UTC)
CONFIG = MindConfig(max_goals=3, max_pinned_reflections=3)
RUNS = st.integers(0, 2)
WHICH = st.integers(0, 5)


@dataclass
class Plain:
    """What one run wrote ahead: new goals with their notes, notes on others, new rules with their pins, unpins."""

    goals: dict[str, list[str]] = field(default_factory=dict)
    notes: dict[str, list[str]] = field(default_factory=dict)
    rules: dict[str, bool] = field(default_factory=dict)
    unpins: set[str] = field(default_factory=set)


class Minds(RuleBasedStateMachine):
    @initialize()
    def begin(self) -> None:
        self.table = _Table(_Held(), None)
        self.number = 0
        self.alive = {place: f"run{place}" for place in range(3)}
        self.plain = {place: Plain() for place in range(3)}
        goal, rule = (
            MindGoal(description="g", **self.new("g")),
            MindReflection(content="r", pinned=True, **self.new("r")),
        )
        self.table.put([goal, rule])
        self.goals: dict[str, tuple[bool, list[str]]] = {goal.id: (True, [])}
        self.rules: dict[str, tuple[bool, bool]] = {rule.id: (True, False)}

    def draft(self, run: int) -> RunDraft:
        return RunDraft(self.table, self.alive[run], "m", CONFIG, NOW)

    def new(self, prefix: str) -> dict[str, object]:
        self.number += 1
        return {"id": f"{prefix}{self.number}", "namespace": "m", "created_at": NOW, "updated_at": NOW}

    def pick(self, prefix: str, which: int) -> str:
        """Return the id of a goal or a rule of any run, or one that nothing has."""
        known = [*self.goals, *self.rules, *(goal for own in self.plain.values() for goal in (*own.goals, *own.rules))]
        some = [*(one for one in known if one.startswith(prefix)), f"{prefix}0"]
        return some[which % len(some)]

    def taken(self) -> tuple[int, int]:
        drafts = self.plain.values()
        goals = sum(active for active, _ in self.goals.values()) + sum(len(draft.goals) for draft in drafts)
        pinned = sum(pin for pin, _ in self.rules.values()) + sum(sum(draft.rules.values()) for draft in drafts)
        return goals, pinned

    def freed(self, run: int) -> int:
        """Return how many committed rules this run unpins: places that are free for it alone."""
        return sum(self.rules[entry_id][0] for entry_id in self.plain[run].unpins)

    @rule(run=RUNS)
    def set_goal(self, run: int) -> None:
        goal, fits = MindGoal(description="g", **self.new("g")), self.taken()[0] < 3
        try:
            set_goal(self.draft(run), goal)
        except RefusedError:
            assert not fits
        else:
            assert fits
            self.plain[run].goals[goal.id] = []

    @rule(run=RUNS, pin=st.booleans())
    def reflect(self, run: int, *, pin: bool) -> None:
        made, fits = (
            MindReflection(content="r", pinned=pin, **self.new("r")),
            not pin or self.taken()[1] - self.freed(run) < 3,
        )
        try:
            reflect(self.draft(run), made, Embedded())
        except RefusedError:
            assert not fits
        else:
            assert fits
            self.plain[run].rules[made.id] = pin

    @rule(run=RUNS, which=WHICH, count=st.integers(1, 3))
    def note(self, run: int, which: int, count: int) -> None:
        target, own = self.pick("g", which), self.plain[run]
        fits = target in own.goals or target in own.notes or self.goals.get(target, (False, []))[0]
        for _ in range(count):
            self.number += 1
            try:
                update_goal(self.draft(run), target, GoalChange(progress=(f"n{self.number}",)))
            except RefusedError:
                assert not fits
            else:
                assert fits
                notes = own.goals[target] if target in own.goals else own.notes.setdefault(target, [])
                notes.append(f"n{self.number}")

    @rule(run=RUNS, which=WHICH)
    def complete(self, run: int, which: int) -> None:
        target, own = self.pick("g", which), self.plain[run]
        fits = target in own.goals or self.goals.get(target, (False, []))[0]
        try:
            complete_goal(self.draft(run), target, None)
        except RefusedError:
            assert not fits
        else:
            assert fits
            notes = own.goals.pop(target, None)
            if notes is None:
                notes = [*self.goals[target][1], *own.notes.pop(target, [])]
            self.goals[target] = (False, notes)

    @rule(run=RUNS, which=WHICH)
    def unpin(self, run: int, which: int) -> None:
        target, own = self.pick("r", which), self.plain[run]
        mine = own.rules.get(target, False)
        fits = mine or (target not in own.unpins and self.rules.get(target, (False, False))[0])
        try:
            unpin(self.draft(run), target)
        except RefusedError:
            assert not fits
        else:
            assert fits
            if mine:
                own.rules[target] = False
            else:
                own.unpins.add(target)

    @rule(run=RUNS, how=st.sampled_from(["ends", "fails", "crashes", "crashes after its end"]))
    def end(self, run: int, how: str) -> None:
        draft, well = self.draft(run), how in ("ends", "crashes after its end")
        if how == "crashes after its end":
            self.table.put_drafts([operation.model_copy(update={"ended": True}) for operation in draft.operations()])
        self.number += 1
        self.alive[run] = f"run{run}.{self.number}"
        if how.startswith("crashes"):
            recover(self.table, set(self.alive.values()), CONFIG, NOW)
        else:
            flush(self.table, draft.operations(), CONFIG, NOW, failed=not well)
        own, self.plain[run] = self.plain[run], Plain()
        for entry_id in own.unpins if well else ():
            self.rules[entry_id] = (False, self.rules[entry_id][1])
        for one, pin in own.rules.items():
            promised = sum(sum(plain.rules.values()) for plain in self.plain.values())
            room = sum(pinned for pinned, _ in self.rules.values()) + promised < 3
            self.rules[one] = (pin and (well or room), not well)
        if not well:
            return
        self.goals |= {goal: (True, notes) for goal, notes in own.goals.items()}
        for note, notes in own.notes.items():
            active, before = self.goals[note]
            if active:
                self.goals[note] = (True, [*before, *notes])

    @invariant()
    def it_holds_what_the_model_holds(self) -> None:
        goals = self.table.find(MindGoal, Wanted())
        assert {goal.id: (goal.status == "active", list(goal.progress)) for goal in goals} == self.goals
        rules = self.table.find(MindReflection, Wanted())
        assert {rule.id: (rule.pinned, rule.error) for rule in rules} == self.rules
        assert self.taken()[0] <= 3
        assert sum(pinned for pinned, _ in self.rules.values()) <= 3
        assert not any(draft.failed and draft.action == "create" for draft in self.table.drafts())
        alive = set(self.alive.values())
        assert all(draft.run in alive or draft.failed for draft in self.table.drafts())


TestMinds = Minds.TestCase
TestMinds.settings = settings(max_examples=examples(50), stateful_step_count=40)
