"""The file as a LangGraph store: what graphs put into namespaces lives beside the memory and is searched as it is."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from capabilities.meaning import Meaning
from fabric.embedding.callable import CallableEmbedder
from fabric.embedding.choose import EmbedderChoice, embedder_of
from fabric.errors import EmbedderError, ScopeError
from fabric.flow.block import Block
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.flow.resource import Transaction
from fabric.lazy import lazy
from fabric.scope import ScopeKind
from fabric.sessions.lease import File, Lease, Leasing

if TYPE_CHECKING:
    from capabilities.retrieval import question as cues
else:
    cues = lazy("capabilities.retrieval.question")

try:
    from langgraph.store.base import (
        BaseStore,
        Embeddings,
        IndexConfig,
        Op,
        PutOp,
        Result,
        SearchOp,
        TTLConfig,
        ensure_embeddings,
    )

    from .langgraph_rows import Asked, Put, Shelf, name_of, tables_of
except ImportError as error:
    raise ImportError(
        "the LangGraph store needs a version of LangGraph that it is tested with: "
        "pip install 'path/to/thought-fabric[langgraph]'"
    ) from error


@dataclass(frozen=True, eq=False, slots=True)
class _Batch:
    """Operations with all that they need: where texts are found in values, and what texts and queries mean."""

    ops: Sequence[Op]
    paths: Sequence[str]
    texts: Meaning
    queries: Meaning


@cache
def _block(scope: ScopeKind) -> Block[_Batch, list[Result]]:
    tables = tables_of(scope)

    @handler(name=f"langgraph/{scope}", uses=[tables.items, tables.passages])
    async def carry_out(batch: Any, ctx: Context) -> Any:
        puts = {name_of(op.namespace, op.key): Put(op, batch.paths, ctx) for op in batch.ops if isinstance(op, PutOp)}
        texts = list(dict.fromkeys(text for put in puts.values() for text in put.texts))
        embedded = await batch.texts.embed(texts)
        questions = await _questions(batch)

        def work(tx: Transaction) -> list[Result]:
            tx.embedded = embedded.by_text(texts)
            shelf = Shelf(tx, tables, ctx.clock.now(), questions)
            shelf.sweep()
            found = [shelf.read(op) for op in batch.ops]
            for item_id, put in puts.items():
                shelf.put(item_id, put)
            return found

        return await ctx.transact(work)

    return carry_out


async def _questions(batch: _Batch) -> Asked:

    found = {op.query: cues.read_question(op.query) for op in batch.ops if isinstance(op, SearchOp) and op.query}
    if not found:
        return Asked({}, "", batch.texts)
    embedded = await batch.queries.embed([question.meaning for question in found.values()])
    space = await _space(batch.texts) if embedded.vectors is not None else ""
    if not space or embedded.vectors is None:
        return Asked(found, "", batch.texts)
    vectors = zip(found.items(), embedded.vectors, strict=True)
    return Asked({text: replace(question, vector=vector) for (text, question), vector in vectors}, space, batch.texts)


async def _space(meaning: Meaning) -> str:
    try:
        return await meaning.space()
    except EmbedderError:
        return ""


def _documents(embeddings: Embeddings) -> Meaning:
    name = ":".join(filter(None, [type(embeddings).__qualname__, str(getattr(embeddings, "model", ""))]))
    return Meaning(CallableEmbedder(embeddings.aembed_documents, name))


def _queries(embeddings: Embeddings) -> Meaning:
    async def embed(texts: list[str]) -> list[list[float]]:
        return [await embeddings.aembed_query(text) for text in texts]

    return Meaning(CallableEmbedder(embed, "queries"))


class ThoughtFabricStore(Leasing, BaseStore):
    """A `BaseStore` of LangGraph in a thought-fabric file, for one user or one organisation; close it, or use ``with``.

    ``file`` is a path, ``":memory:"`` or an open `Fabric`, which is then not closed. ``user`` (inside ``org``, if that
    is given too) or ``org`` alone owns all namespaces: forgetting the user deletes them. Without ``index`` every item
    is searched by its whole value, by words and by the meaning that ``embedder`` gives (as for a memory system);
    ``index`` is LangGraph's own configuration of fields and embeddings. The best score says how sure it is that
    anything fits, from 0 to 1, the others are shares of it. Expired items are gone for every reader. Secrets in texts
    are taken out unless the file was opened with ``redact_secrets=False``. ScopeError without an owner.

    >>> with ThoughtFabricStore(user="jake") as store:
    ...     store.put(("memories",), "food", {"text": "Jake likes green tea"})
    ...     store.put(("memories",), "work", {"text": "Jake builds bridges"})
    ...     store.search(("memories",), query="what does he drink?", limit=1)[0].key
    'food'
    """

    supports_ttl = True

    def __init__(
        self,
        file: File = ":memory:",
        *,
        user: str | None = None,
        org: str | None = None,
        embedder: EmbedderChoice = "default",
        index: IndexConfig | None = None,
        ttl: TTLConfig | None = None,
    ) -> None:
        if user is None and org is None:
            raise ScopeError("a store belongs to somebody: give user=..., or org=... for what an organisation shares")
        self.index_config = index
        self.ttl_config = ttl
        self._paths = (index or {}).get("fields") or ["$"]
        if index is not None and "embed" in index:
            embeddings = ensure_embeddings(index["embed"])
            self._texts, self._queries = _documents(embeddings), _queries(embeddings)
        else:
            self._texts = self._queries = Meaning(embedder_of(embedder))
        self._block = _block("org" if user is None else "user")
        self._lease = Lease(file)
        self.fabric = self._lease.fabric
        try:
            self._session = self.fabric.session("langgraph", user=user, org=org)
        except ScopeError:
            self.close()
            raise

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations in one transaction: all reads, then the last write of each key."""
        found: list[Result] = self._session.run(self._block, self._batch(ops)).output
        return found

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do what `batch` does, on the caller's own event loop."""
        found: list[Result] = (await self._session.arun(self._block, self._batch(ops))).output
        return found

    def _batch(self, ops: Iterable[Op]) -> _Batch:
        return _Batch(list(ops), self._paths, self._texts, self._queries)
