"""The one ranker: what every row scores for a question, and every part of that score."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from .confidence import calibrated, confidence
from .dense import Meaning, compare, refine
from .feedback import widened
from .fusion import FOREIGN_SHARE, WEIGHTS, Weights, greatest, unit_range
from .lexical import Lexical, exact_rows, look_up
from .neighbours import around, best_of_group
from .pool import Pools
from .question import Question
from .recency import EDGE, best_pair, newer_first
from .time_cue import named_spans, nearness
from .whose import whose

Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]
ALL_ROWS = 5_000
"""Up to how many rows each gets a full score; above, the best by their own text, and their neighbours."""
BEST_ROWS = 1_000
"""How many rows get a full score then, or twice as many as are wanted."""
TELLS = 0.5
"""From this share on, what a row's claim tells is what is asked for."""
ANSWERED = 0.75
"""How sure it is at least that something fits where a claim tells what is asked for."""
EXACT_BONUS = 20.0
"""What a row that holds all exact tokens of the question is put ahead by: more than all else together."""


@dataclass(eq=False, slots=True)
class Ranking:
    """The scores of one question: ``base`` by number, for all rows; ``scores`` for ``rows``, in order of number."""

    question: Question
    pools: Pools
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
    near: Floats
    session: Floats
    time: Floats
    scores: Floats
    weights: Weights
    allowed: NDArray[np.bool_]
    """By number, which rows may be shown."""
    sureness: float = 0.0
    raised: int = -1
    """The number of a row that was put above an older one, or -1."""
    sureness_of: Callable[[Question], float] | None = None
    """How sure it is that anything fits, where the question is about other people than was thought at first."""

    def allow(self, allowed: NDArray[np.bool_]) -> None:
        """Show only those rows from now on."""
        self.allowed = allowed

    def leave_out(self, others: Sequence[int], unanswered: Sequence[int]) -> None:
        """Take some rows for those of somebody else, and others for no answers, now that they were read."""
        people = self.question.people
        rows = np.ones(self.pools.size, np.bool_) if people.rows is None else people.rows.copy()
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
        for pool in self.pools:
            if pool.tier == tier and (slot := pool.index.slot_of(row_id)) >= 0:
                return pool.start + slot
        return -1

    def parts(self, number: int, turns: Sequence[int] = ()) -> tuple[float, dict[str, float]]:
        """Return a row's score and its parts; with ``turns``, what stands around the best of them counts for it."""
        places = [place for place in map(self.place, (number, *turns)) if place >= 0]
        if places and not turns:
            return self.parts_of([number])[0]
        near, session, time = self._around(places)
        parts = {
            "text": float(self.text[number]),
            "dense": float(self.dense[number]) * self.weights.dense,
            "speaker": float(self.speaker[number]),
            "attribute": float(self.attribute[number]),
            "neighbours": near,
            "session": session,
        }
        parts["time"] = sum(parts.values()) * time * self.weights.time
        parts["exact"] = float(self.exact[number]) * EXACT_BONUS
        parts["recency"] = 0.0
        return sum(parts.values()), parts

    def _around(self, places: Sequence[int]) -> tuple[float, float, float]:
        """Return what the turns around the best of some rows add, the session, and how well the time fits."""
        if not places:
            return 0.0, 0.0, 0.0
        best = max(places, key=lambda place: float(self.near[place] + self.session[place]))
        session = max(float(self.session[best]), float(self.session[places[0]]))
        return float(self.near[best]), session, max(float(self.time[place]) for place in places)

    def parts_of(self, numbers: Sequence[int]) -> list[tuple[float, dict[str, float]]]:
        """Return the scores and the parts of rows that stand for themselves."""
        places = np.searchsorted(self.rows, numbers)
        by_number = [
            part[numbers].tolist() for part in (self.text, self.dense, self.speaker, self.attribute, self.exact)
        ]
        by_place = [part[places].tolist() for part in (self.near, self.session, self.time, self.scores)]
        found: list[tuple[float, dict[str, float]]] = []
        for number, text, dense, speaker, attribute, exact, near, session, time, score in zip(
            numbers, *by_number, *by_place, strict=True
        ):
            parts = {
                "text": text,
                "dense": dense * self.weights.dense,
                "speaker": speaker,
                "attribute": attribute,
                "neighbours": near,
                "session": session,
            }
            parts["time"] = sum(parts.values()) * time * self.weights.time
            parts["exact"] = exact * EXACT_BONUS
            parts["recency"] = max(0.0, score - sum(parts.values())) if number == self.raised else 0.0
            found.append((score, parts))
        return found

    def best(self, limit: int, tier: str) -> list[int]:
        """Return the numbers of the best rows of a tier, best first, ties by number."""
        pool = next((one for one in self.pools if one.tier == tier), None)
        if pool is None:
            return []
        mine = np.arange(*np.searchsorted(self.rows, [pool.start, pool.end]))
        mine = mine[self.allowed[self.rows[mine]]]
        scores = self.scores[mine]
        if len(mine) > limit:
            floor = np.partition(scores, len(mine) - limit)[len(mine) - limit]
            mine = mine[scores >= floor]
        order = mine[np.argsort(-self.scores[mine], kind="stable")][:limit]
        return [int(number) for number in self.rows[order]]


