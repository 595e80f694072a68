"""Finds, while a pipeline is built, what could not work when it runs; and knows what a whole tree of blocks needs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple, get_args, get_origin
from weakref import WeakKeyDictionary

from ..errors import DuplicateNameError, SchemaMismatchError
from .block import PATH, Block
from .calls import Call, annotations, awaited
from .capability import Capability, Use, merge_capabilities, opposite_switches
from .compatibility import either, fits, shown_type
from .context import Context
from .handler import Handler
from .resource import Resource, merge_resources

__all__ = ["Body", "Flow", "Index", "Inline", "Survey", "either", "fits", "index_of", "survey"]


class Survey(NamedTuple):
    """What a tree of blocks needs from a run.

    ``resources`` are by key. ``work`` are the blocks that run in the background, by their path from the root:
    ``"root > inner > block"``, the same string as ``ctx.path`` of that block. ``hears`` says that one of its blocks
    takes in what the user says.
    """

    resources: Mapping[str, Resource]
    work: Mapping[str, Block[Any, Any]]
    hears: bool


def survey(block: Block[Any, Any]) -> Survey:
    """Return what ``block`` and all blocks inside it need; WiringError when they cannot work together."""
    known_survey = _SURVEYS.get(block)
    if known_survey is None:
        block.verify()
        index = index_of(block)
        resources = {key: resource for key, (_, resource) in index.resources.items()}
        work = {f"{block.name}{PATH}{path}": inside for path, inside in index.work.items()}
        hears = block.hears or any(block.hears for blocks in index.names.values() for block in blocks)
        known_survey = _SURVEYS[block] = Survey(MappingProxyType(resources), MappingProxyType(work), hears)
    return known_survey


class Inline(Handler):
    """A handler made from a function given in place of a block: its name counts only among its siblings."""


@dataclass(frozen=True, slots=True)
class Index:
    """What is inside a block, by name, key or path; made step by step, so that a long chain stays cheap to build."""

    siblings: Mapping[str, Block[Any, Any]] = field(default_factory=dict[str, Block[Any, Any]])
    names: Mapping[str, frozenset[Block[Any, Any]]] = field(default_factory=dict[str, frozenset[Block[Any, Any]]])
    capabilities: Mapping[str, tuple[str, Capability[Any]]] = field(
        default_factory=dict[str, tuple[str, Capability[Any]]]
    )
    resources: Mapping[str, tuple[str, Resource]] = field(default_factory=dict[str, tuple[str, Resource]])
    work: Mapping[str, Block[Any, Any]] = field(default_factory=dict[str, Block[Any, Any]])
    own: Mapping[tuple[str, str], tuple[str, bool]] = field(default_factory=dict[tuple[str, str], tuple[str, bool]])
    """How the block itself switches a preset, by names of capability and preset, with the block's name."""
    switched: Mapping[tuple[str, str, bool], str] = field(default_factory=dict[tuple[str, str, bool], str])
    """Which block, this one or one inside, switches a preset that way."""

    def declaring(self, place: str, uses: Iterable[Use]) -> "Index":
        """Return the index with what the block ``place`` declares."""
        uses = tuple(uses)
        if not uses:
            return self
        declared = [(place, use.base) for use in uses if isinstance(use, Capability)]
        capabilities = {
            capability.name: (place, capability.base) for capability in merge_capabilities(declared).values()
        }
        own = _switches(place, uses)
        pairs = [(place, use) for use in uses if not isinstance(use, Capability)]
        pairs += [(place, resource) for _, capability in capabilities.values() for resource in capability.resources]
        resources = {key: (place, resource) for key, resource in merge_resources(pairs).items()}
        return Index(
            self.siblings,
            self.names,
            self._merged_capabilities(capabilities),
            self._merged_resources(resources),
            self.work,
            own,
            {**self.switched, **{(*preset, on): place for preset, (place, on) in own.items()}},
        )

    def plus(self, block: Block[Any, Any], *, background: bool = False) -> "Index":
        """Return the index with ``block`` inside."""
        sibling = self.siblings.get(block.name)
        if sibling is block and (not background or self.work.get(block.name) is block):
            return self
        if sibling is not None and sibling is not block:
            raise _duplicate(block.name, sibling, block)
        block.verify()
        inner = index_of(block)
        work = {f"{block.name}{PATH}{path}": entry for path, entry in inner.work.items()}
        if background:
            work[block.name] = block
        return Index(
            {**self.siblings, block.name: block},
            self._merged_names(block, inner),
            self._merged_capabilities(inner.capabilities),
            self._merged_resources(inner.resources),
            {**self.work, **work},
            self.own,
            self._merged_switches(inner),
        )

    def _merged_switches(self, inner: "Index") -> Mapping[tuple[str, str, bool], str]:
        for (name, preset, on), place in inner.switched.items():
            here, own = self.own.get((name, preset), ("", on))
            if own != on:
                raise opposite_switches(name, preset, (place, on), here)
        return {**inner.switched, **self.switched} if inner.switched else self.switched

    def _merged_names(self, block: Block[Any, Any], inner: "Index") -> Mapping[str, frozenset[Block[Any, Any]]]:
        added = dict(inner.names)
        if not isinstance(block, Inline):  # a container may carry the name of what it contains: their paths differ
            added[block.name] = added.get(block.name, frozenset()) | {block}
        for name, blocks in added.items():
            named = self.names.get(name, blocks)
            if named != blocks:
                raise _duplicate(name, *sorted(named ^ blocks, key=id)[:1], *(named & blocks or named | blocks))
        return {**self.names, **added}

    def _merged_capabilities(
        self, added: Mapping[str, tuple[str, Capability[Any]]]
    ) -> Mapping[str, tuple[str, Capability[Any]]]:
        for name, entry in added.items():
            earlier = self.capabilities.get(name)
            if earlier is not None and earlier[1] is not entry[1]:
                merge_capabilities([earlier, entry])
        return {**added, **self.capabilities} if added else self.capabilities

    def _merged_resources(self, added: Mapping[str, tuple[str, Resource]]) -> Mapping[str, tuple[str, Resource]]:
        for key, entry in added.items():
            known = self.resources.get(key)
            if known is not None and known[1] is not entry[1]:
                merge_resources([known, entry])
        return {**added, **self.resources} if added else self.resources


