"""What happens in the month of `month_life`: what is said when, and which reminder is to be told in which turn.

A month has so many turns, evenly spread. Everything follows from the number of a turn, so that a turn that a killed
process did not end is the same in the next one.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from fabric.testing import FrozenClock

START = FrozenClock().now()
"""A Thursday, at noon."""
DAYS = 30
TOPICS = ("garden", "engine", "choir", "kitchen", "cellar", "ferry", "budget", "library")
PEOPLE = ("Rosalind", "Anselm", "Ottilie")
LONG = (
    "{said} In the {topic} we talked with {person} about sorting {topic} things into crates, then about painting shelf "
    "number {number}, who carries which key on which evening, why the old lamp flickers beside the door, and how much "
    "of the wood that was left over since autumn is dry enough to burn before the neighbours come back."
)
HOMES = ("Oslo", "Berlin", "Porto", "Lyon")
PROMISED_AFTER = 8
"""So many turns after a promise it is due."""


@dataclass(frozen=True)
class Month:
    """A month of so many turns."""

    turns: int

    def moment(self, number: int) -> datetime:
        """Return when a turn is."""
        return START + number * timedelta(days=DAYS) / self.turns

    @staticmethod
    def number_of(message: str) -> int:
        """Return in which turn a message is said.

        >>> Month.number_of("Say007: good morning")
        7
        """
        return int(message[message.index("Say") + 3 :][:3])

    def session(self, number: int) -> str:
        """Return in which session a turn is: one for each day."""
        return f"day {self.moment(number):%d}"

    def is_felt(self, number: int) -> bool:
        """Return whether the mood of a turn is an intense one."""
        return number % 9 == 5

    def message(self, number: int) -> str:
        """Return what the user says in a turn; it holds a word that no other message has, as Say007."""
        said, person, topic = f"Say{number:03}:", PEOPLE[number % 3], TOPICS[number % 8]
        if self.is_felt(number):
            return f"{said} my dear dog died, I am devastated, terribly sad, full of grief and horribly afraid!"
        if number % 6 == 2:
            return f"I live in {HOMES[number // 6 % 4]}. {said}"
        if number % 10 == 3:
            return f"{said} we deployed the {topic} today"
        if number % 10 == 6:
            return f"{said} what about the pricing policy for {person}?"
        if number % 10 == 9:
            return f"{said} I promise to write to {person}"
        return LONG.format(said=said, person=person, topic=topic, number=number)

    def promised(self, number: int) -> datetime | None:
        """Return when that is due which is promised in a turn."""
        is_promise = "I promise" in self.message(number) and number + PROMISED_AFTER < self.turns
        return self.moment(number + PROMISED_AFTER) - timedelta(minutes=5) if is_promise else None

    def plans(self, number: int) -> list[dict[str, Any]]:
        """Return the reminders that are made in a turn, as `remind` takes them."""
        some: list[dict[str, Any]] = []
        if number == 0:
            some += [
                {"content": "Daily water", "every": "day at 9:30"},
                {"content": "Weekly bins", "every": "Monday at 9"},
                {"content": "Each deploy", "on": ["deploy"], "recurring": True},
            ]
        if number % 4 == 1:
            at = self.moment(number + 3) + timedelta(minutes=20)
            some.append({"content": f"Once {number:03}", "at": at, "importance": 0.9})
        if number % 10 == 4:
            some.append({"content": f"Discount {number:03}", "about": "pricing policy"})
        if number % 10 == 0:
            some.append({"content": f"Tag {number:03}", "on": ["deploy"]})
        return some

    def events(self, number: int) -> list[str]:
        """Return the names of what has happened in a turn."""
        return ["deploy"] if "deployed" in self.message(number) else []

    def expected(self) -> dict[int, list[str]]:
        """Return what each turn is to be reminded of: each due time once, in the first turn that is not before it."""
        told: dict[int, list[str]] = {number: [] for number in range(self.turns)}
        for content, number in self._expected():
            if number is not None:
                told[number].append(content)
        return {number: sorted(contents) for number, contents in told.items()}

    def _expected(self) -> Iterator[tuple[str, int | None]]:
        for number in range(self.turns):
            due = self.promised(number)
            if due is not None:
                yield f"Promised{number:03}", self._first(due)
            for plan in self.plans(number):
                if "at" in plan:
                    yield plan["content"], self._first(plan["at"])
                elif "about" in plan or (plan.get("on") and not plan.get("recurring")):
                    what = "pricing" if "about" in plan else "deployed"
                    later = (one for one in range(number, self.turns) if what in self.message(one))
                    yield plan["content"], next(later, None)
        yield from (("Each deploy", number) for number in range(self.turns) if self.events(number))
        for before, number in pairwise(range(self.turns)):
            between = self.moment(before), self.moment(number)
            if _passes(*between, timedelta(hours=9, minutes=30), range(7)):
                yield "Daily water", number
            if _passes(*between, timedelta(hours=9), [0]):
                yield "Weekly bins", number

    def _first(self, at: datetime) -> int | None:
        return next((number for number in range(self.turns) if self.moment(number) >= at), None)


def _passes(before: datetime, now: datetime, time: timedelta, weekdays: Any) -> bool:
    midnight = before.replace(hour=0, minute=0)
    days = (midnight + timedelta(days=day) for day in range((now - before).days + 2))
    return any(day.weekday() in weekdays and before < day + time <= now for day in days)


def told_in(reply: str) -> list[str]:
    """Return the reminders that a reply tells."""
    return sorted(line for line in reply.split("\n")[1:] if line)


def times_told(expected: dict[int, list[str]]) -> Counter[str]:
    """Return how often each reminder is told in all."""
    return Counter(content for contents in expected.values() for content in contents)
