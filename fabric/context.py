"""The context: what a running block is handed. Whose data it is, what was said, what it may use."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from pydantic import BaseModel

from .capability import Capability, merge_capabilities
from .clock import Clock
from .errors import CapabilityError
from .events import Event
from .items import Draft, Item
from .logger import logger
from .models.base import ModelClient, Usage
from .resource import Document, Transaction
from .scope import ScopeIds

if TYPE_CHECKING:
    from .block import Block
    from .erasure import Erased

H = TypeVar("H")
M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")


class Run(Protocol):
    """One run of a root block: what every context of that run shares. `fabric.run` has the real one."""

    @property
    def id(self) -> str:
        """The run's id."""
        ...

    @property
    def ids(self) -> ScopeIds:
        """The ids that the session was opened with."""
        ...

    @property
    def clock(self) -> Clock:
        """Time, ids and chance."""
        ...

    @property
    def models(self) -> ModelClient:
        """Who answers model calls."""
        ...

    @property
    def input(self) -> Any:
        """The value the root block was run on."""
        ...

    @property
    def turn(self) -> int:
        """The number of the session's current turn: user messages so far."""
        ...

    @property
    def listening(self) -> bool:
        """Whether somebody streams this run's events."""
        ...

    @property
    def observed(self) -> bool:
        """Whether somebody streams this run's events, or records its spans."""
        ...

    @property
    def in_job(self) -> bool:
        """Whether this is background work, which may be tried again after a crash."""
        ...

    def items(self) -> Sequence[Item]:
        """Return the session's items up to this run's turn, oldest first."""
        ...

    def redact(self, text: str) -> str:
        """Return the text as it may be stored: without secrets, unless the file was opened with that switched off."""
        ...

    def secrets_in(self, text: str) -> list[str]:
        """Return the kind and place of each secret that is taken out of a text."""
        ...

    def record(self, drafts: Sequence[Draft], block: str) -> list[Item]:
        """Add items to the session; they are stored when the run ends at the latest."""
        ...

    @property
    def added(self) -> Sequence[Item]:
        """The items that this run added, oldest first."""
        ...

    def erase(self, erased: "Erased") -> None:
        """Take what a transaction erased out of the logs in memory too.

        Called as the last thing inside the transaction, it keeps runs from storing meanwhile what was erased.
        """
        ...

    def emit(self, event: Event) -> None:
        """Hand an event to whoever streams the run."""
        ...

    def spend(self, usage: Usage, *, model: str = "", block: str = "") -> None:
        """Count what a model call cost, which model answered and which block asked."""
        ...

    async def check_budget(self, path: str) -> None:
        """Raise BudgetExceededError when the run or the day has no budget left for a model call."""
        ...

    async def transact(self, work: Callable[[Transaction], T]) -> T:
        """Run ``work`` in one transaction."""
        ...

    def transact_sync(self, work: Callable[[Transaction], T]) -> T:
        """Do the same from a thread that has no event loop."""
        ...

    async def once(self, key: str, work: Callable[[Transaction], T]) -> T:
        """Run ``work`` in one transaction, at most once per background job and key."""
        ...

    def enqueue(
        self,
        block: "Block[Any, Any]",
        value: Any,
        ctx: "Context",
        name: str,
        beside: Callable[[Transaction], None] | None = None,
    ) -> Any:
        """Put a block's run among the background work; return a ticket for `settle`.

        ``beside`` is done in the transaction that stores the job.
        """
        ...

    async def settle(self, tickets: Sequence[Any], *, fail_on_error: bool, timeout: float | None) -> None:  # noqa: ASYNC109  seconds to wait, as in drain
        """Wait for background work of this run."""
        ...


