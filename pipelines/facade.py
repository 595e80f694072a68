"""A memory without a pipeline: one file, one user, plain calls that run the blocks that pipelines are made of."""

import asyncio
from collections.abc import AsyncGenerator, Generator, Iterable, Mapping, Sequence
from itertools import islice
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from pydantic import ValidationError

from blocks.explain import Explanation
from blocks.forgetting.forget import Forget, Receipt
from blocks.import_turns import ImportResult
from capabilities.memory.recall.recall import RankedMemory
from capabilities.semantic import Fact
from capabilities.sources import Outcome
from fabric.embedding.choose import EmbedderChoice
from fabric.errors import ConfigurationError, SchemaError, ScopeError
from fabric.flow.block import Block
from fabric.generation.generator import ModelChoice
from fabric.jobs.job import Job
from fabric.models.base import ModelClient
from fabric.options import names_options, option_names
from fabric.sessions.lease import PATIENCE, File, Lease, patience_after
from fabric.sessions.session import Session
from fabric.threads.portal import elsewhere, forbid_nested
from fabric.validation import shown, wrong

from .captured import Captured, captured, reentrant, trouble
from .chat import replay_pipeline, turn_name
from .importing import ImportReport, file_import_block
from .system import MemorySystem, memory_system
from .transcript import Transcript, answers_block, given, late_answers, looked_through, unseen_block

if TYPE_CHECKING:
    from fabric.store.base import Backup

T = TypeVar("T")
PAGE = 500
"""How many records a thread reads for `AsyncMemory.export` at once."""
Messages = str | Mapping[str, Any] | Iterable[Mapping[str, Any]]


class _Calls:
    """The blocks of one memory, and whose memory it is. ``Memory`` and ``AsyncMemory`` run them."""

    @names_options({"system=memory_system(...)": option_names(memory_system)})
    def __init__(
        self,
        file: File = ":memory:",
        *,
        user: str = "",
        session: str = "default",
        org: str | None = None,
        model: ModelChoice | None = None,
        api_base: str = "",
        api_key: str = "",
        response_format: bool | None = None,
        embedder: EmbedderChoice = "default",
        models: ModelClient | None = None,
        system: MemorySystem | None = None,
    ) -> None:
        _check(file, user, system)
        own: dict[str, Any] = {"api_base": api_base, "api_key": api_key, "response_format": response_format}
        self.system = system or memory_system(model=model, episodic=True, semantic=True, embedder=embedder, **own)
        self.system.remember_block  # noqa: B018  a system that has no facts is refused before a file is opened
        self._pipeline = replay_pipeline(self.system)
        self._unseen = unseen_block(f"{self.system.layout.name}/unseen")
        self._answers = answers_block(self.system.layout)
        self._file_import = file_import_block(self.system.layout)
        self._lease = Lease(file, models=models)
        self.fabric = self._lease.fabric
        self._ids = {"user": user, "org": org}
        self._session = session
        try:
            self._in("")
            self.fabric.register(self._pipeline)
            self.fabric.register(self._answers)
        except BaseException:
            self._lease.close()
            raise

    def _in(self, session: str) -> Session:
        self._lease.check_open()
        return self.fabric.session(session or self._session, **self._ids)

    async def _captured(self, messages: Messages, session: str, tags: Sequence[str]) -> Captured:
        here = self._in(session)
        if (refused := reentrant()) is not None:
            return refused
        async with self.fabric.services.earlier.one_by_one(here.ids):
            asked = await looked_through(given(messages, tags), self.fabric.services.secrets)
            new: Transcript = (await here.arun(self._unseen, asked)).output
            added = [await here.arun(self._answers, new.answers)] if new.answers.messages else []
            done = [await here.arun(self._pipeline, turn, turn_id=turn_name(turn.user)) for turn in new.turns]
            added += [await here.arun(self._answers, answer) for answer in late_answers(new, done)]
        left = await trouble(self.fabric, here.ids, self.system.model)
        return captured(new, done, added, self.fabric.services.secrets, left)

    def _forgotten(self, memory_id: str, subject: str | None, session: str, tag: str | None, **asked: bool) -> Forget:
        everything = asked.pop("everything")
        given = {"id": memory_id, "subject": subject, "session": session, "tag": tag}
        if sum(map(bool, (*given.values(), everything))) != 1:
            wanted = "give exactly one of memory_id=, subject=, session=, tag= and everything=True"
            named = {"memory_id" if name == "id" else name: value for name, value in given.items() if value}
            raise SchemaError(f"forget: {wanted}; got {shown({**named, 'everything': everything})}")
        try:
            return Forget.model_validate({**given, "scope": "user" if everything else None, **asked})
        except ValidationError as error:
            raise SchemaError(f"forget: {wrong(error)}; got {shown({**given, **asked})}") from error


