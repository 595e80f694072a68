"""Features told by words at first and by a model later: which traces wait for it, and what its answer changes."""

from collections.abc import Callable
from dataclasses import dataclass

from capabilities.formulas.encoding import Features, Mood, encode
from capabilities.formulas.personality import attention_weights
from capabilities.traces.record import ToldByWords, Trace
from capabilities.traces.tables import views
from fabric.flow.resource import Transaction
from fabric.record.meanwhile import drawn
from fabric.store.base import Where

from ..config import CognitiveConfig
from ..content.features import detect
from ..encoder import Part, type_of

MOST_TRIES = 3
"""After how many failed calls of a model what the words told stays."""


@dataclass(frozen=True, slots=True)
class Reclassification(Part):
    """The traces that a session sees and whose features only words have told: `waiting`, until a model tells them."""

    async def waiting(self, most: int = 20) -> list[Trace]:
        """Return at most ``most`` traces that wait for a model, those with the fewest failures first."""
        return drawn(await self.ctx.transact(lambda tx: _waiting(tx, most)))

    async def told(self, trace: Trace, features: Features) -> bool:
        """Encode a trace anew by what a model told; False where it went, changed or was told of meanwhile."""
        return await self._change(trace, lambda stored: reclassified(stored, features, self.config))

    async def failed(self, trace: Trace) -> bool:
        """Count a failed call of the model for a trace; after the third, what the word lists read of it stays."""
        return await self._change(trace, tried)

    async def _change(self, seen: Trace, rule: Callable[[Trace], Trace]) -> bool:
        def work(tx: Transaction) -> bool:
            held = self.table(tx, "").live(seen.id)
            if held is None or held.trace.told_by_words is None or held.trace.content != seen.content:
                return False
            tx.put(held.view.tables.traces, [rule(held.trace)])
            return True

        return await self.ctx.transact(work)


def _waiting(tx: Transaction, most: int) -> list[Trace]:
    found: list[Trace] = []
    for view in views(tx.ids):
        asked = (Where("tries", "null", value=False), Where("deleted", "=", value=False))
        found += filter(view.sees, tx.find(view.tables.traces, *asked, order="tries"))
    return sorted(found, key=lambda trace: trace.tries or 0)[:most]


def reclassified(trace: Trace, told: Features, config: CognitiveConfig) -> Trace:
    """Return a trace as a model's features make it: what has become of it since it was encoded stays, in proportion."""
    read = trace.told_by_words
    if read is None:
        return trace
    by_words, weights = detect(trace.content), attention_weights(config.traits)
    mood = Mood(read.valence, read.arousal, read.dominance)
    old, new = (encode(mood, weights, reading, read.tone, config.encoding) for reading in (by_words, told))
    kind = trace.type
    if kind == type_of(trace.content, by_words):  # nobody said another
        kind = type_of(trace.content, told)
    share = new.strength / old.strength if old.strength else 1.0
    return trace.model_copy(
        update={
            "type": kind,
            "strength": min(1.0, trace.strength * share),
            "stability": trace.stability * (new.stability / old.stability),
            "importance": new.importance,
            "told_by_words": None,
            "tries": None,
        }
    )


def tried(trace: Trace) -> Trace:
    """Return a trace with one more failed model call, at most `MOST_TRIES`; then it no longer waits for one."""
    tries = (trace.tries or 0) + 1
    return trace.model_copy(update={"tries": tries} if tries < MOST_TRIES else {"tries": None, "told_by_words": None})


def by_words(mood: Mood, tone: float) -> dict[str, object]:
    """Return the fields that mark a trace as read by word lists: the mood and tone they read, and no model call yet."""
    told = ToldByWords(valence=mood.valence, arousal=mood.arousal, dominance=mood.dominance, tone=tone)
    return {"told_by_words": told, "tries": 0}
