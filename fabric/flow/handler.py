"""The handler: a block made from a plain function, sync or async, with no model call of its own."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Concatenate, Protocol, TypeVar, Unpack, overload

from .block import Block, CommonOptions, rescues_of
from .calls import Call, annotations, awaited
from .capability import Use
from .context import Context
from .failing import Retry

I = TypeVar("I")  # noqa: E741  input
O = TypeVar("O")  # noqa: E741  output


class HandlerOptions(CommonOptions, total=False):
    """What `handler` takes beside the function."""

    name: str
    input_schema: Any
    output_schema: Any


class Make(Protocol):
    """What ``@handler(name=...)`` applies to the function below it."""

    @overload
    def __call__(self, fn: Callable[[], Awaitable[O]] | Callable[[Context], Awaitable[O]], /) -> Block[object, O]: ...
    @overload
    def __call__(self, fn: Callable[Concatenate[I, ...], Awaitable[O]], /) -> Block[I, O]: ...
    @overload
    def __call__(self, fn: Callable[[], O] | Callable[[Context], O], /) -> Block[object, O]: ...
    @overload
    def __call__(self, fn: Callable[Concatenate[I, ...], O], /) -> Block[I, O]: ...


@dataclass(frozen=True, eq=False, kw_only=True)
class Handler(Block[Any, Any]):
    """A block that calls ``fn(value, ctx)``. A plain function runs on the event loop: keep it quick."""

    fn: Callable[..., Any]

    async def execute(self, value: Any, ctx: Context) -> Any:
        """Call the function."""
        return await self._call(value, ctx)

    @cached_property
    def _call(self) -> Call:
        return Call(self.fn, where=self.name)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._call  # noqa: B018  a function of the wrong shape is found now
        self.verify()

    @property
    def _takes(self) -> Any:
        return annotations(self.fn)[0] if self._call.shape.startswith("value") else Any

    @property
    def _gives(self) -> Any:
        return awaited(annotations(self.fn)[1])


@overload
def handler(fn: None = None, /, **options: Unpack[HandlerOptions]) -> Make: ...
@overload
def handler(
    fn: Callable[[], Awaitable[O]] | Callable[[Context], Awaitable[O]], /, **options: Unpack[HandlerOptions]
) -> Block[object, O]: ...
@overload
def handler(fn: Callable[Concatenate[I, ...], Awaitable[O]], /, **options: Unpack[HandlerOptions]) -> Block[I, O]: ...
@overload
def handler(fn: Callable[[], O] | Callable[[Context], O], /, **options: Unpack[HandlerOptions]) -> Block[object, O]: ...
@overload
def handler(fn: Callable[Concatenate[I, ...], O], /, **options: Unpack[HandlerOptions]) -> Block[I, O]: ...
def handler(
    fn: Callable[..., Any] | None = None,
    /,
    *,
    name: str = "",
    description: str = "",
    input_schema: Any = None,
    output_schema: Any = None,
    uses: Sequence[Use] = (),
    retry: Retry | None = None,
    rescue: Block[Any, Any] | Mapping[type[Exception], Block[Any, Any]] | None = None,
    connect_input: Callable[..., Any] | None = None,
) -> Any:
    """Make a block from a function: ``@handler``, ``@handler(name=...)`` or ``handler(fn, name=...)``.

    The function takes ``()``, ``(value)``, ``(ctx)`` or ``(value, ctx)``. Its annotations are used to check the wiring;
    values are checked only against ``input_schema`` and ``output_schema``.

    >>> @handler
    ... def shout(text: str) -> str:
    ...     return text.upper()
    >>> shout.name
    'shout'
    """

    def make(function: Callable[..., Any]) -> Handler:
        own_name = getattr(function, "__name__", "")
        return Handler(
            fn=function,
            name=name or ("" if own_name == "<lambda>" else own_name),
            description=description or (function.__doc__ or "").strip(),
            input_schema=input_schema,
            output_schema=output_schema,
            uses=tuple(uses),
            retry=retry,
            rescues=rescues_of(rescue),
            connector=connect_input,
        )

    return make if fn is None else make(fn)
