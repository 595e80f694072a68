"""Contexts: how similar what is talked about is to the cues of intentions."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from fabric.lazy import lazy

from ..meaning import Meaning

if TYPE_CHECKING:
    import numpy as np
    from numpy import float32
    from numpy.typing import NDArray

    from fabric.text import terms
    from fabric.text import words as texts
else:
    np, terms, texts = lazy("numpy"), lazy("fabric.text.terms"), lazy("fabric.text.words")

MOST_KEPT = 10_000
"""How many vectors of cues a process keeps."""


class Contexts:
    """Compares by vectors, and by words: who says every word of a cue talks about it, whatever else is said."""

    def __init__(self, meaning: Meaning) -> None:
        self._meaning = meaning
        self._kept: dict[str, NDArray[float32]] = {}

    async def similarities(self, said: str, cues: Mapping[str, str]) -> dict[str, float]:
        """Return how similar what is said is to cues, by their keys: the cosine, or 1 where it holds all their words.

        Without an embedder, or while that fails, words alone count.
        """
        if not cues:
            return {}
        words = set(terms.plain_terms(said))
        found = {key: float(_is_held(cue, words)) for key, cue in cues.items()}
        for key, cosine in (await self._cosines(said, cues)).items():
            found[key] = max(found[key], cosine)
        return found

    async def _cosines(self, said: str, cues: Mapping[str, str]) -> dict[str, float]:
        lacking = [cue for cue in dict.fromkeys(cues.values()) if cue not in self._kept]
        embedded = await self._meaning.embed([said, *lacking])
        if embedded.vectors is None:
            return {}
        if len(self._kept) + len(lacking) > MOST_KEPT:
            self._kept.clear()
        self._kept.update(zip(lacking, embedded.vectors[1:], strict=True))
        asked = embedded.vectors[0]
        return {key: float(np.dot(asked, self._kept[cue])) for key, cue in cues.items() if cue in self._kept}


def _is_held(cue: str, words: set[str]) -> bool:
    own = set(terms.plain_terms(" ".join(texts.content_words(cue))))
    return bool(own) and own <= words
