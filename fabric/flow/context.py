"""The context: what a running block is handed. Whose data it is, what was said, what it may use."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Protocol, TypeVar, cast

from pydantic import BaseModel

from ..clock import Clock
from ..errors import CapabilityError
from ..record.items import Draft, Item
from ..scope import ScopeIds
from ..telemetry.logger import logger
from .capability import Capability, merge_capabilities
from .resource import Document, Resource, Transaction
from .run import Run, Trial

H = TypeVar("H")
M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")


class Part(Protocol):
    """What a context knows of its block."""

    places: ClassVar[bool]
    """Whether it says itself where what is inside it stands."""

    @property
    def name(self) -> str:
        """The block's name."""
        ...

    @property
    def capabilities(self) -> Sequence[Capability[Any]]:
        """The capabilities that it declares."""
        ...

    @property
    def resources(self) -> Sequence[Resource]:
        """The resources that it declares itself."""
        ...


class Context:
    """What a block receives beside its input.

    ``ctx.user`` and the other ids say whose run it is; ``ctx.items`` is the session so far; ``ctx.cap.<name>`` and
    ``ctx[capability]`` reach what the block declared with ``uses``; ``ctx.transact`` reads and writes resources.
    """

    __slots__ = ("_cap", "block", "lifespan_values", "parent", "run", "trial")

    def __init__(self, run: Run, block: Part | None = None, parent: "Context | None" = None) -> None:
        self.run = run
        self.block = block
        self.parent = parent
        self.trial: Trial | None = None  # what was begun in the try under way, where somebody asks
        self.lifespan_values: dict[Capability[Any], Any] | None = None  # what capabilities hold while this block runs
        self._cap: CapabilityView | None = None

    def child(self, block: Part) -> "Context":
        """Return the context of a block inside this one."""
        return Context(self.run, block, self)

    def marked(self, mark: str) -> "Context":
        """Return a context for what stands at one place of several in this block: an element, a round, a repetition."""
        return Marked(self, mark)

    def numbered(self, name: str) -> "Context":
        """Return the context in which a block of this name is called: the second call is at another place."""
        calls = self.doing().calls
        calls[name] += 1
        return self if calls[name] == 1 else self.marked(f"#{calls[name]}")

    def doing(self) -> Trial:
        """Return what the block of this context has begun in the try under way."""
        home = self
        while home.block is None and home.parent is not None:
            home = home.parent
        if home.trial is None:
            home.trial = Trial()
        return home.trial

    def begin_trial(self, *, is_retried: bool) -> Trial:
        """Begin a try of the block; ``is_retried`` says whether another may follow."""
        self.trial = Trial(is_retried=is_retried)
        return self.trial

    def retried(self) -> Iterator[Trial]:
        """Yield the tries under way that may be taken back, of this block and those around it."""
        here: Context | None = self
        while here is not None:
            if here.trial is not None and here.trial.is_retried:
                yield here.trial
            here = here.parent

    @property
    def marks(self) -> str:
        """What tells apart the places of one path: each element, round and repetition on the way, "" for none."""
        found: list[str] = []
        here: Context | None = self
        around: list[Context] = []
        while here is not None:
            around.append(here)
            here = here.parent
        depth = 0
        for here in reversed(around):
            depth += here.block is not None
            if isinstance(here, Marked):
                found.append(f"{depth}{here.mark}")
        return "/".join(found)

    @property
    def blocks(self) -> list[Part]:
        """This block and those around it, outermost first."""
        found: list[Part] = []
        here: Context | None = self
        while here is not None:
            if here.block is not None:
                found.append(here.block)
            here = here.parent
        return found[::-1]

    @property
    def path(self) -> str:
        """The block's place, outermost first: ``"chat-with-memory > chat"``."""
        return " > ".join([block.name for block in self.blocks])

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

    def declares(self, resource: Resource) -> bool:
        """Return whether this block, or one around it, declared the resource or a capability that brings it."""
        here: Context | None = self
        while here is not None:
            if here.block is not None and any(declared.key == resource.key for declared in here.block.resources):
                return True
            here = here.parent
        brought = (resource for capability in self.cap.declared().values() for resource in capability.resources)
        return any(other.key == resource.key for other in brought)

    def find_lifespan_value(self, base: Capability[Any]) -> Any:
        """Return what a capability holds while this block, or one around it, runs; None when it holds nothing."""
        here: Context | None = self
        while here is not None:
            if here.lifespan_values is not None and base in here.lifespan_values:
                return here.lifespan_values[base]
            here = here.parent
        return None

    def redact(self, text: str) -> str:
        """Return the text as it may be stored: without secrets, unless the file was opened with that switched off."""
        return self.run.secrets.redact(text)

    def clean(self, value: Any) -> Any:
        """Do what `redact` does to a JSON value: names count there, and may be secrets themselves."""
        return self.run.secrets.clean(value)

    def heed(self, question: str, answer: str) -> None:
        """Take note that one message followed another: `redact` takes out a bare secret that it asked for."""
        self.run.secrets.heed(question, answer)

    def secrets_in(self, text: str) -> list[str]:
        """Return the kind and place of each secret that `redact` takes out, as "github_token at 12-52"."""
        return self.run.secrets.secrets_in(text)

    def record(self, *drafts: Draft) -> list[Item]:
        """Add items to the session and return them."""
        items = self.run.record(drafts, self.path)
        for trial in self.retried():
            trial.items.extend(items)
        return items

    async def transact(self, work: Callable[[Transaction], T], *, once: str = "") -> T:
        """Run the function ``work`` in one transaction, on the store's thread, and return its result.

        ``work`` must be plain (not async), quick, and free of other effects. With ``once``, a name unique in this
        block, the transaction happens at most once per background job, named turn or retried block, crash or not: a
        second try returns the first one's result, which must therefore be a JSON value. Each element of a ``for_each``,
        each round of a ``do_until`` and each call of the block has its own.
        """
        if not once:
            return await self.run.transact(work)
        key, marks = f"{self.path}#{once}", self.marks
        key = f"{key}|{marks}" if marks else key
        retried = list(self.retried())
        result = await self.run.once(key, work)
        for trial in retried:
            trial.effects[key] = result
        return result

    def when_stored(self, work: Callable[[Transaction], None]) -> None:
        """Do ``work``, which is as that of `transact`, in the transaction that stores the run or background job.

        It never happens where the run fails, or its process ends before: what must not count unless the reply does.
        """
        self.run.when_stored(work)

    def when_closed(self, value: Any) -> None:
        """Have this block do background work on ``value`` when the file is closed; None takes that back.

        The last call in a session counts. It does not happen where the process is killed.
        """
        self.run.when_closed(self.blocks, value)

    def is_under_way(self, run_id: str) -> bool:
        """Return whether the run with this id, or one that it became part of, has neither ended nor failed."""
        return self.run.services.under_way.has(run_id)

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


