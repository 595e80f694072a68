"""What vectors of passages are worth in long messages, without a model: ``python -m tests.bench.recall.passages``.

The turns of LoCoMo are merged to messages, a session's in order, or those of a conversation mixed up, which makes many
topics in one message. Each is searched with one vector a message, and with one for each passage too.
"""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from fabric import handler
from fabric.flow.context import Context
from fabric.store.base import RowVectors

from .data import LOCOMO, Haystack, Said, locomo, need
from .evaluate import Result, keep, mean, print_table, timed
from .lineup import options
from .locomo import answered, gain, score
from .product import Product

MEASURES = ("R@5", "R@10", "MRR", "NDCG@10")
WHOLE = "one vector a message"
PARTS = "and one a passage"
MERGED: Mapping[str, Callable[[Haystack], Haystack]] = {
    "250 words of a session": lambda one: merged(one, 250),
    "1,000 words of a session": lambda one: merged(one, 1_000),
    "250 words of many sessions": lambda one: merged(mixed(one), 250),
}


def mixed(haystack: Haystack) -> Haystack:
    """Return the haystack with its turns in any order, as if all were of one session."""
    turns = list(haystack.turns)
    random.Random(1).shuffle(turns)
    return replace(haystack, turns=[replace(turn, session="all") for turn in turns])


def merged(haystack: Haystack, words: int) -> Haystack:
    """Return the haystack with runs of turns of one session merged to messages of about so many words."""
    turns, message_of = list[Said](), dict[str, str]()
    for run in _runs(haystack.turns, words):
        name = f"m{len(turns)}"
        message_of |= dict.fromkeys((turn.id for turn in run), name)
        text = "\n".join(f"{turn.speaker}: {turn.text}" for turn in run)
        turns.append(replace(run[0], id=name, role="user", speaker="user", text=text))
    questions = [
        replace(question, gold=tuple(dict.fromkeys(message_of[turn] for turn in question.gold)))
        for question in haystack.questions
    ]
    return replace(haystack, turns=turns, questions=questions)


def _runs(turns: Iterable[Said], words: int) -> Iterable[list[Said]]:
    run, count = list[Said](), 0
    for turn in turns:
        if run and (run[0].session != turn.session or count >= words):
            yield run
            run, count = [], 0
        run.append(turn)
        count += len(turn.text.split())
    if run:
        yield run


class WithoutPassages(Product):
    """The same memory, from which the vectors of passages were taken away again."""

    def _import(self, session: Any, haystack: Haystack) -> None:
        super()._import(session, haystack)
        layout = self._memory.layout

        @handler(name="without-passages", uses=[self._memory.capability])
        async def drop(_: object, ctx: Context) -> None:
            space = await layout.meaning.space()

            def work(tx: Any) -> None:
                index = tx.index(layout.turns, space)
                wholes = {row_id: index.vectors.at(position) for row_id, position in index.positions.items()}
                tx.set_vectors(layout.turns, RowVectors(space, wholes))

            await ctx.transact(work)

        session.run(drop)


def report(title: str, everything: Mapping[str, Sequence[Result]]) -> None:
    """Print the table of one way to merge."""
    base = everything[WHOLE]
    rows = [
        (
            name,
            *(mean(answered(results), one) for one in MEASURES),
            gain(results, base, "R@10"),
            gain(results, base, "MRR"),
        )
        for name, results in everything.items()
    ]
    print_table(title, ("vectors", *MEASURES, "R@10 over the first", "MRR over the first"), rows)


def main() -> None:
    """Merge, search and print a table for each way to merge."""
    chosen = options(__doc__ or "")
    need(LOCOMO)
    for name, merge in MERGED.items():
        haystacks = [merge(one) for one in locomo(chosen.limit)]
        everything = {
            PARTS if made is Product else WHOLE: timed(made(name, "default"), haystacks, score)
            for made in (WithoutPassages, Product)
        }
        messages = sum(len(haystack.turns) for haystack in haystacks)
        report(f"LoCoMo 1-4, {messages} messages of about {name} (n = {len(answered(everything[WHOLE]))})", everything)
        keep(chosen.out, f"passages of {name}", everything)


if __name__ == "__main__":
    main()
