"""Two texts are compared by the words they share, each direction for itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capabilities.formulas.similarity import overlap

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