def _switches(place: str, uses: Iterable[Use]) -> dict[tuple[str, str], tuple[str, bool]]:
    merged = merge_capabilities((place, use) for use in uses if isinstance(use, Capability))
    return {
        (capability.name, preset): (place, on)
        for capability in merged.values()
        for preset, on in capability.switches.items()
    }


def index_of(block: Block[Any, Any]) -> Index:
    """Return what is inside ``block``, with what it declares itself; WiringError when that cannot work together."""
    index = _INDEXES.get(block)
    if index is None:
        index = Index().declaring(block.name, (*block.capabilities, *block.resources))
        background = set(block.background())
        for _, child in block.children():
            index = index.plus(child, background=child in background)
        _INDEXES[block] = index
    return index


def remember(block: Block[Any, Any], index: Index) -> None:
    """Keep an index that was made step by step, so that `index_of` need not make it again."""
    _INDEXES[block] = index


_INDEXES: WeakKeyDictionary[Block[Any, Any], Index] = WeakKeyDictionary()
_SURVEYS: WeakKeyDictionary[Block[Any, Any], Survey] = WeakKeyDictionary()


class Flow(NamedTuple):
    """What arrives at a step: the type of the value, and who gives it, as messages write it."""

    type: Any = Any
    by: str = ""


@dataclass(frozen=True, eq=False, slots=True)
class Body:
    """A block with the connector that makes its input from the value of the chain."""

    block: Block[Any, Any]
    connector: Call | None = None

    async def __call__(self, value: Any, ctx: Context) -> Any:
        """Run the connector and the block."""
        if self.connector is not None:
            value = await self.connector(value, ctx)
        return await self.block(value, ctx)

    def flow(self, given: Flow) -> Flow:
        """Return what the block gives; SchemaMismatchError when it or its connector cannot take ``given``."""
        arriving = given if self.connector is None else call_flow(self.connector, given)
        block = self.block
        require(arriving, block.accepts, repr(block.name), parsed=block.input_schema is not None)
        return Flow(block.returns, repr(block.name))


def call_flow(call: Call, given: Flow) -> Flow:
    """Return what a function between two blocks gives; SchemaMismatchError when it cannot take ``given``."""
    accepts, returns = annotations(call.fn)
    who = f"the function {call.name!r}"
    if call.shape.startswith("value"):
        require(given, accepts, who, parsed=False)
    return Flow(awaited(returns), who)


def listed_type(given: Flow, taker: str) -> Any:
    """Return the type of the elements of what arrives; SchemaMismatchError when it can be no list."""
    require(given, list[Any] | tuple[Any, ...] | None, f"for_each {taker!r}", parsed=False)
    arguments = get_args(given.type)
    if get_origin(given.type) is list and len(arguments) == 1:
        return arguments[0]
    return Any


def require(given: Flow, wanted: Any, taker: str, *, parsed: bool) -> None:
    """Raise SchemaMismatchError when no value of what arrives could be taken."""
    if not fits(given.type, wanted, parsed=parsed):
        raise SchemaMismatchError(
            f"{given.by} gives {shown_type(given.type)}, but {taker} takes {shown_type(wanted)}; "
            "put .map(...) or a connector between them, or change one of the two"
        )


def _duplicate(name: str, first: Block[Any, Any], *others: Block[Any, Any]) -> DuplicateNameError:
    kinds = " and ".join(f"a {block.kind}" for block in (first, *others[:1]))
    return DuplicateNameError(
        f"two different blocks are named {name!r} ({kinds}); "
        f"use one block value in both places, or give one another name: block.renamed('...')"
    )
