"""Intentions as they change: due or not, brought back, snoozed, done. State in, state out; times are arguments."""

from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from .record import Before, Due, Intention, Status
from .time.recurrence import next_after
from .time.when import When


def is_due(
    intention: Intention, now: datetime, events: Collection[str] = (), similarities: Mapping[str, float] | None = None
) -> bool:
    """Return whether a pending intention is to be brought back: by its time, an event's exact name, or a context.

    ``similarities`` are those of the present context to the cues of intentions, by id; a context brings back what it is
    more similar to than the threshold. What was snoozed is due when that is over, whatever had brought it back.
    """
    if intention.status != "pending":
        return False
    if intention.snoozed_until is not None:
        return now >= intention.snoozed_until
    if intention.trigger == "time_based":
        return intention.due_at is not None and now >= intention.due_at
    if is_quiet(intention, now):
        return False
    if intention.trigger == "event_based":
        return not set(intention.events).isdisjoint(events)
    return (similarities or {}).get(intention.id, 0.0) > intention.threshold


def is_quiet(intention: Intention, now: datetime) -> bool:
    """Return whether one that recurs was brought back so short a time ago that an event does not do so again."""
    fired = intention.fired_at
    return fired is not None and 0 <= (now - fired).total_seconds() < intention.cooldown


def in_order(intentions: Iterable[Intention]) -> list[Intention]:
    """Return intentions by importance, the highest first, then by when they are due, then by id."""
    return sorted(intentions, key=_rank)


def _rank(intention: Intention) -> tuple[float, bool, float, str]:
    at = intention.next_at
    return -intention.importance, at is None, at.timestamp() if at is not None else 0.0, intention.id


def fired(intention: Intention, now: datetime, run: str = "") -> Intention:
    """Return a due intention as it is once it was brought back: over, or armed for the next time.

    One that recurs by the clock is due again at its next occurrence after now: those between, in which nobody looked,
    count as this one. ``run`` is the run whose end makes it certain; "" where it is.
    """
    before = Before(**{name: getattr(intention, name) for name in Before.model_fields}) if run else None
    if run and intention.claimed == run:
        before = intention.before
    changed: dict[str, Any] = {
        "fired_at": now,
        "fired_count": intention.fired_count + 1,
        "snoozed_until": None,
        "claimed": run,
        "before": before,
        "updated_at": now,
    }
    return intention.model_copy(update=changed | _armed(intention, now))


def _armed(intention: Intention, now: datetime) -> dict[str, Any]:
    if not intention.recurring:
        return {"status": "fired", "due_at": intention.due_at}
    if not intention.rule or intention.due_at is None or intention.due_at > now:
        return {}
    again = next_after(intention.rule, datetime.fromisoformat(intention.wall), ZoneInfo(intention.zone), now)
    passed = {"began": intention.began or intention.wall, "told_at": intention.due_at}
    if again is None:
        return {"status": "fired", **passed}
    return {"due_at": again[0], "wall": again[1].isoformat(), **passed}


def set_right(intention: Intention, now: datetime) -> Intention:
    """Return one that recurs by the clock armed for its next time, where it was armed by a clock that was ahead of now.

    The time for which it was brought back last does not come again; one that had ended by that clock goes on.
    """
    is_over = intention.status == "fired"
    if not intention.rule or intention.claimed or not (is_over or intention.status == "pending"):
        return intention
    if intention.due_at is None or intention.updated_at <= now or (intention.due_at <= now and not is_over):
        return intention
    began, zone = datetime.fromisoformat(intention.began or intention.wall), ZoneInfo(intention.zone)
    again = next_after(intention.rule, began, zone, now)
    if again is not None and again[0] == intention.told_at:
        again = next_after(intention.rule, began, zone, again[0])
    if again is None:
        return intention
    changed = {"status": "pending", "due_at": again[0], "wall": again[1].isoformat(), "updated_at": now}
    return intention.model_copy(update=changed)


def due_of(intention: Intention, after: Intention) -> Due:
    """Return an intention that fell due as a `Due`: what it was, and when it is due next, as ``after`` says."""
    return Due(
        id=intention.id,
        content=intention.content,
        trigger=intention.trigger,
        importance=intention.importance,
        at=intention.next_at,
        next_at=after.next_at,
    )


def certain(intention: Intention) -> Intention:
    """Return an intention after the run that brought it back was committed: no longer claimed by that run."""
    return intention.model_copy(update={"claimed": "", "before": None})


def undone(intention: Intention) -> Intention:
    """Return an intention as it was before a run brought it back that came to nothing: it is due again."""
    if intention.before is None:
        return certain(intention)
    return certain(intention).model_copy(update=dict(intention.before))


def as_it_is(intention: Intention, is_under_way: Callable[[str], bool]) -> Intention:
    """Return an intention as it counts now: as it was, where the run that brought it back failed or ended."""
    return undone(intention) if intention.claimed and not is_under_way(intention.claimed) else intention


def snoozed(intention: Intention, until: When, now: datetime) -> Intention:
    """Return an intention that is snoozed: pending, and due at ``until`` whatever triggers it before."""
    update = {"status": "pending", "snoozed_until": until.at, "updated_at": now}
    return certain(intention).model_copy(update=update)


def done(intention: Intention, now: datetime) -> Intention:
    """Return an intention as done. Of one that recurs only this time is: it stays armed for the next."""
    if not intention.recurring:
        return ended(intention, "done", now)
    left = certain(intention).model_copy(update={"snoozed_until": None, "updated_at": now})
    return left.model_copy(update=_armed(left, now))


def ended(intention: Intention, status: Status, now: datetime) -> Intention:
    """Return an intention with a final status, which is not brought back and does not recur."""
    return certain(intention).model_copy(update={"status": status, "snoozed_until": None, "updated_at": now})
