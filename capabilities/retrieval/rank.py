"""The one ranker: what every row scores for a question."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from .candidates import Pools
from .confidence import calibrated, confidence
from .dense import Meaning, compare, refine
from .feedback import widened
from .fusion import FOREIGN_SHARE, WEIGHTS, Weights, greatest, unit_range
from .lexical.lexical import Lexical, exact_rows, look_up
from .neighbours import around, best_of_group
from .question import Question
from .ranking import EXACT_BONUS, THEN_BONUS, Ranking
from .time.recency import EDGE, best_pair, newer_first
from .time.time_cue import Span, TimeCue, nearness, read_time
from .whose import whose

__all__ = ["Ranking", "rank"]

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
TOLD_THEN = 0.75
"""How sure it is at least that something fits where there are such rows."""


def rank(question: Question, pools: Pools, now: datetime, *, most: int = 10, weights: Weights = WEIGHTS) -> Ranking:
    """Score the rows of all pools for a question asked at ``now``; ``most`` results will be wanted of each.

    A question about several things is ranked twice: the second time it means what was found first, too.
    """
    if question.is_foreign:
        weights = replace(weights, dense=weights.dense * FOREIGN_SHARE)
    same = _signals(question, pools, now, weights)
    first = _rank(question, pools, same, most, weights)
    vector = _widened(first) if question.is_about_several and weights.found else None
    if vector is None:
        return first
    second = _rank(replace(question, vector=vector), pools, same, most, weights)
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
    time: TimeCue
    then: NDArray[np.bool_] | None
    """Which rows that may be found are of the time that is asked about, where nothing else is."""


def _signals(question: Question, pools: Pools, now: datetime, weights: Weights) -> _Signals:
    lexical, allowed, are_open = look_up(question, pools), pools.allowed(), pools.are_open
    among = None if are_open else allowed
    text = unit_range(lexical.sums, among)
    by_content = text if lexical.by_content is lexical.sums else unit_range(lexical.by_content, among)
    speaker, asked = whose(question, pools)
    if question.people.rows is not None:
        for part in (text, speaker) if by_content is text else (text, by_content, speaker):
            part[~question.people.rows] *= np.float32(weights.others)
    exact = exact_rows(question, pools)
    time = read_time(question.cue.text, question.cue.language, now)
    then = _time(pools, np.arange(pools.size), time.spans) == 1 if time.is_all else None
    then = None if then is None else then & allowed
    return _Signals(lexical, text, by_content, speaker, asked, exact, allowed, are_open, time, then)


def _rank(question: Question, pools: Pools, same: _Signals, most: int, weights: Weights) -> Ranking:
    meaning = compare(question, pools, same.by_content, None if same.are_open else same.allowed)
    if question.people.rows is not None:
        meaning.dense[~question.people.rows] *= np.float32(weights.others)
    answers = question.people.answers
    base = meaning.dense * np.float32(weights.dense)
    base += same.text
    attribute = np.zeros_like(base) if answers is None else np.float32(weights.attribute) * answers
    base += attribute
    speaker = np.float32(weights.speaker) * same.speaker
    speaker[same.asked] += np.float32(weights.subject) * base[same.asked]
    base += speaker
    if not same.are_open:
        base[~same.allowed] = 0
    count = max(BEST_ROWS, 2 * most)
    rows = np.arange(pools.size)
    is_large = pools.size > max(ALL_ROWS, count)
    if is_large or not pools.are_exact:
        top = greatest(base, count)
        refine(question, pools, top[same.allowed[top]], meaning, base, weights.dense)
        if is_large:
            rows = _with_neighbours(top, _put_ahead(same, base, count), pools)
    near, far, session = _surroundings(base, rows, pools)
    around_it = np.asarray(weights.next * near + weights.beyond * far, np.float32)
    if "assistant" not in question.roles:
        around_it[_are_replies(pools, rows)] *= np.float32(weights.reply)
    session *= np.float32(weights.session)
    scores = np.asarray(base[rows] + around_it + session, np.float32)
    time = _time(pools, rows, same.time.spans)
    scores *= 1 + np.float32(weights.time) * time
    scores += np.float32(EXACT_BONUS) * same.exact[rows]
    if same.then is not None:
        scores += np.float32(THEN_BONUS) * same.then[rows]
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
    made.then = same.then
    _finish(made, meaning, same.allowed)
    if same.then is not None and same.then.any():
        made.sureness = max(made.sureness, TOLD_THEN)
    return made


def _put_ahead(same: _Signals, base: Floats, count: int) -> Numbers:
    """Return the rows that are put ahead of others for what they are, whatever they say."""
    exact = np.flatnonzero(same.exact)[:count]
    if same.then is None:
        return exact
    then = np.flatnonzero(same.then)
    return np.concatenate([exact, then[greatest(base[then], count)]])


def _are_replies(pools: Pools, rows: Numbers) -> NDArray[np.bool_]:
    found = np.zeros(len(rows), np.bool_)
    for pool in pools:
        role = pool.index.columns.get("role")
        begin, end = np.searchsorted(rows, [pool.start, pool.end])
        number = -1 if role is None else role.names.get("assistant", -1)
        if role is not None and number >= 0:
            found[begin:end] = role.values[rows[begin:end] - pool.start] == number
    return found


def _with_neighbours(top: Numbers, exact: Numbers, pools: Pools) -> Numbers:
    """Return the numbers of the rows to score fully, ascending: the best, and those up to two turns away."""
    chosen = np.zeros(pools.size, np.bool_)  # marking rows is several times as fast as sorting their numbers
    chosen[top] = chosen[exact] = True
    for pool in pools:
        begin, end = np.searchsorted(top, [pool.start, pool.end])
        own = chosen[pool.start : pool.end]
        for links in (pool.index.before, pool.index.after):
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
            near[begin:end], far[begin:end] = around(own, index.before, index.after, slots)
            session[begin:end] = best_of_group(own[slots], index.columns[index.thread].values[slots])
    return near, far, session


def _time(pools: Pools, rows: Numbers, spans: Sequence[Span]) -> Floats:
    found = np.zeros(len(rows), np.float32)
    for pool in pools if spans else ():
        said = pool.index.columns.get("said_at")
        begin, end = np.searchsorted(rows, [pool.start, pool.end])
        if said is not None and end > begin:
            found[begin:end] = nearness(said.values[rows[begin:end] - pool.start], spans)
    return found


def _finish(ranking: Ranking, meaning: Meaning, allowed: NDArray[np.bool_]) -> None:
    """Put a newer turn above an older one where both speak of the same, and say how sure it is that anything fits."""
    places = np.flatnonzero(allowed[ranking.rows])
    if not len(places):
        return
    places = places[greatest(ranking.scores[places], BEST_ROWS)]
    rows = ranking.rows[places]
    matched = ranking.lexical.matched(rows)
    spelled = matched if ranking.lexical.spelled is None else ranking.lexical.matched(rows, as_spelled=True)
    right = ranking.question.people.rows
    sessions, times = _of_turns(ranking.pools, rows)
    turns = np.flatnonzero(sessions >= 0)
    scores = ranking.scores[places]
    weighted = spelled * ranking.lexical.weights[:, None]
    if right is not None:
        weighted[:, ~right[rows]] = 0
    asked = ranking.time[places[turns]]
    raised = newer_first(scores[turns], sessions[turns], times[turns], weighted[:, turns], asked)
    if raised >= 0:
        number = int(rows[turns[raised]])
        ranking.raised = number
        best = float(scores[turns].max())
        ranking.scores[ranking.place(number)] = best * (1 + EDGE)
    ranking.sureness_of = _sureness_of(ranking, meaning, rows, matched, sessions)
    ranking.sureness = ranking.sureness_of(ranking.question)


def _sureness_of(
    ranking: Ranking, meaning: Meaning, rows: Numbers, matched: Floats, sessions: NDArray[np.int32]
) -> Callable[[Question], float]:
    """Return how sure it is that anything fits a question, whomever it is found to be about.

    That is by what speaks of whom is asked about, or a share of it by all.
    """

    def of(some: NDArray[np.bool_]) -> float:
        held = rows[some & meaning.present[rows]]
        cosine = float(meaning.cosines[held].max()) if len(held) else None
        found = confidence(matched[:, some], ranking.lexical.weights, sessions[some], cosine)
        return calibrated(found, ranking.pools.words)

    by_all = of(np.ones(len(rows), np.bool_))

    def sureness(question: Question) -> float:
        right, answers = question.people.rows, question.people.answers
        found = by_all if right is None else max(of(right[rows]), ranking.weights.unlike * by_all)
        told = 0.0 if answers is None else float(answers[rows].max())
        return max(found, ANSWERED) if told >= TELLS else found

    return sureness


def _of_turns(pools: Pools, rows: Numbers) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return each row's session number and time; -1 and NaN for rows that have none."""
    sessions, times = np.full(len(rows), -1, np.int32), np.full(len(rows), np.nan)
    for pool in pools:
        begin, end = np.searchsorted(rows, [pool.start, pool.end])
        index, said = pool.index, pool.index.columns.get("said_at")
        if index.thread and said is not None:
            slots = rows[begin:end] - pool.start
            sessions[begin:end] = index.columns[index.thread].values[slots]
            times[begin:end] = said.values[slots]
    return sessions, times
