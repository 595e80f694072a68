"""Cases of the reference implementation, where they are beside the checkout: what went in, and what came out."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[3] / ".." / "shared" / "golden" / "agentos"
TOLERANCE = 1e-9


def cases(file: str, function: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield the id, input and output of every case that a correct build must match; skip where the file is absent."""
    path = FOLDER / f"{file}.json"
    if not path.exists():
        pytest.skip("the reference's cases are not beside this checkout")
    for case in json.loads(path.read_text(encoding="utf-8"))["functions"][function]["cases"]:
        if not case.get("note"):
            yield case["id"], case["input"], case["output"]


def assert_all_match(
    file: str, function: str, ours: Callable[[Any], Any], alike: Callable[[Any], Any] = lambda value: value
) -> None:
    """Compare every case with what ``ours`` makes of its input, numbers to 1e-9 of at least 1.

    ``alike`` brings an output into a form in which what need not be in order is.
    """
    wrong = [name for name, given, output in cases(file, function) if not is_same(alike(ours(given)), alike(output))]
    assert wrong == []


def is_same(found: Any, expected: Any) -> bool:
    """Return whether two JSON values are equal, numbers nearly."""
    if isinstance(expected, bool) or not isinstance(expected, int | float):
        if isinstance(expected, dict):
            return bool(found.keys() == expected.keys()) and all(is_same(found[key], expected[key]) for key in expected)
        if isinstance(expected, list):
            return len(found) == len(expected) and all(map(is_same, found, expected))
        return bool(found == expected)
    return bool(abs(found - expected) <= TOLERANCE * max(1.0, abs(expected)))