class Memory(_Calls):
    """What an agent remembers of one user, in one file; use it as a context manager.

    ``file`` is a path, ``":memory:"``, or an open `Fabric` that several users share, which is then not closed.
    ``session`` names the conversation that captured messages belong to unless a call names another. ``model`` reads
    what was said (an id that litellm knows; None for rules) at ``api_base`` with ``api_key`` and ``response_format``;
    ``models`` answers its calls; ``embedder`` and ``system`` are those of `memory_system`. Raises StoreError when the
    file cannot be opened, ScopeError for a blank user.

    >>> with Memory(user="jake") as memory:
    ...     memory.capture("I joined Stripe last month.")
    ...     left = memory.wait()
    ...     memory.recall("where does he work?")[0].content
    Captured(turns=1, known=0, jobs=('...',), redacted=(), unread=0, problem='', skipped=())
    'Joined Stripe last month'
    """

    def capture(self, messages: Messages, *, session: str = "", tags: Sequence[str] = ()) -> Captured:
        """Keep a text or messages as they were said, at once; what is worth remembering is read behind this call.

        A list that begins with what the session holds already, such as a chat's whole history, adds what is new in it:
        turns, answers that came later and answers given anew, which are kept beside the first and read by nobody.
        A user's message with an ``id`` is captured once. A text, or one message alone, is always new. SchemaError, and
        nothing kept, for what is no message; what was said at another time is for `import_turns`. The new turns are
        filed under the ``tags``, and so is what is drawn from them: recall takes tags to look only there.
        """
        forbid_nested("Memory.capture")
        return self.fabric.complete(self._captured(messages, session, tags))

    def remember(self, content: str, *, session: str = "", **options: Any) -> Outcome:
        """Take a fact in as it is stated, and return what became of it; options are those of `Remember`."""
        return self._run(self.system.remember_block, {"content": content, **options}, session)

    def recall(self, query: str | None = None, **options: Any) -> list[RankedMemory]:
        """Return what is remembered, most relevant first; options are those of `RecallRequest`."""
        return self._run(self.system.recall_block, {"cue": query, **options})

    def context(self, query: str, tokens: int = 2_000, **options: Any) -> str:
        """Return the best evidence for a query as text of at most so many tokens, to put before a model's answer.

        ``hyde``, too, as for `recall`.
        """
        return self._run(self.system.context_block, {"cue": query, "tokens": tokens, **options})

    def update(self, memory_id: str, content: str) -> Fact:
        """Supersede a fact by what it should say; return the new version. RunError when something else replaced it."""
        return self._run(self.system.correct_block, {"id": memory_id, "content": content})

    def forget(
        self,
        memory_id: str = "",
        *,
        subject: str | None = None,
        session: str = "",
        tag: str | None = None,
        everything: bool = False,
        preview: bool = False,
    ) -> Receipt:
        """Delete for good one record, all about somebody, what a session or a tag gave, or all of this user.

        Returns what was removed, and the ids of what is left; with ``preview`` what would be, and nothing is changed.
        """
        what = self._forgotten(memory_id, subject, session, tag, everything=everything, preview=preview)
        return self._run(self.system.forget_block, what)

    def why(self, memory_id: str) -> Explanation | None:
        """Return the words that a memory rests on, who wrote it and how it changed; None for an unknown id."""
        return self._run(self.system.why_block, memory_id)

    def history(self, memory_id: str) -> list[Fact]:
        """Return every version of a fact, oldest first; [] for an unknown id."""
        found = self.why(memory_id)
        return [] if found is None else found.history

    def export(self, subject: str | None = None) -> Generator[dict[str, Any]]:
        """Yield everything that is kept of this user, or about somebody, as JSON records that each name their kind.

        They are those of one moment, that of the first, and few of them are in memory at once.
        """
        return self.system.export(self._in(""), {"subject": subject or None})

    def backup(self, to: str | PathLike[str]) -> "Backup":
        """Copy the whole file to ``to`` while others write, and read the copy through; StoreError where that fails."""
        return self.fabric.backup(to)

    def import_turns(self, turns: Sequence[Mapping[str, Any]]) -> ImportResult:
        """Keep turns that were said elsewhere, many at a time, with their own times and tags, and without reading them.

        Each is a mapping of `blocks.import_turns.ImportedTurn`: session, role, text, said_at, and what it likes of
        speaker, tags and id. Importing a turn again changes nothing.
        """
        return self._run(self.system.import_block, turns)

    def import_file(self, path: str | PathLike[str], **options: Any) -> ImportReport:
        """Take in a file of chats or of another system's memories, each record once, and return what became of it.

        Options are those of `pipelines.importing.FileImport`: ``dry_run=True`` keeps nothing and says what would be,
        ``format`` is told by the file's shape unless given, ``source_user`` is whose records are meant where the file
        names several people. RefusedError for a file that cannot be taken in as it is; what is wrong with single
        records is in the report.
        """
        return self._run(self._file_import, {"path": path, **options})

    def wait(self, timeout: float | None = None) -> list[Job]:
        """Wait until what was captured has been read, or so many seconds; return what is not done, with its error.

        A failed job is tried again with ``memory.fabric.retry(job)``, or all, and one of a model at the next opening.
        """
        self._lease.check_open()
        return self.fabric.drain(timeout)

    def close(self, patience: float = PATIENCE) -> None:
        """Finish background work and close the file, if this memory opened it; afterwards its calls raise StoreError.

        When no piece of the work ends for ``patience`` seconds, as when a model never answers, the rest stays in the
        file and is done when it is opened next; a warning says how much.
        """
        self._lease.close(patience)

    def __enter__(self) -> Self:
        return self

    def _run(self, block: Block[Any, T], value: Any, session: str = "") -> T:
        output: T = self._in(session).run(block, value).output
        return output

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(patience_after(error))


