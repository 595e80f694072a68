"""Vectors of texts as they are stored: a long text has one for each of its passages beside that of the whole."""

from collections.abc import Sequence

from ..text.passages import passages
from .base import Embedder, Vectors, embed_texts


async def embed_stored(embedder: Embedder, texts: Sequence[str]) -> list[Vectors]:
    """Return for each text its vector, shape (dimension,), or those of it and its passages, (1 + passages, dimension).

    The embedder is called once. EmbedderError as from `embed_texts`.
    """
    every, counts = with_passages(texts)
    return by_whole(await embed_texts(embedder, every), counts)


def with_passages(texts: Sequence[str]) -> tuple[list[str], list[int]]:
    """Return each text followed by its passages, and how many those of each are."""
    every, counts = list[str](), list[int]()
    for text in texts:
        parts = [text[begin:end] for begin, end in passages(text)]
        every += [text, *parts]
        counts.append(len(parts))
    return every, counts


def by_whole(vectors: Vectors, counts: Sequence[int]) -> list[Vectors]:
    """Return the vectors of what `with_passages` returned, by text: one row, or one and those of the passages."""
    found, place = list[Vectors](), 0
    for count in counts:
        found.append(vectors[place : place + 1 + count] if count else vectors[place])
        place += 1 + count
    return found
