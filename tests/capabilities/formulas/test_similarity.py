"""Two texts are compared by the words they share, each direction for itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capabilities.formulas.similarity import ALIKE, best_overlap, overlap

texts = st.lists(st.sampled_from("abcdefgh"), max_size=8)


def test_overlap_is_directional():
    short, long = ["works", "at", "stripe"], ["works", "at", "stripe", "in", "dublin", "now"]
    assert overlap(short, long) == 1.0
    assert overlap(long, short) == 0.5


def test_nothing_asked_finds_nothing():
    assert overlap([], ["works"]) == 0.0
    assert overlap(["works"], []) == 0.0
    assert overlap([], []) == 0.0


def test_a_word_said_thrice_counts_once():
    assert overlap(["very", "very", "very", "good"], ["good"]) == 0.5


@given(texts, texts)
def test_overlap_is_a_share_and_counts_exactly_the_shared_words(a: list[str], b: list[str]):
    found = [word for word in set(a) if word in b]
    assert 0.0 <= overlap(a, b) <= 1.0
    assert overlap(a, b) * len(set(a)) == pytest.approx(len(found))


@given(texts.filter(bool), texts)
def test_a_text_is_wholly_found_in_any_longer_version_of_itself(a: list[str], more: list[str]):
    assert overlap(a, a + more) == 1.0


@given(texts, texts, st.sampled_from("abcdefgh"))
def test_more_words_to_find_them_in_never_lower_the_overlap(a: list[str], b: list[str], word: str):
    assert overlap(a, [*b, word]) >= overlap(a, b)


def test_the_best_match_takes_the_larger_direction_and_reports_the_smaller():
    known = [["likes", "tea"], ["works", "at", "stripe", "in", "dublin", "now"]]
    match = best_overlap(["works", "at", "stripe"], known)
    assert match is not None
    assert match == (1, 1.0, 0.5)


def test_of_two_that_hold_all_words_the_closer_one_is_taken():
    match = best_overlap(["likes", "tea"], [["likes", "green", "tea", "too"], ["likes", "tea", "too"]])
    assert match is not None
    assert match.position == 1


def test_the_first_of_equals_is_taken():
    match = best_overlap(["tea"], [["tea"], ["tea"]])
    assert match is not None
    assert match.position == 0


def test_three_words_of_five_are_alike_and_fewer_are_not():
    five = ["she", "lives", "in", "old", "oslo"]
    assert ALIKE == 0.6
    assert best_overlap(five, [["she", "lives", "in", "new", "york"]]) == (0, 0.6, 0.6)
    assert best_overlap(five, [["she", "lives", "near", "new", "york"]]) is None
    assert best_overlap(five, [["she", "lives", "near", "new", "york"]], threshold=0.4) == (0, 0.4, 0.4)


def test_no_candidates_no_match():
    assert best_overlap(["tea"], []) is None
    assert best_overlap([], [["tea"]]) is None


@given(texts, st.lists(texts, max_size=6))
def test_no_candidate_beats_the_best(a: list[str], others: list[list[str]]):
    match = best_overlap(a, others)
    larger = [max(overlap(a, other), overlap(other, a)) for other in others]
    if match is None:
        assert all(value < ALIKE for value in larger)
    else:
        assert match.larger == max(larger) == larger[match.position]
        assert match.smaller <= match.larger