def rank(question: Question, pools: Pools, now: datetime, *, most: int = 10, weights: Weights = WEIGHTS) -> Ranking:
    """Score the rows of all pools for a question asked at ``now``; ``most`` results will be wanted of each.

    A question about several things is ranked twice: the second time it means what was found first, too.
    """
    if question.is_foreign:
        weights = replace(weights, dense=weights.dense * FOREIGN_SHARE)
    same = _signals(question, pools, weights)
    first = _rank(question, pools, same, now, most, weights)
    vector = _widened(first) if question.is_about_several and weights.found else None
    if vector is None:
        return first
    second = _rank(replace(question, vector=vector), pools, same, now, most, weights)
    second.sureness, second.sureness_of = first.sureness, first.sureness_of
    return second


def _widened(found: Ranking) -> Floats | None:
    """Return the question's vector, drawn towards the best turns of the two best sessions; None without vectors."""
    asked = found.question.vector
    allowed = found.pools.allowed()[found.rows]
    sessions, _ = _of_turns(found.pools, found.rows)
    turns = np.flatnonzero(allowed & (sessions >= 0))
    pair = best_pair(found.scores[turns], sessions[turns])
    if asked is None or pair is None:
        return None
    vectors = [_vector(found.pools, int(found.rows[turns[place]]), len(asked)) for place in pair]
    return widened(asked, np.stack(vectors), found.weights.found)


def _vector(pools: Pools, number: int, dimension: int) -> Floats:
    pool = pools.of(number)
    vectors = pool.index.vectors
    if vectors is None or vectors.dimension != dimension or number - pool.start >= len(vectors):
        return np.zeros(dimension, np.float32)
    return vectors.at(number - pool.start)


@dataclass(frozen=True, eq=False, slots=True)
class _Signals:
    """What rows score apart from their meaning, which alone changes from the first look to the second."""

    lexical: Lexical
    text: Floats
    by_content: Floats
    """The same without the names of whom memories are about: what stands for the meaning of a row without a vector."""
    speaker: Floats
    asked: NDArray[np.bool_]
    """Which memories are about whom the question asks about."""
    exact: Floats
    allowed: NDArray[np.bool_]
    are_open: bool
    """Whether all rows may be found."""


def _signals(question: Question, pools: Pools, weights: Weights) -> _Signals:
    lexical, allowed, are_open = look_up(question, pools), pools.allowed(), pools.are_open
    among = None if are_open else allowed
    text = unit_range(lexical.sums, among)
    by_content = text if lexical.by_content is lexical.sums else unit_range(lexical.by_content, among)
    speaker, asked = whose(question, pools)
    if question.people.rows is not None:
        for part in (text, speaker) if by_content is text else (text, by_content, speaker):
            part[~question.people.rows] *= np.float32(weights.others)
    return _Signals(lexical, text, by_content, speaker, asked, exact_rows(question, pools), allowed, are_open)


def _rank(question: Question, pools: Pools, same: _Signals, now: datetime, most: int, weights: Weights) -> Ranking:
    meaning = compare(question, pools, same.by_content, None if same.are_open else same.allowed)
    if question.people.rows is not None:
        meaning.dense[~question.people.rows] *= np.float32(weights.others)
    answers = question.people.answers
    base = meaning.dense * np.float32(weights.dense)
    base += same.text
    speaker = np.float32(weights.speaker) * same.speaker
    speaker[same.asked] += np.float32(weights.subject) * base[same.asked]
    base += speaker
    attribute = np.zeros_like(base) if answers is None else np.float32(weights.attribute) * answers
    base += attribute
    if not same.are_open:
        base[~same.allowed] = 0
    count = max(BEST_ROWS, 2 * most)
    rows = np.arange(pools.size)
    is_large = pools.size > max(ALL_ROWS, count)
    if is_large or not pools.are_exact:
        top = greatest(base, count)
        refine(question, pools, top[same.allowed[top]], meaning, base, weights.dense)
        if is_large:
            rows = _with_neighbours(top, np.flatnonzero(same.exact)[:count], pools)
    near, far, session = _surroundings(base, rows, pools)
    around_it = np.asarray(weights.next * near + weights.beyond * far, np.float32)
    if "assistant" not in question.roles:
        around_it[_are_replies(pools, rows)] *= np.float32(weights.reply)
    session *= np.float32(weights.session)
    scores = np.asarray(base[rows] + around_it + session, np.float32)
    time = _time(question, pools, rows, now)
    scores *= 1 + np.float32(weights.time) * time
    scores += np.float32(EXACT_BONUS) * same.exact[rows]
    text, dense, exact = same.text, meaning.dense, same.exact
    made = Ranking(
        question,
        pools,
        same.lexical,
        text,
        dense,
        speaker,
        attribute,
        exact,
        base,
        rows,
        around_it,
        session,
        time,
        scores,
        weights,
        same.allowed,
    )
    _finish(made, meaning, same.allowed)
    return made


