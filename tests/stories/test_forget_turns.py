"""Forgetting one turn takes it and what was drawn from it; other turns stay, with what they say themselves."""

import re
from typing import Any

from blocks.tools import memory_tools
from fabric import Fabric, generator, sequencer
from fabric.models.base import Request
from fabric.testing import ScriptedModel, call
from pipelines import Memory, memory_system
from tests.stories.scripts import MemoryModel, chat_with, observation, open_memory

TEA = ("I like green tea.", "I love green tea.", "I really like green tea.")
WORK = ("I work at Stripe.", "I work at Stripe in Dublin.", "I still work at Stripe.")
MOVES = ("I live in Porto.", "I live in Oslo now.", "I live in Rome now.")


def turns(memory: Memory) -> dict[str, str]:
    return {record["text"]: record["id"] for record in memory.export() if record["kind"] == "turn"}


def facts(memory: Memory) -> dict[str, tuple[list[int], str]]:
    held = [record for record in memory.export() if record["kind"] == "fact"]
    return {record["content"]: ([source["turn"] for source in record["sources"]], record["status"]) for record in held}


def test_a_turn_takes_only_what_no_other_turn_says_and_what_it_had_ended_holds_again():
    with Memory(user="jake", embedder=None) as memory:
        for text in (*TEA, *WORK, *MOVES):
            memory.capture(text)
        memory.wait()
        ids = turns(memory)
        before = facts(memory)
        assert before["Works at Stripe in Dublin"] == ([4, 5, 6], "current")
        assert before["Lives in Oslo"] == ([8], "superseded")

        assert memory.forget(ids[WORK[1]]).removed["kept turns"] == 1
        assert "Works at Stripe in Dublin" not in facts(memory)
        assert facts(memory)["Works at Stripe"] == ([4, 6], "current")

        memory.forget(ids[MOVES[1]])
        held = {record["content"]: record for record in memory.export() if record["kind"] == "fact"}
        assert held["Lives in Porto"]["superseded_by"] == held["Lives in Rome"]["id"]
        memory.forget(ids[MOVES[2]])
        assert facts(memory)["Lives in Porto"] == ([7], "current")

        (tea,) = [record["id"] for record in held.values() if "tea" in record["content"]]
        assert memory.forget(ids[TEA[0]]).stays["fact"] == [tea]
        assert facts(memory)["Likes green tea"] == ([2, 3], "current")
        assert turns(memory).keys() == {*TEA[1:], WORK[0], WORK[2], MOVES[0]}
        for text in TEA[1:]:
            memory.forget(ids[text])
        assert facts(memory).keys() == {"Works at Stripe", "Lives in Porto"}

        memory.capture(WORK[0])  # a fact that is forgotten itself takes all the turns that say it
        memory.wait()
        (work,) = [
            record["id"] for record in memory.export() if record["kind"] == "fact" and "Stripe" in record["content"]
        ]
        memory.forget(work)
        assert turns(memory).keys() == {MOVES[0]}


def test_what_a_model_distilled_from_several_turns_goes_and_the_turns_stay():
    said = ("I climbed Fløyen", "I swam in the fjord", "I cycled to Voss", "I rowed to Askøy")

    def distilled(request: Request) -> list[dict[str, Any]]:
        episodes = re.findall(r"ep_[0-9a-f]+", str(request.messages[-1]["content"]))
        about = {"subject": "user", "content": "Enjoys sports outdoors", "category": "preference", "confidence": 0.8}
        return [{**about, "action": "new", "targetFactId": "", "sourceEpisodeIds": sorted(set(episodes))}]

    happened = [[observation(text, category="event")] for text in said]
    model = MemoryModel(*happened, [observation("Works at Stripe")], facts=[distilled])
    fabric, mem = open_memory(model, embedder=None, semantic={"consolidation": {"episodic_threshold": 99}})
    with fabric:
        session = fabric.session("monday", user="jake")
        for text in (*said, "I work at Stripe"):
            session.run(chat_with(mem), text)
        fabric.drain()
        session.run(mem.consolidate, {"force": True})
        held = session.run(mem.export_block).output
        assert [len(record["sources"]) for record in held if record.get("content") == "Enjoys sports outdoors"] == [5]
        first = next(record["id"] for record in held if record["kind"] == "turn" and record["text"] == said[0])
        receipt = session.run(mem.forget_block, {"id": first}).output
        left = session.run(mem.export_block).output
        assert receipt.removed["facts"] == 1
        assert [record["content"] for record in left if record["kind"] == "fact"] == ["Works at Stripe"]
        assert [message["text"] for message in left if message["kind"] == "turn" and message["role"] == "user"] == [
            *said[1:], "I work at Stripe"
        ]  # fmt: skip
        assert [record["content"] for record in left if record["kind"] == "episode"] == [*said[1:], "Works at Stripe"]


def test_what_an_agent_noted_in_a_turn_takes_it_with_all_that_was_drawn_from_it():
    tools, mem = memory_tools(embedder=None), memory_system(model=None, episodic=True, semantic=True, embedder=None)
    noted = call("memory_add", content="The user has an ailment that they treat")
    chat: Any = generator(name="chat", model="test/m", uses=[tools.capability])
    pipeline = sequencer(name="chat-with-memory").then(chat).work(mem.capture_from_items)
    with Fabric(models=ScriptedModel([noted, "I see.", "Fine."])) as fabric:
        session = fabric.session("monday", user="jake")
        session.run(pipeline, "I have diabetes.")
        session.run(pipeline, "I live in Oslo.")
        fabric.drain()
        held = session.run(mem.export_block).output
        (trace,) = [record["id"] for record in held if record["kind"] == "trace"]
        assert "diabetes" in str([record for record in held if record["kind"] == "fact"])
        receipt = session.run(mem.forget_block, {"id": trace}).output
        assert (receipt.removed["traces"], receipt.removed["facts"]) == (1, 1)
        left = session.run(mem.export_block).output
        assert "diabetes" not in str(left)
        assert "ailment" not in str(left)
        assert [record["content"] for record in left if record["kind"] == "fact"] == ["Lives in Oslo"]


def test_a_statement_and_an_imported_turn_go_like_one_that_was_said():
    with Memory(user="jake", embedder=None) as memory:
        first = memory.remember("Works at Stripe").id
        memory.update(first, "Works at Shopify")
        memory.remember("Likes jazz")
        said = {"session": "old", "role": "user", "said_at": "2026-01-01T10:00:00Z"}
        memory.import_turns([{**said, "text": "I adopted a cat.", "id": "a"}, {**said, "text": "It snows.", "id": "b"}])
        ids = turns(memory)
        memory.forget(ids["Works at Shopify"])
        assert facts(memory)["Works at Stripe"] == ([0], "current")
        assert facts(memory).keys() == {"Works at Stripe", "Likes jazz"}
        memory.forget(ids["I adopted a cat."])
        assert turns(memory).keys() == {"Works at Stripe", "Likes jazz", "It snows."}
        memory.forget(ids["Works at Stripe"])
        assert facts(memory).keys() == {"Likes jazz"}
