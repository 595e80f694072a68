"""The ranker over small indexes: what each part of a score does, and that odd numbers do no harm."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capabilities.retrieval.candidates import Candidates, make_candidates
from capabilities.retrieval.question import read_question
from capabilities.retrieval.rank import rank
from capabilities.turns import Turn
from capabilities.turns.record import turn_terms
from fabric.search.index import Batch, TextIndex
from tests.soak import examples

NOW = datetime(2024, 6, 20, tzinfo=UTC)
KEPT = {"session": "text", "role": "text", "said_at": "time", "speaker": "text"}
Said = tuple[str, str]


def turn(
    number: int,
    session: str,
    text: str,
    *,
    day: int = 1,
    speaker: str = "",
    role: Literal["user", "assistant"] = "user",
) -> Turn:
    said_at = datetime(2024, 5, day, tzinfo=UTC)
    return Turn(id=f"t{number}", session=session, turn=0, role=role, text=text, said_at=said_at, speaker=speaker)


def candidates(*turns: Turn, vectors: Sequence[Sequence[float]] = ()) -> Candidates:
    rows = [one.model_dump(mode="json") for one in turns]
    cells = [
        [one.session for one in turns],
        [one.role for one in turns],
        [one.said_at.timestamp() for one in turns],
        [one.speaker for one in turns],
    ]
    tokens = [" ".join(turn_terms(row)) for row in rows]
    index = TextIndex(KEPT, "session", [Batch([one.id for one in turns], range(len(turns)), tokens, cells)])  # type: ignore[arg-type]
    if vectors:
        index.begin_space(1)
        index.set_vectors(1, [one.id for one in turns], np.array(vectors, np.float16))
    return make_candidates([("turn", index, index.alive)])


def order(cue: str, *turns: Turn) -> list[str]:
    names = [one.speaker for one in turns if one.speaker]
    held = candidates(*turns)
    made = rank(read_question(cue, names), held, NOW)
    return [held.row_id(number) for number in made.best(len(turns), "turn")]


def test_the_turn_with_the_rare_word_comes_first():
    assert (
        order("the violin", turn(0, "a", "a dog and a walk"), turn(1, "b", "a violin"), turn(2, "c", "a dog"))[0]
        == "t1"
    )


def test_the_speaker_that_the_question_names_is_preferred():
    said = [turn(0, "a", "I bought a boat", speaker="Ben"), turn(1, "b", "I bought a boat", speaker="Ana Lopes")]
    assert order("what did Ana buy?", *said)[0] == "t1"
    assert order("what did Ben buy?", *said)[0] == "t0"


def test_an_answer_beside_the_question_is_found():
    said = [
        turn(0, "a", "Where is your violin from?"),
        turn(1, "a", "Cremona"),
        turn(2, "b", "Rain"),
        turn(3, "b", "Snow"),
    ]
    assert order("violin", *said)[:2] == ["t0", "t1"]


@pytest.mark.parametrize(("cue", "share"), [("which violin", 0.5), ("which violin did you name", 1.0)])
def test_what_stands_around_a_reply_counts_half_unless_it_is_asked_for(cue: str, share: float):
    said = [turn(0, "a", "my violin"), turn(1, "a", "Cremona", role="assistant"), turn(2, "b", "my violin")]
    said.append(turn(3, "b", "Cremona"))
    near = rank(read_question(cue), candidates(*said), NOW).neighbours
    assert near[1] == pytest.approx(share * near[3])
    assert near[3] > 0


def test_neighbours_end_with_their_session():
    said = [turn(0, "a", "my violin"), turn(1, "b", "Cremona"), turn(2, "b", "Snow")]
    made = rank(read_question("violin"), candidates(*said), NOW)
    assert made.neighbours.tolist() == [0, 0, 0]


def test_a_turn_of_the_named_day_is_preferred():
    said = [turn(0, "a", "we went swimming", day=3), turn(1, "b", "we went swimming", day=9)]
    assert order("where did we swim on 2024-05-03?", *said)[0] == "t0"
    assert order("where did we swim on 2024-05-09?", *said)[0] == "t1"


def test_of_two_sessions_that_say_the_same_the_newer_comes_first():
    said = [turn(0, "a", "my home is in Oslo"), turn(1, "b", "my home is in Rome now", day=9), turn(2, "c", "rain")]
    assert order("where is my home", *said)[:2] == ["t1", "t0"]


def test_an_exact_token_decides():
    said = [
        turn(0, "a", "error error error log"),
        turn(1, "b", "an error log and E4021 in v2.3.1"),
        turn(2, "c", "E40 v2.3"),
    ]
    assert order("error log error E4021", *said)[0] == "t1"
    assert order("v2.3.1", *said)[0] == "t1"


def test_how_sure_it_is_tells_the_known_from_the_unknown():
    held = candidates(turn(0, "a", "I bought a violin in Cremona"), turn(1, "b", "it rained"))
    sure, unsure = (rank(read_question(cue), held, NOW).sureness for cue in ("violin from Cremona", "tractor in Ohio"))
    assert sure > 0.9
    assert unsure < 0.1


@pytest.mark.parametrize(("is_foreign", "first"), [(False, "t1"), (True, "t0")])
def test_words_decide_where_the_embedder_does_not_know_the_language(is_foreign: bool, first: str):
    said = [turn(0, "a", "la casa de Ana"), turn(1, "b", "el perro de Ana")]
    held = candidates(*said, vectors=[[1, 0], [0, 1]])
    asked = replace(read_question("¿dónde está la casa?"), vector=np.array([0, 1], np.float32), is_foreign=is_foreign)
    assert held.row_id(rank(asked, held, NOW).best(1, "turn")[0]) == first


KENNEL = [[0.8, 0.6, 0.0], [0.8, 0.6, 0.0], [0.5, 0.866, 0.0], [0.55, 0.0, 0.835]]
"""Two dogs, a third animal whose turn is nearer to theirs than to the question, and one that is the other way round."""


def kennel(cue: str, **changed: bool) -> tuple[list[str], float]:
    said = [turn(0, "a", "my dog Rex"), turn(1, "b", "my dog Bo"), turn(2, "c", "Tilly barks"), turn(3, "d", "hot")]
    held = candidates(*said, vectors=KENNEL)
    asked = replace(read_question(cue), vector=np.array([1, 0, 0], np.float32), **changed)
    made = rank(asked, held, NOW)
    return [held.row_id(number) for number in made.best(4, "turn")], made.sureness


def test_a_question_about_several_things_finds_what_is_like_the_first_ones():
    assert kennel("which dog do I mean")[0][2:] == ["t3", "t2"]
    assert kennel("how many dogs do I have")[0][2:] == ["t2", "t3"]


def test_the_second_look_does_not_make_it_surer():
    cue = "how many dogs do I have"
    assert kennel(cue)[1] == kennel(cue, is_about_several=False)[1]


@pytest.mark.parametrize("count", [0, 1, 2])
def test_few_rows_do_no_harm(count: int):
    said = [turn(number, "a", "a dog") for number in range(count)]
    if said:
        assert order("dog", *said) == [one.id for one in said]
        assert order("", *said) == [one.id for one in said]


@settings(max_examples=examples(60))
@given(
    cue=st.text(max_size=60),
    texts=st.lists(
        st.one_of(st.text(max_size=30), st.just("the dog ran"), st.just("a\x00b \ud83d")), min_size=1, max_size=6
    ),
)
def test_any_cue_and_any_texts_give_finite_scores(cue: str, texts: list[str]):
    made = rank(read_question(cue), candidates(*(turn(n, "ab"[n % 2], text) for n, text in enumerate(texts))), NOW)
    assert np.isfinite(made.scores).all()
    assert 0 <= made.sureness <= 1
    assert (made.base >= 0).all()


def test_scoring_only_the_best_rows_finds_the_same_ones():
    chance = np.random.default_rng(5)
    words = [f"word{number}" for number in range(300)]
    texts = [" ".join(chance.choice(words, 6)) for _ in range(6_000)]
    held = candidates(*(turn(n, f"s{n // 7}", text, day=1 + n % 28) for n, text in enumerate(texts)))
    for cue in (f"{a} {b}" for a, b in pairwise(words[:30])):
        some, every = (rank(read_question(cue), held, NOW, most=most) for most in (10, 10_000))
        assert len(some.rows) < len(every.rows) == 6_000
        assert some.best(10, "turn") == every.best(10, "turn")
