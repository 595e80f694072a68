"""Whatever is done in whatever order, under whatever clock: each due time is told once, and never too early.

The plain model keeps of each reminder when it is due next; it shares no code with what it is compared with.
"""

import tempfile
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from capabilities.prospective import create_prospective
from fabric import Context, Fabric, handler
from fabric.testing import FrozenClock
from tests.soak import either

MEMORY = create_prospective(embedder=None)
minutes = st.integers(1, 90)


@handler(name="does", uses=[MEMORY])
async def does(asked: tuple[str, list[Any], dict[str, Any]], ctx: Context) -> Any:
    name, given, options = asked
    found = await getattr(ctx.cap.prospective, name)(*given, **options)
    if options.get("cue") == "fail":
        raise RuntimeError("the reply failed")
    return found


class Told:
    """What the model knows of one reminder: when it is due next, how often it recurs, and on which event."""

    def __init__(self, due: datetime | None, every: int, event: str) -> None:
        self.due, self.every, self.event = due, every, event
        self.snoozed: datetime | None = None
        self.fired: datetime | None = None
        self.is_over = False

    def is_due(self, now: datetime, events: list[str]) -> bool:
        if self.is_over:
            return False
        if self.snoozed is not None:
            return now >= self.snoozed
        if self.event:
            quiet = (
                self.every
                and self.fired is not None
                and timedelta(0) <= now - self.fired < timedelta(minutes=self.every)
            )
            return self.event in events and not quiet
        return self.due is not None and now >= self.due

    def fire(self, now: datetime) -> None:
        self.snoozed, self.fired = None, now
        self.arm(now)
        self.is_over = not self.every

    def arm(self, now: datetime) -> None:
        while self.every and self.due is not None and self.due <= now:
            self.due += timedelta(minutes=self.every)


class Machine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.clock = FrozenClock()
        self.path = Path(self.folder.name) / "memory.duckdb"
        self.fabric = Fabric(self.path, clock=self.clock)
        self.model: dict[str, Told] = {}

    def do(self, name: str, *given: Any, **options: Any) -> Any:
        return self.fabric.session("monday", user="jake").run(does, (name, list(given), options)).output

    @rule(after=minutes, every=st.sampled_from([0, 1, 7, 60]), event=st.sampled_from(["", "", "go"]))
    def remind(self, after: int, every: int, event: str) -> None:
        often = timedelta(minutes=every) if every else None
        how: dict[str, Any] = {"on": [event]} if event else {"at": timedelta(minutes=after)}
        made = self.do("remind", "x", every=often, **how)
        due = None if event else self.clock.now() + timedelta(minutes=after)
        self.model[made.id] = Told(due, every, event)

    @rule(by=st.integers(-60, 240))
    def move(self, by: int) -> None:
        self.clock.advance(minutes=by)

    @rule(events=st.sampled_from([[], ["go"], ["stop"]]), fails=st.booleans())
    def check(self, events: list[str], fails: bool) -> None:
        now = self.clock.now()
        expected = {key for key, told in self.model.items() if told.is_due(now, events)}
        if fails:
            with pytest.raises(RuntimeError):
                self.do("check", events=events, cue="fail")
            return
        assert {one.id for one in self.do("due", events=events)} == expected
        assert {one.id for one in self.do("check", events=events)} == expected
        for key in expected:
            self.model[key].fire(now)

    @rule()
    def reopen(self) -> None:
        self.fabric.close()
        self.fabric = Fabric(self.path, clock=self.clock)

    @precondition(lambda self: self.model)
    @rule(which=st.integers(0, 50), until=minutes)
    def snooze(self, which: int, until: int) -> None:
        key, told = self.one(which)
        if told.is_over and told.fired is None:
            return
        self.do("snooze", key, timedelta(minutes=until))
        told.snoozed, told.is_over = self.clock.now() + timedelta(minutes=until), False

    @precondition(lambda self: self.model)
    @rule(which=st.integers(0, 50), how=st.sampled_from(["done", "cancel"]))
    def settle(self, which: int, how: str) -> None:
        key, told = self.one(which)
        if told.is_over:
            return
        self.do(how, key)
        told.snoozed = None
        if how == "cancel" or not told.every:
            del self.model[key]
        else:
            told.arm(self.clock.now())

    def one(self, which: int) -> tuple[str, Told]:
        return sorted(self.model.items())[which % len(self.model)]

    @invariant()
    def pending_is_what_waits(self) -> None:
        waiting = {one.id: one.next_at for one in self.do("pending")}
        assert waiting == {key: told.snoozed or told.due for key, told in self.model.items() if not told.is_over}

    def teardown(self) -> None:
        self.fabric.close()
        self.folder.cleanup()


TestReminders = Machine.TestCase
TestReminders.settings = settings(
    max_examples=either(2, 20),
    stateful_step_count=20,
    suppress_health_check=[HealthCheck.too_slow],
)
