"""Capture: keep the turn, observe, reflect, tick, and behind them consolidate and prune."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from blocks.capture.exchange import exchange_from_items, exchange_from_text
from blocks.capture.keep import keep_block, keep_with_job
from blocks.capture.observe import observe_block
from blocks.capture.observed import CaptureResult, Observed
from blocks.capture.reflect import reflect_block
from blocks.capture.tick import tick_block
from blocks.consolidation.consolidate import ConsolidationResult, consolidate_block
from blocks.consolidation.prune import PruneResult, prune_block
from blocks.reembed import catch_up_block
from capabilities.memory.layout import MemoryLayout
from capabilities.turns import Exchange
from fabric.errors import SchemaError
from fabric.flow.block import Block
from fabric.flow.context import Context
from fabric.flow.sequencer import Sequencer, sequencer
from fabric.generation.generator import ModelChoice
from fabric.models.server import ModelServer
from fabric.validation import shown


@dataclass(frozen=True, slots=True)
class CaptureSteps:
    """The blocks of one memory system's capture, each made once, so that pipelines can share them."""

    layout: MemoryLayout
    keep: Block[Exchange, Exchange | CaptureResult]
    observe: Block[Exchange, Observed]
    reflect: Block[Observed, CaptureResult]
    consolidate: Block[object, ConsolidationResult] | None
    prune: Block[object, PruneResult] | None
    consolidate_later: Block[Any, Any] | None
    prune_later: Block[Any, Any] | None
    catch_up_later: Block[Any, Any] | None

    def from_text(self) -> Block[Any, Any]:
        """Return the capture that takes a user message: a string, or message content in any form."""
        return self._wired("capture", exchange_from_text)

    def observe_alone(self) -> Block[Any, Observed | CaptureResult]:
        """Return the step that keeps a user's message, or the turn of the session's items, and observes it."""
        return (
            sequencer(name=f"{self.layout.name}/observe-alone", input_schema=Exchange)
            .then(self.keep)
            .exit_if(_is_over)
            .then(self.observe)
            .connect_input(_exchange)
        )

    def reflect_alone(self) -> Block[Observed | CaptureResult, CaptureResult]:
        """Return the step that writes what was observed into the tiers, and leaves the turn open for `tick_alone`."""
        reflect = reflect_block(self.layout, ends_turn=False)
        steps = sequencer(name=f"{self.layout.name}/reflect-alone").exit_if(_is_over).then(reflect)
        return steps.connect_input(_observed)

    def tick_alone(self) -> Block[Any, int]:
        """Return the step that ends the turn; its output is the turn reached."""
        return tick_block(self.layout)

    def from_items(self) -> Block[Any, Any]:
        """Return the capture that reads the session's last user message and the answer to it."""
        return self._wired("capture-from-items", exchange_from_items)

    def _wired(self, name: str, exchange: Callable[..., Exchange]) -> Block[Any, Any]:
        steps = (
            sequencer(name=f"{self.layout.name}/{name}", input_schema=Exchange)
            .then(self.keep)
            .exit_if(_is_over)
            .then(self.observe)
            .then(self.reflect)
        )
        taking = self._maintained(steps).connect_input(exchange)
        return taking.store_with_job(keep_with_job(self.layout), hears=True)

    def _maintained(self, steps: Sequencer[Any, Any]) -> Sequencer[Any, Any]:
        """Put consolidation and pruning behind the capture, each only when it is due."""
        if self.consolidate_later is not None:
            steps = steps.then_if(lambda done: done.consolidation_due, self.consolidate_later)
        if self.prune_later is not None:
            steps = steps.then_if(lambda done: done.prune_due, self.prune_later)
        if self.catch_up_later is not None:
            steps = steps.then_if(self._behind, self.catch_up_later)
        return steps

    def _behind(self, _: CaptureResult, ctx: Context) -> bool:
        return self.layout.meaning.is_behind(ctx.ids.scope(self.layout.turns.scope))


def _is_over(kept: object) -> bool:
    """Return whether there is nothing left to do: the turn was taken in before, or holds nothing."""
    return isinstance(kept, CaptureResult)


def _exchange(value: Any, ctx: Context) -> Exchange:
    return exchange_from_items(value, ctx) if value is None else exchange_from_text(value, ctx)


def _observed(value: Any) -> Observed | CaptureResult:
    if isinstance(value, Observed | CaptureResult):
        return value
    wanted = "put mem.observe before it, or give mem.capture a message to take the whole way"
    raise SchemaError(f"mem.reflect takes what mem.observe returns, got {shown(value)}: {wanted}")


def capture_steps(layout: MemoryLayout, model: ModelChoice | None, server: ModelServer | None = None) -> CaptureSteps:
    """Return the blocks of a layout's capture; consolidation and pruning only where there is semantic memory."""
    semantic = layout.semantic is not None
    consolidate = consolidate_block(layout, model, server) if semantic else None
    prune = prune_block(layout, model, server) if semantic else None
    catch_up = None if layout.meaning.embedder is None else catch_up_block(layout)
    return CaptureSteps(
        layout,
        keep_block(layout),
        observe_block(layout, model, server),
        reflect_block(layout),
        consolidate,
        prune,
        _later(consolidate, catch_up),
        _later(prune, catch_up),
        _later(catch_up, None),
    )


def _later(block: Block[Any, Any] | None, catch_up: Block[Any, Any] | None) -> Block[Any, Any] | None:
    """Return background work, followed by giving vectors to the texts that it wrote, if there are any."""
    if block is None:
        return None
    work = block
    if catch_up is not None:
        vectors = sequencer(name=f"{block.name}-vectors").work(lambda _: None, catch_up)
        work = sequencer(name=block.name).then(block).then_if(lambda done: done.unembedded, vectors)
    return sequencer(name=f"{block.name}-later").work(lambda _: None, work)
