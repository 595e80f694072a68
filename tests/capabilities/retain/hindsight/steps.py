"""What a session does with a backend, as the tools and pipelines of retain do it, and waiting for what happens."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from capabilities.retain import Bank, HindsightConfig, RetainItem, Transcript
from capabilities.retain.hindsight import HINDSIGHT_RESOURCES, HindsightBackend
from fabric import Context, Fabric, handler
from tests.hindsight import HindsightDouble, Request

BANK = Bank("team", ("team",))
NEVER: dict[str, Any] = {"flush_interval": 10_000.0, "flush_batch_size": 10_000}
"""Options with which nothing is sent unless it is asked for."""


class Steps:
    """A backend of one session; its methods are called in a running block, with the context."""

    def __init__(
        self, fabric: Fabric, url: str, bank: Bank = BANK, session: str = "s", user: str | None = None, **options: Any
    ) -> None:
        self.backend = HindsightBackend(HindsightConfig(api_url=url, **options), bank)
        self.session = fabric.session(session, user=user)

    def do(self, call: Callable[[Context], Any]) -> Any:
        @handler(name="step", uses=HINDSIGHT_RESOURCES)
        async def step(_: Any, ctx: Context) -> Any:
            return await call(ctx)

        return self.session.run(step).output

    def retain(self, *texts: str) -> Any:
        return self.do(lambda ctx: self.backend.retain(ctx, [RetainItem(content=text) for text in texts]))

    def keep(self, text: str, document: str = "s") -> Any:
        transcript = Transcript(text=text, user_text=text, plain=text, document=document, turns=1)
        return self.do(lambda ctx: self.backend.keep(ctx, transcript))

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.backend, name)
        return lambda *given: self.do(lambda ctx: method(ctx, *given))


def opened(folder: Path, name: str = "a") -> Fabric:
    return Fabric(folder / f"{name}.duckdb")


def sent(server: HindsightDouble, path: str = "/memories") -> list[Request]:
    """Return the requests whose path ends so, in the order in which they were answered."""
    return [request for request in list(server.requests) if request.path.partition("?")[0].endswith(path)]


def batches(server: HindsightDouble) -> list[list[str]]:
    """Return the contents of each batch that was sent, whatever came of it."""
    return [[item["content"] for item in request.body["items"]] for request in sent(server)]


def facts(server: HindsightDouble, bank: str = "team") -> list[str]:
    return list(server.banks[bank].texts) if bank in server.banks else []


def until(happened: Callable[[], Any], seconds: float = 240.0) -> Any:
    """Wait for what happens; the time only ends what hangs."""
    end = time.monotonic() + seconds
    while not (found := happened()):
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.005)
    return found
