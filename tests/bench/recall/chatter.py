"""Turns in any number for the speed benches: words as common as in English text, the rarest of them invented."""

import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pydoc_data.topics import topics
from typing import Any

from fabric.text.words import FUNCTION_WORDS, word_set, words

FIRST = datetime(2024, 1, 1, tzinfo=UTC)
PER_SESSION = 20
_PARTS = word_set("ka lo mi ren sta vel do nar qui tas ber phi gol zu han tre wex ola pim dra")
INVENTED = 20_000


class Chatter:
    """A stream of turns that is the same for the same seed. A turn has 6 to 40 words, 22 on average."""

    def __init__(self, seed: int = 0) -> None:
        self._chance = random.Random(seed)
        counted = Counter(word for text in topics.values() for word in words(text) if word.isalpha())
        named = random.Random(1)
        invented = ["".join(named.choices(sorted(_PARTS), k=3)) for _ in range(INVENTED)]
        self._words = [word for word, _ in counted.most_common()] + invented
        self._weights = list(accumulate([float(count) for _, count in counted.most_common()] + [0.5] * INVENTED))

    def text(self) -> str:
        """Return what somebody says next."""
        size = min(40, max(6, round(self._chance.lognormvariate(3.0, 0.4))))
        return " ".join(self._chance.choices(self._words, cum_weights=self._weights, k=size))

    def turns(self, first: int, count: int) -> list[dict[str, Any]]:
        """Return ``count`` turns as `import_block` takes them, numbered from ``first``, twenty to a session."""
        return [
            {
                "id": f"turn-{number}",
                "session": f"session-{number // PER_SESSION}",
                "role": "assistant" if number % 2 else "user",
                "text": self.text(),
                "said_at": FIRST + timedelta(minutes=number),
            }
            for number in range(first, first + count)
        ]

    def cue(self, text: str) -> str:
        """Return a question about a turn: four of its words, and the words that a question is made of."""
        told = [word for word in words(text) if word not in FUNCTION_WORDS]
        return f"what did I say about {' '.join(self._chance.sample(told, min(4, len(told))))}?"
