"""Which systems a bench runs, and the options all benches of recall share."""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from fabric.embedding import default_embedder, embedder_of
from fabric.errors import ConfigurationError

from .baselines import bm25, vectors
from .product import Product
from .system import System

DEFAULT = "thought-fabric"
NO_EMBEDDER = "thought-fabric, no embedder"
EXTRAS = ("minilm",)
"""Embedders that are extras; they take minutes where the default takes seconds."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line asked for."""

    limit: int | None
    only: list[str]
    out: Path | None
    contexts: bool
    sides: str
    extras: bool

    def wants(self, name: str) -> bool:
        """Return whether a system is to run."""
        return not self.only or any(part in name for part in self.only)


def options(purpose: str) -> Options:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=purpose)
    parser.add_argument("--limit", type=int, help="so many conversations or questions instead of all")
    parser.add_argument(
        "--only", action="append", default=[], help="run systems whose name holds this; may be repeated"
    )
    parser.add_argument("--out", type=Path, help="a folder that gets one line per system and question")
    parser.add_argument("--no-contexts", action="store_true", help="do not measure what gets into a prompt")
    parser.add_argument("--sides", choices=["user", "assistant"], default="", help="LongMemEval: one half of the run")
    parser.add_argument("--extras", action="store_true", help="models that are extras too; they take minutes")
    read = parser.parse_args()
    return Options(read.limit, read.only, read.out, not read.no_contexts, read.sides, read.extras)


def systems(chosen: Options) -> Iterator[tuple[str, Callable[[], System], bool]]:
    """Yield name, maker, and whether contexts are measured, for every system that is asked for and installed."""
    for name, make, contexts in _known(chosen.extras):
        if chosen.wants(name):
            yield name, make, contexts and chosen.contexts


def _known(extras: bool) -> Iterator[tuple[str, Callable[[], System], bool]]:
    yield "BM25, stemmed", bm25, True
    static = default_embedder()
    if static is not None:
        name = f"vectors of {static.name}"
        yield name, lambda: vectors(name, static.embed), False
    yield NO_EMBEDDER, lambda: Product(NO_EMBEDDER, None), False
    yield DEFAULT, lambda: Product(DEFAULT, "default"), True
    for extra in EXTRAS if extras else ():
        try:
            embedder_of(extra)
        except ConfigurationError as missing:
            print(f"<!-- without {extra}: {missing} -->")
        else:
            yield f"{DEFAULT} + {extra}", partial(Product, f"{DEFAULT} + {extra}", extra), False
