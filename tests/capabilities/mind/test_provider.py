"""What every provider must do, the two of ours and one that is written by what the seam says."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capabilities.meaning import Embedded
from capabilities.mind import InMemoryProvider, MindBelief, MindProvider, MindTable, StoreProvider, Wanted, mind
from capabilities.mind.provider import Likenesses
from capabilities.mind.record import LEVELS
from capabilities.mind.similarity import word_similarity
from fabric import Context, Fabric, generator, handler
from fabric.testing import FrozenClock, ScriptedModel, call
from tests.soak import examples

from .reading import ago, belief
from .running import Minds

T = TypeVar("T")


class Logging(InMemoryProvider):
    """A provider of somebody else: it keeps minds in memory, apart by a prefix, and counts its transactions."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    async def transact(
        self,
        ctx: Context,
        namespace: str,
        work: Callable[[MindTable], T],
        embedded: Embedded,
        texts: Sequence[str] = (),
    ) -> T:
        self.count += 1
        return await super().transact(ctx, f"elsewhere/{namespace}", work, embedded, texts)


async def test_a_custom_provider_is_accepted_and_the_file_holds_nothing_of_its_mind():
    provider = Logging()
    model = ScriptedModel([call("mind_believe", content="Tea is hot", confidence="high"), "done", "done"])
    uses = [mind(None, provider=provider)]
    with Fabric(":memory:", models=model, clock=FrozenClock()) as fabric:
        agent, session = generator(name="agent", model="m", uses=uses), fabric.session("s", user="ann")
        await session.arun(agent, "go")
        await session.arun(agent, "go")
    assert "- Tea is hot (high confidence)" in str(model.requests[-1].messages[0]["content"])
    assert provider.count > 2


def named(likenesses: Likenesses) -> dict[str, float]:
    return dict(zip(likenesses.ids, np.asarray(likenesses.similarity).tolist(), strict=True))


async def test_without_vectors_entries_are_compared_by_their_words(minds: Minds):
    texts = ["Tea is hot", "The tea of the house is cold", "Chairs", "the", "\U0001f600"]
    held = [belief(text, 1).model_copy(update={"namespace": "mind/shared"}) for text in texts]
    await minds.table(lambda table: table.put(held))
    for asked in ("hot tea in the house", "chairs", "the", "\U0001f600", "nothing of it"):
        found = named(await minds.table(lambda table, text=asked: table.compare(MindBelief, text, Wanted())))
        assert found == pytest.approx({belief.id: word_similarity(belief.content, asked) for belief in held})


@settings(max_examples=examples(10))
@given(
    st.lists(
        st.tuples(st.sampled_from(LEVELS), st.booleans(), st.integers(0, 9), st.none() | st.integers(-3, 3)), max_size=8
    ),
    st.none() | st.sampled_from(LEVELS),
    st.booleans(),
    st.none() | st.integers(0, 9),
)
async def test_both_providers_compare_the_same_entries(made: Any, least: Any, without_errors: Any, days: int | None):
    entries = [
        belief(f"belief {n}", age, confidence=level, error=error, expires_at=None if ends is None else ago(ends))
        for n, (level, error, age, ends) in enumerate(made)
    ]
    wanted = Wanted(
        at_least=least,
        without_errors=without_errors,
        alive_at=ago(0),
        made_since=None if days is None else ago(days),
    )
    results = [await compared(provider, entries, wanted) for provider in (InMemoryProvider(), StoreProvider())]
    assert results[0] == results[1]


async def compared(provider: MindProvider, entries: Sequence[MindBelief], wanted: Wanted) -> Any:
    async def both(ctx: Context) -> Any:
        await provider.transact(ctx, "mind/tester", lambda table: table.put(entries), Embedded())
        other = [belief.model_copy(update={"id": f"x{belief.id}", "namespace": "mind/other"}) for belief in entries]
        await provider.transact(ctx, "mind/other", lambda table: table.put(other), Embedded())
        return await provider.transact(
            ctx, "mind/tester", lambda table: table.compare(MindBelief, "belief 1", wanted), Embedded()
        )

    with Fabric(":memory:", clock=FrozenClock()) as fabric:
        block = handler(both, name="both", uses=list(provider.resources))
        found: Likenesses = (await fabric.session("s", user="ann").arun(block)).output
    columns = zip(found.ids, found.similarity, found.created_at, found.confidence, strict=True)
    return {one: tuple(round(float(number), 6) for number in rest) for one, *rest in columns}


async def test_an_entry_whose_vector_is_gone_is_compared_by_its_words(minds: Minds):
    vectors = {"tea": [1.0, 0.0], "chairs": [0.0, 1.0]}

    def embed(texts: Sequence[str]) -> Any:
        return [vectors.get(text, [0.6, 0.8]) for text in texts]

    await minds.run(lambda mind: mind.believe("tea"), embedder=embed)
    await minds.run(lambda mind: mind.believe("chairs"))
    found = await minds.run(lambda mind: mind.recall("chairs", threshold=0), embedder=embed)
    assert {one.content: one.parts.similarity for one in found} == {
        "tea": 0.0,
        "chairs": pytest.approx(1.0),
    }
