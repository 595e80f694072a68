"""Deterministic embeddings: the same text has the same unit vector on every machine."""

import hashlib
import math


def vector(text: str, dimensions: int = 8) -> list[float]:
    """Return a unit vector of ``dimensions`` numbers that depends on nothing but ``text``."""
    numbers: list[float] = []
    block = 0
    while len(numbers) < dimensions:
        digest = hashlib.sha256(f"{block}:{text}".encode("utf-8", "surrogatepass")).digest()
        numbers.extend(byte / 127.5 - 1 for byte in digest)
        block += 1
    numbers = numbers[:dimensions]
    length = math.sqrt(sum(number * number for number in numbers)) or 1.0
    return [number / length for number in numbers]
