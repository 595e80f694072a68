"""The score of an entry of the mind: the published weights, in the published proportions, and within its bounds."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capabilities.formulas.mind_score import CONFIDENCE, composite, composites, recency
from capabilities.formulas.similarity import word_cosine

shares = st.floats(0.0, 1.0)
cosines = st.floats(-1.0, 1.0)
words = st.lists(st.sampled_from("abcdef"), max_size=6)


def test_similarity_counts_three_fifths_recency_and_confidence_a_fifth_each():
    assert composite(1.0, 0.0, 0.0) == pytest.approx(0.6)
    assert composite(0.0, 1.0, 0.0) == pytest.approx(0.2)
    assert composite(0.0, 0.0, 1.0) == pytest.approx(0.2)
    assert composite(1.0, 1.0, 1.0) == 1.0


def test_confidence_counts_low_medium_high_as_3_6_10_tenths():
    assert CONFIDENCE == {"low": 0.3, "medium": 0.6, "high": 1.0}


def test_recency_falls_to_a_third_in_thirty_days_and_knows_no_future():
    assert recency(0.0) == recency(-5.0) == 1.0
    assert recency(30.0) == pytest.approx(math.exp(-1))
    assert recency(90.0) == pytest.approx(math.exp(-3))


def test_the_default_threshold_asks_almost_nothing_of_what_is_new_and_sure():
    assert composite(-0.08, recency(0), CONFIDENCE["high"]) >= 0.35
    assert composite(0.34, recency(60), CONFIDENCE["medium"]) >= 0.35
    assert composite(0.33, recency(60), CONFIDENCE["medium"]) < 0.35


@given(cosines, shares, shares)
def test_every_score_is_a_share(similarity: float, new: float, sure: float):
    assert 0.0 <= composite(similarity, new, sure) <= 1.0


@given(cosines, cosines, shares, shares)
def test_what_is_more_alike_never_scores_less(a: float, b: float, new: float, sure: float):
    low, high = sorted((a, b))
    assert composite(low, new, sure) <= composite(high, new, sure)


@pytest.mark.parametrize("place", range(3))
def test_what_is_no_number_is_refused(place: int):
    values = [0.5, 0.5, 0.5]
    values[place] = math.nan
    with pytest.raises(ValueError, match="is nan"):
        composite(*values)
    with pytest.raises(ValueError, match="recency after nan"):
        recency(math.nan)


@given(words, words)
def test_the_cosine_of_words_is_the_same_both_ways_and_one_only_for_the_same_words(a: list[str], b: list[str]):
    found = word_cosine(a, b)
    assert 0.0 <= found <= 1.0
    assert found == word_cosine(b, a)
    assert (found == pytest.approx(1.0)) == (bool(a) and set(a) == set(b))


@given(st.lists(st.tuples(cosines, st.floats(-10, 1000), shares), max_size=20))
def test_many_entries_score_as_each_of_them_does(entries: list[tuple[float, float, float]]):
    columns = np.array(entries, np.float64).reshape(-1, 3)
    each = [composite(alike, recency(age), sure) for alike, age, sure in entries]
    assert composites(columns[:, 0], columns[:, 1], columns[:, 2]) == pytest.approx(each)
    with pytest.raises(ValueError, match="must be numbers"):
        composites(np.array([np.nan]), np.array([0.0]), np.array([1.0]))
