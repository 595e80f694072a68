"""Long messages: a question about one of their topics finds them by the passage about it, and is shown that passage."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from fabric import Fabric
from fabric.testing import FrozenClock
from fabric.text.passages import passages
from pipelines import memory_system

TOPICS: dict[str, Sequence[str]] = {
    "cat": ("cat", "kitten", "feline"),
    "boat": ("boat", "sailing", "yacht"),
    "tax": ("tax", "revenue", "levy"),
    "bread": ("bread", "loaf", "baking"),
    "garden": ("garden", "roses", "flowers"),
}
ABOUT = {
    "cat": "A kitten came to live with us in March, and she sleeps on the shelf above the stove all day long. ",
    "boat": "We bought a sailing dinghy from a neighbour and painted it green, which took us the whole weekend. ",
    "tax": "The revenue office wrote again because of a form that nobody in the village had ever heard about. ",
    "bread": "Each loaf now rises in the cellar over night, since the kitchen is far too warm at this time of year. ",
    "garden": "Our roses have black spots, so that we cut them down and burnt the leaves behind the old shed. ",
}


class Topics:
    """An embedder for which a text means the topics that its words are of, and nothing else."""

    name = "topics"
    dimension = len(TOPICS)
    quick = True

    def __init__(self) -> None:
        self.calls = 0

    def embed(self, texts: Sequence[str]) -> Any:
        self.calls += 1
        found = [[sum(text.lower().count(word) for word in words) for words in TOPICS.values()] for text in texts]
        return np.array(found, np.float32)


LETTER = "".join(ABOUT[topic] * 4 for topic in TOPICS)
TWICE = ABOUT["boat"] * 2 + ABOUT["tax"] * 2


def said(turn_id: str, text: str) -> dict[str, str]:
    return {"id": turn_id, "session": turn_id, "role": "user", "text": text, "said_at": "2026-03-01T09:00:00Z"}


def asked(block: str, value: Any, *texts: str) -> Any:
    memory = memory_system(episodic=True, semantic=True, embedder=Topics())
    turns = [said(f"t{place}", text) for place, text in enumerate(texts)]
    with Fabric(":memory:", clock=FrozenClock()) as fabric:
        session = fabric.session("now", user="jake")
        session.run(memory.import_block, turns)
        return session.run(getattr(memory, block), value).output


def test_a_long_message_is_found_by_what_one_of_its_passages_is_about() -> None:
    found = asked("recall_block", "any feline?", TWICE, LETTER, "Nothing much.")
    assert found[0].id == "t1"
    assert found[0].parts.dense == max(one.parts.dense for one in found)
    assert found[0].content == LETTER
    begin, end = passages(LETTER)[found[0].nearest]
    assert "kitten" in LETTER[begin:end]


def test_a_context_shows_the_passage_that_matched_and_not_the_whole() -> None:
    shown = asked("context_block", {"cue": "any feline?", "tokens": 150}, LETTER)
    assert "kitten" in shown
    assert "loaf" not in shown
    shown = asked("context_block", {"cue": "flowers?", "tokens": 150}, LETTER)
    assert "roses" in shown
    assert "kitten" not in shown


def test_a_short_message_has_one_vector_and_no_passage() -> None:
    found = asked("recall_block", "any feline?", ABOUT["cat"], TWICE)
    assert (found[0].id, found[0].nearest) == ("t0", -1)


def test_a_long_message_costs_no_more_calls_of_the_embedder() -> None:
    calls = list[int]()
    for text in (ABOUT["cat"], LETTER):
        embedder = Topics()
        memory = memory_system(episodic=True, semantic=True, embedder=embedder)
        with Fabric(":memory:", clock=FrozenClock()) as fabric:
            fabric.session("now", user="jake").run(memory.import_block, [said("t0", text)])
        calls.append(embedder.calls)
    assert calls[0] == calls[1] > 0


def test_a_captured_long_message_is_found_by_its_passages() -> None:
    memory = memory_system(episodic=True, semantic=True, embedder=Topics())
    with Fabric(":memory:", clock=FrozenClock()) as fabric:
        session = fabric.session("now", user="jake")
        session.run(memory.capture, LETTER)
        (found,) = session.run(memory.recall_block, {"cue": "flowers?", "tiers": "turn"}).output
    begin, end = passages(LETTER)[found.nearest]
    assert "roses" in LETTER[begin:end]


def test_a_forgotten_long_message_is_found_by_no_passage() -> None:
    memory = memory_system(episodic=True, semantic=True, embedder=Topics())
    with Fabric(":memory:", clock=FrozenClock()) as fabric:
        session = fabric.session("now", user="jake")
        session.run(memory.import_block, [said("t0", LETTER)])
        assert session.run(memory.recall_block, "any feline?").output
        session.run(memory.forget_block, {"id": "t0"})
        assert not session.run(memory.recall_block, "any feline?").output
