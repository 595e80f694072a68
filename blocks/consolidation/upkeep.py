"""What a look at the set of facts as a whole came to, whatever it looked for, and the vectors of what it wrote."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

from pydantic import BaseModel, ConfigDict

from capabilities.meaning import Embedded, Meaning
from capabilities.sources import Outcome
from fabric.flow.context import Context
from fabric.narrowing import is_dict
from fabric.store.base import RowVectors

from ..capture.model_answers import skipped

FORGOTTEN = "some of what was read was forgotten meanwhile: the rest is read again the next time"


class Upkeep(BaseModel):
    """What was done. ``skipped`` says why nothing was to do, and is "" otherwise."""

    model_config = ConfigDict(frozen=True)

    skipped: str = ""
    outcomes: list[Outcome] = []
    drawn_from: list[str] = []
    """The ids of what was read, where an outcome tells of something that has no id of its own."""
    unembedded: bool = False
    """Whether a text was written that has no vector yet."""

    def told(self, refused: Sequence[str], vectors: RowVectors | None, ctx: Context) -> Self:
        """Return it with what of a model's answer was refused, and whether a text is without a vector."""
        outcomes = [*self.outcomes, *skipped(refused, ctx)]
        return self.model_copy(update={"outcomes": outcomes, "unembedded": is_unembedded(outcomes, vectors)})


def is_forced(value: object) -> bool:
    """Return whether a step is asked to do its work although it is not due: ``{"force": True}``."""
    return is_dict(value) and bool(value.get("force"))


def left(content: str, reason: str) -> Outcome:
    """Return the outcome of a proposal by which nothing changed."""
    return Outcome(status="skipped", tier="semantic", content=content, reason=reason)


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