def _are_replies(pools: Pools, rows: Numbers) -> NDArray[np.bool_]:
    found = np.zeros(len(rows), np.bool_)
    for pool in pools:
        role = pool.index.columns.get("role")
        begin, end = np.searchsorted(rows, [pool.start, pool.end])
        number = -1 if role is None else role.names.get("assistant", -1)
        if role is not None and number >= 0:
            found[begin:end] = role.view[rows[begin:end] - pool.start] == number
    return found


def _with_neighbours(top: Numbers, exact: Numbers, pools: Pools) -> Numbers:
    """Return the numbers of the rows to score fully, ascending: the best, and those up to two turns away."""
    chosen = np.zeros(pools.size, np.bool_)  # marking rows is several times as fast as sorting their numbers
    chosen[top] = chosen[exact] = True
    for pool in pools:
        begin, end = np.searchsorted(top, [pool.start, pool.end])
        own = chosen[pool.start : pool.end]
        for links in (pool.index.before.view, pool.index.after.view):
            one = links[top[begin:end] - pool.start]
            one = one[one >= 0]
            two = links[one]
            own[one] = own[two[two >= 0]] = True
    return np.flatnonzero(chosen)


def _surroundings(base: Floats, rows: Numbers, pools: Pools) -> tuple[Floats, Floats, Floats]:
    near, far = np.zeros(len(rows), np.float32), np.zeros(len(rows), np.float32)
    session = base[rows].copy()
    for pool in pools:
        begin, end = np.searchsorted(rows, [pool.start, pool.end])
        slots = rows[begin:end] - pool.start
        index, own = pool.index, base[pool.start : pool.end]
        if index.thread and len(slots):
            near[begin:end], far[begin:end] = around(own, index.before.view, index.after.view, slots)
            session[begin:end] = best_of_group(own[slots], index.columns[index.thread].view[slots])
    return near, far, session


def _time(question: Question, pools: Pools, rows: Numbers, now: datetime) -> Floats:
    found = np.zeros(len(rows), np.float32)
    spans = named_spans(question.cue.text, now)
    for pool in pools if spans else ():
        said = pool.index.columns.get("said_at")
        begin, end = np.searchsorted(rows, [pool.start, pool.end])
        if said is not None and end > begin:
            found[begin:end] = nearness(said.view[rows[begin:end] - pool.start], spans)
    return found


def _finish(ranking: Ranking, meaning: Meaning, allowed: NDArray[np.bool_]) -> None:
    """Put a newer turn above an older one where both speak of the same, and say how sure it is that anything fits."""
    places = np.flatnonzero(allowed[ranking.rows])
    if not len(places):
        return
    places = places[greatest(ranking.scores[places], BEST_ROWS)]
    rows = ranking.rows[places]
    matched = ranking.lexical.matched(rows)
    right = ranking.question.people.rows
    sessions, times = _of_turns(ranking.pools, rows)
    turns = np.flatnonzero(sessions >= 0)
    scores = ranking.scores[places]
    weighted = matched * ranking.lexical.weights[:, None]
    if right is not None:
        weighted[:, ~right[rows]] = 0
    asked = ranking.time[places[turns]]
    raised = newer_first(scores[turns], sessions[turns], times[turns], weighted[:, turns], asked)
    if raised >= 0:
        number = int(rows[turns[raised]])
        ranking.raised = number
        best = float(scores[turns].max())
        ranking.scores[ranking.place(number)] = best * (1 + EDGE)
    ranking.sureness_of = lambda question: _sureness(ranking, question, meaning, rows, matched, sessions)
    ranking.sureness = ranking.sureness_of(ranking.question)


def _sureness(
    ranking: Ranking,
    question: Question,
    meaning: Meaning,
    rows: Numbers,
    matched: Floats,
    sessions: NDArray[np.int32],
) -> float:
    """Return how sure it is that anything fits: by what speaks of whom is asked about, or a share of it by all."""

    def of(some: NDArray[np.bool_]) -> float:
        held = rows[some & meaning.present[rows]]
        cosine = float(meaning.cosines[held].max()) if len(held) else None
        found = confidence(matched[:, some], ranking.lexical.weights, sessions[some], cosine)
        return calibrated(found, ranking.pools.words)

    sureness = of(np.ones(len(rows), np.bool_))
    right, answers = question.people.rows, question.people.answers
    if right is not None:
        sureness = max(of(right[rows]), ranking.weights.unlike * sureness)
    told = 0.0 if answers is None else float(answers[rows].max())
    return max(sureness, ANSWERED) if told >= TELLS else sureness


def _of_turns(pools: Pools, rows: Numbers) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return each row's session number and time; -1 and NaN for rows that have none."""
    sessions, times = np.full(len(rows), -1, np.int32), np.full(len(rows), np.nan)
    for pool in pools:
        begin, end = np.searchsorted(rows, [pool.start, pool.end])
        index, said = pool.index, pool.index.columns.get("said_at")
        if index.thread and said is not None:
            slots = rows[begin:end] - pool.start
            sessions[begin:end] = index.columns[index.thread].view[slots]
            times[begin:end] = said.view[slots]
    return sessions, times
