"""The vectors of texts that a step writes as facts: given with the writing where that costs next to nothing."""

from collections.abc import Mapping, Sequence
from typing import Any

from capabilities.meaning import Embedded, Meaning
from capabilities.sources import Outcome
from fabric.store.base import RowVectors


async def embedded_at_once(meaning: Meaning, texts: Sequence[str]) -> Embedded:
    """Return the vectors of texts where the embedder is quick and loaded, else none: they are given later."""
    return await meaning.embed_stored(texts) if meaning.is_ready else Embedded()


def is_unembedded(outcomes: Sequence[Outcome], vectors: RowVectors | None) -> bool:
    """Return whether one of the outcomes is a new version of a fact whose text is not among those with a vector.

    >>> is_unembedded([Outcome(status="stored", id="sf_1", content="Likes tea")], None)
    True
    >>> is_unembedded([Outcome(status="merged", id="sf_1", content="Likes tea", reason="said again")], None)
    False
    """
    embedded: Mapping[str, Any] = vectors.by_id if vectors is not None else {}
    new = [outcome for outcome in outcomes if outcome.id and (outcome.status == "stored" or outcome.replaced)]
    return any(outcome.content not in embedded for outcome in new)
