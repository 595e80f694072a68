"""A prospective memory that is open for a test, under a clock that stands still."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Self, TypeVar

from capabilities.prospective import ProspectiveMemory, create_prospective
from fabric import Context, Fabric, handler
from fabric.testing import FrozenClock

T = TypeVar("T")


class Desk:
    """Calls of one prospective memory, each in a run of its own; ``clock`` is moved by the test."""

    def __init__(self, path: Path | str = ":memory:", clock: FrozenClock | None = None, **options: Any) -> None:
        self.clock = clock or FrozenClock()
        self.capability = create_prospective(**{"embedder": None, **options})
        self.fabric = Fabric(path, clock=self.clock)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.fabric.close()

    def __call__(
        self,
        work: Callable[[ProspectiveMemory], Awaitable[T]],
        session: str = "monday",
        user: str | None = "jake",
        **ids: Any,
    ) -> T:
        """Return what a function does with the memory of a session."""

        @handler(name="work", uses=[self.capability])
        async def call(_: object, ctx: Context) -> Any:
            return await work(ctx[self.capability])

        result: T = self.fabric.session(session, user=user, **ids).run(call).output
        return result

    def checked(self, **options: Any) -> list[str]:
        """Return what a check brings back, by its content."""
        return [one.content for one in self(lambda memory: memory.check(**options))]
