"""Histories that are sent again after one of their turns was forgotten: it stays forgotten, and nothing is doubled."""

from collections.abc import Callable
from pathlib import Path

from fabric.record.forgotten import ERASED
from pipelines import Memory

NAMES = ("Anna", "Bruno", "Carla", "Dario")
TOPICS = ("a sloop in Corfu", "her allergy to peanuts", "the attic in Lisbon", "an old Norton motorbike")
HISTORY = [
    message
    for name, topic in zip(NAMES, TOPICS, strict=True)
    for message in (
        {"role": "user", "content": f"{name} told me about {topic}."},
        {"role": "assistant", "content": f"Noted what {name} said about {topic}."},
    )
]
GONE = "peanuts"
NEW = [{"role": "user", "content": "Now tell me about the weather in Porto."}]


def said(memory: Memory, session: str) -> list[str]:
    return [item.text for item in memory.fabric.session(session, user="jake").items if item.kind == "message"]


def kept(memory: Memory, session: str) -> list[str]:
    assert memory.wait() == []
    return sorted(
        record["text"] for record in memory.export() if record["kind"] == "turn" and record["session"] == session
    )


def turn_id(memory: Memory, session: str, text: str) -> str:
    items = memory.fabric.session(session, user="jake").items
    return next(item.id for item in items if text in item.text)


def everything(memory: Memory) -> str:
    return str(
        memory.fabric.services.store.transact_sync(
            lambda rows: [row for owner in rows.owners() for table in rows.tables() for row in rows.scan(owner, table)]
        )
    )


def by_id(memory: Memory, session: str) -> None:
    memory.forget(turn_id(memory, session, GONE))


def by_subject(memory: Memory, session: str) -> None:
    memory.forget(subject="bruno")


def by_search(memory: Memory, session: str) -> None:
    memory.forget(memory.recall("allergy peanuts", session=session, tiers=["turn"])[0].id)


WAYS: dict[str, Callable[[Memory, str], None]] = {"subject": by_subject, "id": by_id, "search": by_search}
LEFT = sorted(record["content"] for record in HISTORY if GONE not in record["content"])
PLACES = [ERASED if GONE in record["content"] else record["content"] for record in HISTORY]


def test_a_forgotten_turn_stays_forgotten_however_its_history_is_sent_again(tmp_path: Path):
    other_answer = {"role": "assistant", "content": f"Another word on {GONE}."}
    with Memory(tmp_path / "m.duckdb", user="jake", embedder=None) as memory:
        for way, forget in WAYS.items():
            memory.capture(HISTORY, session=way)
            memory.wait()
            forget(memory, way)
            again = memory.capture(HISTORY, session=way)
            assert (again.turns, again.known, again.jobs) == (0, 4, ()), way
            window = memory.capture(HISTORY[2:], session=way)
            assert (window.turns, window.known) == (0, 3), way
            assert said(memory, way) == PLACES
            assert kept(memory, way) == LEFT
    with Memory(tmp_path / "m.duckdb", user="jake", embedder=None) as memory:
        for way in WAYS:
            assert memory.capture(HISTORY, session=way).turns == 0
            assert memory.capture([*HISTORY[:3], other_answer], session=way).turns == 0
            grown = memory.capture([*HISTORY[4:], *NEW], session=way)
            assert (grown.turns, grown.known) == (1, 2), way
            assert memory.capture([*HISTORY, *NEW], session=way).turns == 0
            assert said(memory, way) == [*PLACES, NEW[0]["content"]]
            assert kept(memory, way) == sorted([*LEFT, NEW[0]["content"]])
        assert GONE not in everything(memory)


def test_a_client_that_drops_the_forgotten_turn_itself_is_understood_too():
    with Memory(user="jake", embedder=None) as memory:
        memory.capture(HISTORY)
        by_id(memory, "default")
        assert memory.capture([*HISTORY[:2], *HISTORY[4:]]).turns == 0
        assert memory.capture([*HISTORY[:2], *HISTORY[4:], *NEW]).turns == 1
        memory.capture(HISTORY, session="first")
        memory.forget(turn_id(memory, "first", NAMES[0]))
        assert memory.capture([*HISTORY[2:], *NEW], session="first").turns == 1
        memory.capture(HISTORY, session="last")
        memory.forget(turn_id(memory, "last", NAMES[-1]))
        assert memory.capture([*HISTORY[2:6], *NEW], session="last").turns == 1
        memory.capture(HISTORY, session="window")
        by_id(memory, "window")
        assert memory.capture([HISTORY[1], *HISTORY[4:], *NEW], session="window").turns == 1


def test_what_was_forgotten_and_is_told_again_behind_the_history_is_new():
    with Memory(user="jake", embedder=None) as memory:
        memory.capture(HISTORY)
        by_id(memory, "default")
        assert memory.capture([*HISTORY, HISTORY[2]]).turns == 1
        assert HISTORY[2]["content"] in kept(memory, "default")


def test_answers_to_a_forgotten_message_with_an_id_do_not_come_back(tmp_path: Path):
    named = [
        {**message, "id": f"m{at}"} if message["role"] == "user" else message for at, message in enumerate(HISTORY)
    ]
    with Memory(tmp_path / "m.duckdb", user="jake", embedder=None) as memory:
        memory.capture(named)
        memory.wait()
        by_id(memory, "default")
        places = said(memory, "default")
        assert memory.capture(named).turns == 0
        assert said(memory, "default") == places
    with Memory(tmp_path / "m.duckdb", user="jake", embedder=None) as memory:
        assert memory.capture([*named, *NEW]).turns == 1
        assert said(memory, "default") == [*places, NEW[0]["content"]]
        assert GONE not in everything(memory)
