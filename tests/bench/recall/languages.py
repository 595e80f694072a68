"""How often a question finds its fact in six languages: ``python -m tests.bench.recall.languages``."""

from collections.abc import Callable

import numpy as np

from fabric.embedding import default_embedder
from tests.languages.labelled_facts import LANGUAGES, hits, pairs, places

from .baselines import Bm25
from .evaluate import print_table


def bm25_places(language: str) -> list[int | None]:
    """Return the places that English BM25 gives."""
    held = pairs(language)
    index = Bm25([pair.fact for pair in held])
    return [_place(index, pair.question, number) for number, pair in enumerate(held)]


def _place(index: Bm25, question: str, number: int) -> int | None:
    scores = index.scores(question)
    at = int(np.flatnonzero(np.argsort(-scores, kind="stable") == number)[0])
    return at if at < 5 and scores[number] > 0 else None


def main() -> None:
    """Print one row per language and system."""
    runs: dict[str, Callable[[str], list[int | None]]] = {"BM25, English stems": bm25_places, "no embedder": places}
    if default_embedder() is not None:
        runs["default"] = lambda language: places(language, "default")
    rows = [
        (name, language, *(f"{hits(found, k):.3f}" for k in (1, 3, 5)))
        for name, run in runs.items()
        for language, found in ((language, run(language)) for language in LANGUAGES)
    ]
    print_table("40 facts and 40 questions in each language", ("system", "language", "hit@1", "hit@3", "hit@5"), rows)


if __name__ == "__main__":
    main()
