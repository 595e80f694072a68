"""Capabilities: what a block may be given, in one bundle: resources, functions, context lines and tools."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from types import FunctionType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..errors import CapabilityError, ConfigurationError
from .resource import Collection, Document, Resource
from .tool import Tool

if TYPE_CHECKING:
    from .context import Context

H = TypeVar("H")
ContextSource = Any
"""A string, or a function of the context (sync or async) that returns a string; "" adds nothing."""


@dataclass(frozen=True, eq=False, slots=True)
class ContextLines:
    """A function of the context that gives lines for a prompt, together with the resources that it reads.

    Put into a generator's ``context=[...]`` it installs those resources, as a capability would.
    """

    lines: "Callable[[Context], Awaitable[str]]"
    resources: tuple[Resource, ...] = ()

    def __call__(self, ctx: "Context") -> "Awaitable[str]":
        """Return the lines."""
        return self.lines(ctx)


@dataclass(frozen=True, slots=True)
class Preset:
    """A part of a capability that a generator gets, and whether it is on unless switched.

    ``header`` stands before the generator's own system text, ``context`` after it.
    """

    header: tuple[ContextSource, ...] = ()
    context: tuple[ContextSource, ...] = ()
    tools: tuple[Any, ...] = ()
    on: bool = True


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class Capability(Generic[H]):
    """What `define_capability` returns: declare it with ``uses=[capability]``.

    ``switches`` are the presets switched by `presets`; ``base`` is the capability they were switched on, which is the
    identity by which two references to one capability are known to be the same.
    """

    name: str
    resources: tuple[Resource, ...]
    helpers: "Callable[[Context], H] | None"
    bundles: Mapping[str, Preset]
    uses: "tuple[Capability[Any], ...]"
    during: "Callable[[Context], AbstractAsyncContextManager[H]] | None" = None
    switches: Mapping[str, bool] = field(default_factory=dict[str, bool])
    _base: "Capability[H] | None" = None

    @property
    def base(self) -> "Capability[H]":
        """The capability itself, whatever presets were switched."""
        return self._base or self

    def presets(self, **switches: bool) -> "Capability[H]":
        """Return a reference with these presets switched on or off; CapabilityError for a name it has not."""
        for name in switches:
            if name not in self.bundles:
                bundles = ", ".join(sorted(self.bundles)) or "none"
                raise CapabilityError(f"capability {self.name!r} has no preset {name!r}; it has: {bundles}")
        return replace(self, switches={**self.switches, **switches}, _base=self.base)

    def active(self) -> list[Preset]:
        """Return the presets that are on."""
        return [bundle for name, bundle in self.bundles.items() if self.switches.get(name, bundle.on)]


def define_capability(
    name: str,
    *,
    resources: Iterable[Resource] = (),
    helpers: "Callable[[Context], H] | None" = None,
    header: Sequence[ContextSource] = (),
    context: Sequence[ContextSource] = (),
    tools: Sequence[Tool | Callable[..., Any] | Any] = (),
    presets: Mapping[str, Preset] | None = None,
    uses: "Sequence[Capability[Any]]" = (),
    during: "Callable[[Context], AbstractAsyncContextManager[H]] | None" = None,
) -> Capability[H]:
    """Define a capability.

    ``helpers`` is called with the context and returns the object found at ``ctx.cap.<name>`` and ``ctx[capability]``.
    ``during`` does the same for an object that lives as long as the block that declares the capability runs: an async
    context manager of that block's context, entered before each try of the block's work, and left with its error if it
    failed. Blocks inside it find the same object.
    ``header`` (before a generator's own system text), ``context`` (after it) and ``tools`` are the presets of those
    names, on unless switched off with ``.presets(context=False)``; ``presets`` adds more. ``uses`` are capabilities
    this one needs: who declares this one gets them too.

    >>> greeting = define_capability("greeting", helpers=lambda ctx: "hello " + ctx.user)
    >>> greeting.presets(loud=True)
    Traceback (most recent call last):
    fabric.errors.CapabilityError: capability 'greeting' has no preset 'loud'; it has: none
    """
    if not name.isidentifier():
        raise CapabilityError(f"capability name {name!r}: it becomes ctx.cap.<name>, so use letters, digits and _")
    bundles: dict[str, Preset] = {}
    if header:
        bundles["header"] = Preset(header=tuple(header))
    if context:
        bundles["context"] = Preset(context=tuple(context))
    if tools:
        bundles["tools"] = Preset(tools=tuple(tools))
    for key, bundle in (presets or {}).items():
        if key in bundles:
            raise CapabilityError(f"capability {name!r}: preset {key!r} is given twice")
        bundles[key] = bundle
    return Capability(name, tuple(resources), helpers, bundles, tuple(uses), during)


def merge_capabilities(declared: Iterable[tuple[str, Capability[Any]]]) -> dict[str, Capability[Any]]:
    """Return the capabilities by name, dependencies before those that need them.

    ``declared`` are pairs of the place that declares and the capability. One base met twice is one capability: an
    explicit switch wins over a default. CapabilityError when one name has two bases, when two places switch a preset
    opposite ways, or when ``uses`` form a cycle; the message names both places.
    """
    merged: dict[str, tuple[str, Capability[Any]]] = {}
    for place, capability in declared:
        _add(merged, place, capability, ())
    return {name: capability for name, (_, capability) in merged.items()}


def opposite_switches(name: str, preset: str, one: tuple[str, bool], other: str) -> CapabilityError:
    """Return the error for a preset that a block switches one way, and one beside or around it the other way."""
    place, on = one
    return CapabilityError(f"preset {preset!r} of {name!r} is switched {on} by {place} and {not on} by {other}")


def _add(
    merged: dict[str, tuple[str, Capability[Any]]],
    place: str,
    capability: Capability[Any],
    above: tuple[Capability[Any], ...],
) -> None:
    if capability.base in above:
        names = " > ".join(outer.name for outer in (*above, capability))
        raise CapabilityError(f"capabilities use each other in a cycle, declared by {place}: {names}")
    for needed in capability.uses:
        _add(merged, f"{place} (through {capability.name})", needed, (*above, capability.base))
    earlier = merged.get(capability.name)
    if earlier is None:
        merged[capability.name] = (place, capability)
        return
    if earlier[1].base is not capability.base:
        raise CapabilityError(
            f"two different capabilities are named {capability.name!r}: one declared by {earlier[0]}, another by "
            f"{place}; give both the same options, or make it once, {capability.name} = ..., and declare that in "
            "both places"
        )
    switches = dict(earlier[1].switches)
    for preset, on in capability.switches.items():
        if switches.setdefault(preset, on) != on:
            raise opposite_switches(capability.name, preset, (place, on), earlier[0])
    merged[capability.name] = (earlier[0], capability.base.presets(**switches))


Use = Capability[Any] | Resource
"""What a block may declare with ``uses=[...]``."""


def check_use(use: object, block: str) -> None:
    """Raise ConfigurationError for what a block cannot declare."""
    if not isinstance(use, Capability | Document | Collection):
        hint = f"call it: {use.__name__}()" if isinstance(use, FunctionType) else "name its .capability"
        raise ConfigurationError(f"{block}: uses has {use!r}, no capability or resource; {hint}")


def with_lifespan(name: str, declared: Iterable[Capability[Any]]) -> Sequence[Capability[Any]]:
    """Return those of the declared capabilities, and of those they use, that hold something while a block runs."""
    merged = merge_capabilities((name, capability) for capability in declared)
    return [capability for capability in merged.values() if capability.during is not None]


@asynccontextmanager
async def enter_lifespans(capabilities: Sequence[Capability[Any]], ctx: "Context") -> AsyncGenerator[None]:
    """Let the capabilities begin for the block of ``ctx``, and end after it; those that a block around it has go on."""
    before = ctx.lifespan_values
    async with AsyncExitStack() as stack:
        for capability in capabilities:
            if capability.during is not None and ctx.find_lifespan_value(capability.base) is None:
                made = await stack.enter_async_context(capability.during(ctx))
                ctx.lifespan_values = {**(ctx.lifespan_values or {}), capability.base: made}
        try:
            yield
        finally:
            ctx.lifespan_values = before


@asynccontextmanager
async def enter_outer_lifespans(ctx: "Context") -> AsyncGenerator[None]:
    """Let what the blocks around that of ``ctx`` declare begin, each for its own block, as if these ran."""
    around: list[Context] = []
    while ctx.parent is not None:
        ctx = ctx.parent
        around.append(ctx)
    async with AsyncExitStack() as stack:
        for outer in reversed(around):
            if outer.block is not None:
                capabilities = with_lifespan(outer.block.name, outer.block.capabilities)
                await stack.enter_async_context(enter_lifespans(capabilities, outer))
        yield
