"""Reminders fire once per due time, most important first; recur, wait, are put off and done; each is its owner's."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from capabilities.prospective import Intention, ProspectiveMemory
from capabilities.prospective.commitments import Proposal
from fabric import Context, Retry, handler, sequencer
from fabric.errors import ConfigurationError, RefusedError
from fabric.testing import FrozenClock

from .opened import Desk

NINE = datetime(2026, 1, 2, 14, tzinfo=UTC)  # in New York


def test_tomorrow_at_nine_fires_tomorrow_at_nine_once_across_a_restart(tmp_path: Path):
    path, clock = tmp_path / "memory.duckdb", FrozenClock()
    with Desk(path, clock, zone="America/New_York") as desk:
        made = desk(lambda memory: memory.remind("Look at the PR", at="tomorrow at 9", importance=0.8))
        assert (made.trigger, made.due_at, made.zone, made.id[:3]) == ("time_based", NINE, "America/New_York", "pm_")
        clock.set(NINE - timedelta(seconds=1))
        assert desk.checked() == []
    clock.set(NINE)
    with Desk(path, clock, zone="America/New_York") as desk:
        (looked,) = desk(lambda memory: memory.due())
        (due,) = desk(lambda memory: memory.check())
        assert looked == due
        assert (due.id, due.at, due.next_at) == (made.id, NINE, None)
        assert desk.checked() == []
    with Desk(path, clock) as desk:
        assert desk.checked() == []
        found = desk(lambda memory: memory.get(made.id))
        assert found is not None
        assert (found.status, found.fired_count, found.claimed, found.before) == ("fired", 1, "", None)
        assert desk(lambda memory: memory.pending()) == []
        clock.advance(days=-1)  # a clock that was set back fires nothing again
        assert desk.checked() == []


def test_events_contexts_and_order():
    def alike(texts: list[str]) -> list[list[float]]:
        return [[1.0, 0.0] if "price" in text else [0.6, 0.8] if "cost" in text else [0.0, 1.0] for text in texts]

    with Desk(embedder=alike) as desk:
        desk(lambda memory: memory.remind("by event", on=["deploy", "login"], importance=0.4))
        desk(lambda memory: memory.remind("by time", at=timedelta(hours=1), importance=0.5))
        desk(lambda memory: memory.remind("by context", about="the price", importance=0.9))
        desk(lambda memory: memory.remind("nearer", about="a price list", threshold=0.5))
        assert desk.checked(cue="something else", events=["Deploy", "logout"]) == []
        assert desk.checked(cue="what does it cost?") == ["nearer"]  # 0.6, and the others want more than 0.7
        desk.clock.advance(hours=1)
        told = desk.checked(cue="and the price?", events=["login"])
        assert told == ["by context", "by time", "by event"]
        assert desk.checked(cue="and the price?", events=["login"]) == []


def test_without_an_embedder_a_context_is_known_by_its_words():
    with Desk() as desk:
        desk(lambda memory: memory.remind("Mention the discount", about="When we discuss pricing"))
        assert desk.checked(cue="What is the weather?") == []
        assert desk.checked(cue="Let's discuss the pricing page") == ["Mention the discount"]


def test_what_recurs_is_armed_again_and_does_not_fire_at_every_check():
    with Desk(zone="America/New_York") as desk:
        desk(lambda memory: memory.remind("Standup", every="weekday at nine"))
        desk(lambda memory: memory.remind("Stretch", every="2 hours", at="in 30 minutes"))
        desk(lambda memory: memory.remind("Release notes", on=["deploy"], recurring=True))
        desk(lambda memory: memory.remind("Changelog", on=["deploy"], every="day"))
        quiet = [
            desk(lambda memory, every=every: memory.remind("Review", on=["merge"], every=every)).cooldown
            for every in ("day", "Monday", "2 hours")
        ]
        assert quiet == [day := 86_400.0, 7 * day, 7_200.0]
        assert desk.checked(events=["deploy"]) == ["Release notes", "Changelog"]
        desk.clock.set(datetime(2026, 1, 1, 14, tzinfo=UTC))
        assert desk.checked(events=["deploy"]) == ["Stretch", "Standup", "Release notes"]  # an hour's cool-down is over
        assert desk.checked(events=["deploy"]) == []
        desk.clock.set(datetime(2026, 1, 5, 13, 59, tzinfo=UTC))  # Monday: Friday's standup was missed
        (stretch, standup) = desk(lambda memory: memory.check())
        assert (standup.at, standup.next_at) == (NINE, NINE + timedelta(days=3))
        assert stretch.next_at == datetime(2026, 1, 5, 14, 30, tzinfo=UTC)
        desk.clock.advance(minutes=1)
        assert desk.checked() == ["Standup"]
        (last, *_) = [one for one in desk(lambda memory: memory.pending()) if one.content == "Standup"]
        desk(lambda memory: memory.cancel(last.id))
        desk.clock.advance(days=3)
        assert desk.checked() == ["Stretch"]


@pytest.mark.parametrize(
    ("every", "days"),
    [
        ("day", ["2026-01-03", "2026-01-04"]),
        ("2 days", ["2026-01-03", "2026-01-05"]),
        ("FREQ=MONTHLY;BYMONTHDAY=3", ["2026-01-03", "2026-02-03"]),
        ("FREQ=DAILY;COUNT=9", ["2026-01-04", "2026-01-05"]),  # over by that clock, and told once for the 3rd
    ],
)
def test_what_a_clock_armed_that_was_years_ahead_comes_back_once_it_is_set_right(
    every: str, days: list[str], tmp_path: Path
):
    path, clock = tmp_path / "memory.duckdb", FrozenClock()
    now = clock.now()
    with Desk(path, clock) as desk:
        desk(lambda memory: memory.remind("Water", every=every, at="January 3 at 9"))
        told: list[str] = []
        for ahead in (4, 5):
            clock.set(now.replace(year=now.year + ahead))
            told += desk.checked()
        assert told == ["Water"] * (1 if "COUNT" in every else 2)
        clock.set(now)
        assert desk.checked() == []
    with Desk(path, clock) as desk:
        for day in days:
            (left,) = desk(lambda memory: memory.pending())
            assert left.next_at == datetime.fromisoformat(f"{day}T09:00:00Z")
            clock.set(left.next_at)
            assert desk.checked() == ["Water"]
            for seconds in (-1, 1):  # a little behind: what was told for nine is not told again
                clock.advance(seconds=seconds)
                assert desk.checked() == []


def test_what_is_replayed_of_earlier_days_arms_nothing_anew(tmp_path: Path):
    class Replaying(FrozenClock):
        is_set = True

    path, clock = tmp_path / "memory.duckdb", FrozenClock()
    with Desk(path, clock) as desk:
        made = desk(lambda memory: memory.remind("Water", every="day", at="tomorrow at 9"))
        clock.set(made.next_at)
        assert desk.checked() == ["Water"]
    then = Replaying()
    then.set(clock.now() - timedelta(days=400))
    with Desk(path, then) as desk:
        assert desk.checked() == []
    with Desk(path, clock) as desk:
        assert desk.checked() == []
        (left,) = desk(lambda memory: memory.pending())
        assert left.next_at == clock.now() + timedelta(days=1)


def test_what_is_done_by_a_clock_that_was_ahead_comes_back_once_it_is_set_right():
    with Desk() as desk:
        made = desk(lambda memory: memory.remind("Water", every="day", at="tomorrow at 9"))
        before = desk.clock.now()
        desk.clock.advance(days=2_000)
        desk(lambda memory: memory.done(made.id))
        desk.clock.set(before)
        assert desk.checked() == []
        desk.clock.set(made.next_at + timedelta(days=1))
        assert desk.checked() == ["Water"]


def test_snooze_done_and_cancel():
    with Desk() as desk:
        made = [desk(lambda memory, at=at: memory.remind(f"in {at}", at=f"in {at} minutes")) for at in (1, 2, 3)]
        daily = desk(lambda memory: memory.remind("Water", every="day", at="in 5 minutes"))
        desk.clock.advance(minutes=1)
        assert desk.checked() == ["in 1"]
        put_off = desk(lambda memory: memory.snooze(made[0].id, "in 10 minutes"))
        assert put_off.next_at == desk.clock.now() + timedelta(minutes=10)
        assert desk(lambda memory: memory.done(made[1].id)).status == "done"
        assert desk(lambda memory: memory.cancel(made[2].id)).status == "cancelled"
        desk.clock.advance(minutes=4)
        done = desk(lambda memory: memory.done(daily.id))  # before it was told: today's is done, tomorrow's comes
        assert (done.status, done.due_at) == ("pending", desk.clock.now() + timedelta(days=1))
        assert desk.checked() == []
        desk.clock.advance(minutes=6)
        assert desk.checked() == ["in 1"]
        assert [one.content for one in desk(lambda memory: memory.pending())] == ["Water"]
        assert len(desk(lambda memory: memory.all())) == 4
        for wrong, said in ((made[1].id, "is done"), ("pm_none", "there is no reminder")):
            with pytest.raises(RefusedError, match=said):
                desk(lambda memory, wrong=wrong: memory.snooze(wrong, "in 1 hour"))


def test_each_sees_and_settles_its_own():
    with Desk() as desk:
        thread = desk(lambda memory: memory.remind("thread", on=["go"], scope="thread"))
        mine = desk(lambda memory: memory.remind("mine", on=["go"]))
        desk(lambda memory: memory.remind("nova's", on=["go"], scope="persona"), agent="nova")
        desk(lambda memory: memory.remind("acme's", on=["go"], scope="organization"), user="ann", org="acme")
        assert desk(lambda memory: memory.get(mine.id), user="kim") is None
        assert desk(lambda memory: memory.get(thread.id), "tuesday") is None
        with pytest.raises(RefusedError, match="there is no reminder"):
            desk(lambda memory: memory.done(mine.id), user="kim")
        with pytest.raises(RefusedError, match="agent"):
            desk(lambda memory: memory.remind("x", on=["go"], scope="persona"))

        def seen(*session: str, **ids: Any) -> list[str]:
            return [one.content for one in desk(lambda memory: memory.due(events=["go"]), *session, **ids)]

        assert seen() == ["thread", "mine"]
        assert seen("tuesday") == ["mine"]
        assert seen("tuesday", agent="nova") == ["mine", "nova's"]
        assert seen(user="kim") == seen(user=None) == []
        assert seen(user="kim", org="acme") == ["acme's"]
        assert desk(lambda memory: memory.remind("kiosk", on=["go"]), "kiosk", user=None).scope == "thread"


def test_a_run_that_fails_and_one_that_is_tried_again_lose_and_double_nothing():
    tries: list[list[str]] = []
    with Desk() as desk:
        desk(lambda memory: memory.remind("Call Ann", at="in 1 minute"))
        desk(lambda memory: memory.remind("Stretch", every="hour", at="in 2 minutes"))
        desk.clock.advance(minutes=5)

        @handler(name="fails", uses=[desk.capability])
        async def fails(times: int, ctx: Context) -> list[str]:
            tries.append([one.content for one in await ctx.cap.prospective.check()])
            assert await ctx.cap.prospective.check() == []  # the second in one try
            if len(tries) <= times:
                raise RuntimeError("the model is down")
            return tries[-1]

        session = desk.fabric.session("monday", user="jake")
        with pytest.raises(RuntimeError):
            session.run(fails, 1)
        assert [one.content for one in desk(lambda memory: memory.pending())] == ["Call Ann", "Stretch"]
        tries.clear()

        @handler(name="retried", uses=[desk.capability], retry=Retry(attempts=2))
        async def retried(_: object, ctx: Context) -> list[str]:
            tries.append([one.content for one in await ctx.cap.prospective.check()])
            if len(tries) == 1:
                raise RuntimeError("once")
            return tries[-1]

        assert session.run(retried, None, turn_id="first").output == ["Call Ann", "Stretch"]
        assert tries == [["Call Ann", "Stretch"]] * 2
        assert session.run(retried, None, turn_id="first").replayed
        assert desk.checked() == []


def test_what_cannot_be_is_refused_with_what_to_do():
    wrong: list[tuple[dict[str, Any], str]] = [
        ({}, "Give one of at="),
        ({"at": "in 1 hour", "on": ["go"]}, "more than one"),
        ({"at": "soon"}, "names no time"),
        ({"at": "yesterday"}, "has passed"),
        ({"at": "in 1 hour", "recurring": True}, "how often"),
        ({"every": "now and then"}, "how often"),
        ({"every": "day at 9 and 17"}, "names no time"),
        ({"every": "day at night"}, "names no time"),
        ({"at": timedelta(0)}, "has passed"),
        ({"at": timedelta(0), "about": "tea"}, "more than one"),
        ({"about": "\u200b"}, "Give one of at="),
        ({"about": "x" * 2_001}, "about has 2001 characters"),
        ({"on": ["x" * 201]}, "the name of an event has 201"),
        ({"every": "monday at 9", "at": "in 1 hour"}, "names a time"),
        ({"every": "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"}, "never comes"),
        ({"on": "deploy"}, "texts in a list"),
        ({"on": [f"e{number}" for number in range(21)]}, "at most 20"),
        ({"at": "in 1 hour", "importance": 2.0}, "importance=2.0"),
        ({"at": 5}, "at"),
    ]
    with Desk(config={"most_pending": 2}) as desk:
        for options, said in wrong:
            with pytest.raises(RefusedError, match=said):
                desk(lambda memory, options=options: memory.remind("x", **options))
        for content in (" ", "x" * 2_001, "\u200b\u2060", "\x00"):
            with pytest.raises(RefusedError, match="at most 2000 characters"):
                desk(lambda memory, content=content: memory.remind(content, on=["go"]))
        assert desk(lambda memory: memory.all()) == []
        for event in ("go", "stop", "go"):  # the third is the first, said again
            desk(lambda memory, event=event: memory.remind("x", on=[event]))
        with pytest.raises(RefusedError, match="2 reminders wait already"):
            desk(lambda memory: memory.remind("y", on=["go"]))
    with pytest.raises(ConfigurationError, match="IANA"):
        Desk(zone="Mars/Olympus")


def test_a_zone_per_user_and_what_a_note_proposes():
    zones = {"jake": "America/New_York", "kim": "Asia/Kolkata"}

    async def made(memory: ProspectiveMemory) -> Intention:
        return await memory.remind("x", at="tomorrow at 9")

    with Desk(zone=lambda ctx: zones.get(ctx.user)) as desk:
        assert desk(made).due_at == NINE
        assert desk(made, user="kim").due_at == datetime(2026, 1, 2, 3, 30, tzinfo=UTC)
        assert desk(made, user="ann").due_at == datetime(2026, 1, 2, 9, tzinfo=UTC)
        timed, untimed = (
            Proposal("Send it", 0.8, "tomorrow at 9", ("n1",)),
            Proposal("Send the report", 0.8, "soon"),
        )
        first = desk(lambda memory: memory.take_up(timed))
        assert (first.trigger, first.due_at, first.derived_from) == ("time_based", NINE, ("n1",))
        second = desk(lambda memory: memory.take_up(untimed))
        assert (second.trigger, second.cue, second.importance) == ("context_based", "Send the report", 0.8)


def test_secrets_are_taken_out_at_rest(tmp_path: Path):
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    with Desk(tmp_path / "m.duckdb") as desk:
        made = desk(lambda memory: memory.remind(f"Rotate {secret}", about=f"the token {secret}"))
        assert secret not in made.model_dump_json()
    assert secret.encode() not in (tmp_path / "m.duckdb").read_bytes()


def test_a_job_that_is_tried_again_makes_one_reminder_and_tells_the_same():
    told: list[list[str]] = []
    with Desk() as desk:

        @handler(name="notes", uses=[desk.capability], retry=Retry(attempts=2))
        async def notes(_: object, ctx: Context) -> str:
            memory = ctx.cap.prospective
            await memory.take_up(Proposal("Send the report", 0.8, "in 2 hours"))
            told.append([one.content for one in await memory.check(events=["go"])])
            if len(told) == 1:
                raise RuntimeError("once")
            return "noted"

        desk(lambda memory: memory.remind("Go", on=["go"]))
        desk.fabric.session("monday", user="jake").run(sequencer(name="turn").work(notes), "x")
        desk.fabric.drain()
        assert told == [["Go"]] * 2
        assert [one.content for one in desk(lambda memory: memory.pending())] == ["Send the report"]
        assert desk.checked(events=["go"]) == []
