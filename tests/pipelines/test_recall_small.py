"""In a memory of a few statements, relevance tells what is answered from what is not."""

import pytest

from capabilities.memory.recall.ranked import RELEVANT
from tests.bench.recall.metrics import separation
from tests.bench.recall.small import asked


@pytest.mark.parametrize("size", [1, 3, 5, 20])
def test_what_a_small_memory_answers_is_above_the_mark_and_what_it_does_not_below(size: int) -> None:
    everything = list(asked([size], memories=max(2, 6 // size)))
    answered = [memory.relevance for memory in everything if memory.related]
    beside = [memory.relevance for memory in everything if not memory.related]
    assert separation(answered, beside) > 0.85
    assert sum(one >= RELEVANT for one in answered) > len(answered) / 2
    assert sum(one < RELEVANT for one in beside) > 0.9 * len(beside)
