"""Chooses the ranker's weights by cross-validation, and prints the folds: ``python -m tests.bench.recall.tune``.

A fold holds back one LoCoMo conversation and a fifth of the LongMemEval questions; the weights are chosen on the rest,
one at a time in turn until none changes, and measured on what was held back. The score is the mean of LoCoMo R@10 and
NDCG@10 (categories 1-4) and LongMemEval-S all@5 and NDCG@5.
"""

import argparse
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from capabilities.memory.recall.eligible import candidates_of
from capabilities.memory.recall.request import RecallRequest
from capabilities.retrieval.candidates import Candidates
from capabilities.retrieval.fusion import WEIGHTS, Weights
from capabilities.retrieval.question import Question as Asked
from capabilities.retrieval.question import read_question
from capabilities.retrieval.rank import rank
from fabric import Fabric
from fabric.flow.block import Block
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.flow.resource import Transaction
from fabric.testing import FrozenClock
from pipelines import memory_system
from pipelines.system import MemorySystem

from .data import LOCOMO, QUESTIONS, SESSIONS, Haystack, Question, locomo, longmemeval, need
from .evaluate import print_table
from .locomo import score as score_turns
from .longmemeval import score as score_sessions
from .system import Answer

GRID = {
    "dense": (1.0, 1.4, 1.8, 2.2, 2.6),
    "speaker": (0.15, 0.3, 0.45, 0.6),
    "adjacent": (0.2, 0.3, 0.4, 0.5),
    "two_away": (0.0, 0.1, 0.2, 0.3),
    "session": (0.0, 0.1, 0.2, 0.3),
    "time": (0.15, 0.3, 0.5, 0.7),
    "feedback": (0.0, 0.4, 0.8, 1.2),
}
ROUNDS = 3
MEASURES = ("LoCoMo R@10", "NDCG@10", "LongMemEval-S all@5", "NDCG@5")
DEPTH = 100
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Case:
    """One question with the rows it is put to, and how its ranking is measured: two numbers."""

    asked: Asked
    candidates: Candidates
    now: datetime
    fold: int
    is_turns: bool
    measure: Callable[[list[str]], tuple[float, float]]

    def measured(self, weights: Weights) -> tuple[float, float]:
        """Rank with these weights, and measure."""
        found = rank(self.asked, self.candidates, self.now, weights=weights).best(DEPTH, "turn")
        index = self.candidates.groups[0].index
        return self.measure([index.ids[number] for number in found])


@dataclass(slots=True)
class Bench:
    """All questions, and what weights gave on them, so that folds that try the same weights share the work."""

    cases: list[Case]
    _known: dict[Weights, Floats] = field(default_factory=dict)

    def measures(self, weights: Weights) -> Floats:
        """Return shape (questions, 2)."""
        if weights not in self._known:
            self._known[weights] = np.array([case.measured(weights) for case in self.cases])
        return self._known[weights]

    def means(self, weights: Weights, chosen: NDArray[np.bool_]) -> Floats:
        """Return the four measures over the chosen questions."""
        turns = np.array([case.is_turns for case in self.cases])
        found = self.measures(weights)
        return np.concatenate([found[chosen & turns].mean(axis=0), found[chosen & ~turns].mean(axis=0)])

    def best(self, chosen: NDArray[np.bool_]) -> Weights:
        """Return the weights that do best on the chosen questions, found one weight at a time."""
        weights = Weights(**{name: values[0] for name, values in GRID.items()})
        for _ in range(ROUNDS):
            before = weights
            for name, values in GRID.items():
                tried = [replace(weights, **{name: value}) for value in values]
                weights = max(tried, key=lambda one: float(self.means(one, chosen).mean()))
            if weights == before:
                break
        return weights


