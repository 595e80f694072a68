"""What a file must hold after a month: reminders, messages, traces, archive and ties, compared with what was said."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from capabilities.cognitive.consolidation.result import LOGS
from capabilities.cognitive.mechanisms.metadata import metadata_of
from capabilities.cognitive.observing.observer import NEW_TAG
from capabilities.cognitive.observing.record import USER as DESK
from capabilities.cognitive.storing import FADED, OUTDATED
from capabilities.cognitive.wakefulness import CLOCKS
from capabilities.formulas.retention import current_strength
from capabilities.traces.archive import SHELVES
from capabilities.traces.record import Trace, content_hash
from capabilities.traces.tables import USER
from fabric import Context, Fabric, handler
from fabric.flow.resource import Transaction
from fabric.record.items import Item
from fabric.testing import FrozenClock
from tests.stories.month import Month, times_told
from tests.stories.month_life import MIND, client

NAMES = re.compile(r"(?:Say|Reply|Promised)\d{3}")
THRESHOLD, FELT = MIND.mind.config.prune_threshold, MIND.mind.config.protected_intensity


@dataclass(frozen=True)
class Held:
    """What the file holds of the user."""

    traces: list[Trace]
    live_in_index: set[str]
    edges: list[Any]
    archived: dict[str, Any]
    rehydrated: dict[str, str | None]
    heard: list[Any]
    notes: list[Any]
    reminders: list[Any]
    consolidations: list[Any]
    consolidated: Any


@handler(name="look", uses=[MIND.capability, MIND.prospective])
async def look(_: object, ctx: Context) -> Held:
    """Return what the file holds."""

    def work(tx: Transaction) -> dict[str, Any]:
        index = tx.index(USER.traces)
        assert index is not None
        positions = (index.alive & (index.columns["deleted"].values == 0)).nonzero()[0]
        return {
            "traces": tx.find(USER.traces),
            "live_in_index": {index.ids[position] for position in positions},
            "edges": tx.find(USER.edges),
            "archived": {one.id: one for one in tx.find(SHELVES["user"].texts)},
            "heard": tx.find(DESK.heard),
            "notes": tx.find(DESK.notes),
            "consolidations": tx.find(LOGS["user"]),
            "consolidated": tx.read(CLOCKS["user"]).consolidated,
        }

    held = await ctx.transact(work)
    back = {one: await ctx.cap.cognitive.rehydrate(one) for one in held["archived"]}
    return Held(**held, rehydrated=back, reminders=await ctx.cap.prospective.all())


def check(path: Path, month: Month, told: dict[int, list[str]], url: str, first_id: int) -> dict[str, int]:
    """Assert what holds after the month; return how much of everything there was."""
    clock = FrozenClock(month.moment(month.turns), first_id=first_id)
    with Fabric(path, clock=clock, models=client(url)) as fabric:
        held: Held = fabric.session("after", user="jake", agent="bot").run(look).output
        names = dict.fromkeys(map(month.session, range(month.turns)))
        sessions = [fabric.session(name, user="jake", agent="bot") for name in names]
        items = [one for session in sessions for one in session.items]
    _reminders(month, told, held)
    _messages(month, items, held)
    _curve(held)
    _archive(month, held)
    _ties(held)
    return {
        "told": sum(map(len, told.values())),
        "traces": len(held.traces),
        "faded": sum(one.deleted_reason == FADED for one in held.traces),
        "outdated": sum(one.deleted_reason == OUTDATED for one in held.traces),
        "gists": sum(metadata_of(one).gisted_at is not None for one in held.traces),
        "learned": sum(NEW_TAG in one.tags for one in held.traces),
        "schemas": sum(bool(one.derived_from) for one in held.traces),
        "ties": len(held.edges),
        "consolidations": len(held.consolidations),
    }


def _reminders(month: Month, told: dict[int, list[str]], held: Held) -> None:
    """Each due time was told once, in the turn it belongs to, and the file says so."""
    expected = month.expected()
    wrong = {
        number: (expected[number], told.get(number)) for number in expected if told.get(number) != expected[number]
    }
    assert not wrong, wrong
    fired = Counter({one.content: one.fired_count for one in held.reminders if one.fired_count})
    assert fired == times_told(expected)
    assert not [one for one in held.reminders if one.claimed]
    assert len({one.content for one in held.reminders}) == len(held.reminders)


def _messages(month: Month, items: Sequence[Item], held: Held) -> None:
    """Every message is a source of one trace, and waits, is noted or was learned from, once; so is every reply."""
    said = {one.id: one.text for one in items if one.role == "user"}
    assert Counter(said.values()) == Counter(map(month.message, range(month.turns)))
    assert Counter(one.text for one in items if one.kind == "outcome") == {"done": 2 * month.turns}
    stated = [one for one in held.traces if one.source_type == "user_statement"]
    assert Counter(source.turn_id for one in stated for source in one.sources) == Counter(said.keys())
    learned = [one for one in held.traces if NEW_TAG in one.tags]
    seen = Counter(NAMES.findall(" ".join(one.content for one in (*held.notes, *learned))))
    seen += Counter(NAMES.findall(one.text)[0] for one in held.heard)
    for number in range(month.turns):
        assert seen[f"Reply{number:03}"] == 1, number
        assert seen[f"Say{number:03}"] + seen[f"Promised{number:03}"] == 1, number
    observed = {one.source.turn_id for one in held.heard}
    observed |= {source.turn_id for one in (*held.notes, *learned) for source in one.sources}
    assert observed >= {one.id for one in items if one.kind == "message"}


def _curve(held: Held) -> None:
    """What is gone had faded by the formula and was not felt, or another trace won; what has faded is gone."""
    contradicting = {end for edge in held.edges if edge.type == "contradicts" for end in (edge.source, edge.target)}
    for one in held.traces:
        if one.deleted:
            assert one.deleted_reason in (FADED, OUTDATED)
            assert one.deleted_at is not None
            assert one.deleted_reason != OUTDATED or one.id in contradicting
        at = one.deleted_at or held.consolidated
        has_faded = _left(one, at) < THRESHOLD and one.intensity <= FELT
        assert has_faded == (one.deleted_reason == FADED), one
    assert held.live_in_index == {one.id for one in held.traces if not one.deleted}


def _left(trace: Trace, at: Any) -> float:
    since = max(0.0, (at - (trace.last_accessed or trace.created_at)).total_seconds())
    return current_strength(trace.strength, since * 1000, trace.stability * 1000)


def _archive(month: Month, held: Held) -> None:
    """Each gist has its words in the archive, and these are what was said; nothing else is there."""
    gists = {one.id: metadata_of(one) for one in held.traces if metadata_of(one).gisted_at is not None}
    assert gists.keys() == held.archived.keys()
    said = {month.message(number) for number in range(month.turns)}
    for one, text in held.rehydrated.items():
        assert text is not None
        assert content_hash(text) == gists[one].original_hash == held.archived[one].content_hash
        assert text in said or text.startswith(("They go together", "Learned"))


def _ties(held: Held) -> None:
    ids = {one.id for one in held.traces}
    assert not [edge for edge in held.edges if not {edge.source, edge.target} <= ids]
    assert not [one for trace in held.traces for one in _named(trace) if one not in ids]


def _named(trace: Trace) -> Iterable[str]:
    return (*trace.derived_from, *trace.contradicted_by, *trace.merged_from)
