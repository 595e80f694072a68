"""The router: a block that picks, for each value, which of its routes runs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, TypeVar

from ..errors import ConfigurationError, DuplicateNameError, NoBranchError
from .block import Block, rescues_of
from .calls import Call
from .capability import Use
from .compatibility import either
from .context import Context
from .failing import Retry
from .wiring import index_of

T = TypeVar("T")


@dataclass(frozen=True, eq=False, kw_only=True)
class Router(Block[Any, Any]):
    """A block that runs the route that ``choose`` returns, on the same value."""

    places: ClassVar[bool] = True
    routes: tuple[Block[Any, Any], ...]
    choose: Callable[..., Any]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.routes:
            raise ConfigurationError(f"router {self.name!r} needs at least one route")
        if len(self._by_name) < len({id(route) for route in self.routes}):
            names = ", ".join(route.name for route in self.routes)
            raise DuplicateNameError(
                f"router {self.name!r}: two routes share a name: {names}; use block.renamed('...')"
            )
        self._choice  # noqa: B018  a function of the wrong shape is found now
        index_of(self)

    async def execute(self, value: Any, ctx: Context) -> Any:
        """Choose a route and run it; NoBranchError when the choice is none of them."""
        chosen = await self._choice(value, ctx)
        route = next((route for route in self.routes if chosen is route or chosen == route.name), None)
        if route is None:
            shown = getattr(chosen, "name", chosen)
            raise NoBranchError(f"{ctx.path}: chose {shown!r}, expected one of its routes: {', '.join(self._by_name)}")
        return await route(value, ctx)

    def children(self) -> Sequence[tuple[str, Block[Any, Any]]]:
        """Return the routes, and the blocks of the rescues."""
        return [*((route.name, route) for route in self.routes), *super().children()]

    @property
    def _gives(self) -> Any:
        return either(*(route.returns for route in self.routes))

    @cached_property
    def _choice(self) -> Call:
        return Call(self.choose, where=f"{self.name}: choose")

    @cached_property
    def _by_name(self) -> Mapping[str, Block[Any, Any]]:
        return {route.name: route for route in self.routes}


def router(
    *,
    routes: Sequence[Block[Any, T]],
    choose: Callable[..., Any],
    name: str,
    description: str = "",
    input_schema: Any = None,
    output_schema: Any = None,
    uses: Sequence[Use] = (),
    retry: Retry | None = None,
    rescue: Block[Any, Any] | Mapping[type[Exception], Block[Any, Any]] | None = None,
    connect_input: Callable[..., Any] | None = None,
) -> Block[object, T]:
    """Make a router: ``choose`` returns one of ``routes``, or its name; that block runs on the same value.

    >>> from fabric.flow.handler import handler
    >>> even, odd = handler(lambda n: n // 2, name="even"), handler(lambda n: 3 * n + 1, name="odd")
    >>> step = router(routes=[even, odd], choose=lambda n: odd if n % 2 else even, name="step")
    """
    return Router(
        routes=tuple(routes),
        choose=choose,
        name=name,
        description=description,
        input_schema=input_schema,
        output_schema=output_schema,
        uses=tuple(uses),
        retry=retry,
        rescues=rescues_of(rescue),
        connector=connect_input,
    )