class AsyncMemory(_Calls):
    """`Memory` for async code: the same calls, to be awaited; use it with ``async with``."""

    async def capture(self, messages: Messages, *, session: str = "", tags: Sequence[str] = ()) -> Captured:
        """Do what `Memory.capture` does; once begun it is done whole, also if cancelled, before what comes later."""
        return await self.fabric.acomplete(self._captured(messages, session, tags))

    async def remember(self, content: str, *, session: str = "", **options: Any) -> Outcome:
        """Do what `Memory.remember` does."""
        return await self._run(self.system.remember_block, {"content": content, **options}, session)

    async def recall(self, query: str | None = None, **options: Any) -> list[RankedMemory]:
        """Do what `Memory.recall` does."""
        return await self._run(self.system.recall_block, {"cue": query, **options})

    async def context(self, query: str, tokens: int = 2_000, **options: Any) -> str:
        """Do what `Memory.context` does."""
        return await self._run(self.system.context_block, {"cue": query, "tokens": tokens, **options})

    async def update(self, memory_id: str, content: str) -> Fact:
        """Do what `Memory.update` does."""
        return await self._run(self.system.correct_block, {"id": memory_id, "content": content})

    async def forget(
        self,
        memory_id: str = "",
        *,
        subject: str | None = None,
        session: str = "",
        tag: str | None = None,
        everything: bool = False,
        preview: bool = False,
    ) -> Receipt:
        """Do what `Memory.forget` does; a caller that is cancelled is told when it is done, or void."""
        what = self._forgotten(memory_id, subject, session, tag, everything=everything, preview=preview)
        return await self._run(self.system.forget_block, what)

    async def why(self, memory_id: str) -> Explanation | None:
        """Do what `Memory.why` does."""
        return await self._run(self.system.why_block, memory_id)

    async def history(self, memory_id: str) -> list[Fact]:
        """Do what `Memory.history` does."""
        found = await self.why(memory_id)
        return [] if found is None else found.history

    def export(self, subject: str | None = None) -> AsyncGenerator[dict[str, Any]]:
        """Do what `Memory.export` does, for ``async for``."""
        return _awaited(self.system.export(self._in(""), {"subject": subject or None}))

    async def backup(self, to: str | PathLike[str]) -> "Backup":
        """Do what `Memory.backup` does."""
        return await elsewhere(lambda: self.fabric.backup(to))

    async def import_turns(self, turns: Sequence[Mapping[str, Any]]) -> ImportResult:
        """Do what `Memory.import_turns` does."""
        return await self._run(self.system.import_block, turns)

    async def import_file(self, path: str | PathLike[str], **options: Any) -> ImportReport:
        """Do what `Memory.import_file` does."""
        return await self._run(self._file_import, {"path": path, **options})

    async def wait(self, timeout: float | None = None) -> list[Job]:
        """Do what `Memory.wait` does."""
        self._lease.check_open()
        return await self.fabric.adrain(timeout)

    async def close(self, patience: float = PATIENCE) -> None:
        """Do what `Memory.close` does."""
        await self._lease.aclose(patience)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close(patience_after(error))

    async def _run(self, block: Block[Any, T], value: Any, session: str = "") -> T:
        output: T = (await self._in(session).arun(block, value)).output
        return output


async def _awaited(records: Generator[T]) -> AsyncGenerator[T]:
    """Yield the same, read by a thread, page by page."""
    reading: asyncio.Task[list[T]] | None = None
    try:
        while True:
            reading = asyncio.create_task(elsewhere(lambda: list(islice(records, PAGE))))
            await asyncio.wait([reading])
            page = reading.result()
            for record in page:
                yield record
            if not page:
                return
    finally:
        if reading is not None:
            await asyncio.wait([reading])  # the thread goes on when this is cancelled
        records.close()


def _check(file: object, user: object, system: object) -> None:
    if file is None:
        raise ConfigurationError("file is None; expected a path, ':memory:', or an open Fabric")
    if user == "":
        raise ScopeError("user must not be empty: name whose memory it is, as in Memory('memory.duckdb', user='jake')")
    if system is not None and not isinstance(system, MemorySystem):
        raise ConfigurationError(f"system is {system!r}; expected what memory_system(...) returns")
    if not isinstance(user, str):
        raise ScopeError(f"user is {user!r}; expected the user's id as a string: Memory(..., user='jake')")
