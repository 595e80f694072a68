"""What waits to be sent to a server is forgotten and exported with who said it, and nobody else's is."""

from pathlib import Path
from typing import Any

import pytest

from capabilities.retain import Bank, HindsightConfig, RetainItem
from capabilities.retain.hindsight import HINDSIGHT_RESOURCES, HindsightBackend
from fabric import Context, Fabric, handler, sequencer
from fabric.sessions.session import Session
from pipelines import memory_system
from tests.hindsight import hindsight_double

MEM = memory_system(model=None, episodic=True, semantic=True, embedder=None)


def backend_at(url: str) -> HindsightBackend:
    config = HindsightConfig(
        api_url=url, flush_interval=10_000, flush_batch_size=10_000, mental_model_first_turn_deadline=300
    )
    return HindsightBackend(config, Bank("team", ("team",)))


def talk_over(backend: HindsightBackend) -> Any:
    @handler(name="retains", uses=HINDSIGHT_RESOURCES)
    async def retains(message: str, ctx: Context) -> str:
        await backend.retain(ctx, [RetainItem(content=message)])
        return "Noted."

    return sequencer(name="talk").then(retains).work(MEM.capture_from_items)


def exported(session: Session) -> list[str]:
    records = session.run(MEM.export_block).output
    return [one["content"] for one in records if one["kind"] == "queued memory"]


@pytest.mark.parametrize("asked", [{"scope": "user"}, {"session": "monday"}, "the turn"])
def test_what_is_forgotten_is_not_sent(tmp_path: Path, asked: Any) -> None:
    with hindsight_double() as server:
        talk = talk_over(backend_at(server.url))
        with Fabric(tmp_path / "memory.duckdb") as fabric:
            jake, kim = fabric.session("monday", user="jake"), fabric.session("monday", user="kim")
            jake.run(talk, "I prefer tabs over spaces.")
            kim.run(talk, "The deploy key of Kim is rotated on Fridays.")
            fabric.drain()
            assert exported(jake) == ["I prefer tabs over spaces."]
            if asked == "the turn":
                asked = {"id": next(item.id for item in jake.items if item.role == "user")}
            receipt = jake.run(MEM.forget_block, asked).output
            assert receipt.removed["queued memories"] == 1
            assert exported(jake) == []
            assert exported(kim) == ["The deploy key of Kim is rotated on Fridays."]
        assert server.banks["team"].texts == ["The deploy key of Kim is rotated on Fridays."]


def test_what_is_forgotten_leaves_the_mental_models_of_a_prompt(tmp_path: Path) -> None:
    with hindsight_double() as server, Fabric(tmp_path / "memory.duckdb") as fabric:
        backend = backend_at(server.url)

        @handler(name="shows", uses=HINDSIGHT_RESOURCES)
        async def shows(_: Any, ctx: Context) -> str:
            await backend.flush(ctx)
            return await backend.models(ctx)

        monday, tuesday = (fabric.session(name, user="jake") for name in ("monday", "tuesday"))
        monday.run(shows)  # the bank is made, with its models
        monday.run(talk_over(backend), "The user likes tabs more than spaces.")
        fabric.drain()
        monday.run(shows)
        backend._models = None
        assert "tabs" in tuesday.run(shows).output
        tuesday.run(MEM.forget_block, {"session": "monday"})
        after = tuesday.run(shows).output
        assert "tabs" not in after
        assert after.startswith("<mental_models>\n")