class Context:
    """What a block receives beside its input.

    ``ctx.user`` and the other ids say whose run it is; ``ctx.items`` is the session so far; ``ctx.cap.<name>`` and
    ``ctx[capability]`` reach what the block declared with ``uses``; ``ctx.transact`` reads and writes resources.
    """

    __slots__ = ("_cap", "block", "lent", "parent", "run", "tickets")

    def __init__(self, run: Run, block: "Block[Any, Any] | None" = None, parent: "Context | None" = None) -> None:
        self.run = run
        self.block = block
        self.parent = parent
        self.tickets: list[Any] | None = None  # of the background work that this run of a sequencer started
        self.lent: dict[Capability[Any], Any] | None = None  # what capabilities hold while this block runs
        self._cap: CapabilityView | None = None

    def child(self, block: "Block[Any, Any]") -> "Context":
        """Return the context of a block inside this one."""
        return Context(self.run, block, self)

    @property
    def path(self) -> str:
        """The block's place, outermost first: ``"chat-with-memory > chat"``."""
        names: list[str] = []
        here: Context | None = self
        while here is not None:
            if here.block is not None:
                names.append(here.block.name)
            here = here.parent
        return " > ".join(reversed(names))

    @property
    def ids(self) -> ScopeIds:
        """The ids that the session was opened with."""
        return self.run.ids

    @property
    def session(self) -> str:
        """The session's id."""
        return self.run.ids.session

    @property
    def user(self) -> str | None:
        """The user's id."""
        return self.run.ids.user

    @property
    def agent(self) -> str | None:
        """The agent's id."""
        return self.run.ids.agent

    @property
    def project(self) -> str | None:
        """The project's id."""
        return self.run.ids.project

    @property
    def org(self) -> str | None:
        """The organisation's id."""
        return self.run.ids.org

    @property
    def turn(self) -> int:
        """The number of the session's current turn: user messages so far."""
        return self.run.turn

    @property
    def input(self) -> Any:
        """The value the root block was run on."""
        return self.run.input

    @property
    def items(self) -> Sequence[Item]:
        """The session's items up to this turn, oldest first."""
        return self.run.items()

    @property
    def clock(self) -> Clock:
        """Time, ids and chance."""
        return self.run.clock

    @property
    def log(self) -> Any:
        """A structlog logger bound with the block's path and the session's ids."""
        ids = {kind: value for kind, value in self.ids.as_dict().items() if value is not None}
        return logger(block=self.path, run=self.run.id, **ids)

    @property
    def cap(self) -> "CapabilityView":
        """The capabilities that this block and those around it declared, by name."""
        if self._cap is None:
            self._cap = CapabilityView(self)
        return self._cap

    def __getitem__(self, capability: Capability[H]) -> H:
        return self.cap.of(capability)

    def find_lent(self, base: Capability[Any]) -> Any:
        """Return what a capability holds while this block, or one around it, runs; None when it holds nothing."""
        here: Context | None = self
        while here is not None:
            if here.lent is not None and base in here.lent:
                return here.lent[base]
            here = here.parent
        return None

    def redact(self, text: str) -> str:
        """Return the text as it may be stored: without secrets, unless the file was opened with that switched off."""
        return self.run.redact(text)

    def secrets_in(self, text: str) -> list[str]:
        """Return the kind and place of each secret that `redact` takes out, as "github_token at 12-52"."""
        return self.run.secrets_in(text)

    def record(self, *drafts: Draft) -> list[Item]:
        """Add items to the session and return them."""
        return self.run.record(drafts, self.path)

    async def transact(self, work: Callable[[Transaction], T], *, once: str = "") -> T:
        """Run the function ``work`` in one transaction, on the store's thread, and return its result.

        ``work`` must be plain (not async), quick, and free of other effects. With ``once``, a name unique in this
        block, the transaction happens at most once per background job, crash or not: a second try returns the first
        one's result, which must therefore be a JSON value.
        """
        if once:
            return await self.run.once(f"{self.path}#{once}", work)
        return await self.run.transact(work)

    def transact_sync(self, work: Callable[[Transaction], T]) -> T:
        """Do the same from a thread that has no event loop, such as one that computes something on the way."""
        return self.run.transact_sync(work)

    async def read(self, document: Document[M]) -> M:
        """Return the document's value."""
        return await self.transact(lambda tx: tx.read(document))

    async def update(self, document: Document[M], change: Callable[[M], M]) -> M:
        """Replace the document's value by ``change(value)`` and return it; no concurrent update is lost."""

        def work(tx: Transaction) -> M:
            value = change(tx.read(document))
            tx.write(document, value)
            return value

        return await self.transact(work)


class CapabilityView:
    """``ctx.cap``: capabilities as attributes, their helpers made when first used."""

    __slots__ = ("_ctx", "_known", "_made")

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._known: Mapping[str, Capability[Any]] | None = None
        self._made: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        known = self.declared()
        if name not in known:
            have = ", ".join(sorted(known)) or "none"
            raise CapabilityError(
                f"{self._ctx.path}: no capability {name!r} is declared here (declared: {have}); "
                "add it to the block's uses=[...]"
            )
        return self.of(known[name])

    def of(self, capability: Capability[H]) -> H:
        """Return the helpers of a declared capability."""
        known = self.declared().get(capability.name)
        if known is None or known.base is not capability.base:
            raise CapabilityError(
                f"{self._ctx.path}: capability {capability.name!r} is not declared here; add it to uses=[...]"
            )
        lent = self._ctx.find_lent(known.base)
        if lent is not None:
            return cast("H", lent)
        if capability.name not in self._made:
            if known.helpers is None:
                raise CapabilityError(f"capability {capability.name!r} has no helpers")
            self._made[capability.name] = known.helpers(self._ctx)
        made: H = self._made[capability.name]
        return made

    def declared(self) -> Mapping[str, Capability[Any]]:
        """Return the capabilities of this block and those around it, by name."""
        if self._known is None:
            pairs: list[tuple[str, Capability[Any]]] = []
            here: Context | None = self._ctx
            while here is not None:
                if here.block is not None:
                    pairs.extend((here.block.name, one) for one in here.block.capabilities)
                here = here.parent
            self._known = merge_capabilities(pairs)
        return self._known