def cases(haystacks: Iterable[Haystack], folds: int, *, is_turns: bool) -> list[Case]:
    """Import the haystacks and return their questions as cases; the haystacks are dealt out to the folds."""
    memory, clock = memory_system(episodic=True, semantic=True), FrozenClock()
    found = list[Case]()
    with Fabric(":memory:", clock=clock) as fabric:
        for number, haystack in enumerate(haystacks):
            clock.set(haystack.turns[-1].said_at)
            session = fabric.session("tune", user=haystack.name)
            session.run(memory.import_block, [turn.record for turn in haystack.turns])
            wanted = [
                question
                for question in haystack.questions
                if question.answerable and (not is_turns or question.kind != "5")
            ]
            session.run(_collect(memory, haystack, number % folds, is_turns, found), wanted)
    return found


def _collect(
    memory: MemorySystem, haystack: Haystack, fold: int, is_turns: bool, found: list[Case]
) -> Block[Any, None]:
    layout = memory.layout
    names = {turn.speaker for turn in haystack.turns if turn.speaker != turn.role}

    @handler(name="collect", uses=layout.resources)
    async def collect(questions: Any, ctx: Context) -> None:
        for question in questions:
            asked = read_question(question.text, names)
            embedded = await layout.meaning.embed([asked.meaning])
            spelled = [word.spelling for word in asked.cue.words]
            of_words = layout.meaning.words
            if embedded.vectors is not None and of_words is not None:
                asked = replace(asked, vector=embedded.vectors[0], word_vectors=of_words(spelled))
            request = RecallRequest(cue=question.text, tiers=("turn",))

            def candidates(
                tx: Transaction, asked: Asked = asked, request: RecallRequest = request, space: str = embedded.space
            ) -> Candidates:
                return candidates_of(tx, ctx, layout, request, asked, space, [])

            held = await ctx.transact(candidates)
            found.append(Case(asked, held, question.asked_at, fold, is_turns, _measure(haystack, question, is_turns)))

    return collect


def _measure(haystack: Haystack, question: Question, is_turns: bool) -> Callable[[list[str]], tuple[float, float]]:
    def measure(ranked: list[str]) -> tuple[float, float]:
        if is_turns:
            turns = score_turns(haystack, question, Answer(ranked, 0.0))
            return turns["R@10"], turns["NDCG@10"]
        sessions = score_sessions(haystack, question, Answer(ranked, 0.0))
        return sessions["all@5"], sessions["NDCG@5"]

    return measure


def row(name: str, weights: Weights, values: Iterable[float]) -> list[str]:
    """Return a row of the table."""
    return [name, *(f"{getattr(weights, one):g}" for one in GRID), *(f"{value:.3f}" for value in values)]


def main() -> None:
    """Choose the weights on every fold and on everything, and print them beside those in the code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, help="so many LongMemEval questions instead of all")
    read = parser.parse_args()
    need(LOCOMO, QUESTIONS, SESSIONS)
    start = time.perf_counter()
    conversations = locomo()
    folds = len(conversations)
    bench = Bench(
        cases(conversations, folds, is_turns=True) + cases(longmemeval(read.questions), folds, is_turns=False)
    )
    print(f"<!-- {len(bench.cases)} questions, {time.perf_counter() - start:.0f} s to import -->", flush=True)
    fold_of = np.array([case.fold for case in bench.cases])
    rows, held_out = list[list[str]](), list[Floats]()
    for fold in range(folds):
        weights = bench.best(fold_of != fold)
        held_out.append(bench.means(weights, fold_of == fold))
        rows.append(row(f"fold {fold + 1}, held back", weights, held_out[-1]))
        rows.append(row("the code's, same questions", WEIGHTS, bench.means(WEIGHTS, fold_of == fold)))
        print(f"<!-- {rows[-2]} {time.perf_counter() - start:.0f} s -->", flush=True)
    everything = np.ones(len(fold_of), np.bool_)
    on_all = bench.best(everything)
    rows.append(["mean of the folds", *("" for _ in GRID), *(f"{one:.3f}" for one in np.mean(held_out, axis=0))])
    rows.append(row("chosen on everything", on_all, bench.means(on_all, everything)))
    rows.append(row("in the code", WEIGHTS, bench.means(WEIGHTS, everything)))
    print_table("Weights of the ranker, words weigh 1", ("", *GRID, *MEASURES), rows)


if __name__ == "__main__":
    main()
