"""The vectors of what is remembered and asked: one embedder, its space, and what happens when it fails."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fabric.embedding import Embedder, embed_and_identify, embed_texts, identity, word_table
from fabric.embedding.static import TokenTable
from fabric.embedding.stored_vectors import by_whole, with_passages
from fabric.errors import EmbedderError
from fabric.scope import Scope
from fabric.store.base import RowVectors
from fabric.text.terms import LONG_CHARS, prepare_terms
from fabric.threads.portal import elsewhere

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    Floats = NDArray[float32]


@dataclass(frozen=True, slots=True)
class Embedded:
    """Vectors of texts, one each, and their space; or why there are none. That of a stored text may be several rows."""

    space: str = ""
    vectors: "Floats | list[Floats] | None" = None
    degraded: str = ""

    def by_text(self, texts: Sequence[str]) -> RowVectors | None:
        """Return the vectors by their texts, as a transaction takes them; None when there are none."""
        if self.vectors is None or not texts:
            return None
        return RowVectors(self.space, dict(zip(texts, self.vectors, strict=True)))


def _prepared(texts: Sequence[str]) -> tuple[list[str], list[int]]:
    prepare_terms(texts)
    return with_passages(texts)


class Meaning:
    """What a memory system embeds with. Without an embedder everything is found by its words."""

    def __init__(self, embedder: Embedder | None) -> None:
        self.embedder = embedder
        self._space = ""
        self._words: TokenTable | None = None
        self._works = True
        self._failures = 0
        self._caught_up: dict[Scope, int] = {}
        self.speakers: dict[Scope, frozenset[str]] = {}
        """The names of those whose turns a scope holds, as they were when it was searched last."""

    async def embed(self, texts: Sequence[str]) -> Embedded:
        """Return the vectors of texts in one call; a failure is told in ``degraded``, never raised."""
        if self.embedder is None or not any(text.strip() for text in texts):
            return Embedded()
        try:
            vectors = await self._vectors(self.embedder, texts)
            self._words = await elsewhere(self._load_words) if self._words is None else self._words
        except EmbedderError as error:
            self._works = False
            self._failures += 1
            return Embedded(degraded=f"by words only: {error}")
        self._works = True
        return Embedded(self._space, vectors)

    async def embed_stored(self, texts: Sequence[str]) -> Embedded:
        """Return the vectors of texts that are stored, with those of their passages, as `embed` does."""
        if any(len(text) >= LONG_CHARS for text in texts):
            # Seconds of work: not on the loop, on which others wait, and not in the transaction that stores them.
            every, counts = await elsewhere(lambda: _prepared(texts))
        else:
            every, counts = with_passages(texts)
        embedded = await self.embed(every)
        made = embedded.vectors
        if made is None or isinstance(made, list):
            return embedded
        return replace(embedded, vectors=by_whole(made, counts))

    async def _vectors(self, embedder: Embedder, texts: Sequence[str]) -> "Floats":
        if self._space:
            return await embed_texts(embedder, texts)
        vectors, self._space = await embed_and_identify(embedder, texts)
        return vectors

    async def space(self) -> str:
        """Return the identity of the embedder's model, which names the space of its vectors; "" without one."""
        if self.embedder is not None and not self._space:
            self._space = await identity(self.embedder)
        return self._space

    @property
    def is_quick(self) -> bool:
        """Whether the embedder takes so little time that it may be asked for the same text twice."""
        return bool(getattr(self.embedder, "quick", False))

    @property
    def is_ready(self) -> bool:
        """Whether the embedder is quick and loaded: a text then costs less than the transaction that stores it."""
        return self.is_quick and bool(self._space) and self._works

    @property
    def words(self) -> "Callable[[Sequence[str]], Floats] | None":
        """What gives vectors of single words, to find words of like meaning; None where, or while, nothing does."""
        return None if self._words is None else self._words.vectors

    def is_foreign(self, language: str) -> bool:
        """Return whether a text in this language is in another than the one that the embedder was made for, if any."""
        own = str(getattr(self.embedder, "language", ""))
        return own not in {"", language}

    def is_behind(self, owner: Scope) -> bool:
        """Return whether rows of this owner may lack vectors because the embedder failed, which works again now."""
        return self._works and self._caught_up.get(owner, 0) < self._failures

    def caught_up(self, owner: Scope) -> None:
        """Note that all rows of this owner have vectors."""
        self._caught_up[owner] = self._failures

    def _load_words(self) -> TokenTable | None:
        table = word_table(self.embedder)
        if table is None:
            return None
        try:
            table.vector("word")
        except EmbedderError:
            return None
        return table
