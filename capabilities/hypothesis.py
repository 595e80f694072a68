"""HyDE: a hypothetical answer to a question, whose meaning is looked for in the question's place or beside it.

Gao, L., et al. (2022), "Precise zero-shot dense retrieval without relevance labels"; asking only where plain retrieval
is unsure: Lei, F., et al. (2025), "Never come up empty: adaptive HyDE retrieval for improving LLM developer support".
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from fabric.lazy import lazy

from .meaning import Embedded, Meaning
from .settings import Settings
from .vocabulary import Unit

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy("numpy")

When = Literal["always", "unsure"]
REPLY_SECONDS = 10.0
"""How long a reply waits for a model that is asked for something beside it."""


class HydeConfig(Settings):
    """When a model is asked for a hypothetical answer, and how that is used.

    "unsure": only where the plain question finds nothing that it is as sure of as ``unsure_below``. ``beside`` looks
    for what is near to question and answer alike, otherwise the answer takes the question's place. A model that takes
    longer than ``seconds`` is not waited for.
    """

    when: When = "unsure"
    unsure_below: Unit = 0.5
    beside: bool = True
    seconds: float = Field(default=REPLY_SECONDS, gt=0)


class Hypothesis(BaseModel):
    """A hypothetical answer; "" for none."""

    model_config = ConfigDict(frozen=True)

    text: str = ""
    beside: bool = True


def _written(given: object) -> object:
    return Hypothesis(text=given) if isinstance(given, str) else given


GivenHypothesis = Annotated[Hypothesis, BeforeValidator(_written)]
"""A hypothesis, or its text."""
NONE = Hypothesis()
HydeChoice = bool | When | HydeConfig | Mapping[str, Any] | None
"""False and None for never, True for always, a word for when, or a mapping of `HydeConfig`."""


def hyde_of(given: HydeChoice) -> HydeConfig | None:
    """Return the config that a choice means, None for never; ConfigurationError for what is none.

    >>> hyde_of(True).when, hyde_of({"seconds": 2}).when, hyde_of(False)
    ('always', 'unsure', None)
    """
    if given is True or isinstance(given, str):
        given = {"when": "always" if given is True else given}
    return HydeConfig.of(given)


async def embed_question(meaning: Meaning, question: str, hypothesis: Hypothesis = NONE) -> Embedded:
    """Return the query vector, of shape (1, dimensions): of the question, of the hypothetical answer, or their mean.

    ``hypothesis.beside`` asks for the mean. With an answer the vector has unit length, without one only the question is
    embedded, and without an embedder there are no vectors.
    """
    if not hypothesis.text.strip():
        return await meaning.embed([question])
    embedded = await meaning.embed([question, hypothesis.text])
    vectors = embedded.vectors
    if vectors is None or isinstance(vectors, list):
        return embedded
    vector = vectors[0] + vectors[1] if hypothesis.beside else vectors[1]
    length = float(np.linalg.norm(vector))
    return replace(embedded, vectors=(vector / length if length else vectors[0])[None])
