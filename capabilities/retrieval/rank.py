"""The one ranker: what every row scores for a question."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from fabric.search.base import SearchView

from .candidates import Candidates
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


def rank(
    question: Question, candidates: Candidates, now: datetime, *, most: int = 10, weights: Weights = WEIGHTS
) -> Ranking:
    """Score all candidates for a question asked at ``now``; ``most`` results will be wanted of each tier.

    A question about several things is ranked twice: the second time it means what was found first, too.
    """
    if question.is_foreign:
        weights = replace(weights, dense=weights.dense * FOREIGN_SHARE)
    signals = _signals(question, candidates, now, weights)
    first = _rank(question, candidates, signals, most, weights)
    vector = _widened(first) if question.is_about_several and weights.feedback else None
    if vector is None:
        return first
    second = _rank(replace(question, vector=vector), candidates, signals, most, weights)
    second.sureness, second.sureness_of = first.sureness, first.sureness_of
    return second


def _widened(first: Ranking) -> Floats | None:
    """Return the question's vector, drawn towards the best turns of the two best sessions; None without vectors."""
    asked = first.question.vector
    allowed = first.candidates.allowed()[first.rows]
    sessions, _ = _of_turns(first.candidates, first.rows)
    turns = np.flatnonzero(allowed & (sessions >= 0))
    pair = best_pair(first.scores[turns], sessions[turns])
    if asked is None or pair is None:
        return None
    vectors = [_vector(first.candidates, int(first.rows[turns[place]]), len(asked)) for place in pair]
    return widened(asked, np.stack(vectors), first.weights.feedback)


def _vector(candidates: Candidates, number: int, dimension: int) -> Floats:
    group = candidates.group_of(number)
    vectors = group.index.vectors
    if vectors is None or vectors.dimension != dimension or number - group.start >= len(vectors):
        return np.zeros(dimension, np.float32)
    return vectors.at(number - group.start)


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


def _signals(question: Question, candidates: Candidates, now: datetime, weights: Weights) -> _Signals:
    lexical, allowed, are_open = look_up(question, candidates), candidates.allowed(), candidates.are_open
    among = None if are_open else allowed
    text = unit_range(lexical.sums, among)
    by_content = text if lexical.by_content is lexical.sums else unit_range(lexical.by_content, among)
    speaker, asked = whose(question, candidates)
    if question.people.rows is not None:
        for part in (text, speaker) if by_content is text else (text, by_content, speaker):
            part[~question.people.rows] *= np.float32(weights.about_others)
    exact = exact_rows(question, candidates)
    time = read_time(question.cue.text, question.cue.language, now)
    then = _time(candidates, np.arange(candidates.size), time.spans) == 1 if time.is_all else None
    then = None if then is None else then & allowed
    return _Signals(lexical, text, by_content, speaker, asked, exact, allowed, are_open, time, then)


def _rank(question: Question, candidates: Candidates, signals: _Signals, most: int, weights: Weights) -> Ranking:
    meaning = compare(question, candidates, signals.by_content, None if signals.are_open else signals.allowed)
    if question.people.rows is not None:
        meaning.dense[~question.people.rows] *= np.float32(weights.about_others)
    answers = question.people.answers
    base = meaning.dense * np.float32(weights.dense)
    base += signals.text
    attribute = np.zeros_like(base) if answers is None else np.float32(weights.attribute) * answers
    base += attribute
    speaker = np.float32(weights.speaker) * signals.speaker
    speaker[signals.asked] += np.float32(weights.subject) * base[signals.asked]
    base += speaker
    if not signals.are_open:
        base[~signals.allowed] = 0
    count = max(BEST_ROWS, 2 * most)
    rows = np.arange(candidates.size)
    is_large = candidates.size > max(ALL_ROWS, count)
    if is_large or not candidates.are_exact:
        top = greatest(base, count)
        refine(question, candidates, top[signals.allowed[top]], meaning, base, weights.dense)
        if is_large:
            rows = _with_neighbours(top, _put_ahead(signals, base, count), candidates)
    adjacent, two_away, session = _surroundings(base, rows, candidates)
    around_it = np.asarray(weights.adjacent * adjacent + weights.two_away * two_away, np.float32)
    if "assistant" not in question.roles:
        around_it[_are_replies(candidates, rows)] *= np.float32(weights.reply)
    session *= np.float32(weights.session)
    scores = np.asarray(base[rows] + around_it + session, np.float32)
    time = _time(candidates, rows, signals.time.spans)
    scores *= 1 + np.float32(weights.time) * time
    scores += np.float32(EXACT_BONUS) * signals.exact[rows]
    if signals.then is not None:
        scores += np.float32(THEN_BONUS) * signals.then[rows]
    text, dense, exact = signals.text, meaning.dense, signals.exact
    made = Ranking(
        question,
        candidates,
        signals.lexical,
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
        signals.allowed,
    )
    made.then = signals.then
    _finish(made, meaning, signals.allowed)
    if signals.then is not None and signals.then.any():
        made.sureness = max(made.sureness, TOLD_THEN)
    return made


def _put_ahead(signals: _Signals, base: Floats, count: int) -> Numbers:
    """Return the rows that are put ahead of others for what they are, whatever they say."""
    exact = np.flatnonzero(signals.exact)[:count]
    if signals.then is None:
        return exact
    then = np.flatnonzero(signals.then)
    return np.concatenate([exact, then[greatest(base[then], count)]])