class Marked(Context):
    """The context of one place of several in a block; it has no block of its own."""

    __slots__ = ("mark",)

    def __init__(self, parent: Context, mark: str) -> None:
        super().__init__(parent.run, None, parent)
        self.mark = mark


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
        declared = self.declared()
        if name not in declared:
            have = ", ".join(sorted(declared)) or "none"
            raise CapabilityError(
                f"{self._ctx.path}: no capability {name!r} is declared here (declared: {have}); "
                "add it to the block's uses=[...]"
            )
        return self.of(declared[name])

    def of(self, capability: Capability[H]) -> H:
        """Return the helpers of a declared capability."""
        declared = self.declared().get(capability.name)
        if declared is None or declared.base is not capability.base:
            raise CapabilityError(
                f"{self._ctx.path}: capability {capability.name!r} is not declared here; add it to uses=[...]"
            )
        value = self._ctx.find_lifespan_value(declared.base)
        if value is not None:
            return cast("H", value)
        if capability.name not in self._made:
            if declared.helpers is None:
                raise CapabilityError(f"capability {capability.name!r} has no helpers")
            self._made[capability.name] = declared.helpers(self._ctx)
        made: H = self._made[capability.name]
        return made

    def declared(self) -> Mapping[str, Capability[Any]]:
        """Return the capabilities of this block and those around it, by name."""
        if self._known is None:
            blocks = self._ctx.blocks
            self._known = merge_capabilities(
                (block.name, capability) for block in blocks[::-1] for capability in block.capabilities
            )
        return self._known
