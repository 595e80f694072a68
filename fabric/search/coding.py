"""Tokens of rows as numbers of few different ones: quick to count, and small enough to be kept."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.uint16] | NDArray[np.int32]
FEW = 0x10000
"""Up to how many different tokens their numbers take two bytes each, above four."""


class Numbers(dict[str, int]):
    """Numbers for strings, in the order in which they are asked for first.

    >>> numbers = Numbers()
    >>> [numbers[word] for word in ("dog", "cat", "dog")]
    [0, 1, 0]
    """

    def __missing__(self, key: str) -> int:
        self[key] = number = len(self)
        return number


class Coded(NamedTuple):
    """The tokens of rows: ``sizes`` tells how many each has, ``numbers`` which, row after row.

    ``joined`` are the different tokens, separated by spaces, each at the place that is its number.
    """

    joined: str
    sizes: NDArray[np.int32]
    numbers: Codes

    @property
    def different(self) -> list[str]:
        """The different tokens."""
        return self.joined.split(" ") if len(self.numbers) else []


def coded(texts: Sequence[str]) -> Coded:
    """Return the tokens of rows; each text is those of one row, separated by spaces.

    >>> coded(["a b a", "", "c"])
    Coded(joined='a b c', sizes=array([3, 0, 1], dtype=int32), numbers=array([0, 1, 0, 2], dtype=uint16))
    """
    tokens, different = joined_tokens(texts), Numbers()
    numbers = np.fromiter(map(different.__getitem__, tokens), np.int32, len(tokens))
    codes: Codes = numbers.astype(np.uint16) if len(different) <= FEW else numbers
    return Coded(" ".join(different), token_counts(texts), codes)


def joined_tokens(texts: Sequence[str]) -> list[str]:
    """Return the tokens of all rows, one after another."""
    flat = " ".join(text for text in texts if text)
    return flat.split(" ") if flat else []


def token_counts(texts: Sequence[str]) -> NDArray[np.int32]:
    """Return how many tokens each row has."""
    return np.fromiter((text.count(" ") + 1 if text else 0 for text in texts), np.int32, len(texts))


def decoded(joined: str, sizes: bytes, numbers: bytes) -> Coded | None:
    """Return what was kept of `Coded`: its text, and the bytes of its arrays; None where it cannot be that.

    >>> made = coded(["a b a"])
    >>> decoded(made.joined, made.sizes.tobytes(), made.numbers.tobytes()) is None
    False
    >>> decoded("a b", made.sizes.tobytes(), b"12345") is None
    True
    """
    if len(sizes) % 4:
        return None
    own = np.frombuffer(sizes, np.int32)
    tokens = int(own.sum())
    if len(numbers) not in (2 * tokens, 4 * tokens):
        return None
    codes: Codes = np.frombuffer(numbers, np.uint16) if len(numbers) == 2 * tokens else np.frombuffer(numbers, np.int32)
    is_known = not tokens or 0 <= int(codes.min()) <= int(codes.max()) <= joined.count(" ")
    return Coded(joined, own, codes) if is_known else None
