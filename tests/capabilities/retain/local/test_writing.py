"""What a row of a bank holds, what is one memory said twice, and what a failure costs."""

from capabilities.retain import RetainItem, Transcript

from .conftest import Place, backend_of


def test_a_retained_item_keeps_where_it_is_from(place: Place):
    backend = backend_of(embedder=None, cwd="/srv/app")
    item = RetainItem(content="The API is versioned by date.", context="design review")
    (kept,) = place.do(lambda ctx: backend.retain(ctx, [item])).ids
    memory = next(one for one in place.memories() if one.id == kept)
    assert (memory.source, memory.importance, memory.veracity, memory.trust, memory.memory_type, memory.tier) == (
        "coding-agent-retain",
        0.75,
        "tool",
        "stated",
        "fact",
        "working",
    )
    assert memory.metadata == {
        "session_id": "monday",
        "cwd": "/srv/app",
        "context": "design review",
        "tool": "retain",
    }
    assert (memory.session, memory.user, memory.created_at) == ("monday", "jake", place.clock.now())


def test_the_context_finds_it_too(place: Place):
    item = RetainItem(content="It is versioned by date.", context="payments gateway")
    place.do(lambda ctx: place.backend.retain(ctx, [item]))
    assert place.found("what of the payments gateway?") == ["It is versioned by date."]


def test_the_very_same_content_is_one_memory_of_the_newer_time(place: Place):
    (first,) = place.retain("The API is versioned by date.")
    place.later(hours=30)
    again, other = place.retain("The API is versioned by date.", "The API is versioned by date")
    assert again == first != other
    memory = next(one for one in place.memories() if one.id == first)
    assert (memory.said_at, memory.importance) == (place.clock.now(), 0.75)
    assert memory.created_at < memory.said_at
    assert len(place.memories()) == 2


def test_in_one_call_the_same_twice_is_one(place: Place):
    one, other = place.retain("Twice.", "Twice.")
    assert one == other


def test_what_is_retained_is_there_after_years(place: Place):
    place.retain("The API is versioned by date.")
    place.later(days=1000)
    place.do(place.backend.flush)
    place.do(place.backend.sleep)
    assert place.found("how is the API versioned?") == ["The API is versioned by date."]


def test_an_item_that_says_nothing_costs_no_other(place: Place):
    items = [RetainItem(content=one) for one in ("Backups run at night.", "...", "CI runs on push.")]
    retained = place.do(lambda ctx: place.backend.retain(ctx, items))
    assert (retained.count, len(retained.ids)) == (3, 2)
    assert [(one.index, "letter or digit" in one.reason) for one in retained.failed] == [(1, True)]


def test_a_transcript_is_stored_with_markers_and_found_without(place: Place):
    transcript = Transcript("[role: user]\nThe cache is Redis.\n[user:end]", "", "The cache is Redis.", "s1", 1)
    place.do(lambda ctx: place.backend.keep(ctx, transcript))
    (memory,) = place.memories()
    assert (memory.source, memory.importance, memory.veracity, memory.memory_type) == (
        "coding-agent-transcript",
        0.65,
        "unknown",
        "episode",
    )
    assert memory.content == transcript.text
    assert place.found("role end") == []
    assert place.found("which cache is it?") == [transcript.text]


def test_facts_are_drawn_from_what_the_user_said_alone(place: Place):
    said = "I prefer tabs over spaces."
    answer = "I live in the cloud."
    transcript = Transcript(f"{said}\n\n{answer}", said, f"{said}\n\n{answer}", "s1", 1)
    place.do(lambda ctx: place.backend.keep(ctx, transcript))
    place.do(place.backend.flush)
    assert place.facts() == ["Prefers tabs over spaces"]


def test_a_transcript_that_goes_on_states_nothing_twice(place: Place):
    said = "I prefer tabs over spaces."
    place.say(said, lambda ctx: place.backend.keep(ctx, Transcript(said, said, said, "s1", 1)))
    place.do(place.backend.flush)
    more = f"{said}\n\nI work at Stripe."
    place.later(hours=1)
    place.say("I work at Stripe.", lambda ctx: place.backend.keep(ctx, Transcript(more, more, more, "s1", 2)))
    assert place.do(place.backend.flush).done == 1
    assert place.facts() == ["Prefers tabs over spaces", "Works at Stripe"]
    assert [one.reinforcement_count for one in place.versions()] == [1, 1]
    (memory,) = place.memories()
    assert (memory.drawn, memory.waits) == (len(more), False)


def test_a_transcript_that_says_something_else_takes_back_what_the_old_one_said(place: Place):
    for said in ("I prefer tabs over spaces.", "I work at Stripe."):
        place.do(lambda ctx, said=said: place.backend.keep(ctx, Transcript(said, said, said, "s1", 1)))
        place.do(place.backend.flush)
    assert place.facts() == ["Works at Stripe"]