def _are_replies(candidates: Candidates, rows: Numbers) -> NDArray[np.bool_]:
    are_replies = np.zeros(len(rows), np.bool_)
    for group in candidates:
        role = group.index.columns.get("role")
        begin, end = np.searchsorted(rows, [group.start, group.end])
        number = -1 if role is None else role.names.get("assistant", -1)
        if role is not None and number >= 0:
            are_replies[begin:end] = role.values[rows[begin:end] - group.start] == number
    return are_replies


def _with_neighbours(top: Numbers, exact: Numbers, candidates: Candidates) -> Numbers:
    """Return the numbers of the rows to score fully, ascending: the best, and those up to two turns away."""
    chosen = np.zeros(candidates.size, np.bool_)  # marking rows is several times as fast as sorting their numbers
    chosen[top] = chosen[exact] = True
    for group in candidates:
        begin, end = np.searchsorted(top, [group.start, group.end])
        own = chosen[group.start : group.end]
        for links in (group.index.before, group.index.after):
            adjacent = links[top[begin:end] - group.start]
            adjacent = adjacent[adjacent >= 0]
            two_away = links[adjacent]
            own[adjacent] = own[two_away[two_away >= 0]] = True
    return np.flatnonzero(chosen)


def _surroundings(base: Floats, rows: Numbers, candidates: Candidates) -> tuple[Floats, Floats, Floats]:
    adjacent, two_away = np.zeros(len(rows), np.float32), np.zeros(len(rows), np.float32)
    session = base[rows].copy()
    for group in candidates:
        begin, end = np.searchsorted(rows, [group.start, group.end])
        positions = rows[begin:end] - group.start
        index, own = group.index, base[group.start : group.end]
        if index.thread and len(positions):
            sessions = _sessions(index, positions)
            linked = sessions >= 0
            near, further = around(own, index.before, index.after, positions)
            adjacent[begin:end], two_away[begin:end] = near * linked, further * linked
            session[begin:end] = best_of_group(own[positions], sessions)
    return adjacent, two_away, session


def _time(candidates: Candidates, rows: Numbers, spans: Sequence[Span]) -> Floats:
    fits = np.zeros(len(rows), np.float32)
    for group in candidates if spans else ():
        said_at = group.index.columns.get("said_at")
        begin, end = np.searchsorted(rows, [group.start, group.end])
        if said_at is not None and end > begin:
            fits[begin:end] = nearness(said_at.values[rows[begin:end] - group.start], spans)
    return fits


def _finish(ranking: Ranking, meaning: Meaning, allowed: NDArray[np.bool_]) -> None:
    """Put a newer turn above an older one where both speak of the same, and say how sure it is that anything fits."""
    places = np.flatnonzero(allowed[ranking.rows])
    if not len(places):
        return
    places = places[greatest(ranking.scores[places], BEST_ROWS)]
    rows = ranking.rows[places]
    matched = ranking.lexical.matched(rows)
    spelled = matched if ranking.lexical.spelled is None else ranking.lexical.matched(rows, as_spelled=True)
    theirs = ranking.question.people.rows
    sessions, times = _of_turns(ranking.candidates, rows)
    turns = np.flatnonzero(sessions >= 0)
    scores = ranking.scores[places]
    weighted = spelled * ranking.lexical.weights[:, None]
    if theirs is not None:
        weighted[:, ~theirs[rows]] = 0
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

    def sureness_among(mask: NDArray[np.bool_]) -> float:
        with_vector = rows[mask & meaning.present[rows]]
        cosine = float(meaning.cosines[with_vector].max()) if len(with_vector) else None
        share = confidence(matched[:, mask], ranking.lexical.weights, sessions[mask], cosine)
        return calibrated(share, ranking.candidates.words)

    by_all = sureness_among(np.ones(len(rows), np.bool_))

    def sureness(question: Question) -> float:
        theirs, answers = question.people.rows, question.people.answers
        sure = by_all
        if theirs is not None:
            sure = max(sureness_among(theirs[rows]), ranking.weights.confidence_about_others * by_all)
        answered = 0.0 if answers is None else float(answers[rows].max())
        return max(sure, ANSWERED) if answered >= TELLS else sure

    return sureness


def _of_turns(candidates: Candidates, rows: Numbers) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return each row's session number and time; -1 and NaN for rows that have none.

    Sessions of two collections are never one: each numbers its own.
    """
    sessions, times = np.full(len(rows), -1, np.int32), np.full(len(rows), np.nan)
    known = 0
    for group in candidates:
        begin, end = np.searchsorted(rows, [group.start, group.end])
        index, said_at = group.index, group.index.columns.get("said_at")
        if index.thread and said_at is not None:
            positions = rows[begin:end] - group.start
            own = _sessions(index, positions)
            sessions[begin:end] = np.where(own >= 0, own + known, -1)
            times[begin:end] = said_at.values[positions]
            known += len(index.columns[index.thread].names)
    return sessions, times


def _sessions(index: SearchView, positions: Numbers) -> NDArray[np.int32]:
    """Return the numbers of the sessions in which rows were said, -1 for those of none."""
    column = index.columns[index.thread]
    found: NDArray[np.int32] = column.values[positions]
    nowhere = column.names.get("")
    return found if nowhere is None else np.where(found == nowhere, np.int32(-1), found)
