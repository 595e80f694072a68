"""The scores of one question: what each row has, what that is made of, and which rows are best."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .candidates import Candidates
from .fusion import Weights
from .lexical.lexical import Lexical
from .question import Question

Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]
THEN_BONUS = 10.0
"""What a row of the time that a question asks about, and about nothing else, is put ahead by."""
EXACT_BONUS = 20.0
"""What a row that holds all exact tokens of the question is put ahead by: more than all else together."""


@dataclass(eq=False, slots=True)
class Ranking:
    """The scores of one question: ``base`` by number, for all rows; ``scores`` for ``rows``, in order of number."""

    question: Question
    candidates: Candidates
    lexical: Lexical
    text: Floats
    dense: Floats
    speaker: Floats
    """What it counts that the question names whose it is or who said it."""
    attribute: Floats
    """What it counts that a row's claim is what is asked for."""
    exact: Floats
    base: Floats
    rows: Numbers
    neighbours: Floats
    """What the turns around each of ``rows`` add."""
    session: Floats
    time: Floats
    scores: Floats
    weights: Weights
    allowed: NDArray[np.bool_]
    """By number, which rows may be shown."""
    sureness: float = 0.0
    raised: int = -1
    """The number of a row that was put above an older one, or -1."""
    then: NDArray[np.bool_] | None = None
    """By number, which rows are of the time that the question asks about, where it asks about nothing else."""
    sureness_of: Callable[[Question], float] | None = None
    """How sure it is that anything fits, where the question is about other people than was thought at first."""

    def allow(self, allowed: NDArray[np.bool_]) -> None:
        """Show only those rows from now on."""
        self.allowed = allowed

    def leave_out(self, others: Sequence[int], unanswered: Sequence[int]) -> None:
        """Take some rows for those of somebody else, and others for no answers, now that they were read."""
        people = self.question.people
        rows = np.ones(self.candidates.size, np.bool_) if people.rows is None else people.rows.copy()
        rows[list(others)] = False
        answers = people.answers
        if answers is not None:
            answers = answers.copy()
            answers[[*others, *unanswered]] = 0
        self.question = replace(self.question, people=replace(people, rows=rows, answers=answers))
        if self.sureness_of is not None:
            self.sureness = self.sureness_of(self.question)

    def place(self, number: int) -> int:
        """Return where a row stands in ``rows``, -1 when it was not scored."""
        place = int(np.searchsorted(self.rows, number))
        return place if place < len(self.rows) and self.rows[place] == number else -1

    def number_of(self, tier: str, row_id: str) -> int:
        """Return the number of a row by its id, -1 when it is not among the rows."""
        for group in self.candidates:
            if group.tier == tier and (position := group.index.position_of(row_id)) >= 0:
                return group.start + position
        return -1

    def parts(self, number: int, turns: Sequence[int] = ()) -> tuple[float, dict[str, float]]:
        """Return a row's score and its parts; with ``turns``, what stands around the best of them counts for it."""
        places = [place for place in map(self.place, (number, *turns)) if place >= 0]
        if places and not turns:
            return self.parts_of([number])[0]
        neighbours, session, time = self._around(places)
        parts = {
            "text": float(self.text[number]),
            "dense": float(self.dense[number]) * self.weights.dense,
            "speaker": float(self.speaker[number]),
            "attribute": float(self.attribute[number]),
            "neighbours": neighbours,
            "session": session,
        }
        parts["time"] = sum(parts.values()) * time * self.weights.time
        parts["time"] += max(self._then(row) for row in (number, *turns))
        parts["exact"] = float(self.exact[number]) * EXACT_BONUS
        parts["recency"] = 0.0
        return sum(parts.values()), parts

    def _around(self, places: Sequence[int]) -> tuple[float, float, float]:
        """Return what the turns around the best of some rows add, the session, and how well the time fits."""
        if not places:
            return 0.0, 0.0, 0.0
        best = max(places, key=lambda place: float(self.neighbours[place] + self.session[place]))
        session = max(float(self.session[best]), float(self.session[places[0]]))
        return float(self.neighbours[best]), session, max(float(self.time[place]) for place in places)

    def parts_of(self, numbers: Sequence[int]) -> list[tuple[float, dict[str, float]]]:
        """Return the scores and the parts of rows that stand for themselves."""
        places = np.searchsorted(self.rows, numbers)
        by_number = [
            part[numbers].tolist() for part in (self.text, self.dense, self.speaker, self.attribute, self.exact)
        ]
        by_place = [part[places].tolist() for part in (self.neighbours, self.session, self.time, self.scores)]
        scored: list[tuple[float, dict[str, float]]] = []
        for number, text, dense, speaker, attribute, exact, neighbours, session, time, score in zip(
            numbers, *by_number, *by_place, strict=True
        ):
            parts = {
                "text": text,
                "dense": dense * self.weights.dense,
                "speaker": speaker,
                "attribute": attribute,
                "neighbours": neighbours,
                "session": session,
            }
            parts["time"] = sum(parts.values()) * time * self.weights.time + self._then(number)
            parts["exact"] = exact * EXACT_BONUS
            parts["recency"] = max(0.0, score - sum(parts.values())) if number == self.raised else 0.0
            scored.append((score, parts))
        return scored

    def _then(self, number: int) -> float:
        return 0.0 if self.then is None else THEN_BONUS * float(self.then[number])

    def best(self, limit: int, tier: str) -> list[int]:
        """Return the numbers of the best rows of a tier, best first, ties by number."""
        group = next((group for group in self.candidates if group.tier == tier), None)
        if group is None:
            return []
        mine = np.arange(*map(int, np.searchsorted(self.rows, [group.start, group.end])))
        mine = mine[self.allowed[self.rows[mine]]]
        scores = self.scores[mine]
        if len(mine) > limit:
            floor = np.partition(scores, len(mine) - limit)[len(mine) - limit]
            mine = mine[scores >= floor]
        order = mine[np.argsort(-self.scores[mine], kind="stable")][:limit]
        return [int(number) for number in self.rows[order]]
