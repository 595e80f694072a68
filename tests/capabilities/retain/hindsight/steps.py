"""Blocks over one backend, as the tools and pipelines of retain have them, and waiting for what happens."""

import time
from collections.abc import Callable
from typing import Any

from capabilities.retain import Bank, HindsightConfig, RetainItem
from capabilities.retain.hindsight import HINDSIGHT_RESOURCES, HindsightBackend
from fabric import Context, Fabric, handler


class Steps:
    """A backend, and what one session does with it."""

    def __init__(
        self,
        fabric: Fabric,
        url: str,
        bank: Bank | None = None,
        session: str = "s",
        user: str | None = None,
        **options: Any,
    ) -> None:
        self.backend = HindsightBackend(HindsightConfig(api_url=url, **options), bank or Bank("team", ("team",)))
        self.session = fabric.session(session, user=user)

    def do(self, call: Callable[[Context], Any]) -> Any:
        @handler(name="step", uses=HINDSIGHT_RESOURCES)
        async def step(_: Any, ctx: Context) -> Any:
            return await call(ctx)

        return self.session.run(step).output

    def retain(self, *texts: str) -> Any:
        return self.do(lambda ctx: self.backend.retain(ctx, [RetainItem(content=text) for text in texts]))

    def waiting(self) -> Any:
        return self.do(self.backend.waiting)

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.backend, name)
        return lambda *given: self.do(lambda ctx: method(ctx, *given))


def until(happened: Callable[[], Any], seconds: float = 120.0) -> Any:
    """Wait for what happens; the time only ends what hangs."""
    end = time.monotonic() + seconds
    while not (found := happened()):
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.005)
    return found
