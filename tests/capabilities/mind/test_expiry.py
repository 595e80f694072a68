"""How long entries last: beliefs and reflections by default or by call, standing rules as long as they are pinned."""

from datetime import timedelta
from typing import Any

import pytest

from capabilities.mind import Mind

from .running import Minds

NINETY: dict[str, Any] = {"ttl_defaults": {"reflection": "90d"}}


async def rule(minds: Minds) -> dict[str, Any]:
    entries = await minds.entries()
    return entries["Ask first"].model_dump()


async def test_a_standing_rule_does_not_expire_while_it_is_pinned(minds: Minds):
    await minds.run(lambda mind: mind.reflect("Ask first", pin=True), **NINETY)
    minds.clock.advance(days=1_000)
    assert (await rule(minds))["expires_at"] is None
    assert "- Ask first" in await minds.run(lambda mind: mind.header())
    (found,) = await minds.run(lambda mind: mind.recall("", pinned=True))
    assert found.expired is False


@pytest.mark.parametrize(("asked", "days"), [(None, 90), ("7d", 7)])
async def test_the_time_of_a_standing_rule_begins_when_it_is_unpinned(minds: Minds, asked: str | None, days: int):
    made = await minds.run(lambda mind: mind.reflect("Ask first", pin=True, expires_in=asked), **NINETY)
    minds.clock.advance(days=400)
    await minds.run(lambda mind: mind.unpin_reflection(made.id))
    assert (await rule(minds))["expires_at"] == minds.clock.now() + timedelta(days=days)


async def test_the_time_of_a_rule_that_is_unpinned_in_the_run_that_made_it_begins_then(minds: Minds):
    async def both(mind: Mind) -> None:
        made = await mind.reflect("Ask first", pin=True)
        minds.clock.advance(days=1)
        await mind.unpin_reflection(made.id)

    await minds.run(both, **NINETY)
    assert (await rule(minds))["expires_at"] == minds.clock.now() + timedelta(days=90)


async def test_a_rule_without_a_time_lasts_for_ever_after_it_is_unpinned(minds: Minds):
    made = await minds.run(lambda mind: mind.reflect("Ask first", pin=True))
    await minds.run(lambda mind: mind.unpin_reflection(made.id))
    assert (await rule(minds))["expires_at"] is None


async def test_a_time_that_would_end_after_all_time_when_it_begins_late_never_ends(minds: Minds):
    made = await minds.run(lambda mind: mind.reflect("Ask first", pin=True, expires_in="2912000d"))
    minds.clock.advance(days=365 * 50)
    await minds.run(lambda mind: mind.unpin_reflection(made.id))
    assert (await rule(minds))["expires_at"] is None


async def test_the_default_belief_ttl_is_30_days_and_reflections_have_no_expiry_by_default(minds: Minds):
    await minds.run(lambda mind: mind.believe("Tea is hot"))
    await minds.run(lambda mind: mind.reflect("Ask first"))
    found = {text: entry.model_dump()["expires_at"] for text, entry in (await minds.entries()).items()}
    assert found == {"Tea is hot": minds.clock.now() + timedelta(days=30), "Ask first": None}


async def test_an_update_of_a_belief_begins_its_time_anew(minds: Minds):
    await minds.run(lambda mind: mind.believe("Tea is hot"))
    minds.clock.advance(days=29)
    await minds.run(lambda mind: mind.believe("Tea is hot", expires_in="7d"))
    (kept,) = (await minds.entries()).values()
    assert kept.model_dump()["expires_at"] == minds.clock.now() + timedelta(days=7)


async def test_what_is_expired_is_archived_and_not_deleted(minds: Minds):
    await minds.run(lambda mind: mind.believe("Tea is hot", expires_in="1d"))
    minds.clock.advance(days=1)
    assert await minds.run(lambda mind: mind.recall("tea")) == []
    (found,) = await minds.run(lambda mind: mind.recall("tea", include_expired=True))
    assert (found.content, found.expired) == ("Tea is hot", True)
