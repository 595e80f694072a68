"""Embedders with one behaviour each."""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def hashed(text: str, dimension: int, seed: str = "") -> NDArray[np.float32]:
    """Return a vector that depends on nothing but the arguments."""
    digest = hashlib.sha256(f"{seed}:{text}".encode("utf-8", "surrogatepass")).digest()
    return np.random.default_rng(list(digest)).standard_normal(dimension).astype(np.float32)


class HashEmbedder:
    """Vectors without meaning; two of different ``seed`` are two models."""

    def __init__(self, dimension: int = 384, seed: str = "", name: str = "hash") -> None:
        self.name = name
        self.dimension = dimension
        self.seed = seed
        self.calls: list[list[str]] = []
        self.down = False

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls.append(list(texts))
        if self.down:
            raise ConnectionError("no route to host")
        return np.stack([hashed(text, self.dimension, self.seed) for text in texts])


class Answering:
    """Answers the same whatever the texts."""

    name = "answering"

    def __init__(self, answer: Any, dimension: int = 0) -> None:
        self.answer = answer
        self.dimension = dimension

    def embed(self, texts: Sequence[str]) -> Any:
        return self.answer
